"""Cuts a Markdown text into sentences."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, NamedTuple

from tools.plain_text import blocks

_END: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s(?=[\"'“‘(\[]{0,2}[^\W_])")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|cf|vs|ca|approx|Figs?|Eqs?|Refs?|No|Drs?|Prof|Mr|Mrs|Ms|St|Jr|spp?|var)|\b[A-Z])\.$"
)
_SMALL_START: Final = re.compile(r"[\"'“‘(\[]{0,2}[a-z]")
_LONG_WORD: Final = re.compile(r"\b[^\W\d_]{4,}")
_ADDRESS: Final = re.compile(r"(?:https?://|www\.|doi:\s?|\b10\.\d{4,9}/)\S+")
_HYPHENS: Final = {0x2010: "-", 0x2011: "-"}  # the typographic hyphen and the one that does not break


class Sentence(NamedTuple):
    """A sentence, or a heading."""

    text: str
    heading: bool
    """Capitals carry no meaning in it: a Markdown heading, a line in title case, or a line of capitals."""


def sentences(text: str) -> list[Sentence]:
    """Splits a Markdown (or plain) text into sentences, without web addresses and DOIs."""
    found: list[Sentence] = []
    for block in blocks(text):
        words = " ".join(_ADDRESS.sub(" ", block.text.translate(_HYPHENS)).split())
        found.extend(Sentence(part, block.heading or _titled(part)) for part in _split(words))
    return found


def sentence_ends(text: str) -> list[int]:
    """Where another sentence begins in a text, all but the first."""
    ends = [0]
    for match in _END.finditer(text):
        before = text[max(ends[-1], match.start() - 12) : match.start()]
        if not _ABBREVIATION.search(before) and not _SMALL_START.match(text, match.end()):
            ends.append(match.end())
    return ends[1:]


def _split(text: str) -> list[str]:
    ends = [0, *sentence_ends(text), len(text)]
    return [part for start, end in pairwise(ends) if (part := text[start:end].strip())]


def _titled(sentence: str) -> bool:
    if sentence.isupper() and len(sentence.split()) > 1:
        return True
    words = _LONG_WORD.findall(sentence)
    return len(words) > 1 and not sentence.endswith((".", "!", "?")) and all(word[0].isupper() for word in words)
