"""Means and standard deviations that no zeros and ones have (DEBIT).

Heathers, J. A. J., and Brown, N. J. L. (2019), "DEBIT: A simple consistency test for binary data",
https://osf.io/5vb3u. The share of ones determines the deviation: √(n / (n - 1) × share × (1 - share)).
"""

from __future__ import annotations

import math

from state.computed_findings import ComputedFinding
from tools.numbers.grim import grade_severity
from tools.numbers.records import MeanAndDeviation, format_range


def check_binary_deviation(mean: MeanAndDeviation) -> ComputedFinding | None:
    """Return a finding if n zeros and ones with the mean have another deviation than the printed one."""
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
        grade_severity(mean, ()),
        computation=f"{mean.n} zeros and ones with a mean of {mean.mean.value:g} have a standard deviation of "
        f"{format_range(min(possible), max(possible))}, printed is {mean.deviation.value:g}",
        consistent=f"a deviation of {format_range(min(possible), max(possible), 2)}",
        explanations=["values other than 0 and 1"],
    )
