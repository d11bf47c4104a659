"""Numbers that are told twice, and totals whose parts do not add up.

Both are among the checks of the REAPPRAISED list: Grey, A., Bolland, M. J., Avenell, A., Klein, A. A., and Gunsalus,
C. K. (2020), "Check for publication integrity before misconduct", Nature 577, 167-169.
"""

from __future__ import annotations

from state.computed_findings import ComputedFinding
from tools.numbers.records import RoundedNumber, ToldTotal


def check_total(told: ToldTotal) -> ComputedFinding | None:
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
    printed, *shown = (_format(number.value, number, told) for number in (told.total, *told.parts))
    added = _format(sum(part.value for part in parts), min(told.parts, key=lambda part: part.half), told)
    if is_repeated:
        why, consistent = f"{printed} in one place and {shown[0]} in the other", "the same number in both places"
    else:
        why = f"{' + '.join(shown)} = {added}, printed is {printed}"
        consistent = f"a total of {added}, or other parts"
    return told.finding(
        "number told twice" if is_repeated else "parts of a whole",
        "medium",
        computation=f"{told.name}: {why}",
        consistent=consistent,
        explanations=["two quantities" if is_repeated else "parts that overlap, or that are not all told"],
    )


def _format(value: float, printed: RoundedNumber, told: ToldTotal) -> str:
    """Write a value with as many decimals as a number was printed with."""
    return f"{value:,.{printed.decimals}f}{'%' if told.percentage else ''}"
