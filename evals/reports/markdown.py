"""A report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evals.datasets import FieldStatistics
from evals.evaluation import Evaluation
from evals.reports.document import Cell, Document, Entry, Grid, Picture, Section
from evals.reports.report import report
from tools.plain_characters import on_one_line

_LINK = re.compile(r"\](?=[(\[:])")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def markdown(
    evaluation: Evaluation, statistics: Sequence[FieldStatistics] = (), pictures: Sequence[Picture] = ()
) -> str:
    """The report of an evaluation.

    Args:
        evaluation: A run, scored.
        statistics: Of its data.
        pictures: Plots that lie in the folder `figures` beside it.
    """
    return as_markdown(report(evaluation, statistics, pictures))


def as_markdown(document: Document) -> str:
    """A document with a heading for each of its sections."""
    parts = [f"# {escaped(document.title)}", _points(document.facts), "## In short", _points(document.summary)]
    sections = (part for section in document.sections for part in _section(section))
    return "\n\n".join(part for part in (*parts, *sections) if part) + "\n"


def escaped(text: str) -> str:
    """Text on one line that opens no tag, no link, no picture and no table cell.

    Code spans and emphasis are left as they are: the tasks' notes use them, and they do no harm elsewhere.
    """
    text = on_one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return _TAG.sub("&lt;", _LINK.sub("\\]", text))


def _section(section: Section) -> Iterator[str]:
    yield f"{'#' * section.level} {escaped(section.title)}"
    yield escaped(section.text)
    yield _points(section.points)
    if section.grid:
        yield _table(section.grid)
    for picture in section.pictures:
        yield f"![{_alt(picture)}](figures/{picture.name}.svg)"


def _alt(picture: Picture) -> str:
    """Names the plot, for its figures stand in the tables; brackets would end it."""
    return escaped(f"Plot of {picture.title}.".replace("[", "(").replace("]", ")"))


def _points(points: Sequence[str]) -> str:
    return "\n".join(f"- {escaped(point)}" for point in points)


def _table(grid: Grid) -> str:
    rules = ["---" if place < grid.words else "---:" for place in range(len(grid.header))]
    lines = [[escaped(name) for name in grid.header], rules, *([*_cells(entry)] for entry in grid.entries)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(entry: Entry) -> Iterator[str]:
    mark = "*" if entry.paper else ""
    for cell in entry.cells:
        text = _cell(cell)
        yield f"{mark}{text}{mark}" if text else ""


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    text = f"**{text}**" if cell.strong else text
    return f"{text} {cell.detail}" if cell.detail else text
