"""Cuts a review into sentences and list items without changing a character, and finds its quotations.

`tools.text` reads Markdown: it drops web addresses and list marks, and ends a sentence inside a quotation.
Here a quotation of several sentences belongs to the sentence that quotes it, and a list item begins a new sentence also
where a review's items were run together (". - Please explain").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tools.checks.quotes import Place

# An opening mark never follows a letter or a digit, so neither an apostrophe nor 5" opens a quotation; a single mark
# that closes is not followed by one. Reviews are typed: a closing mark of one kind may end what another kind began.
_QUOTATION: Final = re.compile(
    r"(?:``|(?<![^\W_])[\"“„«]|(?<!\S)”(?=\S))(?P<double>[^\"“”„«»]+?)(?:''|[\"”“»])"
    r"|(?<![^\W_])[‘'`](?=\S)(?P<single>[^‘`\"“”„«»]{1,600}?)(?<=\S)['’](?![^\W_])"
)
_LEFT_OUT: Final = re.compile(r"[…⋯]|\.(?:\s?\.)+|\[[^\]]*\]")
"""Dots for words that the reviewer left out, and words of his own in square brackets."""
_PLACE: Final = re.compile(r"[^\w?]*(?:\w+[).:]\W*){0,2}")
"""At most a list mark and where the quotation is from: "2) Discussion:"."""


def quotations(text: str) -> list[Place]:
    """What stands between quotation marks, without them, in order."""
    return [Place(*match.span(match.lastgroup or 0)) for match in _QUOTATION.finditer(text)]


def parts(quotation: Place, text: str) -> list[Place]:
    """The pieces of a quotation that claim to be verbatim: it is divided where words were left out or put in."""
    edges = [quotation.start]
    for gap in _LEFT_OUT.finditer(text, quotation.start, quotation.end):
        edges += gap.span()
    edges.append(quotation.end)
    return [Place(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if text[start:end].strip()]


def is_bare(text: str) -> bool:
    """A sentence is nothing but a quotation, so that what the reviewer says of it must come next."""
    found = quotations(text)
    edges = [0, *(edge for place in found for edge in place), len(text)]
    own = " ".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return bool(found) and _PLACE.fullmatch(own) is not None


_MARK: Final = r"(?:[-–—•*·]+|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)])"
_ITEM: Final = re.compile(rf"\s*{_MARK}\s")
_ONLY_A_MARK: Final = re.compile(rf"\s*{_MARK}\s*")
_END: Final = re.compile(
    r"[.!?…][\"'”’)\]]{0,3}\s+(?=[\"'“‘`(\[]{0,2}[^\W_a-z])"  # a sentence that begins with a capital or a number
    r"|[.!?:;][\"'”’)\]]{0,3}\s+(?=[-–—•*·]\s)"  # an item of a list
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|cf|vs|ca|approx|resp|[Ff]igs?|[Ee]qs?|[Rr]efs?|[Ss]ecs?|[Ss]uppl|Nos?|pp?|pg|Drs?|Prof"
    r"|Mr|Mrs|Ms|St|Jr|spp?|var)|\b[A-Z])\.\s+$"
)


class ReviewSentence(NamedTuple):
    """A sentence of a review."""

    id: str
    """As in F1000RD: the review's id, the paragraph's number from 1, "@", the sentence's number from 0."""
    text: str
    paragraph: int
    """Number of the review's paragraph, from 0."""
    item: int
    """Sentences of one paragraph or of one item of a list share it."""


def review_sentences(review_id: str, paragraphs: Sequence[str]) -> list[ReviewSentence]:
    """All sentences of a review, in order."""
    found: list[ReviewSentence] = []
    item = 0
    for number, paragraph in enumerate(paragraphs):
        for position, place in enumerate(split(paragraph)):
            text = place.of(paragraph)
            item += position == 0 or bool(_ITEM.match(text))
            found.append(ReviewSentence(f"{review_id}_{number + 1}@{position}", text, number, item))
    return found


def split(text: str) -> list[Place]:
    """Where the sentences of a paragraph stand, without the white space around them; empty if it has no words."""
    edges = [0, *_boundaries(text), len(text)]
    places = [_trimmed(Place(*edge), text) for edge in pairwise(edges)]
    return [place for place in places if place.start < place.end]


def _boundaries(text: str) -> Iterator[int]:
    quoted = quotations(text)
    last = 0
    for match in _END.finditer(text):
        inside = any(place.start < match.end() <= place.end for place in quoted)
        before = text[last : match.end()]
        if not (inside or _ABBREVIATION.search(before) or _ONLY_A_MARK.fullmatch(before)):
            last = match.end()
            yield last


def _trimmed(place: Place, text: str) -> Place:
    words = place.of(text)
    start = place.start + len(words) - len(words.lstrip())
    return Place(start, max(start, place.start + len(words.rstrip())))
