"""Means, percentages and standard deviations that no whole numbers have: GRIM, GRIMMER and DEBIT.

GRIM: Brown, N. J. L., and Heathers, J. A. J. (2017), "The GRIM test: A simple technique detects numerous anomalies in
the reporting of results in psychology", Social Psychological and Personality Science 8(4), 363-369. A mean of n whole
numbers is a multiple of 1/n, and of 1/(n × items) where each number is the mean of several items. What lies half-way
may be rounded up or down.

GRIMMER: Anaya, J. (2016), "The GRIMMER test: A method for testing the validity of reported measures of variability",
PeerJ Preprints 4:e2400v1; the three tests are those of A-GRIMMER, Allard, A. (2018), "Analytic-GRIMMER: a new way of
testing the possibility of standard deviations". Given the sum of n whole numbers, the sum of their squares is a whole
number, gives the printed deviation, and is even where the sum is even.

DEBIT: Heathers, J. A. J., and Brown, N. J. L. (2019), "DEBIT: A simple consistency test for binary data",
https://osf.io/5vb3u. The share of ones determines the deviation: √(n / (n - 1) × share × (1 - share)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from state.computed_findings import ComputedFinding, Severity
from tools.numbers.records import MeanAndDeviation, format_number, format_range

_MIN_PEOPLE = 5  # no mean is reported of fewer people


def check_mean(mean: MeanAndDeviation) -> ComputedFinding | None:
    """Return a finding if no n whole numbers have the mean (GRIM); None if some have, or if it cannot be checked."""
    if not _is_checkable(mean) or _list_possible_sums(mean):
        return None
    numbers, scale, sign = mean.n * (mean.items or 1), *((100, "%") if mean.percentage else (1, ""))
    below = math.floor(mean.mean.value * numbers / scale)
    values = (scale * below / numbers, scale * (below + 1) / numbers, mean.mean.value)
    low, high, printed = (f"{value:.{mean.mean.decimals}f}{sign}" for value in values)
    whole = f"{mean.n} means of {mean.items} whole numbers" if (mean.items or 1) > 1 else f"{mean.n} whole numbers"
    why = f"{printed} is no share of {mean.n}" if mean.percentage else f"no {whole} have a mean of {printed}"
    return mean.build_finding(
        "mean of whole numbers",
        _grade_severity(mean, ()),
        computation=f"{below}/{numbers} = {low} and {below + 1}/{numbers} = {high}, so {why}",
        consistent=f"{low} or {high}, or another n",
        explanations=_list_explanations(mean),
    )


def check_deviation(mean: MeanAndDeviation) -> ComputedFinding | None:
    """Return a finding if no n whole numbers with a possible mean have the deviation (GRIMMER); else None."""
    sums, deviation = _list_possible_sums(mean), mean.deviation
    if deviation is None or mean.binary or mean.percentage or not sums or not _is_checkable(mean):
        return None

    def compute_range(total: int, divisor: int) -> tuple[float, float]:
        """Return the smallest and largest sum of squares that the printed deviation allows, in units of an item."""
        items = mean.items or 1
        least, most = max(0.0, deviation.low) * items, deviation.high * items
        return divisor * least**2 + total**2 / mean.n, divisor * most**2 + total**2 / mean.n

    def is_possible(total: int, divisor: int) -> bool:
        least, most = compute_range(total, divisor)
        return any(squares % 2 == total % 2 for squares in range(math.ceil(least), math.floor(most) + 1))

    if any(is_possible(total, mean.n - 1) for total in sums):
        return None
    explanations = _list_explanations(mean)
    is_of_population = any(is_possible(total, mean.n) for total in sums)
    if is_of_population:
        explanations.insert(0, f"a deviation with {mean.n} in its denominator in place of {mean.n - 1}")
    total = min(sums, key=lambda each: abs(each - mean.mean.value * mean.n * (mean.items or 1)))
    least, most = compute_range(total, mean.n - 1)
    return mean.build_finding(
        "deviation of whole numbers",
        _grade_severity(mean, explanations if is_of_population else ()),
        computation=f"no {mean.n} whole numbers with the sum {total} have a standard deviation of {deviation.value:g}: "
        f"the sum of their squares would lie between {format_number(least, 7)} and {format_number(most, 7)}, "
        f"where no whole number is {'odd' if total % 2 else 'even'} as the sum is",
        consistent="another deviation or n",
        explanations=explanations,
    )


def check_binary_deviation(mean: MeanAndDeviation) -> ComputedFinding | None:
    """Return a finding if n zeros and ones with the mean cannot have the printed deviation (DEBIT); else None."""
    if not mean.binary or mean.deviation is None or mean.n < 2:
        return None
    shares = [min(1.0, max(0.0, share)) for share in (mean.mean.low, mean.mean.high)]
    if shares[0] < 0.5 < shares[1]:
        shares.append(0.5)  # where the deviation is largest
    possible = [math.sqrt(mean.n / (mean.n - 1) * share * (1 - share)) for share in shares]
    if min(possible) <= mean.deviation.high and mean.deviation.low <= max(possible):
        return None
    return mean.build_finding(
        "deviation of whole numbers",
        _grade_severity(mean, ()),
        computation=f"{mean.n} zeros and ones with a mean of {mean.mean.value:g} have a standard deviation of "
        f"{format_range(min(possible), max(possible))}, printed is {mean.deviation.value:g}",
        consistent=f"a deviation of {format_range(min(possible), max(possible), 2)}",
        explanations=["values other than 0 and 1"],
    )


def _is_checkable(mean: MeanAndDeviation) -> bool:
    """Return whether the values behind a mean are whole numbers, as the paper says, and of at least five people."""
    return (mean.whole or mean.binary or mean.percentage) and mean.n >= _MIN_PEOPLE


def _list_possible_sums(mean: MeanAndDeviation) -> range:
    """Return the range of whole-number sums whose mean or percentage rounds to the printed one; it may be empty."""
    numbers = mean.n * (mean.items or 1) / (100 if mean.percentage else 1)
    return range(math.ceil(mean.mean.low * numbers), math.floor(mean.mean.high * numbers) + 1)


def _grade_severity(mean: MeanAndDeviation, explanations: Sequence[str]) -> Severity:
    """Return low if there is an explanation, or the paper leaves open how many items a value averages; else medium."""
    return "low" if explanations or (mean.items is None and not mean.binary and not mean.percentage) else "medium"


def _list_explanations(mean: MeanAndDeviation) -> list[str]:
    """List what may explain an impossible value: missing values, and averaged items if their number is unstated."""
    others = [f"fewer than {mean.n} values, because some are missing"]
    return others if mean.items else [*others, "values that are means of several items"]
