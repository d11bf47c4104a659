"""Abbreviations: defined twice in two ways, or used before they are defined.

A definition is a long form directly before the abbreviation in brackets, whose letters stand in its words in order, as
in Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation definitions in biomedical text".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
        yield from _used_before(parts, first)


def _used_before(parts: Sequence[Statement], first: Definition) -> Iterator[ComputedFinding]:
    """The body must define what it uses; what the abstract or an earlier bracket tells is enough."""
    short, defined = re.escape(first.short), parts[first.at]
    if first.short in _KNOWN or "-" in first.short or _ABSTRACT.search(defined.paragraph["section"]):
        return
    use = re.compile(rf"(?<![\w(/-]){short}s?(?![\w/-])")
    explained = re.compile(rf"(?:[(/-]|[–=:]\s){short}s?\b|\b{short}s?\s?[(:=–-]")  # (EWMA), EWMA: a mean
    for at, part in enumerate(parts[: first.at + 1]):
        end = first.place[0] if at == first.at else len(part.text)
        if explained.search(part.text, 0, end):
            return
        match = use.search(part.text, 0, end)
        if match and is_prose(part) and not _ABSTRACT.search(part.paragraph["section"]):
            yield part.finding(
                "abbreviation",
                "low",
                part.sentence_at(match.start()),
                computation=f"{first.short} is used in {part.paragraph['id']} and defined in "
                f"{defined.paragraph['id']} (“{first.long}”)",
                consistent=f"the definition of {first.short} where it stands first",
            )
            return


def _stems(text: str) -> list[str]:
    """Words without case, hyphens and endings."""
    return [word.lower()[:4] for word in re.findall(r"[^\W_]+", text) if len(word) > 3]
