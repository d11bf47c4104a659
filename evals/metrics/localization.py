"""Whether words that somebody names are those of a flaw, as FLAWS measures it (Xi, Rao, Payan and Shah 2025).

FLAWS takes a named excerpt for the right one if its word-level Levenshtein similarity to the flawed passage is at least
0.5. Here the passage is the sentence with the flaw. Words that lie in this sentence and hold the place of the flaw, or
touch the gap, are right too, however few they are (ours: our systems quote a few words, those of FLAWS whole passages).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from tools.checks.quotes import locate

SIMILAR: Final = 0.5
_WORD: Final = re.compile(r"\w+")


class FlawPlace(NamedTuple):
    """Where a flaw is; of a clean twin, where it would be."""

    sentence: str
    start: int
    """Offset in the sentence of the words that were put in; of a twin, of those that the flaw takes."""
    end: int
    gap: bool = False
    """Whether the flaw is that words are missing, which can only be named by the words beside them."""


@cache
def names(excerpt: str, place: FlawPlace) -> bool:
    """Whether an excerpt is about a place."""
    if similarity(excerpt, place.sentence) >= SIMILAR:
        return True
    found = locate(excerpt, place.sentence, fewest=1)
    if found is None:
        return False
    if place.gap:
        between = place.sentence[found.end : place.start] + place.sentence[place.end : found.start]
        return not _WORD.search(between)
    return found.start < place.end and place.start < found.end


def similarity(one: str, other: str) -> float:
    """Word-level Levenshtein similarity: 1 less the edits from one text to the other, per word of the longer one."""
    first, second = words(one), words(other)
    longer = max(len(first), len(second))
    return 1 - _distance(first, second) / longer if longer else 0.0


def words(text: str) -> list[str]:
    """The words of a text, without case and punctuation."""
    return [word.casefold() for word in _WORD.findall(text)]


def _distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Our own, because that of NLTK takes seconds to import."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, start=1):
        diagonal, row[0] = row[0], number
        for place, against in enumerate(other, start=1):
            diagonal, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, diagonal + (word != against))
    return row[-1]
