"""Numbers that are told twice, and totals whose parts do not add up.

Both are among the checks of the REAPPRAISED list: Grey, A., Bolland, M. J., Avenell, A., Klein, A. A., and Gunsalus,
C. K. (2020), "Check for publication integrity before misconduct", Nature 577, 167-169.
"""

from __future__ import annotations

import math

from state.computed_findings import ComputedFinding
from tools.numbers.records import RoundedNumber, ToldTotal


def check_total(told: ToldTotal) -> ComputedFinding | None:
    """Return a finding if the parts of a total, none of which overlap, cannot add up to it."""
    is_repeated = len(told.parts) == 1
    numbers = [told.total, *told.parts]
    halves = {number.half for number in numbers}
    if len(halves) == 1 and (is_repeated or (halves == {0.5} and not told.percentage)):  # counts are not rounded
        numbers = [RoundedNumber(number.value, 0) for number in numbers]
    total, *parts = numbers
    is_less = sum(part.high for part in parts) < total.low and told.complete
    if not told.exclusive or not (is_less or sum(part.low for part in parts) > total.high):
        return None
    shown = [_format(number, told) for number in (told.total, *told.parts)]
    added = _format(RoundedNumber(sum(part.value for part in parts), min(part.half for part in told.parts)), told)
    repeated = f"{shown[0]} in one place and {shown[1]} in the other"
    return told.statement.finding(
        "number told twice" if is_repeated else "parts of a whole",
        "medium",
        told.place,
        computation=f"{told.name}: "
        + (repeated if is_repeated else f"{' + '.join(shown[1:])} = {added}, printed is {shown[0]}"),
        consistent="the same number in both places" if is_repeated else f"a total of {added}, or other parts",
        explanations=["two quantities" if is_repeated else "parts that overlap, or that are not all told"],
    )


def _format(number: RoundedNumber, told: ToldTotal) -> str:
    """Write a number with as many decimals as were printed."""
    return f"{number.value:,.{max(0, round(-math.log10(2 * number.half)))}f}{'%' if told.percentage else ''}"
