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

_BRACKETED_ABBREVIATION = re.compile(r"\((?P<short>[A-Z][A-Za-z-]{0,8}[A-Z])s?(?:[;,][^()]{0,40})?\)")
_WORD = re.compile(r"[^\W_]+(?:[’'][a-z]+)?")
_KNOWN_ABBREVIATIONS = {
    "DNA",
    "RNA",
    "USA",
    "UK",
    "EU",
    "US",
    "HIV",
    "WHO",
    "PCR",
    "SD",
    "CI",
    "IQ",
    "BMI",
    "MRI",
    "EEG",
    "ANOVA",
}
_SKIPPED_WORDS = {"of", "and", "the", "for", "in", "to", "a", "on", "with", "by", "at", "or", "de"}
_ABSTRACT_SECTION = re.compile(r"abstract|summary|keywords", re.IGNORECASE)


class Definition(NamedTuple):
    """Where a long form has its abbreviation in brackets behind it."""

    short: str
    long: str
    at: int  # Number of the statement.
    place: tuple[int, int]


def check_abbreviations(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Findings about the abbreviations of a paper."""
    found: dict[str, list[Definition]] = {}
    for each in _list_definitions(parts):
        found.setdefault(each.short, []).append(each)
    for short, places in found.items():
        first = places[0]
        other = next((each for each in places if _stem_long_form(each.long) != _stem_long_form(first.long)), None)
        if other:
            why, consistent = f"{short} is “{other.long}” here and “{first.long}” before", f"one meaning of {short}"
            yield parts[other.at].build_finding(
                "abbreviation", "low", other.place, computation=why, consistent=consistent
            )
        elif short not in _KNOWN_ABBREVIATIONS:
            yield from _find_earlier_use(parts, first)


def _list_definitions(parts: Sequence[Statement]) -> Iterator[Definition]:
    for at, part in enumerate(parts):
        for match in () if part.row else _BRACKETED_ABBREVIATION.finditer(part.text):
            start = _find_long_form_start(part.text[: match.start()], match["short"])
            if start is not None:
                long = part.text[start : match.start()].strip()
                yield Definition(match["short"], long, at, (start, match.end()))


def _find_long_form_start(before: str, short: str) -> int | None:
    """Where the long form begins, whose words begin with the letters one each; None if there is none."""
    words = list(_WORD.finditer(before))[-2 * len(short) :]
    start = None
    for letter in reversed(short.replace("-", "").lower()):
        while words and words[-1][0].lower() in _SKIPPED_WORDS and words[-1][0][0].lower() != letter:
            words.pop()
        if not words or words[-1][0][0].lower() != letter:
            return None
        start = words.pop().start()
    return start


def _find_earlier_use(parts: Sequence[Statement], first: Definition) -> Iterator[ComputedFinding]:
    """Find a paragraph of the body that uses what a later one defines, if no earlier place explains it in any way."""
    uses = re.compile(rf"(?P<before>[(/–=:-]\s?)?(?<!\w){re.escape(first.short)}s?(?!\w)(?P<behind>\s?[(:=/–-])?")
    defined = parts[first.at].paragraph
    for part in parts[: first.at]:
        if use := uses.search(part.text):
            sections = f"{part.paragraph['section']} {defined['section']}"
            if is_prose(part) and not (use["before"] or use["behind"] or _ABSTRACT_SECTION.search(sections)):
                yield part.build_finding(
                    "abbreviation",
                    "low",
                    part.find_sentence_span(use.start()),
                    computation=f"{first.short} is used in {part.paragraph['id']} and defined in {defined['id']} "
                    f"(“{first.long}”)",
                    consistent=f"the definition of {first.short} where it stands first",
                )
            return


def _stem_long_form(text: str) -> list[str]:
    """Words without case, hyphens and endings."""
    return [word.lower()[:4] for word in re.findall(r"[^\W_]+", text) if len(word) > 3]
