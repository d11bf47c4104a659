"""Percentages against the counts beside them, totals against their parts, and numbers that are told twice.

A percentage of a table may be of fewer people than its heading tells, as some answers are missing. This makes a
finding less severe. Totals are among the checks of the REAPPRAISED list: Grey, A., Bolland, M. J., Avenell, A., Klein,
A. A., and Gunsalus, C. K. (2020), "Check for publication integrity before misconduct", Nature 577, 167-169.
"""

from __future__ import annotations

import math

from state.computed_findings import ComputedFinding, Severity
from tools.numbers.records import Proportion, ReportedTotal, RoundedNumber

_MAX_APPROXIMATE_DIFFERENCE = 3.0  # percentage points that `about` and the like allow
_MIN_ANSWERED_SHARE = 0.8  # of a table's n; with fewer, the table would say so


def check_proportion(proportion: Proportion) -> ComputedFinding | None:
    """Return a finding if the count and the total do not give the percentage."""
    count, total, percentage = proportion.count, proportion.total, proportion.percentage
    if total < max(count, 1):
        return None
    exact = 100 * count / total
    if percentage.is_rounding_of(exact) or (
        proportion.approximate and abs(percentage.value - exact) < _MAX_APPROXIMATE_DIFFERENCE
    ):
        return None
    is_of_fewer = proportion.statement.row and _can_fit_smaller_total(proportion)
    explanations = [f"a share of fewer than {total}, because some values are missing"] if is_of_fewer else []
    near = abs(exact - percentage.value) <= 2 * percentage.half + 1e-9
    severity: Severity = "low" if near or explanations else "medium"
    decimals = percentage.decimals
    other = round(percentage.value * total / 100)
    instead = f", or {other} of {total}" if percentage.is_rounding_of(100 * other / total) else ""
    return proportion.build_finding(
        "percentage",
        severity,
        computation=f"{count} of {total} is {exact:.{max(1, decimals + 1)}f}%, printed is {percentage.value:g}%",
        consistent=f"{exact:.{decimals}f}%{instead}",
        explanations=explanations,
    )


def _can_fit_smaller_total(proportion: Proportion) -> bool:
    """Return whether the percentage is right of somewhat fewer people than the total."""
    least = max(math.ceil(100 * proportion.count / proportion.percentage.high), _MIN_ANSWERED_SHARE * proportion.total)
    most = 100 * proportion.count / max(proportion.percentage.low, 1e-9)
    return math.ceil(least) <= min(most, proportion.total - 1)


def check_total(told: ReportedTotal) -> ComputedFinding | None:
    """Return a finding if the parts of a total, none of which overlap, cannot add up to it."""
    is_repeated = len(told.parts) == 1
    numbers = [told.total, *told.parts]
    halves = {number.half for number in numbers}
    if len(halves) == 1 and (is_repeated or (halves == {0.5} and not told.percentage)):  # counts are not rounded
        numbers = [number._replace(half=0) for number in numbers]
    total, *parts = numbers
    is_less = sum(part.high for part in parts) < total.low and told.complete
    if not told.exclusive or not (is_less or sum(part.low for part in parts) > total.high):
        return None
    printed, *shown = (_format_like_printed(number.value, number, told) for number in (told.total, *told.parts))
    added = _format_like_printed(sum(part.value for part in parts), min(told.parts, key=lambda part: part.half), told)
    if is_repeated:
        why, consistent = f"{printed} in one place and {shown[0]} in the other", "the same number in both places"
    else:
        why = f"{' + '.join(shown)} = {added}, printed is {printed}"
        consistent = f"a total of {added}, or other parts"
    return told.build_finding(
        "number told twice" if is_repeated else "parts of a whole",
        "medium",
        computation=f"{told.name}: {why}",
        consistent=consistent,
        explanations=["two quantities" if is_repeated else "parts that overlap, or that are not all told"],
    )


def _format_like_printed(value: float, printed: RoundedNumber, told: ReportedTotal) -> str:
    """Write a value with as many decimals as a number was printed with."""
    return f"{value:,.{printed.decimals}f}{'%' if told.percentage else ''}"
