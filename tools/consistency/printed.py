"""Numbers as they are printed: each stands for all values that round to it; and how many a text is about."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from tools.checks.quantity_lexicon import WHOLE, value_of

_POWER = r"(?:\s?[x×]\s?10\s?\^?\s?\{?\s?[-–]\s?\d+\}?|[eE]-\d+)"
UNSIGNED = rf"(?:(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:{_POWER})?"
"""Pattern of a number without a sign."""
NUMBER = rf"[-–+]?\s?{UNSIGNED}"
"""Pattern of a number; a dash that is a minus stands directly before it."""
COUNT = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?![\d.]*\d)"
"""Pattern of a whole number."""
_MANTISSA = re.compile(r"(?P<whole>\d*)(?:\.(?P<decimals>\d+))?")
_EXPONENT = re.compile(r"(?:10\s?\^?\s?\{?\s?[-–]\s?|[eE]-)(\d+)\}?$")
_SLACK = 1e-9


class Printed(NamedTuple):
    """A number and half a unit of its last digit."""

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

    def holds(self, value: float) -> bool:
        """Whether a value is printed like this."""
        return self.low <= value <= self.high


def printed(text: str) -> Printed:
    """Read a text that matches `NUMBER`."""
    digits = text.replace(",", "").replace(" ", "")
    sign = -1.0 if digits[:1] in "-–" else 1.0
    found = _MANTISSA.match(digits.lstrip("-–+"))
    assert found is not None  # noqa: S101 - every part of it may be empty
    power = _EXPONENT.search(text.strip())
    scale = 10.0 ** -int(power[1]) if power else 1.0
    decimals = found["decimals"] or ""
    value = float(f"{found['whole'] or 0}.{decimals or 0}")
    return Printed(sign * value * scale, 0.5 * 10.0 ** -len(decimals) * scale)


def short(value: float, digits: int = 3) -> str:
    """A number for a reader: so many digits that count."""
    if value == 0 or not math.isfinite(value):
        return str(value)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}" if decimals <= 6 else f"{value:.{digits - 1}e}"


def between(low: float, high: float, digits: int = 3) -> str:
    """A range for a reader; one number if both ends read the same."""
    first, last = short(low, digits), short(high, digits)
    return first if first == last else f"{first} to {last}"


NUMBER_OR_WORD = rf"(?:{COUNT}|\b(?:{WHOLE})\b)"
"""Pattern of a whole number in digits or in words."""
_PEOPLE = (
    "participants|patients|subjects|people|persons|individuals|respondents|students|pupils|children|adults|volunteers"
    "|women|men|residents|nurses|teachers|raters|parents|females|males|judges|observers|users|drivers|players|clients"
    "|lecturers|doctors|physicians|surgeons|listeners|readers|viewers|experts|reviewers|annotators"
)
_TOLD = re.compile(
    "|".join(
        (
            r"\bn\s?=\s?(?P<n>\d[\d,]*)",
            rf"(?<![\d.,/–-])(?P<people>{NUMBER_OR_WORD}) (?:[a-z]+ )?(?:{_PEOPLE})\b",
            rf"\b(?:the|these|our) (?P<things>{COUNT}) [a-z]+s\b",  # the 23 pairs
        )
    ),
    re.IGNORECASE,
)


def whole_number(text: str) -> int:
    """Read a whole number in digits or in words."""
    return int(text.replace(",", "")) if text[0].isdigit() else int(value_of(text.lower()))


def told_sizes(text: str) -> set[int]:
    """The sizes that a text tells as `n = 20` or of people."""
    return {whole_number(found["n"] or found["people"] or found["things"]) for found in _TOLD.finditer(text)}
