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
    return count(text) if text[0].isdigit() else int(value_of(text.lower()))


def told_sizes(text: str) -> set[int]:
    """The sizes that a text tells as `n = 20` or of people."""
    return {whole_number(found["n"] or found["people"] or found["things"]) for found in _TOLD.finditer(text)}
