"""A report before it is Markdown, HTML or lines on a terminal: headings, sentences, tables and pictures.

All of it is plain text: whoever prints it escapes it, because ids, names and messages come from files and models.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Cell(NamedTuple):
    """A figure, or a word."""

    text: str
    detail: str = ""
    """An interval, for instance; numbers only."""
    strong: bool = False


class Entry(NamedTuple):
    """A line of a table."""

    cells: Sequence[Cell]
    paper: bool = False
    """It is printed in the paper; it was not measured here."""


class Grid(NamedTuple):
    """A table; its first columns hold words, all others numbers."""

    header: Sequence[str]
    entries: Sequence[Entry]
    words: int = 1
    """How many columns hold words."""


class Picture(NamedTuple):
    """A plot, in both formats."""

    name: str
    """Of its files, without their endings."""
    title: str
    description: str
    """All that it shows, in words and figures."""
    svg: bytes
    png: bytes


class Section(NamedTuple):
    """A part of a report; what it lacks is empty."""

    title: str
    text: str = ""
    points: Sequence[str] = ()
    grid: Grid | None = None
    pictures: Sequence[Picture] = ()
    level: int = 2
    """Of its heading, from 2 on."""
    detail: bool = False
    """Another section says the same in short, so it is left out where space is scarce."""


class Document(NamedTuple):
    """A report."""

    title: str
    facts: Sequence[str]
    """What it is about: paper, models, samples."""
    summary: Sequence[str]
    """What a reader wants to know first."""
    sections: Sequence[Section]


def papers_entry(name: str, cells: Iterable[Cell]) -> Entry:
    """A line that is printed in the paper.

    Args:
        name: Of the row.
        cells: All others.
    """
    return Entry([Cell(f"paper: {name}"), *cells], paper=True)


def words(*texts: str) -> list[Cell]:
    """Cells without details."""
    return [Cell(text) for text in texts]
