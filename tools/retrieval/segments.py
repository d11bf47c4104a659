"""Splits a paper into segments of equal length, each of which knows where it comes from.

Source: SWIF2T's released code, which splits into 2,000 characters with 200 of overlap.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from state.documents import Document, Paragraph
from state.errors import SettingsError

DIGITS = 12
"""Of a document's hash in the ids of its segments."""
_PARAGRAPH_BREAK = "\n\n"
_SPACE = re.compile(r"\s+")


class Segment(NamedTuple):
    """A part of a paper's running text, which is its paragraphs with an empty line between them."""

    id: str
    """The document's hash (`DIGITS` of it), a colon, and a number from 1."""
    start: int
    """Offset of its first character in the running text."""
    text: str
    section: str
    """Of the paragraph in which it begins."""
    page: int
    """On which it begins, from 1; 0 where the format has no pages."""
    paragraphs: tuple[str, ...]
    """Ids of the paragraphs that it touches, in reading order."""


def split(document: Document, characters: int = 2000, overlap: int = 200) -> list[Segment]:
    """Split the paragraphs of a document, without its references, into segments of equal length.

    Args:
        document: The paper.
        characters: Length of a segment. It ends at the last word that fits, so it may be shorter by part of a word.
        overlap: Characters that follow each other in two segments; more in the last one, to be as long as the others.

    Returns:
        The segments in reading order, which together hold every word; none if the document has no text.

    Raises:
        SettingsError: If the overlap is not smaller than the segment.
    """
    text = _PARAGRAPH_BREAK.join(paragraph["text"] for paragraph in document["paragraphs"])
    places = _places(document["paragraphs"])
    segments: list[Segment] = []
    for start, end in windows(text, characters, overlap):
        touched = [place for place in places if place[0] < end and place[1] > start]
        if text[start:end].strip():
            begin, _, first = touched[0]
            pages = (word["page"] for word in first["words"] if word["start"] <= start - begin)
            segments.append(
                Segment(
                    id=f"{document['sha256'][:DIGITS]}:{len(segments) + 1}",
                    start=start,
                    text=text[start:end],
                    section=first["section"],
                    page=max(pages, default=first["page"]),
                    paragraphs=tuple(paragraph["id"] for _, _, paragraph in touched),
                )
            )
    return segments


def windows(text: str, length: int, overlap: int = 0) -> Iterator[tuple[int, int]]:
    """Cut a text into windows of equal length that leave nothing out.

    Cuts lie where words begin; a word longer than the window, and text without spaces, is cut anywhere.

    Yields:
        Start and end of each window; none for an empty text.

    Raises:
        SettingsError: If the overlap is not smaller than the length.
    """
    if not 0 <= overlap < length:
        raise SettingsError(
            f"Segments of {length} characters cannot overlap by {overlap}; set `segment_overlap` to less than "
            "`segment_characters`."
        )
    cuts = [match.end() for match in _SPACE.finditer(text)]
    start = end = 0
    while end < len(text):
        end = _last_cut(cuts, start + overlap, start + length) if start + length < len(text) else len(text)
        yield start, end
        start = _first_cut(cuts, min(end - overlap, len(text) - length), end)


def _last_cut(cuts: list[int], after: int, until: int) -> int:
    """The last cut in (after, until], or `until` itself."""
    index = bisect_right(cuts, until) - 1
    return cuts[index] if index >= 0 and cuts[index] > after else until


def _first_cut(cuts: list[int], since: int, until: int) -> int:
    """The first cut in [since, until], or `since` itself."""
    index = bisect_left(cuts, since)
    return cuts[index] if index < len(cuts) and cuts[index] <= until else since


def _places(paragraphs: list[Paragraph]) -> list[tuple[int, int, Paragraph]]:
    """Start and end of each paragraph in the running text; of those only that have one."""
    places, start = [], 0
    for paragraph in paragraphs:
        end = start + len(paragraph["text"])
        if end > start:
            places.append((start, end, paragraph))
        start = end + len(_PARAGRAPH_BREAK)
    return places
