"""Records of the numbers that a paper reports, each with its quote, and patterns of numbers for the readers.

A value keeps its printed decimals, so a computation can allow for every value that rounds to it.
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
NUMBER = rf"[-–+]?\s?{UNSIGNED_NUMBER}"
COUNT = r"(?:\d{1,3}(?:,\d{3}){1,2}|\d{1,9})(?![\d.]*\d)"  # a whole number
NUMBER_OR_WORD = rf"(?:{COUNT}|\b(?:{WHOLE_NUMBER_WORDS})\b)"
_POWER_OF_TEN = re.compile(r"(?P<mantissa>.*?)[x×]?10\^?\{?-(?P<exponent>\d+)\}?")
ALPHA = 0.05
_P_NAME = r"(?<![\w’'-])[pP](?:\s?[-–]?\s?values?)?(?:\s?\((?:one|two|[12])[ –-](?:tailed|sided)\))?"
_P_NUMBER = rf"\d?(?:\d|\.\d+){_POWER_SUFFIX}|{_NEGATIVE_POWER_OF_TEN}|0?\.\d+|1(?:\.0+)?"
# A p-value with its sign; a number above 1 is no p-value.
P_VALUE = rf"{_P_NAME}\s{{0,5}}(?P<relation>[=<>≤≥])\s{{0,2}}(?P<p>{_P_NUMBER})(?!\d|[.,–-]\.?\d|\s\d|\s?[%x×·])"
_SLACK = 1e-9  # of floating point


class RoundedNumber(NamedTuple):
    """Named tuple of a printed number: its value, and half a unit of its last digit."""

    value: float
    half: float

    @property
    def low(self) -> float:
        """The smallest value that rounds to this number."""
        return self.value - self.half - _SLACK

    @property
    def high(self) -> float:
        """The largest value that rounds to this number."""
        return self.value + self.half + _SLACK

    @property
    def decimals(self) -> int:
        """How many decimals are printed."""
        return max(0, round(-math.log10(2 * self.half)))

    def is_rounding_of(self, value: float) -> bool:
        """Return whether a value rounds to this number."""
        return self.low <= value <= self.high


def parse_number(text: str) -> RoundedNumber:
    """Parse a text that matches `NUMBER`, or a power of ten alone, to a rounded number."""
    plain = "".join(text.replace(",", "").replace("–", "-").split())
    power = _POWER_OF_TEN.fullmatch(plain)
    printed = Decimal(f"{power['mantissa'] or 1}e-{power['exponent']}" if power else plain)
    return RoundedNumber(float(printed), 0.5 * 10.0 ** int(printed.as_tuple().exponent))


def format_number(value: float, digits: int = 3) -> str:
    """Format a number with this many significant digits; very small ones with an exponent."""
    if value == 0 or not math.isfinite(value):
        return str(value)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}" if decimals <= 6 else f"{value:.{digits - 1}e}"


def format_range(low: float, high: float, digits: int = 3) -> str:
    """Format a range, or a single number if both ends are formatted alike."""
    first, last = format_number(low, digits), format_number(high, digits)
    return first if first == last else f"{first} to {last}"


def parse_whole_number(text: str) -> int:
    """Parse a whole number in digits or in words to an int."""
    return int(text.replace(",", "")) if text[0].isdigit() else int(parse_number_words(text.lower()))


TestKind = Literal["t", "F", "r", "chi", "z", "Q"]
Relation = Literal["=", "<", ">", "≤", "≥", "ns"]
DegreesOfFreedom = tuple[RoundedNumber, ...]  # none for z, two for F, one for the others
Tails = Literal["one", "two", "unstated"]  # according to the text nearby


@dataclass(frozen=True)
class NumberRecord:
    """Base class of all records: a place in a statement, which findings quote."""

    statement: Statement
    place: tuple[int, int]

    def build_finding(self, kind: CheckKind, severity: Severity, **details: Any) -> ComputedFinding:
        """Return a finding that quotes this record; `details` are the texts that `Statement.build_finding` takes."""
        return self.statement.build_finding(kind, severity, self.place, **details)


@dataclass(frozen=True)
class ReportedTest(NumberRecord):
    """A test statistic with its degrees of freedom and its p-value."""

    kind: TestKind
    statistic: RoundedNumber
    statistic_relation: Literal["=", "<", ">"]
    """`F < 1` is reported, too."""
    degrees: DegreesOfFreedom
    p: RoundedNumber
    """Exactly 0.05 where the text says that the test is not significant (`ns`)."""
    p_relation: Relation
    tails: Tails
    adjustment: str
    """Correction of the p-value that the text nearby names, such as Bonferroni; empty without a name."""


@dataclass(frozen=True)
class MeanAndDeviation(NumberRecord):
    """A mean or a percentage of n whole numbers, with its standard deviation if one is reported."""

    mean: RoundedNumber
    deviation: RoundedNumber | None
    n: int
    items: int | None
    """Number of whole numbers that each person's value averages; 1 for a single item or a count, None if unstated."""
    whole: bool
    """Whether the paper says that the averaged values are whole numbers, as GRIM and GRIMMER need."""
    binary: bool
    """Whether the averaged values are 0 or 1, as DEBIT needs."""
    percentage: bool


@dataclass(frozen=True)
class Proportion(NumberRecord):
    """A percentage with its count and its total."""

    count: int
    total: int
    percentage: RoundedNumber
    approximate: bool
    """Whether a word such as `about`, or a bound such as `over`, stands before the percentage."""


@dataclass(frozen=True)
class Estimate(NumberRecord):
    """An estimate with its confidence interval and its p-value, if a p-value is reported."""

    measure: str
    """Its name, such as `odds ratio` or `mean difference`."""
    scale: Literal["ratio", "difference", "unknown"]
    """The null value of a ratio is 1 and its interval symmetric on the log scale; that of a difference is 0."""
    value: RoundedNumber
    low: RoundedNumber
    high: RoundedNumber
    level: float
    """Level of confidence, between 0 and 1."""
    p: RoundedNumber | None
    p_relation: Relation
    tails: Tails = "unstated"
    adjustment: str = ""


@dataclass(frozen=True)
class GroupComparison(NumberRecord):
    """Means and deviations of two groups with the t or standardised difference that their sentence or row reports."""

    groups: tuple[MeanAndDeviation, MeanAndDeviation]
    measure: Literal["t", "d"]
    value: RoundedNumber
    degrees: float | None
    """Degrees of freedom of t, if they are reported."""


@dataclass(frozen=True)
class ReportedTotal(NumberRecord):
    """A total with its parts, or a repeated number whose only part is its second mention."""

    name: str
    """The counted thing."""
    total: RoundedNumber
    parts: tuple[RoundedNumber, ...]
    percentage: bool
    exclusive: bool
    """Whether the parts do not overlap."""
    complete: bool
    """Whether the parts are all parts of the total."""
