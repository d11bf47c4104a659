"""Means and percentages that no whole numbers have (GRIM).

Brown, N. J. L., and Heathers, J. A. J. (2017), "The GRIM test: A simple technique detects numerous anomalies in the
reporting of results in psychology", Social Psychological and Personality Science 8(4), 363-369. A mean of n whole
numbers is a multiple of 1/n, and of 1/(n × items) where each number is the mean of several items. What lies half-way
may be rounded up or down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from state.computed_findings import ComputedFinding, Severity
from tools.numbers.records import MeanAndDeviation

_MIN_PEOPLE = 5  # Of fewer people, no mean is reported.


def is_checkable(mean: MeanAndDeviation) -> bool:
    """Return whether the paper says that the values behind a mean are whole numbers."""
    return (mean.whole or mean.binary or mean.percentage) and mean.n >= _MIN_PEOPLE


def list_possible_sums(mean: MeanAndDeviation) -> range:
    """Return the sums of whole numbers whose mean is printed like this one."""
    numbers = mean.n * (mean.items or 1) / (100 if mean.percentage else 1)
    return range(math.ceil(mean.mean.low * numbers), math.floor(mean.mean.high * numbers) + 1)


def grade_severity(mean: MeanAndDeviation, explanations: Sequence[str]) -> Severity:
    """Return medium if the paper leaves nothing open that could explain an impossible value."""
    return "low" if explanations or (mean.items is None and not mean.binary and not mean.percentage) else "medium"


def list_explanations(mean: MeanAndDeviation) -> list[str]:
    """Return what could explain a value that whole numbers do not have."""
    others = [f"fewer than {mean.n} values, because some are missing"]
    return others if mean.items else [*others, "values that are means of several items"]


def check_mean(mean: MeanAndDeviation) -> ComputedFinding | None:
    """Return a finding if no n whole numbers have the mean."""
    if not is_checkable(mean) or list_possible_sums(mean):
        return None
    numbers, scale, sign = mean.n * (mean.items or 1), *((100, "%") if mean.percentage else (1, ""))
    below = math.floor(mean.mean.value * numbers / scale)
    values = (scale * below / numbers, scale * (below + 1) / numbers, mean.mean.value)
    low, high, told = (f"{value:.{mean.mean.decimals}f}{sign}" for value in values)
    whole = f"{mean.n} means of {mean.items} whole numbers" if (mean.items or 1) > 1 else f"{mean.n} whole numbers"
    why = f"{told} is no share of {mean.n}" if mean.percentage else f"no {whole} have a mean of {told}"
    return mean.build_finding(
        "mean of whole numbers",
        grade_severity(mean, ()),
        computation=f"{below}/{numbers} = {low} and {below + 1}/{numbers} = {high}, so {why}",
        consistent=f"{low} or {high}, or another n",
        explanations=list_explanations(mean),
    )
