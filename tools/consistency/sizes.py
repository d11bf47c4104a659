"""How many people or things a text says that it is about."""

from __future__ import annotations

import re

from tools.checks.quantity_lexicon import WHOLE, value_of
from tools.consistency.printed import COUNT, count

NUMBER_OR_WORD = rf"(?:{COUNT}|\b(?:{WHOLE})\b)"
"""Pattern of a whole number in digits or in words."""
_PEOPLE = (
    "participants|patients|subjects|people|persons|individuals|respondents|students|pupils|children|adults|volunteers"
    "|women|men|residents|nurses|teachers|raters|parents|females|males|judges|observers|users|drivers|players|clients"
    "|lecturers|doctors|physicians|surgeons|listeners|readers|viewers|experts|reviewers|annotators"
)
_TOLD = re.compile(
    rf"\b[nN]\s?=\s?(?P<n>\d[\d,]*)|(?<![\d.,/–-])(?P<people>{NUMBER_OR_WORD}) (?:[a-z]+ )?(?:{_PEOPLE})\b",
    re.IGNORECASE,
)


def whole_number(text: str) -> int:
    """Read a whole number in digits or in words."""
    return count(text) if text[0].isdigit() else int(value_of(text.lower()))


def told_sizes(text: str) -> set[int]:
    """The sizes that a text tells as `n = 20` or of people."""
    return {count(found["n"]) if found["n"] else whole_number(found["people"]) for found in _TOLD.finditer(text)}
