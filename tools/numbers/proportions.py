"""Percentages against the counts beside them.

A percentage of a table may be of fewer people than its heading tells, as some answers are missing. This makes a
finding less severe.
"""

from __future__ import annotations

import math

from state.computed_findings import ComputedFinding, Severity
from tools.numbers.records import Proportion

_ROUGH = 3.0  # percentage points that `about` and the like allow
_FEWEST_ANSWERS = 0.8  # of a table's n; with fewer, the table would say so


def check_proportion(proportion: Proportion) -> ComputedFinding | None:
    """Return a finding if the count and the total do not give the percentage."""
    count, total, percentage = proportion.count, proportion.total, proportion.percentage
    if total < max(count, 1):
        return None
    exact = 100 * count / total
    if percentage.holds(exact) or (proportion.approximate and abs(percentage.value - exact) < _ROUGH):
        return None
    is_of_fewer = proportion.statement.row and _holds_of_fewer(proportion)
    explanations = [f"a share of fewer than {total}, because some values are missing"] if is_of_fewer else []
    near = abs(exact - percentage.value) <= 2 * percentage.half + 1e-9
    severity: Severity = "low" if near or explanations else "medium"
    decimals = percentage.decimals
    other = round(percentage.value * total / 100)
    instead = f", or {other} of {total}" if percentage.holds(100 * other / total) else ""
    return proportion.finding(
        "percentage",
        severity,
        computation=f"{count} of {total} is {exact:.{max(1, decimals + 1)}f}%, printed is {percentage.value:g}%",
        consistent=f"{exact:.{decimals}f}%{instead}",
        explanations=explanations,
    )


def _holds_of_fewer(proportion: Proportion) -> bool:
    """Return whether the percentage is right of somewhat fewer people than the total."""
    least = max(math.ceil(100 * proportion.count / proportion.percentage.high), _FEWEST_ANSWERS * proportion.total)
    most = 100 * proportion.count / max(proportion.percentage.low, 1e-9)
    return math.ceil(least) <= min(most, proportion.total - 1)
