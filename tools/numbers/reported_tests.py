"""Reported tests: whether a statistic with its degrees of freedom fits the p-value beside it.

The rules are those of statcheck (Nuijten et al., 2016, "The prevalence of statistical reporting errors in psychology
(1985-2013)", Behavior Research Methods 48): a printed number stands for every number that rounds to it, while `<` and
`>` are exact bounds; half of a two-sided p-value fits where the paper speaks of one-sided tests; and the decision
changes if the printed and the computed p-value lie on both sides of 0.05.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

from state.computed_findings import ComputedFinding, Severity
from tools.numbers.records import ALPHA, ReportedTest, TestKind, format_range

_SLACK = 1e-12  # of floating point
_TWO_TAILED = {"t", "r", "z"}


def check_reported_test(
    test: ReportedTest, *, one_sided: bool, sphericity: bool, rank_tests: bool
) -> ComputedFinding | None:
    """Return a finding if no statistic that is printed like this has a p-value that is printed like this.

    Args:
        test: The test.
        one_sided: Whether the paper speaks of one-sided tests anywhere, as statcheck asks.
        sphericity: Whether it speaks of a correction of degrees of freedom anywhere.
        rank_tests: Whether it speaks of rank tests anywhere, whose p-values programs compute exactly.
    """
    if test.kind == "r" and abs(test.statistic.value) - test.statistic.half > 1:
        why, consistent = f"{_format_test(test)} lies outside -1 to 1", "a correlation, or another statistic"
        return test.build_finding("test and p-value", "medium", computation=why, consistent=consistent)
    low, high = compute_p_value_range(test)
    half = _find_one_sided_fit(test, low, high)
    if _is_consistent_p_value(test, low, high) or (
        half and (test.tails == "one" or (one_sided and test.tails == "unstated"))
    ):
        return None
    corrections = _list_corrections(test, high, sphericity=sphericity)
    changed = _is_decision_changed(test, low, high)
    if rank_tests and test.kind == "z" and not changed:
        corrections.append("an exact p-value of a rank test, of which z is an approximation")
    is_slight = bool(corrections) or (not changed and _is_rounding_slip(test, low, high))
    graver: Severity = "high" if changed and not half else "medium" if changed or not half else "low"
    explanations = [f"a one-sided test, of which p is {format_range(*half)}"] if half else []
    sides = "a two-sided p" if test.kind in _TWO_TAILED else "p"
    printed = "not significant" if test.p_relation == "ns" else f"p {test.p_relation} {test.p.value:g}"
    decision = f", on the other side of {ALPHA}" if changed else ""
    return test.build_finding(
        "test and p-value",
        "low" if is_slight else graver,
        computation=f"{_format_test(test)} gives {sides} of {format_range(low, high)}, printed is {printed}{decision}",
        consistent=f"p = {format_range(low, high)}" if high >= 0.001 else "p < 0.001",
        explanations=[*explanations, *corrections],
    )


def _list_corrections(test: ReportedTest, high: float, *, sphericity: bool) -> list[str]:
    """Return the corrections that the paper names and that change a p-value in this way."""
    is_larger = test.p_relation in {"=", ">", "≥", "ns"} and test.p.value > high  # adjusting makes it larger only
    found = [f"the p-value is adjusted: the text names {test.adjustment}"] if test.adjustment and is_larger else []
    if sphericity and test.kind == "F" and all(each.half >= 0.5 for each in test.degrees):
        found.append("degrees of freedom that are corrected for sphericity, and printed without that or rounded")
    return found


def compute_p_value_range(test: ReportedTest) -> tuple[float, float]:
    """Return the smallest and the largest p-value of all statistics and degrees of freedom that are printed like these.

    Of t, r and z it counts both tails.
    """
    size, half = abs(test.statistic.value), test.statistic.half
    sizes = {"=": (max(0.0, size - half), size + half), "<": (0.0, size), ">": (size, math.inf)}
    # Whole degrees of freedom are exact. Those with decimals are of a correction, and were rounded.
    ends = [
        (each.value,) if each.half >= 0.5 else (each.value - each.half, each.value + each.half) for each in test.degrees
    ]
    found = [
        compute_tail_probability(test.kind, each, degrees)
        for each in sizes[test.statistic_relation]
        for degrees in product(*ends)
    ]
    return min(found), max(found)


def compute_tail_probability(kind: TestKind, size: float, degrees: tuple[float, ...]) -> float:
    """Compute the probability of a statistic of at least this size, in both tails where it has two."""
    from scipy import special  # noqa: PLC0415 - only papers with tests wait for it; scipy.stats takes a second

    if kind == "z":
        return math.erfc(size / math.sqrt(2))
    if kind == "F":
        return float(special.fdtrc(*degrees, size))
    if kind in {"chi", "Q"}:
        return float(special.chdtrc(*degrees, size))
    if kind == "r":
        if size >= 1:
            return 0.0
        size *= math.sqrt(degrees[0] / (1 - size**2))
    return float(2 * special.stdtr(*degrees, -size))


def _find_one_sided_fit(test: ReportedTest, low: float, high: float) -> tuple[float, float] | None:
    """Return the one-sided p-values that fit what is printed: half of the two-sided ones, or 1 without that half.

    The latter are those of a test in the other direction.
    """
    if test.tails == "two" or test.kind not in _TWO_TAILED:
        return None
    halves = [(low / 2, high / 2)]
    if test.p_relation == "=" or test.p.value > 0.5:  # p > .999
        halves.append((1 - high / 2, 1 - low / 2))
    return next((ends for ends in halves if _is_consistent_p_value(test, *ends)), None)


def _is_consistent_p_value(test: ReportedTest, low: float, high: float) -> bool:
    """Return whether a p-value between `low` and `high` may be printed like this."""
    p = test.p
    return {
        "=": low - _SLACK <= p.high and high + _SLACK >= p.low,
        "<": low < p.value,
        "≤": low <= p.value + _SLACK,
        ">": high > p.value,
        "≥": high >= p.value - _SLACK,
        "ns": high > ALPHA,
    }[test.p_relation]


def _is_rounding_slip(test: ReportedTest, low: float, high: float) -> bool:
    """Return whether p or the statistic is a unit of its last digit off, or p is the smallest that a program prints."""
    unit = 2 * test.p.half
    cut_off = replace(test, statistic=test.statistic._replace(half=2 * test.statistic.half))
    lowest, highest = compute_p_value_range(cut_off)
    is_near = min(lowest, low - unit) < test.p.value < max(highest, high + unit)
    return test.p_relation == "=" and (is_near or high < test.p.value <= 0.001)


def _is_decision_changed(test: ReportedTest, low: float, high: float) -> bool:
    """Return whether the computed p-values lie on the other side of 0.05 than the printed one."""
    if test.p_relation in {"<", "≤", "="} and test.p.value <= ALPHA:
        return low > ALPHA
    above = test.p_relation == "ns" or (test.p_relation in {">", "≥"} and test.p.value >= ALPHA)
    return (above or (test.p_relation == "=" and test.p.value > ALPHA)) and high <= ALPHA


def _format_test(test: ReportedTest) -> str:
    """Write a test; Q and the H of Kruskal and Wallis as the χ² that they are compared with."""
    name = "χ²" if test.kind in {"chi", "Q"} else test.kind
    degrees = ", ".join(f"{each.value:g}" for each in test.degrees)
    relation = f"{test.statistic_relation} {test.statistic.value:g}"
    return f"{name}({degrees}) {relation}" if degrees else f"{name} {relation}"
