"""Check reported tests: their p-values, the t and Cohen's d of two groups, and many tests without a correction.

The rules for p-values are those of statcheck (Nuijten et al., 2016, "The prevalence of statistical reporting errors in
psychology (1985-2013)", Behavior Research Methods 48): a printed number stands for every number that rounds to it,
while `<` and `>` are exact bounds; half of a two-sided p-value fits if the paper mentions one-sided tests; and the
decision changes if the printed and the computed p-value lie on both sides of 0.05.

Student's t has n1 + n2 - 2 degrees of freedom, that of Welch (1947, Biometrika 34, 28-35) has fewer. Cohen (1988),
"Statistical power analysis for the behavioral sciences", divides by the pooled deviation, others by one of the two or
their mean, and Hedges corrects for small groups. Papers mix up deviations and standard errors, so both are tried.

Many p-values need a correction if the smallest is not significant after Bonferroni's: Dunn (1961), "Multiple
comparisons among means".
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from state.computed_findings import ComputedFinding, Severity
from tools.numbers import records
from tools.numbers.read_text import ADJUSTMENT
from tools.numbers.records import ALPHA, ReportedTest, format_range
from tools.numbers.statements import Statement

_SLACK = 1e-12  # of floating point
_TWO_TAILED = {"t", "r", "z"}
_MIN_P_VALUES = 6  # different p-values of a section or table
# Words that papers use instead of the name of a correction.
_OTHER_CORRECTIONS = re.compile(r"multiplicity|\bq[- ]?values?|exploratory|gatekeeping", re.IGNORECASE)


def check_reported_test(
    test: ReportedTest, *, one_sided: bool, sphericity: bool, rank_tests: bool
) -> ComputedFinding | None:
    """Return a finding if no rounding of the statistic gives the printed p, one-sided if the paper allows; else None.

    Args:
        test: The test.
        one_sided: Whether the paper mentions one-sided tests anywhere, as statcheck asks.
        sphericity: Whether it mentions a correction of degrees of freedom for sphericity anywhere.
        rank_tests: Whether it mentions rank tests anywhere, whose p-values programs compute exactly.
    """
    # 1. Compute the p-value, and compare it with the printed one.
    if test.kind == "r" and abs(test.statistic.value) - test.statistic.half > 1:
        why, consistent = f"{_format_test(test)} lies outside -1 to 1", "a correlation, or another statistic"
        return test.build_finding("test and p-value", "medium", computation=why, consistent=consistent)
    low, high = compute_p_value_range(test)
    half = _find_one_sided_fit(test, low, high)
    if _is_consistent_p_value(test, low, high) or (
        half and (test.tails == "one" or (one_sided and test.tails == "unstated"))
    ):
        return None

    # 2. Grade the contradiction by the explanations that the paper leaves open.
    changed = _is_decision_changed(test, low, high)
    corrections: list[str] = []
    # An adjustment only makes p larger.
    if test.adjustment and test.p_relation in {"=", ">", "≥", "ns"} and test.p.value > high:
        corrections.append(f"the p-value is adjusted: the text names {test.adjustment}")
    if sphericity and test.kind == "F" and all(each.half >= 0.5 for each in test.degrees):
        corrections.append("degrees of freedom that are corrected for sphericity, and printed without that or rounded")
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


def compute_p_value_range(test: ReportedTest) -> tuple[float, float]:
    """Return the smallest and the largest p-value (both tails) of all numbers that round to the printed ones."""
    size, half = abs(test.statistic.value), test.statistic.half
    sizes = {"=": (max(0.0, size - half), size + half), "<": (0.0, size), ">": (size, math.inf)}
    # Whole degrees of freedom are exact. Those with decimals come from a correction, and were rounded.
    ends = [
        (each.value,) if each.half >= 0.5 else (each.value - each.half, each.value + each.half) for each in test.degrees
    ]
    found = [
        compute_tail_probability(test.kind, each, degrees)
        for each in sizes[test.statistic_relation]
        for degrees in product(*ends)
    ]
    return min(found), max(found)


def compute_tail_probability(kind: records.TestKind, size: float, degrees: tuple[float, ...]) -> float:
    """Compute the probability of a statistic of at least this size, in both tails where it has two.

    Of degrees of freedom, z has none and F two.
    """
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
    """Return the ends of the one-sided p-values that fit the printed one; None without sides or a fit."""
    if test.tails == "two" or test.kind not in _TWO_TAILED:
        return None
    halves = [(low / 2, high / 2)]
    # A test in the other direction has 1 - p/2, such as p > .999.
    if test.p_relation == "=" or test.p.value > 0.5:
        halves.append((1 - high / 2, 1 - low / 2))
    return next((ends for ends in halves if _is_consistent_p_value(test, *ends)), None)


def _is_consistent_p_value(test: ReportedTest, low: float, high: float) -> bool:
    """Return whether a p-value between `low` and `high` may round to the printed one."""
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
    """Return whether p or the statistic is off by a unit of its last digit, or p is the least that programs print."""
    unit = 2 * test.p.half
    # A statistic that was cut off, rather than rounded, may be off by a whole unit.
    cut_off = replace(test, statistic=test.statistic._replace(half=2 * test.statistic.half))
    lowest, highest = compute_p_value_range(cut_off)
    is_near = min(lowest, low - unit) < test.p.value < max(highest, high + unit)
    return test.p_relation == "=" and (is_near or high < test.p.value <= 0.001)


def _is_decision_changed(test: ReportedTest, low: float, high: float) -> bool:
    """Return whether the computed and the printed p-value lie on different sides of 0.05."""
    if test.p_relation in {"<", "≤", "="} and test.p.value <= ALPHA:
        return low > ALPHA
    above = test.p_relation == "ns" or (test.p_relation in {">", "≥"} and test.p.value >= ALPHA)
    return (above or (test.p_relation == "=" and test.p.value > ALPHA)) and high <= ALPHA


def _format_test(test: ReportedTest) -> str:
    """Format a test as `t(38) = 2.2`; Q and Kruskal and Wallis's H as the χ² that they are compared with."""
    name = "χ²" if test.kind in {"chi", "Q"} else test.kind
    degrees = ", ".join(f"{each.value:g}" for each in test.degrees)
    relation = f"{test.statistic_relation} {test.statistic.value:g}"
    return f"{name}({degrees}) {relation}" if degrees else f"{name} {relation}"


def check_comparison(comparison: records.GroupComparison) -> ComputedFinding | None:
    """Return a finding if neither deviations nor standard errors give the printed t or d; else None."""
    n1, n2 = (group.n for group in comparison.groups)
    total, degrees = n1 + n2 - 2, comparison.degrees
    is_independent = degrees is None or degrees == total
    is_welch = degrees is not None and degrees < total and not degrees.is_integer()
    if not (is_independent or is_welch) or min(n1, n2) < 2:
        return None  # a paired test, or a test of other people
    # Each number may have been anything between its extremes before it was rounded.
    numbers = [number for each in comparison.groups for number in (each.mean, each.deviation) if number]
    extremes = product(*((number.low, number.high) for number in numbers))
    readings = [_compute_possible_statistics(comparison.measure, n1, n2, *values) for values in extremes]
    ranges: list[tuple[float, float]] = []
    for values in zip(*readings, strict=True):
        least, most = min(values), max(values)
        # Values of both signs have 0 between them.
        smallest = 0.0 if least < 0 < most else min(abs(least), abs(most))
        ranges.append((smallest, max(abs(least), abs(most))))
    printed = records.RoundedNumber(abs(comparison.value.value), comparison.value.half)
    if any(low <= printed.high and printed.low <= high for low, high in ranges):
        return None
    is_certain = degrees == total
    name = f"t({total})" if comparison.measure == "t" else "d"
    of_deviations, of_errors = (format_range(*ranges[at]) for at in (0, len(ranges) // 2))
    return comparison.build_finding(
        "test and group means",
        "medium" if is_certain else "low",
        computation=f"means, deviations and n give {name} = {of_deviations}, printed is {printed.value:g}; "
        f"taken as standard errors, the deviations give {of_errors}",
        consistent=f"{name} = {of_deviations}, or other means, deviations or n",
        explanations=[] if is_certain else ["a paired comparison, or one that is adjusted for other variables"],
    )


def _compute_possible_statistics(
    measure: str, n1: int, n2: int, mean1: float, spread1: float, mean2: float, spread2: float
) -> list[float]:
    """Return t (pooled, Welch) or d (several spreads) in a list, by spreads as deviations, then as standard errors."""
    values: list[float] = []
    spread1, spread2 = max(spread1, 1e-9), max(spread2, 1e-9)
    for sd1, sd2 in ((spread1, spread2), (spread1 * math.sqrt(n1), spread2 * math.sqrt(n2))):
        pooled = math.sqrt(((n1 - 1) * sd1**2 + (n2 - 1) * sd2**2) / (n1 + n2 - 2))
        if measure == "t":
            scales = [pooled * math.sqrt(1 / n1 + 1 / n2), math.sqrt(sd1**2 / n1 + sd2**2 / n2)]
        else:
            hedges = pooled / (1 - 3 / (4 * (n1 + n2) - 9))
            scales = [pooled, hedges, math.sqrt((sd1**2 + sd2**2) / 2), sd1, sd2]
        values += [(mean1 - mean2) / scale for scale in scales]
    return values


def check_multiple_testing(
    statements: Sequence[Statement], reported: Sequence[ReportedTest | records.Estimate]
) -> Iterator[ComputedFinding]:
    """Yield a finding per section or table of many (n) uncorrected p-values, the least below 0.05 but not 0.05/n."""
    texts = [f"{part.caption} {part.text}" for part in statements]
    if any(ADJUSTMENT.search(text) or _OTHER_CORRECTIONS.search(text) for text in texts):
        return
    families = defaultdict[tuple[str, str], dict[float, ReportedTest | records.Estimate]](dict)
    for record in reported:
        statement = record.statement
        family = (statement.paragraph["section"], statement.paragraph["id"] if statement.row else "")
        # An equal value is taken for a second mention of its test.
        if record.p is not None and record.p_relation in {"=", "<"}:
            families[family].setdefault(record.p.value, record)
    for values in families.values():
        tests, smallest = len(values), min(values)
        limit = records.format_number(ALPHA / tests, 2)
        if tests >= _MIN_P_VALUES and ALPHA / tests < smallest < ALPHA:
            yield values[smallest].build_finding(
                "many tests",
                "low",
                computation=f"of {tests} independent tests without any effect, one or more has p < {ALPHA} in "
                f"{1 - (1 - ALPHA) ** tests:.0%} of cases; Bonferroni asks for p < {limit}; "
                f"the smallest of those printed is {smallest:g}",
                consistent=f"a correction for {tests} tests, one primary measure named before, or a weaker claim",
                explanations=["one of the tests was named as the primary one before"],
            )
