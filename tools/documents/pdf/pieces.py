"""What the process that reads a PDF hands over; the process that asked for it loads no PDF library."""

from __future__ import annotations

from typing import Literal, TypedDict

Problem = Literal["", "broken", "encrypted", "too_many_pages", "too_much_text"]
Reason = Literal["", "colour", "size", "off page", "not drawn"]


class Piece(TypedDict):
    """A word, or a part of one that is set in one style."""

    text: str
    box: tuple[float, float, float, float]
    baseline: float
    size: float
    """Of the type, in points."""
    style: str
    """Letters: b bold, i italic, m mathematical symbols, f within a figure, r rotated."""
    hidden: Reason


class PdfPage(TypedDict):
    """What stands on a page, in the order in which it is painted."""

    width: float
    height: float
    matrix: tuple[float, float, float, float, float, float]
    """From the page as it is shown to the file's own coordinates, which annotations use."""
    pieces: list[Piece]


class PdfPieces(TypedDict):
    """What was found in a file, or the problem that kept it from being read."""

    problem: Problem
    reason: str
    """The library's own words on a broken file."""
    count: int
    """Number of pages."""
    pages: list[PdfPage]
    """Those that could not be read hold no pieces."""
    unreadable: list[str]
    """One sentence for every page that could not be read."""
    title: str
    """From the metadata, where it is often missing or wrong."""
