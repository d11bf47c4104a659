"""Splits a paper into segments, each of which knows where it comes from.

As SWIF2T's released code does: by LangChain's recursive splitter, which cuts between paragraphs where it can, and
between words otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from state.documents import Document, Paragraph

DIGITS = 12
"""Of a document's hash in the ids of its segments."""
_PARAGRAPH_BREAK = "\n\n"


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
    """Split the paragraphs of a document, without its references, into segments.

    Args:
        document: The paper.
        characters: Most characters of a segment; most have somewhat less.
        overlap: Most characters that follow each other in two segments. They share whole lines or words only, so
            segments that end with a paragraph may share nothing.

    Returns:
        The segments in reading order, which together hold every word; none if the document has no text.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415 - a package of an extra

    splitter = RecursiveCharacterTextSplitter(chunk_size=characters, chunk_overlap=overlap, add_start_index=True)
    places = _places(document["paragraphs"])
    segments: list[Segment] = []
    text = _PARAGRAPH_BREAK.join(paragraph["text"] for paragraph in document["paragraphs"])
    for number, chunk in enumerate(splitter.create_documents([text]), start=1):
        start = chunk.metadata["start_index"]
        end = start + len(chunk.page_content)
        touched = [place for place in places if place[0] < end and place[1] > start]
        begin, _, first = touched[0]
        pages = (word["page"] for word in first["words"] if word["start"] <= start - begin)
        segments.append(
            Segment(
                id=f"{document['sha256'][:DIGITS]}:{number}",
                start=start,
                text=chunk.page_content,
                section=first["section"],
                page=max(pages, default=first["page"]),
                paragraphs=tuple(paragraph["id"] for _, _, paragraph in touched),
            )
        )
    return segments


def _places(paragraphs: list[Paragraph]) -> list[tuple[int, int, Paragraph]]:
    """Start and end of each paragraph in the running text; of those only that have one."""
    places, start = [], 0
    for paragraph in paragraphs:
        end = start + len(paragraph["text"])
        if end > start:
            places.append((start, end, paragraph))
        start = end + len(_PARAGRAPH_BREAK)
    return places
