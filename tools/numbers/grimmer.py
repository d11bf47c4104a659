"""Standard deviations that no whole numbers have (GRIMMER).

Anaya, J. (2016), "The GRIMMER test: A method for testing the validity of reported measures of variability", PeerJ
Preprints 4:e2400v1; the three tests are those of A-GRIMMER, Allard, A. (2018), "Analytic-GRIMMER: a new way of testing
the possibility of standard deviations". Given the sum of n whole numbers, the sum of their squares is a whole number,
gives the printed deviation, and is even where the sum is even. The values of several items count in units of an item.
"""

from __future__ import annotations

import math

from state.computed_findings import ComputedFinding
from tools.numbers.grim import grade_severity, is_checkable, list_explanations, list_possible_sums
from tools.numbers.records import MeanAndDeviation, format_number


def check_deviation(mean: MeanAndDeviation) -> ComputedFinding | None:
    """Return a finding if no n whole numbers with the mean have the deviation; the mean must be possible."""
    sums = list_possible_sums(mean)
    deviation = mean.deviation
    if deviation is None or mean.binary or mean.percentage or not sums or not is_checkable(mean):
        return None
    if any(_has_possible_square_sum(mean, total, mean.n - 1) for total in sums):
        return None
    explanations = list_explanations(mean)
    of_population = any(_has_possible_square_sum(mean, total, mean.n) for total in sums)
    if of_population:
        explanations.insert(0, f"a deviation with {mean.n} in its denominator in place of {mean.n - 1}")
    total = min(sums, key=lambda each: abs(each - mean.mean.value * mean.n * (mean.items or 1)))
    least, most = _compute_square_sum_range(mean, total, mean.n - 1)
    return mean.build_finding(
        "deviation of whole numbers",
        grade_severity(mean, explanations if of_population else ()),
        computation=f"no {mean.n} whole numbers with the sum {total} have a standard deviation of {deviation.value:g}: "
        f"the sum of their squares would lie between {format_number(least, 7)} and {format_number(most, 7)}, "
        f"where no whole number is {'odd' if total % 2 else 'even'} as the sum is",
        consistent="another deviation or n",
        explanations=explanations,
    )


def _has_possible_square_sum(mean: MeanAndDeviation, total: int, divisor: int) -> bool:
    """Return whether a whole number of the parity of the sum gives the deviation as a sum of squares."""
    least, most = _compute_square_sum_range(mean, total, divisor)
    return any(squares % 2 == total % 2 for squares in range(math.ceil(least), math.floor(most) + 1))


def _compute_square_sum_range(mean: MeanAndDeviation, total: int, divisor: int) -> tuple[float, float]:
    """Return the least and the largest sum of squares that the printed deviation allows."""
    assert mean.deviation is not None  # noqa: S101 - the caller has looked
    items = mean.items or 1
    least, most = max(0.0, mean.deviation.low) * items, mean.deviation.high * items
    return divisor * least**2 + total**2 / mean.n, divisor * most**2 + total**2 / mean.n
