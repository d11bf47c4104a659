"""A report before anybody prints it: headings, sentences, tables and pictures, and how figures are written in them.

All of it is plain text: whoever prints it escapes it, because ids, names and messages come from files and models. Here
it is printed as Markdown and as lines for a terminal; `pages` prints HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

from evals.statistics import Interval
from tools.text import on_one_line

_LINK = re.compile(r"\](?=[(\[:])")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LONGEST_SLUG = 40
_GAP = 2
"""Spaces between columns."""


class Cell(NamedTuple):
    """A figure, or a word."""

    text: str
    detail: str = ""
    """An interval, for instance; numbers only."""
    strong: bool = False


class ReportRow(NamedTuple):
    """A line of a table."""

    cells: Sequence[Cell]
    paper: bool = False
    """It is printed in the paper; it was not measured here."""


class ReportTable(NamedTuple):
    """A table; its first columns hold words, all others numbers."""

    header: Sequence[str]
    rows: Sequence[ReportRow]
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


class ReportSection(NamedTuple):
    """A part of a report; what it lacks is empty."""

    title: str
    text: str = ""
    points: Sequence[str] = ()
    table: ReportTable | None = None
    pictures: Sequence[Picture] = ()
    level: int = 2
    """Of its heading, from 2 on."""
    detail: bool = False
    """Another section says the same in short, so it is left out where space is scarce."""


class ReportDocument(NamedTuple):
    """A report."""

    title: str
    facts: Sequence[str]
    """What it is about: paper, models, samples."""
    summary: Sequence[str]
    """What a reader wants to know first."""
    sections: Sequence[ReportSection]


def published_row(name: str, cells: Iterable[Cell]) -> ReportRow:
    """A line that is printed in the paper.

    Args:
        name: Of the row.
        cells: All others.
    """
    return ReportRow([Cell(f"paper: {name}"), *cells], paper=True)


def words(*texts: str) -> list[Cell]:
    """Cells without details."""
    return [Cell(text) for text in texts]


def slug(text: str) -> str:
    """The letters and digits of a text as a part of a file's name; those that are not ASCII are left out."""
    ascii_only = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:_LONGEST_SLUG].strip("-")


def figure(value: float, digits: int) -> str:
    """A figure with so many digits after the point; there is no negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def difference(value: float, digits: int) -> str:
    """A figure with its sign."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def interval(low: float, high: float, digits: int) -> str:
    """Both ends of an interval."""
    return f"[{figure(low, digits)}, {figure(high, digits)}]"


def what_intervals_are(units: str) -> str:
    """Says what stands in brackets.

    Args:
        units: What was resampled: "samples".
    """
    return f"In brackets: 95% intervals (bootstrap over the {units})."


def p_value(value: float) -> str:
    """A p-value; the smallest ones are no more exact than that."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def number(value: float | None, digits: int = 2) -> Cell:
    """A figure, or a dash where there is none."""
    return Cell("-" if value is None else figure(value, digits))


def percent(value: float | None) -> Cell:
    """A share of 1."""
    return number(None if value is None else 100 * value, 1)


def estimate(found: Interval | None, *, scale: float = 1.0, digits: int = 2) -> Cell:
    """A figure with its interval, or a dash where there is none."""
    if found is None:
        return number(None)
    value, low, high = (scale * part for part in found)
    return Cell(figure(value, digits), interval(low, high, digits))


def as_markdown(document: ReportDocument) -> str:
    """A document with a heading for each of its sections."""
    facts, summary = (_points(points, escaped) for points in (document.facts, document.summary))
    parts = [f"# {escaped(document.title)}", facts, "## In short", summary]
    sections = (part for section in document.sections for part in _section_in_markdown(section))
    return "\n\n".join(part for part in (*parts, *sections) if part) + "\n"


def escaped(text: str) -> str:
    """Text on one line that opens no tag, no link, no picture and no table cell.

    Code spans and emphasis are left as they are: the tasks' notes use them, and they do no harm elsewhere.
    """
    text = on_one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return _TAG.sub("&lt;", _LINK.sub("\\]", text))


def _section_in_markdown(section: ReportSection) -> Iterator[str]:
    yield f"{'#' * section.level} {escaped(section.title)}"
    yield escaped(section.text)
    yield _points(section.points, escaped)
    if section.table:
        yield _table_in_markdown(section.table)
    for picture in section.pictures:
        yield f"![{_alt(picture)}](figures/{picture.name}.svg)"


def _alt(picture: Picture) -> str:
    """Names the plot, for its figures stand in the tables; brackets would end it."""
    return escaped(f"Plot of {picture.title}.".replace("[", "(").replace("]", ")"))


def _points(points: Sequence[str], written: Callable[[str], str]) -> str:
    return "\n".join(f"- {written(point)}" for point in points)


def _table_in_markdown(table: ReportTable) -> str:
    rules = ["---" if place < table.words else "---:" for place in range(len(table.header))]
    rows = ([_cell_in_markdown(cell, paper=row.paper) for cell in row.cells] for row in table.rows)
    lines = [[escaped(name) for name in table.header], rules, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell_in_markdown(cell: Cell, *, paper: bool) -> str:
    """Strong if it is to stand out, and in italics if it is the paper's."""
    text = escaped(cell.text)
    text = f"**{text}**" if cell.strong else text
    text = f"{text} {cell.detail}" if cell.detail else text
    return f"*{text}*" if paper and text else text


def as_text(document: ReportDocument, width: int) -> str:
    """The document without its pictures.

    Args:
        document: A report.
        width: Of the terminal in characters. Tables keep to it; sentences are left to the terminal to wrap.
    """
    facts, summary = (_points(points, on_one_line) for points in (document.facts, document.summary))
    parts = [on_one_line(document.title).upper(), facts, summary]
    shown = (section for section in document.sections if not section.detail)
    parts += [part for section in shown for part in _section_as_text(section, width)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section_as_text(section: ReportSection, width: int) -> Iterator[str]:
    if section.text or section.points or section.table:
        title = on_one_line(section.title)
        yield f"{title}\n{('-' if section.level > 2 else '=') * len(title)}"
        yield on_one_line(section.text)
        yield _points(section.points, on_one_line)
        if section.table:
            yield from _blocks(section.table, width)


def _blocks(table: ReportTable, width: int) -> Iterator[str]:
    """The table in pieces that fit, each with the columns of words and as many others as there is room for."""
    lines = [[Cell(name) for name in table.header], *(row.cells for row in table.rows)]
    texts = [[(on_one_line(cell.text), cell.detail) for cell in line] for line in lines]
    widths = [max(len(text) for cell in column for text in cell) for column in zip(*texts, strict=True)]
    first = list(range(table.words))
    block: list[int] = []
    for place in range(table.words, len(table.header)):
        if block and sum(widths[each] + _GAP for each in (*first, *block, place)) > width:
            yield _block(texts, [*first, *block], widths, table.words)
            block = []
        block.append(place)
    yield _block(texts, [*first, *block], widths, table.words)


def _block(lines: Sequence[Sequence[tuple[str, str]]], places: Sequence[int], widths: Sequence[int], words: int) -> str:
    """The columns at some places: the texts of each line, and below them its details if it has any."""
    written = []
    for line in lines:
        cells = [line[place] for place in places]
        for texts in zip(*cells, strict=True):
            padded = (
                text.ljust(widths[place]) if place < words else text.rjust(widths[place])
                for text, place in zip(texts, places, strict=True)
            )
            written.append((" " * _GAP).join(padded).rstrip())
    return "\n".join(line for line in written if line)
