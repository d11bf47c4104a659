"""The years of a study in two places: one end agrees and the other does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.consistency.repeated_values import is_summary
from tools.consistency.statements import Statement

_MONTH = r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December) )?"
_PERIOD = re.compile(
    rf"\b(?:from|between|during|in)\s{_MONTH}(?P<first>(?:19|20)\d\d)\s?(?:to|and|until|–|-)\s?{_MONTH}"
    r"(?P<last>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_FEWEST = 2  # words that both sentences have
_FARTHEST = 3  # years; what is farther away is of other data


class Period(NamedTuple):
    """First and last year, with the words of the sentence."""

    years: tuple[str, str]
    words: frozenset[str]
    statement: Statement
    place: tuple[int, int]


def check_periods(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Years of the abstract that the rest of the paper has with another beginning or end, and nowhere as they are."""
    periods = [period for part in parts if not part.row for period in _periods(part)]
    body = [period for period in periods if not is_summary(period.statement)]
    said = {period.years for period in body}
    for here in periods:
        if not is_summary(here.statement) or here.years in said:
            continue
        rivals = [there for there in body if _one_end(here, there) and len(here.words & there.words) >= _FEWEST]
        if len({there.years for there in rivals}) == 1:
            section = rivals[0].statement.paragraph["section"] or rivals[0].statement.paragraph["id"]
            told = "–".join(rivals[0].years)
            yield here.statement.finding(
                "one number, two values",
                "medium",
                here.place,
                computation=f"{'–'.join(here.years)} here, {told} in {section} "
                f"({rivals[0].statement.paragraph['id']}), of what is said in like words",
                consistent="the same years in both places",
            )


def _periods(part: Statement) -> Iterator[Period]:
    for match in _PERIOD.finditer(part.text):
        start, end = part.sentence_at(match.start())
        words = frozenset(word.lower()[:6] for word in _WORD.findall(part.text[start:end]))
        yield Period((match["first"], match["last"]), words, part, match.span())


def _one_end(here: Period, there: Period) -> bool:
    apart = [abs(int(one) - int(other)) for one, other in zip(here.years, there.years, strict=True)]
    return min(apart) == 0 and 0 < max(apart) <= _FARTHEST
