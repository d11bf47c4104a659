"""A paper as every system reads it: its text, and paragraphs with places, so that a comment can point at words.

A `Document` lies in a file named after the hash of its input; a graph's state holds a `DocumentRef` only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

DocumentFormat = Literal["pdf", "docx", "html", "markdown", "latex", "jats", "text"]
FORMAT_NAMES: Mapping[DocumentFormat, str] = {
    "pdf": "a PDF",
    "docx": "a Word file",
    "html": "a web page",
    "markdown": "Markdown",
    "latex": "a LaTeX source",
    "jats": "an article in JATS",
    "text": "plain text",
}
"""As a person says it."""


class Word(TypedDict):
    """A word of a paragraph and where a page shows it."""

    start: int
    """Offset of its first character in the paragraph's text."""
    end: int
    page: int
    """From 1."""
    box: list[float]
    """x0, y0, x1, y1 in PDF points from the page's lower left corner."""


class Paragraph(TypedDict):
    """A paragraph of the body, in reading order."""

    id: str
    """p1, p2, ..."""
    section: str
    """Heading of its section; empty before the first one."""
    text: str
    """Words divided at line ends are joined, ligatures spelled out, one space between words."""
    page: int
    """Page on which it begins, from 1; 0 where the format has no pages."""
    rows: NotRequired[list[list[str]]]
    """Of a table in a format that has tables: its cells, header first; the text is all of them."""
    words: list[Word]
    """One for each piece of a word on a page; empty where the format has no pages."""


class Reference(TypedDict):
    """An entry of the list of references."""

    id: str
    """Its number or label as cited, or r1, r2, ..."""
    text: str


HiddenReason = Literal[
    "colour", "size", "off page", "not drawn", "markup", "comment", "alternative text", "form field", "metadata"
]


class HiddenText(TypedDict):
    """Text that is in the file but that a reader cannot see; it is not part of any paragraph."""

    text: str
    page: int
    """0 where the format has no pages."""
    reason: HiddenReason


class Document(TypedDict):
    """A paper in parts."""

    sha256: str
    """Of the input as it was given."""
    format: DocumentFormat
    title: str
    abstract: str
    text: str
    """The whole without its references: as written where it came as text or Markdown, else headings and paragraphs."""
    paragraphs: list[Paragraph]
    """The abstract's paragraphs first, if there is one; no headings, captions stand where they were found."""
    references: list[Reference]
    hidden: list[HiddenText]
    pages: int
    """0 where the format has no pages."""
    warnings: list[str]
    """What could not be read, one sentence each."""


class DocumentRef(TypedDict):
    """A document that was read once, as a graph's state names it."""

    sha256: str
    path: str
    """Of the stored `Document`, a JSON file."""
    source: str
    """The file it was read from; what came as text is kept beside the stored document."""
    title: str
    format: DocumentFormat
    scope: Literal["abstract", "whole"]
    """What of it models read as one text."""
    words: int
    """Of that text."""
    pages: int
    """0 where the format has no pages."""
    paragraphs: int
    warnings: list[str]
    """About what models read."""


class Passage(TypedDict):
    """A segment of a document that was retrieved for a question."""

    id: str
    """Unique among the segments of all documents: the document's hash (12 digits), a colon, and a number."""
    title: str
    """Of the document."""
    section: str
    """Where the segment begins."""
    page: int
    """Where the segment begins; 0 where the format has no pages."""
    text: str
    score: float
    """Higher is more alike; comparable within one answer of the index only."""
