"""A report as lines for a terminal: wide tables are folded, and what another section says in short is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evals.reports.document import Cell, Document, Entry, Grid, Section
from tools.plain_characters import on_one_line

_GAP = 2
"""Spaces between columns."""


def as_text(document: Document, width: int) -> str:
    """The document without its pictures.

    Args:
        document: A report.
        width: Of the terminal in characters. Tables keep to it; sentences are left to the terminal to wrap.
    """
    parts = [on_one_line(document.title).upper(), _points(document.facts), _points(document.summary)]
    shown = (section for section in document.sections if not section.detail)
    parts += [part for section in shown for part in _section(section, width)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section, width: int) -> Iterator[str]:
    if section.text or section.points or section.grid:
        title = on_one_line(section.title)
        yield f"{title}\n{('-' if section.level > 2 else '=') * len(title)}"
        yield on_one_line(section.text)
        yield _points(section.points)
        if section.grid:
            yield from _blocks(section.grid, width)


def _points(points: Sequence[str]) -> str:
    return "\n".join(f"- {on_one_line(point)}" for point in points)


def _blocks(grid: Grid, width: int) -> Iterator[str]:
    """The table in pieces that fit, each with the columns of words and as many others as there is room for."""
    widths = [_width(grid, place) for place in range(len(grid.header))]
    first = list(range(grid.words))
    block: list[int] = []
    for place in range(grid.words, len(grid.header)):
        if block and sum(widths[each] + _GAP for each in (*first, *block, place)) > width:
            yield _block(grid, [*first, *block], widths)
            block = []
        block.append(place)
    yield _block(grid, [*first, *block], widths)


def _width(grid: Grid, place: int) -> int:
    cells = [entry.cells[place] for entry in grid.entries]
    texts = (text for cell in cells for text in (on_one_line(cell.text), cell.detail))
    return max([len(grid.header[place]), *map(len, texts)])


def _block(grid: Grid, places: Sequence[int], widths: Sequence[int]) -> str:
    lines = [[grid.header[place] for place in places]]
    lines += [line for entry in grid.entries for line in _lines(entry, places)]
    return "\n".join(_line(line, places, widths, grid.words) for line in lines)


def _lines(entry: Entry, places: Sequence[int]) -> Iterator[list[str]]:
    """The line's texts, and below them its details if it has any."""
    cells: list[Cell] = [entry.cells[place] for place in places]
    yield [on_one_line(cell.text) for cell in cells]
    if any(cell.detail for cell in cells):
        yield [cell.detail for cell in cells]


def _line(texts: Sequence[str], places: Sequence[int], widths: Sequence[int], words: int) -> str:
    padded = (
        text.ljust(widths[place]) if place < words else text.rjust(widths[place])
        for text, place in zip(texts, places, strict=True)
    )
    return (" " * _GAP).join(padded).rstrip()
