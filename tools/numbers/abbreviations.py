"""Abbreviations: defined twice in two ways, used before they are defined, or never defined.

A definition is a long form directly before the abbreviation in brackets, whose letters stand in its words in order, as
in Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation definitions in biomedical text".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.numbers.statements import Statement, is_prose

_BRACKETED = re.compile(r"\((?P<short>[A-Z][A-Za-z0-9-]{0,8}[A-Z0-9])(?P<plural>s)?(?:[;,][^()]{0,40})?\)")
_WORD = re.compile(r"[^\W_]+(?:[’'][a-z]+)?")
_KNOWN = {
    *("DNA", "RNA", "USA", "UK", "EU", "US", "HIV", "WHO", "PCR", "SD", "CI", "IQ", "PDF", "API", "GPU", "CPU", "BMI"),
    *("SNP", "ATP", "MRI", "NMR", "ECG", "EEG", "ANOVA", "AIDS", "NASA", "URL", "GPS", "USD", "GDP", "AND", "NOT"),
}
"""That any reader knows before they are told."""
_ABSTRACT = re.compile(r"abstract|summary|keywords", re.IGNORECASE)


class Definition(NamedTuple):
    """Where a long form has its abbreviation in brackets behind it."""

    short: str
    long: str
    at: int
    """Number of the statement."""
    place: tuple[int, int]


def definitions(parts: Sequence[Statement]) -> list[Definition]:
    """All definitions in their order."""
    found: list[Definition] = []
    for at, part in enumerate(parts):
        if part.row:
            continue
        for match in _BRACKETED.finditer(part.text):
            start = _long_form(part.text[: match.start()], match["short"])
            if start is not None:
                long = part.text[start : match.start()].strip()
                found.append(Definition(match["short"], long, at, (start, match.end())))
    return found


def _long_form(before: str, short: str) -> int | None:
    """Where the long form begins, whose words begin with the letters one each; None if there is none."""
    letters = [char.lower() for char in short if char.isalpha()]
    words = list(_WORD.finditer(before))[-2 * len(letters) :]
    if len(letters) < 2 or any(char.isdigit() for char in short):
        return None
    skipped = {"of", "and", "the", "for", "in", "to", "a", "on", "with", "by", "at", "or", "de"}
    at, first = len(words) - 1, None
    for letter in reversed(letters):
        while at >= 0 and words[at][0].lower() in skipped and words[at][0][0].lower() != letter:
            at -= 1
        if at < 0 or words[at][0][0].lower() != letter:
            return None
        first, at = words[at].start(), at - 1
    return first


def check_abbreviations(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Findings about the abbreviations of a paper."""
    found: dict[str, list[Definition]] = {}
    for each in definitions(parts):
        found.setdefault(each.short, []).append(each)
    for short, places in found.items():
        first = places[0]
        other = next((each for each in places if _stems(each.long) != _stems(first.long)), None)
        if other:
            yield parts[other.at].finding(
                "abbreviation",
                "low",
                other.place,
                computation=f"{short} is “{other.long}” here and “{first.long}” before",
                consistent=f"one meaning of {short}",
            )
        yield from _used_before(parts, short, places)
    yield from _never_defined(parts, found.keys())


_UNDEFINED = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Ee]ach|[Ii]ts|[Oo]ur|[Tt]his|[Mm]ean|[Mm]edian) (?P<short>[A-Z]{3,6})s? "
    r"(?=(?:of|for|was|is|were|are|in|and|between|by|at|to|with|did|rose|fell|increased|decreased|improved|has|had)\b)"
    r"|(?:^|(?<=[.;] ))(?P<subject>[A-Z]{3,6})s? (?=(?:(?:was|were) (?:computed|measured|calculated"
    r"|assessed|derived|scored|given|used|administered|recorded|estimated)|rose|fell|increased|decreased)\b)"
    r"|\b[Ww]e (?:used|studied|measured|computed|applied|assessed|administered|gave|performed) (?P<object>[A-Z]{3,6})s?"
    r"(?= (?:in|for|with|on|and|at)\b|[.;,])"
)
"""Where an abbreviation stands as a noun does; names of genes, tools and places mostly stand otherwise."""


_EXPLAINED = (
    r"[(\[“\"'=–:/-]\s?SHORTs?(?!\s?[=\d.])|\bSHORTs?(?:\s?[(:–=/-](?!\d)|, (?:an?|the|which)\b)"
    r"|\b(?:called|termed|named|denoted|indicated|abbreviated|labelled|known)(?: as)? (?:[A-Z]+,? (?:and )?)*SHORT\b"
    r"|\bSHORTs? (?:cells?|domains?|stages?|genes?|proteins?|kinases?|famil|mice|strains?|lines?|database|stands)"
)
"""What tells the meaning of an abbreviation, or that it is a name."""


def _never_defined(parts: Sequence[Statement], defined: AbstractSet[str]) -> Iterator[ComputedFinding]:
    """Those that a paper uses as nouns, twice or more, and never tells the meaning of, while it does of others.

    A text that defines none may be an excerpt: there it takes a third use.
    """
    told = " ".join(part.text for part in parts)
    fewest = 2 if defined else 3
    for part in parts:
        for match in _UNDEFINED.finditer(part.text):
            short = match["short"] or match["subject"] or match["object"]
            if short in defined | _KNOWN or re.search("I{2}", short) or part.text.isupper():
                continue
            defined |= {short}
            if re.search(rf"\b{short.title()}\b", told):  # a gene, of which it is the protein
                continue
            uses = re.findall(rf"(?<![\w/–-]){short}s?(?![\w/–-])", told)
            initials = r"\b" + r"[\w’']*[ -]".join(short) + r"[\w’']*"  # words that begin with its letters
            explained = re.search(_EXPLAINED.replace("SHORT", short), told) or re.search(initials, told, re.IGNORECASE)
            if len(uses) >= fewest and not explained:
                yield part.finding(
                    "abbreviation",
                    "low",
                    _around(part, match),
                    computation=f"{short} is used {len(uses)} times and never defined"
                    f"{'; other abbreviations are' if fewest == 2 else ''}",
                    consistent=f"what {short} stands for, where it stands first",
                )


def _used_before(parts: Sequence[Statement], short: str, places: Sequence[Definition]) -> Iterator[ComputedFinding]:
    """The body must define what it uses; what the abstract or an earlier bracket tells is enough."""
    first = places[0]
    if short in _KNOWN or "-" in short or _ABSTRACT.search(parts[first.at].paragraph["section"]):
        return
    use = re.compile(rf"(?<![\w(/-]){re.escape(short)}s?(?![\w/-]|,? (?:USA|UK|U\.S)\b)")
    for at, part in enumerate(parts[: first.at + 1]):
        end = first.place[0] if at == first.at else len(part.text)
        match = use.search(part.text, 0, end)
        explained = re.search(
            rf"(?:[(/-]|[–=:]\s){re.escape(short)}s?\b|\b{re.escape(short)}s?\s?[(:=–-]", part.text[:end]
        )
        if explained:
            return
        if match and is_prose(part) and not _ABSTRACT.search(part.paragraph["section"]):
            yield part.finding(
                "abbreviation",
                "low",
                _around(part, match),
                computation=f"{short} is used in {part.paragraph['id']} and defined in "
                f"{parts[first.at].paragraph['id']} (“{first.long}”)",
                consistent=f"the definition of {short} where it stands first",
            )
            return


def _around(part: Statement, match: re.Match[str]) -> tuple[int, int]:
    """The words next to a match, within its sentence."""
    start, end = part.sentence_at(match.start())
    before = part.text.rfind(" ", start, max(start, match.start() - 50)) + 1
    after = part.text.find(" ", min(end, match.end() + 50), end)
    return max(start, before), after if after > 0 else end


def _stems(text: str) -> list[str]:
    """Words without case, hyphens and endings."""
    return [word.lower()[:4] for word in re.findall(r"[^\W_]+", text) if len(word) > 3]
