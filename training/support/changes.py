"""Sentences with one thing changed by code, so that their source no longer says them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Final, Literal, get_args

Change = Literal["negated", "number", "direction", "name", "exaggerated"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)

_NEGATED: Final = re.compile(r"\b(is|are|was|were|can|could|may|might|will|would|should|has|have|does|do|did)\b( not)?")
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d{1,6}(?:\.\d+)?(?![\w,-]|\.\d)")
_OPPOSITES: Final = (
    ("increase", "decrease"),
    ("increased", "decreased"),
    ("increases", "decreases"),
    ("increasing", "decreasing"),
    ("higher", "lower"),
    ("more", "less"),
    ("better", "worse"),
    ("improves", "worsens"),
    ("improved", "worsened"),
    ("improve", "worsen"),
    ("reduced", "increased"),
    ("reduces", "increases"),
    ("reduce", "increase"),
    ("larger", "smaller"),
    ("greater", "smaller"),
    ("longer", "shorter"),
    ("fewer", "more"),
    ("before", "after"),
    ("early", "late"),
)
_DIRECTIONS: Final = {
    **{second: first for first, second in reversed(_OPPOSITES)},
    **dict(_OPPOSITES),
}
_STRONGER: Final = {
    "may": "will always",
    "might": "will certainly",
    "could": "will certainly",
    "can": "will always",
    "some": "all",
    "many": "all",
    "most": "all",
    "often": "always",
    "suggest": "prove",
    "suggests": "proves",
    "suggested": "proved",
    "associated with": "entirely caused by",
    "linked to": "entirely caused by",
    "probably": "certainly",
    "likely": "certain",
    "reduced": "completely removed",
    "reduce": "completely remove",
    "reduces": "completely removes",
    "improve": "cure",
    "improved": "cured",
}
_NAME: Final = re.compile(r"(?<!^)(?<![.!?] )\b(?:[A-Z][\w-]{2,}|[a-z]{9,})\b")


def changed(sentence: str, change: Change, names: list[str], draw: random.Random) -> str | None:
    """The sentence with one thing changed; None if it has nothing that could be.

    Args:
        sentence: Of a summary.
        change: What to change.
        names: Names and long words of the same source, one of which takes the place of another.
        draw: Chooses where.
    """
    match change:
        case "negated":
            return _at_random(_NEGATED, sentence, draw, lambda found: found[1] + ("" if found[2] else " not"))
        case "number":
            return _at_random(_NUMBER, sentence, draw, lambda found: _other_number(found[0], draw))
        case "direction":
            return _by_words(sentence, _DIRECTIONS, draw)
        case "exaggerated":
            return _by_words(sentence, _STRONGER, draw)
        case "name":
            others = [name for name in names if name.lower() not in sentence.lower()]
            return _at_random(_NAME, sentence, draw, lambda _: draw.choice(others)) if others else None


def names_of(text: str) -> list[str]:
    """What may take the place of a name: capitalised and long words within sentences, each once."""
    return list(dict.fromkeys(_NAME.findall(text)))


def _by_words(sentence: str, table: dict[str, str], draw: random.Random) -> str | None:
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(table, key=len, reverse=True))})\b")
    return _at_random(pattern, sentence, draw, lambda found: table[found[0]])


def _at_random(
    pattern: re.Pattern[str], sentence: str, draw: random.Random, other: Callable[[re.Match[str]], str]
) -> str | None:
    found = list(pattern.finditer(sentence))
    if not found:
        return None
    match = draw.choice(found)
    return f"{sentence[: match.start()]}{other(match)}{sentence[match.end() :]}"


def _other_number(number: str, draw: random.Random) -> str:
    value = float(number) * draw.choice((0.3, 0.5, 2, 3))
    places = len(number.partition(".")[2])
    other = f"{value:.{places}f}"
    return other if other != number else str(int(value) + 3)
