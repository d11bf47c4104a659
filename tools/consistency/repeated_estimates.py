"""One estimate with its interval in two places: of the three numbers two agree and the third does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from tools.consistency.intervals import ReportedInterval, reported_intervals
from tools.consistency.repeated_values import is_summary
from tools.consistency.statements import Statement

_FEWEST_DIGITS = 4
"""Of the two numbers that agree: fewer may agree by chance."""
_FARTHEST = 1.25
"""Times by which the third may differ; what is farther away is another estimate."""

_Place = tuple[Statement, ReportedInterval]


def check_repeated_estimates(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Estimates of abstract and conclusion that the rest of the paper has with one number changed."""
    places = [(part, interval) for part in parts for interval in reported_intervals(part.text)]
    body = [place for place in places if not is_summary(place[0])]
    said = {_numbers(interval) for _, interval in body}
    for part, interval in places:
        if not is_summary(part) or _numbers(interval) in said:
            continue
        rivals = [place for place in body if _one_differs(interval, place[1])]
        if len({_numbers(other) for _, other in rivals}) == 1:
            yield _finding((part, interval), rivals[0])


def _numbers(interval: ReportedInterval) -> tuple[float, float, float]:
    return interval.estimate.value, interval.low.value, interval.high.value


def _one_differs(one: ReportedInterval, other: ReportedInterval) -> bool:
    if one.scale != other.scale or one.level != other.level:
        return False
    pairs = list(zip((one.estimate, one.low, one.high), (other.estimate, other.low, other.high), strict=True))
    alike = [first for first, second in pairs if first == second]
    rest = [(first, second) for first, second in pairs if first != second]
    if len(rest) != 1 or rest[0][0].half != rest[0][1].half:
        return False
    digits = sum(len(re.sub(r"\D", "", f"{each.value:g}")) for each in alike)
    first, second = (each.value for each in rest[0])
    return digits >= _FEWEST_DIGITS and first * second > 0 and 1 / _FARTHEST < first / second < _FARTHEST


def _shown(interval: ReportedInterval) -> str:
    estimate, low, high = _numbers(interval)
    return f"{estimate:g} ({low:g} to {high:g})"


def _finding(summary: _Place, other: _Place) -> ComputedFinding:
    (part, interval), (there, second) = summary, other
    section = there.paragraph["section"] or there.paragraph["id"]
    return part.finding(
        "one number, two values",
        "medium",
        interval.place,
        computation=f"{_shown(interval)} here, {_shown(second)} in {section} ({there.paragraph['id']})",
        consistent="the same three numbers in both places",
    )
