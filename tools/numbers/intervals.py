"""Check estimates against their confidence intervals, and intervals against p-values.

A ratio lies in the middle of its interval on the log scale, a difference in the middle. An interval of 95 % excludes
the value of no effect exactly if p is below 0.05. The p-value of an interval: Altman, D. G., and
Bland, J. M. (2011), "How to obtain the P value from a confidence interval", BMJ 343:d2304.
"""

from __future__ import annotations

import math

from state.computed_findings import ComputedFinding, Severity
from tools.numbers.records import ALPHA, Estimate, RoundedNumber, format_number

# Shares of half an interval's width. Profile and exact intervals are a little asymmetric; a ratio in the middle of its
# interval as printed is suspect, since no log scale puts it there.
_MAX_ASYMMETRY = 0.25
_MAX_LINEAR_ASYMMETRY = 0.1
_MAX_P_VALUE_RATIO = 3.0  # two methods may give p-values of one data set that differ by this factor


def check_estimate(estimate: Estimate) -> list[ComputedFinding | None]:
    """Check an estimate against its interval, and this against the p-value: two items, each a finding or None."""
    return [_check_inside_interval(estimate) or _check_interval_middle(estimate), _check_interval_p_value(estimate)]


def _check_inside_interval(estimate: Estimate) -> ComputedFinding | None:
    """Return a finding if the ends are reversed, or the estimate is outside beyond rounding; else None.

    A reduction that is written without its minus sign is not outside.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if low.value > high.value:
        severity: Severity = "low" if high.low <= value.value <= low.high else "medium"
        why, consistent = f"the lower end {low.value:g} is above the upper end {high.value:g}", "ends in their order"
        return estimate.build_finding("estimate and interval", severity, computation=why, consistent=consistent)
    if value.high >= low.low and value.low <= high.high:
        return None
    mirrored = RoundedNumber(-value.value, value.half)
    unsigned = estimate.scale != "ratio" and mirrored.high >= low.low and mirrored.low <= high.high
    if unsigned and estimate.scale == "unknown" and value.value > 0:
        return None  # a reduction of 4.2 (-5.0 to -3.3)
    side = f"below {low.value:g}" if value.value < low.value else f"above {high.value:g}"
    could_be = {
        "a sign in words, such as a reduction": unsigned,
        "the interval of a mean difference": estimate.measure.rpartition(" ")[2] in {"d", "g"},
    }
    explanations = [each for each, holds in could_be.items() if holds]
    return estimate.build_finding(
        "estimate and interval",
        "low" if explanations else "medium",
        computation=f"{value.value:g} lies outside {low.value:g} to {high.value:g}: it is {side}",
        consistent=f"an estimate from {low.value:g} to {high.value:g}, or the interval of this estimate",
        explanations=explanations,
    )


def _check_interval_middle(estimate: Estimate) -> ComputedFinding | None:
    """Return a finding if no rounding puts an estimate in the middle (a ratio: on the log scale); else None."""
    value, low, high = estimate.value, estimate.low, estimate.high
    is_ratio = estimate.scale == "ratio"
    if estimate.scale == "unknown" or (is_ratio and min(low.low, value.low) <= 0):
        return None
    scale, back = (math.log, math.exp) if is_ratio else (float, float)
    ends = ((low.low, high.low), (low.value, high.value), (low.high, high.high))
    least, middle, most = ((scale(lower) + scale(upper)) / 2 for lower, upper in ends)
    is_linear = is_ratio and abs(value.value - (low.value + high.value) / 2) <= value.half
    slack = (_MAX_LINEAR_ASYMMETRY if is_linear else _MAX_ASYMMETRY) * (scale(high.value) - scale(low.value)) / 2
    if low.value >= high.value or (scale(value.high) >= least - slack and scale(value.low) <= most + slack):
        return None
    near, where = format_number(back(middle)), " on the log scale" if is_ratio else ""
    return estimate.build_finding(
        "ratio interval" if is_ratio else "estimate and interval",
        "low",
        computation=f"the middle of {low.value:g} to {high.value:g}{where} is {near}, printed is {value.value:g}",
        consistent=f"about {near} with this interval, or an interval around {value.value:g}",
        explanations=["an exact, profile or bootstrap interval"],
    )


def _check_interval_p_value(estimate: Estimate) -> ComputedFinding | None:
    """Return a finding if only one of the interval and the p-value is significant at 0.05; else None."""
    low, high, p, relation = estimate.low, estimate.high, estimate.p, estimate.p_relation
    signed = min(low.value, high.value) < 0 and estimate.scale == "unknown"
    if p is None or estimate.level != 0.95 or not (signed or estimate.scale in {"ratio", "difference"}):
        return None
    null = 1.0 if estimate.scale == "ratio" else 0.0
    excluded = low.low > null or high.high < null
    included = low.high < null < high.low
    significant = relation in {"<", "≤", "="} and p.high <= ALPHA + 1e-6
    not_significant = relation == "ns" or (relation in {"=", ">", "≥"} and p.low > ALPHA)
    if not (excluded and not_significant) and not (included and significant):
        return None
    # The two-sided p-value of a normally distributed estimate with this interval of 95 %.
    expected, numbers = None, [estimate.value.value, low.value, high.value]
    if estimate.scale != "ratio" or min(numbers) > 0:
        value, lower, upper = map(math.log, numbers) if estimate.scale == "ratio" else numbers
        error = (upper - lower) / (2 * 1.959964)
        expected = math.erfc(abs(value / error) / math.sqrt(2)) if error > 0 else None
    near = f"; from the interval p is about {format_number(expected, 2)}" if expected is not None else ""
    is_near = relation == "=" and expected and 1 / _MAX_P_VALUE_RATIO < p.value / expected < _MAX_P_VALUE_RATIO
    could_be = {
        "an interval and a p-value of two methods": is_near,
        f"the p-value is adjusted: the text names {estimate.adjustment}": excluded and estimate.adjustment,
        "a one-sided p-value": included and estimate.tails == "one",
    }
    explanations = [each for each, holds in could_be.items() if holds]
    return estimate.build_finding(
        "interval and p-value",
        "low" if explanations else "high",
        computation=f"{low.value:g} to {high.value:g} {'leaves out' if excluded else 'includes'} {null:g}, "
        f"the value of no effect, but p {relation} {p.value:g}{near}",
        consistent=f"p {'below' if excluded else 'above'} {ALPHA} with this interval",
        explanations=explanations,
    )
