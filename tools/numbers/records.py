"""Records of what a paper reports, each with its quote: what readers hand to the computations.

A value keeps the decimals that were printed, so a computation can allow for every value that rounds to it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from state.computed_findings import CheckKind, ComputedFinding, Severity
from tools.checks.quantity_lexicon import WHOLE_NUMBER_WORDS, parse_number_words
from tools.numbers.statements import Statement

_NEGATIVE_POWER_OF_TEN = r"10\s?\^?\s?\{?\s?[-–]\s?\d+\}?"  # 10-5, 10^-5, 10^{-5}
_POWER_SUFFIX = rf"(?:\s{{0,7}}[x×]\s?{_NEGATIVE_POWER_OF_TEN}|[eE][-–]\d+)"
UNSIGNED_NUMBER = rf"(?:(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:{_POWER_SUFFIX})?"
"""Pattern of a number without a sign."""
NUMBER = rf"[-–+]?\s?{UNSIGNED_NUMBER}"
"""Pattern of a number; a dash that is a minus stands directly before it."""
COUNT = r"(?:\d{1,3}(?:,\d{3}){1,2}|\d{1,9})(?![\d.]*\d)"
"""Pattern of a whole number."""
_POWER_OF_TEN = re.compile(r"(?P<mantissa>.*?)[x×]?10\^?\{?-(?P<exponent>\d+)\}?")
ALPHA = 0.05
_P_NAME = r"(?<![\w’'-])[pP](?:\s?[-–]?\s?values?)?(?:\s?\((?:one|two|[12])[ –-](?:tailed|sided)\))?"
_P_NUMBER = rf"\d?(?:\d|\.\d+){_POWER_SUFFIX}|{_NEGATIVE_POWER_OF_TEN}|0?\.\d+|1(?:\.0+)?"
P_VALUE = rf"{_P_NAME}\s{{0,5}}(?P<relation>[=<>≤≥])\s{{0,2}}(?P<p>{_P_NUMBER})(?!\d|[.,–-]\.?\d|\s\d|\s?[%x×·])"
"""Pattern of a p-value with its sign; a number above 1 is none."""
_SLACK = 1e-9


class RoundedNumber(NamedTuple):
    """A number as it is printed: its value, and half a unit of its last digit."""

    value: float
    half: float

    @property
    def low(self) -> float:
        """The smallest value that is printed like this."""
        return self.value - self.half - _SLACK

    @property
    def high(self) -> float:
        """The largest value that is printed like this."""
        return self.value + self.half + _SLACK

    @property
    def decimals(self) -> int:
        """How many are printed."""
        return max(0, round(-math.log10(2 * self.half)))

    def is_rounding_of(self, value: float) -> bool:
        """Whether a value is printed like this."""
        return self.low <= value <= self.high


def parse_number(text: str) -> RoundedNumber:
    """Read a text that matches `NUMBER`, or a power of ten alone."""
    plain = "".join(text.replace(",", "").replace("–", "-").split())
    power = _POWER_OF_TEN.fullmatch(plain)
    printed = Decimal(f"{power['mantissa'] or 1}e-{power['exponent']}" if power else plain)
    return RoundedNumber(float(printed), 0.5 * 10.0 ** int(printed.as_tuple().exponent))


def format_number(value: float, digits: int = 3) -> str:
    """Format a number with this many significant digits."""
    if value == 0 or not math.isfinite(value):
        return str(value)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}" if decimals <= 6 else f"{value:.{digits - 1}e}"


def format_range(low: float, high: float, digits: int = 3) -> str:
    """Format a range, or one number if both ends read the same."""
    first, last = format_number(low, digits), format_number(high, digits)
    return first if first == last else f"{first} to {last}"


NUMBER_OR_WORD = rf"(?:{COUNT}|\b(?:{WHOLE_NUMBER_WORDS})\b)"


def parse_whole_number(text: str) -> int:
    """Read a whole number in digits or in words."""
    return int(text.replace(",", "")) if text[0].isdigit() else int(parse_number_words(text.lower()))


TestKind = Literal["t", "F", "r", "chi", "z", "Q"]
Relation = Literal["=", "<", ">", "≤", "≥", "ns"]
DegreesOfFreedom = tuple[RoundedNumber, ...]  # none for z, two for F, else one
Tails = Literal["one", "two", "unstated"]  # as the text nearby says


@dataclass(frozen=True)
class NumberRecord:
    """What stands at a place of a statement; computations quote these words."""

    statement: Statement
    place: tuple[int, int]

    def build_finding(self, kind: CheckKind, severity: Severity, **told: Any) -> ComputedFinding:
        """Return a finding that quotes it; `told` as of `Statement.finding`."""
        return self.statement.build_finding(kind, severity, self.place, **told)


@dataclass(frozen=True)
class ReportedTest(NumberRecord):
    """A test statistic with its degrees of freedom and its p-value."""

    kind: TestKind
    statistic: RoundedNumber
    statistic_relation: Literal["=", "<", ">"]
    """`F < 1` is reported, too."""
    degrees: DegreesOfFreedom
    p: RoundedNumber
    """0.05 exactly where the text says that the test is not significant (`ns`)."""
    p_relation: Relation
    tails: Tails
    adjustment: str
    """Name of the correction of the p-value that is told nearby, such as Bonferroni; empty if none is."""


@dataclass(frozen=True)
class MeanAndDeviation(NumberRecord):
    """A mean or a percentage of n whole numbers, with its standard deviation if one is reported."""

    mean: RoundedNumber
    deviation: RoundedNumber | None
    n: int
    items: int | None
    """How many whole numbers each person's value is the mean of; 1 for a single item or a count, None if unstated."""
    whole: bool
    """Whether the paper says that the values behind it are whole numbers; GRIM and GRIMMER need that."""
    binary: bool
    """Whether these are 0 or 1, as DEBIT needs."""
    percentage: bool


@dataclass(frozen=True)
class Proportion(NumberRecord):
    """A percentage with the count and the total that it is of."""

    count: int
    total: int
    percentage: RoundedNumber
    approximate: bool
    """Whether the text calls it `about`, `nearly` and the like."""


@dataclass(frozen=True)
class Estimate(NumberRecord):
    """An estimate with its confidence interval and, where one is reported, its p-value."""

    measure: str
    """What it is called: `odds ratio`, `mean difference`."""
    scale: Literal["ratio", "difference", "unknown"]
    """A ratio's null is 1 and its interval is symmetric on the log scale; a difference's null is 0."""
    value: RoundedNumber
    low: RoundedNumber
    high: RoundedNumber
    level: float
    """Of confidence, between 0 and 1."""
    p: RoundedNumber | None
    p_relation: Relation
    tails: Tails = "unstated"
    adjustment: str = ""


@dataclass(frozen=True)
class GroupComparison(NumberRecord):
    """Two groups' means and deviations with the t or the standardised difference that one sentence or row reports."""

    groups: tuple[MeanAndDeviation, MeanAndDeviation]
    measure: Literal["t", "d"]
    value: RoundedNumber
    degrees: float | None
    """Degrees of freedom of t; None where none are reported."""


@dataclass(frozen=True)
class ReportedTotal(NumberRecord):
    """A total with its parts; or a number that is told twice, with the second place as its only part."""

    name: str
    """What is counted."""
    total: RoundedNumber
    parts: tuple[RoundedNumber, ...]
    percentage: bool
    exclusive: bool
    """Whether nobody and nothing is in two of the parts."""
    complete: bool
    """Whether the parts are all of the total."""
