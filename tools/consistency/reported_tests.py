"""Reported tests: whether statistic, degrees of freedom and p-value fit together.

Every number stands for all values that round to it, as in Nuijten et al. (2016), "The prevalence of statistical
reporting errors in psychology (1985-2013)", Behavior Research Methods 48: a p-value is wrong if no statistic that
rounds to the printed one gives a p-value that rounds to the printed one, and the decision changes if the two lie on
both sides of 0.05.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from state.computed_findings import ComputedFinding
from tools.consistency.printed import Printed, between, printed, short
from tools.consistency.statements import Statement
from tools.consistency.statistic_patterns import P_FIRST, STATISTICS, TEST, degrees

ALPHA = 0.05
EQUAL = {"was": "=", "of": "=", ":": "="}
"""Other words and signs that a p-value may have for an equals sign."""

_ONE_SIDED = re.compile(r"\b(?:one|1)[- –]?(?:tailed|sided)|\bdirectional (?:test|hypothes)", re.IGNORECASE)
_ADJUSTED = re.compile(
    r"bonferroni|corrected|adjust|holm\b|tukey|scheff|dunnett|s[ií]d[aá]k|fdr|benjamini|post[- ]hoc|permut|bootstrap"
    r"|exact test|monte carlo|mixture|chi-?bar|(?-i:\bq\s?[=<])",
    re.IGNORECASE,
)
_SPHERICITY = re.compile(r"greenhouse|huynh", re.IGNORECASE)
"""A correction of the degrees of freedom, of which whole ones have nothing yet."""


@dataclass(frozen=True)
class ReportedTest:
    """A test as it is printed."""

    name: str
    value: Printed
    degrees: tuple[Printed, ...]
    relation: str
    """=, <, >, ≤, ≥ or ns."""
    p: Printed
    place: tuple[int, int]

    @property
    def two_sided(self) -> bool:
        """Whether its p-value counts both tails."""
        return self.name in {"t", "r", "z"}

    def p_values(self) -> tuple[float, float]:
        """The smallest and the largest p-value of all statistics and degrees of freedom that are printed like these."""
        size = abs(self.value.value)
        sizes = (max(0.0, size - self.value.half), size + self.value.half)
        found = [tail(self.name, each, degrees) for each in sizes for degrees in _corners(self.degrees)]
        return min(found), max(found)


def tail(name: str, value: float, degrees: tuple[float, ...]) -> float:
    """The p-value of a statistic of at least this size, of both tails where it has two."""
    from scipy import special, stats  # noqa: PLC0415 - only papers with tests wait for it

    if name == "z":
        return float(special.erfc(value / math.sqrt(2)))
    if name == "F":
        return float(stats.f.sf(value, *degrees))
    if name in {"chi", "Q"}:
        return float(stats.chi2.sf(value, *degrees))
    if name == "r":
        if value >= 1:
            return 0.0
        value *= math.sqrt(degrees[0] / (1 - value**2))
    return float(2 * stats.t.sf(value, *degrees))


def _corners(degrees: tuple[Printed, ...]) -> list[tuple[float, ...]]:
    """Degrees of freedom at both ends of what they round to: those with decimals are of a correction."""
    corners: list[tuple[float, ...]] = [()]
    for each in degrees:
        ends = (each.value,) if each.half == 0.5 else (each.value - each.half, each.value + each.half)
        corners = [(*corner, end) for corner in corners for end in ends]
    return corners


def reported_tests(text: str) -> Iterator[ReportedTest]:
    """The tests that a text reports whole: statistic, degrees of freedom and p-value."""
    read: list[tuple[int, int]] = []
    for match in (match for pattern in (P_FIRST, TEST) for match in pattern.finditer(text)):
        name = next(name for name in STATISTICS if match[name])
        told = _degrees(match, name)
        again = any(start < match.end() and match.start() < end for start, end in read)
        if again or told is None or (name == "r" and abs(printed(match[name]).value) > 1):
            continue
        read.append(match.span())
        not_significant = bool(match.groupdict().get("ns"))
        yield ReportedTest(
            name=name,
            value=printed(match[name]),
            degrees=told,
            relation="ns" if not_significant else EQUAL.get(match["relation"], match["relation"]),
            p=Printed(ALPHA, 0.0) if not_significant else printed(match["p"]),
            place=match.span(),
        )


def _degrees(match: re.Match[str], name: str) -> tuple[Printed, ...] | None:
    """Degrees of freedom; None if they are not told, or not usable."""
    if name == "z":
        return ()
    texts = degrees(match, name)
    if name == "r" and not texts and match["r_pairs"]:
        texts = [str(int(match["r_pairs"].replace(",", "")) - 2)]
    told = tuple(map(printed, texts))
    return told if told and all(each.value > 0 for each in told) else None


def check_tests(statement: Statement) -> Iterator[ComputedFinding]:
    """Findings about the tests of a paragraph or row."""
    for test in reported_tests(statement.text):
        low, high = test.p_values()
        if _fits(test, low, high):
            continue
        start, end = statement.sentence_at(test.place[0])
        sentence = statement.text[start:end]
        uncorrected = all(each.half == 0.5 for each in test.degrees) and _SPHERICITY.search(sentence)
        if (uncorrected or _ADJUSTED.search(sentence)) and test.p.value > high:
            continue
        if test.two_sided and _fits(test, low / 2, high / 2):
            if not _ONE_SIDED.search(statement.text):
                yield _one_sided(statement, test, low, high)
            continue
        yield _finding(statement, test, low, high)


def _fits(test: ReportedTest, low: float, high: float) -> bool:
    """Whether p-values from `low` to `high` fit what is printed."""
    slack = 1e-12
    return {
        "=": low - slack <= test.p.high and high + slack >= test.p.low,
        "<": low < test.p.high,
        "≤": low <= test.p.high,
        ">": high > test.p.low,
        "≥": high >= test.p.low,
        "ns": high > ALPHA,
    }[test.relation]


def _changes_decision(test: ReportedTest, low: float, high: float) -> bool:
    """Whether the computed p-values lie on the other side of 0.05 than the printed one."""
    if test.relation in {"<", "≤", "="} and test.p.value <= ALPHA:
        return low > ALPHA
    above = test.relation == "ns" or (test.relation in {">", "≥"} and test.p.value >= ALPHA)
    return (above or (test.relation == "=" and test.p.value > ALPHA)) and high <= ALPHA


def _shown(test: ReportedTest) -> str:
    name = "χ²" if test.name == "chi" else test.name
    degrees = ", ".join(f"{each.value:g}" for each in test.degrees)
    return f"{name}({degrees}) = {test.value.value:g}" if degrees else f"{name} = {test.value.value:g}"


def _printed_p(test: ReportedTest) -> str:
    return "not significant" if test.relation == "ns" else f"p {test.relation} {test.p.value:g}"


def _one_sided(statement: Statement, test: ReportedTest, low: float, high: float) -> ComputedFinding:
    changed = _changes_decision(test, low, high)
    return statement.finding(
        "test and p-value",
        "medium" if changed else "low",
        test.place,
        computation=f"{_shown(test)} gives a two-sided p of {between(low, high)}; the printed p is half of it",
        consistent=f"p = {short((low + high) / 2, 2)}, or the word one-sided beside it",
    )


def _finding(statement: Statement, test: ReportedTest, low: float, high: float) -> ComputedFinding:
    changed = _changes_decision(test, low, high)
    sides = "a two-sided p" if test.two_sided else "p"
    decision = f", on the other side of {ALPHA}" if changed else ""
    return statement.finding(
        "test and p-value",
        "high" if changed else "medium",
        test.place,
        computation=f"{_shown(test)} gives {sides} of {between(low, high)}, printed is {_printed_p(test)}{decision}",
        consistent=f"p = {between(low, high)}" if high >= 0.001 else "p < 0.001",
    )
