"""Words as they are compared to find a quotation: what a reviewer typed and what the paper prints, made one.

Two words are the same if they differ in nothing but case, accents, ligatures and other compatibility forms (NFKD), so
that curly and straight quotation marks, dashes, punctuation and white space never count. A hyphen divides two words
("self-reported" is "self reported") unless the text to compare with has them as one: "infor- mation", as it comes out
of a PDF, is "information" where that word is known, and "co-operation" is "cooperation".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

_PIECE: Final = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u200b-\u200d\u2060\ufeff])*")
"""Letters and digits, with combining accents and characters without a width inside."""
_HYPHEN: Final = re.compile(r"[-\u00ad\u2010-\u2013\u2212]\s*")


class PlacedWord(NamedTuple):
    """A word and where it stands."""

    start: int
    end: int
    key: str
    """What it is compared by; not empty."""


def words(text: str, known: Collection[str] = frozenset()) -> list[PlacedWord]:
    """The words of a text.

    Args:
        text: Of a paper or a review.
        known: The `vocabulary` of all texts that are compared; pieces around a hyphen are one word if it is in there.
    """
    found: list[PlacedWord] = []
    for match in _PIECE.finditer(text):
        word = PlacedWord(match.start(), match.end(), _key(match[0]))
        if found and _HYPHEN.fullmatch(text, found[-1].end, word.start) and _joined(found[-1], word) in known:
            found[-1] = PlacedWord(found[-1].start, word.end, _joined(found[-1], word))
        elif word.key:
            found.append(word)
    return found


def keys(found: Iterable[PlacedWord]) -> list[str]:
    """What the words are compared by."""
    return [word.key for word in found]


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """Every word of the texts that stands in one piece there."""
    return frozenset(key for text in texts for piece in _PIECE.findall(text) if (key := _key(piece)))


def _joined(before: PlacedWord, after: PlacedWord) -> str:
    """Empty for numbers: 3-5 is not 35."""
    return before.key + after.key if before.key[-1].isalpha() and after.key[:1].isalpha() else ""


def _key(piece: str) -> str:
    if piece.isascii():
        return piece.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", piece).casefold())
    return "".join(character for character in plain if character.isalnum())
