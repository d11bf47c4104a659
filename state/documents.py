"""A paper as all systems read it: its text, and its paragraphs with the places of their words.

A `Document` lies in a file named by the hash of its input; the state of a graph holds only a `DocumentRef`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

DocumentFormat = Literal["pdf", "docx", "html", "markdown", "latex", "jats", "text"]
# For messages to users.
FORMAT_NAMES: Mapping[DocumentFormat, str] = {
    "pdf": "a PDF",
    "docx": "a Word file",
    "html": "a web page",
    "markdown": "Markdown",
    "latex": "a LaTeX source",
    "jats": "an article in JATS",
    "text": "plain text",
}


class Word(TypedDict):
    """Place of a word: its offsets in the paragraph's text, its page and its box on that page."""

    start: int
    """Offset of its first character in the paragraph's text."""
    end: int
    page: int
    """From 1."""
    box: list[float]
    """x0, y0, x1, y1 in PDF points from the page's lower left corner."""


class Paragraph(TypedDict):
    """A paragraph or table of a paper, with its section, its page and the places of its words."""

    id: str
    """p1, p2, ..."""
    section: str
    """Heading of its section; empty before the first one."""
    text: str
    """Words divided at line ends are joined, ligatures spelled out, one space between words."""
    page: int
    """Page on which it begins, from 1; 0 where the format has no pages."""
    rows: NotRequired[list[list[str]]]
    """Cells of a table, header first, if the format has tables; the text holds all cells, too."""
    words: list[Word]
    """One for each piece of a word on a page; empty where the format has no pages."""


class Reference(TypedDict):
    """An entry of the list of references: its id, and its text without a label."""

    id: str
    """Its number or label as cited, or r1, r2, ..."""
    text: str


HiddenReason = Literal[
    "colour", "size", "off page", "not drawn", "markup", "comment", "alternative text", "form field", "metadata"
]


class HiddenText(TypedDict):
    """Text in the file that a reader cannot see; it is not part of any paragraph."""

    text: str
    page: int
    """0 where the format has no pages."""
    reason: HiddenReason


class Document(TypedDict):
    """A paper as it was read: its text, paragraphs, references, hidden text, and warnings about the reading."""

    sha256: str
    """Hash of the input."""
    format: DocumentFormat
    title: str
    abstract: str
    text: str
    """Whole text without the references: of text and Markdown as written, of others headings and paragraphs."""
    paragraphs: list[Paragraph]
    """Paragraphs, those of an abstract first; without headings, with captions where they were found."""
    references: list[Reference]
    hidden: list[HiddenText]
    pages: int
    """0 where the format has no pages."""
    warnings: list[str]
    """Problems with reading, one sentence each."""


class DocumentRef(TypedDict):
    """What the state of a graph keeps of a paper: the path of its stored `Document`, its title, format and size."""

    sha256: str
    path: str
    """Path of the stored `Document`, a JSON file."""
    source: str
    """File that it was read from; input given as text is stored beside the document."""
    title: str
    format: DocumentFormat
    scope: Literal["abstract", "whole"]
    """Part that models read as one text."""
    words: int
    """Number of words of that text."""
    pages: int
    """0 where the format has no pages."""
    paragraphs: int
    warnings: list[str]
    """Warnings about the part that models read."""


class Passage(TypedDict):
    """A segment that was retrieved for a question."""

    id: str
    """Id among all documents: 12 digits of the document's hash, a colon, and a number."""
    title: str
    """Title of the document."""
    section: str
    """Section in which the segment begins."""
    page: int
    """Page on which the segment begins; 0 where the format has no pages."""
    text: str
