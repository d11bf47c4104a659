"""The t and the Cohen's d of two groups, recomputed from their means, deviations and n.

Student's t has n1 + n2 - 2 degrees of freedom, that of Welch (1947, Biometrika 34, 28-35) has fewer. Cohen (1988),
"Statistical power analysis for the behavioral sciences", divides by the pooled deviation, others by one of the two or
their mean, and Hedges corrects for small groups. Papers mix up deviations and standard errors, so both are tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

from state.computed_findings import ComputedFinding
from tools.numbers.records import GroupComparison, RoundedNumber, format_range


def check_comparison(comparison: GroupComparison) -> ComputedFinding | None:
    """Return a finding if neither deviations nor standard errors give the printed t or d."""
    first, second = comparison.groups
    total = first.n + second.n - 2
    independent = comparison.degrees is None or comparison.degrees == total
    welch = comparison.degrees is not None and comparison.degrees < total and not comparison.degrees.is_integer()
    if not (independent or welch) or min(first.n, second.n) < 2:
        return None  # a paired test, or one of other people
    readings = [
        _compute_possible_statistics(comparison.measure, *groups) for groups in _iterate_extreme_groups(comparison)
    ]
    ranges = [_compute_absolute_range(values) for values in zip(*readings, strict=True)]
    printed = RoundedNumber(abs(comparison.value.value), comparison.value.half)
    if any(low <= printed.high and printed.low <= high for low, high in ranges):
        return None
    certain = comparison.degrees == total
    name = f"t({total})" if comparison.measure == "t" else "d"
    of_deviations, of_errors = (format_range(*ranges[at]) for at in (0, len(ranges) // 2))
    return comparison.build_finding(
        "test and group means",
        "medium" if certain else "low",
        computation=f"means, deviations and n give {name} = {of_deviations}, printed is {printed.value:g}; "
        f"taken as standard errors, the deviations give {of_errors}",
        consistent=f"{name} = {of_deviations}, or other means, deviations or n",
        explanations=[] if certain else ["a paired comparison, or one that is adjusted for other variables"],
    )


_Group = tuple[float, float, int]  # mean, deviation and n


def _iterate_extreme_groups(comparison: GroupComparison) -> Iterator[list[_Group]]:
    """Yield the extreme values that the two groups may have had before they were rounded."""
    numbers = [number for each in comparison.groups for number in (each.mean, each.deviation) if number]
    for values in product(*((number.low, number.high) for number in numbers)):
        pairs = zip(values[::2], values[1::2], comparison.groups, strict=True)
        yield [(mean, max(deviation, 1e-9), group.n) for mean, deviation, group in pairs]


def _compute_possible_statistics(measure: str, first: _Group, second: _Group) -> list[float]:
    """Return each reading of t or d: first with the deviations, then with these taken as standard errors."""
    values: list[float] = []
    (mean1, spread1, n1), (mean2, spread2, n2) = first, second
    for sd1, sd2 in ((spread1, spread2), (spread1 * math.sqrt(n1), spread2 * math.sqrt(n2))):
        pooled = math.sqrt(((n1 - 1) * sd1**2 + (n2 - 1) * sd2**2) / (n1 + n2 - 2))
        if measure == "t":
            scales = [pooled * math.sqrt(1 / n1 + 1 / n2), math.sqrt(sd1**2 / n1 + sd2**2 / n2)]
        else:
            hedges = pooled / (1 - 3 / (4 * (n1 + n2) - 9))
            scales = [pooled, hedges, math.sqrt((sd1**2 + sd2**2) / 2), sd1, sd2]
        values += [(mean1 - mean2) / scale for scale in scales]
    return values


def _compute_absolute_range(values: Sequence[float]) -> tuple[float, float]:
    """Return the smallest and the largest size of values between the extremes, without their sign."""
    least, most = min(values), max(values)
    return (0.0 if least < 0 < most else min(abs(least), abs(most))), max(abs(least), abs(most))
