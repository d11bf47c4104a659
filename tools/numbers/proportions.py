"""Check percentages against their counts, totals against their parts, and numbers against their second mention.

A percentage of a table may have another total than its heading states, which makes a finding less severe. Totals are
among the checks of the REAPPRAISED list: Grey, A., Bolland, M. J., Avenell, A., Klein, A. A., and Gunsalus, C. K.
(2020), "Check for publication integrity before misconduct", Nature 577, 167-169.
"""

from __future__ import annotations

from state.computed_findings import ComputedFinding
from tools.numbers.records import Proportion, ReportedTotal, RoundedNumber

_MAX_APPROXIMATE_DIFFERENCE = 3.0  # percentage points behind a word such as `about`


def check_proportion(proportion: Proportion) -> ComputedFinding | None:
    """Return a finding if the count and the total do not give the percentage; else None."""
    count, total, percentage = proportion.count, proportion.total, proportion.percentage
    if total < max(count, 1):
        return None
    exact = 100 * count / total
    difference = abs(exact - percentage.value)
    is_near = proportion.approximate and difference < _MAX_APPROXIMATE_DIFFERENCE
    if is_near or percentage.is_rounding_of(exact):
        return None
    could_be = {
        f"a share of another total than {total}, such as that of a block of rows": proportion.statement.row,
        "the share of the others": percentage.is_rounding_of(100 - exact),
    }
    explanations = [each for each, holds in could_be.items() if holds]
    is_slip = difference <= 2 * percentage.half + 1e-9
    other = round(percentage.value * total / 100)
    instead = f", or {other} of {total}" if percentage.is_rounding_of(100 * other / total) else ""
    decimals = percentage.decimals
    return proportion.build_finding(
        "percentage",
        "low" if is_slip or explanations else "medium",
        computation=f"{count} of {total} is {exact:.{max(1, decimals + 1)}f}%, printed is {percentage.value:g}%",
        consistent=f"{exact:.{decimals}f}%{instead}",
        explanations=explanations,
    )


def check_total(reported: ReportedTotal) -> ComputedFinding | None:
    """Return a finding if parts that do not overlap cannot add up, or a repeated number differs; else None."""
    is_repeated = len(reported.parts) == 1
    numbers = [reported.total, *reported.parts]
    halves = {number.half for number in numbers}
    # Counts are not rounded, nor is a repeated number.
    if len(halves) == 1 and (is_repeated or (halves == {0.5} and not reported.percentage)):
        numbers = [number._replace(half=0) for number in numbers]
    total, *parts = numbers
    is_less = sum(part.high for part in parts) < total.low and reported.complete
    if not reported.exclusive or not (is_less or sum(part.low for part in parts) > total.high):
        return None

    def format_like(value: float, printed: RoundedNumber) -> str:
        return f"{value:,.{printed.decimals}f}{'%' if reported.percentage else ''}"

    printed, *shown = (format_like(number.value, number) for number in (reported.total, *reported.parts))
    added = format_like(sum(part.value for part in parts), min(reported.parts, key=lambda part: part.half))
    if is_repeated:
        why, consistent = f"{printed} in one place and {shown[0]} in the other", "the same number in both places"
    else:
        why = f"{' + '.join(shown)} = {added}, printed is {printed}"
        consistent = f"a total of {added}, or other parts"
    return reported.build_finding(
        "number told twice" if is_repeated else "parts of a whole",
        "medium",
        computation=f"{reported.name}: {why}",
        consistent=consistent,
        explanations=["two quantities" if is_repeated else "parts that overlap, or parts that are not named"],
    )
