"""Find abbreviations that a paper defines in two ways, or uses before it defines them.

A definition is a long form directly before the abbreviation in brackets, whose letters stand in its words in order, as
in Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation definitions in biomedical text".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.numbers.statements import Statement, is_prose

_BRACKETED_ABBREVIATION = re.compile(r"\((?P<short>[A-Z][A-Za-z-]{0,8}[A-Z])s?(?:[;,][^()]{0,40})?\)")
_WORD = re.compile(r"[^\W_]+(?:[’'][a-z]+)?")
# Abbreviations that readers know without a definition.
_KNOWN_ABBREVIATIONS = {
    "DNA", "RNA", "USA", "UK", "EU", "US", "HIV", "WHO", "PCR", "SD", "CI", "IQ", "BMI", "MRI", "EEG", "ANOVA",
}  # fmt: skip
_SKIPPED_WORDS = {"of", "and", "the", "for", "in", "to", "a", "on", "with", "by", "at", "or", "de"}
_ABSTRACT_SECTION = re.compile(r"abstract|summary|keywords", re.IGNORECASE)


class Definition(NamedTuple):
    """Named tuple of an abbreviation in brackets, its long form, and their place."""

    short: str
    long: str
    at: int  # number of the statement
    place: tuple[int, int]


def check_abbreviations(statements: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Yield findings about abbreviations with two meanings, and about those used before their definition."""
    definitions: dict[str, list[Definition]] = {}
    for at, part in enumerate(statements):
        for match in () if part.row else _BRACKETED_ABBREVIATION.finditer(part.text):
            start = _find_long_form_start(part.text[: match.start()], match["short"])
            if start is not None:
                found = Definition(match["short"], part.text[start : match.start()].strip(), at, (start, match.end()))
                definitions.setdefault(found.short, []).append(found)
    for short, (first, *others) in definitions.items():
        other = next((each for each in others if _stem_words(each.long) != _stem_words(first.long)), None)
        if other:
            why, consistent = f"{short} is “{other.long}” here and “{first.long}” before", f"one meaning of {short}"
            part = statements[other.at]
            yield part.build_finding("abbreviation", "low", other.place, computation=why, consistent=consistent)
        elif short not in _KNOWN_ABBREVIATIONS:
            yield from _find_earlier_use(statements, first)


def _find_long_form_start(before: str, short: str) -> int | None:
    """Return where the last words begin whose initials (small words aside) spell an abbreviation; None without any."""
    words = list(_WORD.finditer(before))[-2 * len(short) :]
    start = None
    for letter in reversed(short.replace("-", "").lower()):
        while words and words[-1][0].lower() in _SKIPPED_WORDS and words[-1][0][0].lower() != letter:
            words.pop()
        if not words or words[-1][0][0].lower() != letter:
            return None
        start = words.pop().start()
    return start


def _find_earlier_use(statements: Sequence[Statement], definition: Definition) -> Iterator[ComputedFinding]:
    """Yield a finding if the first use of an abbreviation precedes its definition and does not explain it."""
    uses = re.compile(rf"(?P<before>[(/–=:-]\s?)?(?<!\w){re.escape(definition.short)}s?(?!\w)(?P<behind>\s?[(:=/–-])?")
    defined = statements[definition.at].paragraph
    for part in statements[: definition.at]:
        if use := uses.search(part.text):
            # An abstract and the body each define their abbreviations.
            sections = f"{part.paragraph['section']} {defined['section']}"
            if is_prose(part) and not (use["before"] or use["behind"] or _ABSTRACT_SECTION.search(sections)):
                yield part.build_finding(
                    "abbreviation",
                    "low",
                    part.find_sentence_span(use.start()),
                    computation=f"{definition.short} is used in {part.paragraph['id']} and defined in "
                    f"{defined['id']} (“{definition.long}”)",
                    consistent=f"the definition of {definition.short} where it stands first",
                )
            return


def _stem_words(text: str) -> list[str]:
    """Return the first four letters of each word of a text that has more than three, in lower case."""
    return [word.lower()[:4] for word in re.findall(r"[^\W_]+", text) if len(word) > 3]
