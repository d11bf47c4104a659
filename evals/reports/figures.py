"""The paper's figures with our points.

They are drawn as SVG and PNG. The same data gives the same bytes: there are no dates in the files, and ids come from
the content. Curves are told apart by markers and dashes, so colour is only an addition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import BytesIO
from math import ceil
from typing import Any, Literal
from unicodedata import normalize

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from evals.evaluation import Chart, Evaluation
from evals.reports.document import Picture

_STYLE: dict[Any, Any] = {  # matplotlib's type for the names is a list of them all
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9.0,
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib
    "font.size": 8.0,
    "svg.hashsalt": "draftroom",
    "text.parse_math": False,  # the name of a corpus may have a $
}
_CURVE_STYLES = (("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", "-."), ("#cc79a7", "D", ":"))
"""Colours of Okabe and Ito, which people with any colour vision can tell apart; markers; dashes."""
_MAX_COLUMNS = 3


def draw_figures(evaluation: Evaluation) -> list[Picture]:
    """Every figure of the paper for every corpus; what differs from the baseline is left to the tables."""
    with rc_context(_STYLE):
        drawn = [(chart.scores.title, _draw_curves(chart)) for chart in evaluation.charts]
        return [
            Picture(f"{number}-{make_slug(title)}", title, _encode_figure(figure, "svg"), _encode_figure(figure, "png"))
            for number, (title, figure) in enumerate(drawn, start=1)
        ]


def make_slug(text: str) -> str:
    """The letters and digits of a text as a part of a file's name; those that are not ASCII are left out."""
    ascii_only = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:40].strip("-")


def _encode_figure(figure: Figure, kind: Literal["svg", "png"]) -> bytes:
    """The figure's file, without any metadata that depends on when and by what it was drawn."""
    buffer = BytesIO()
    unsaid = {"svg": ("Creator", "Date", "Format", "Type"), "png": ("Software",)}[kind]
    figure.savefig(buffer, format=kind, dpi=150, metadata=dict.fromkeys(unsaid))
    return buffer.getvalue()


def _make_panels(number: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels, each so large in inches."""
    columns = min(_MAX_COLUMNS, number)
    rows = ceil(number / columns)
    figure = Figure(figsize=(max(width * columns, 4.5), height * rows + 0.5), layout="constrained")
    return figure, [figure.add_subplot(rows, columns, place) for place in range(1, number + 1)]


def _draw_curves(chart: Chart) -> Figure:
    """Curves with 95% intervals and the paper's points, a panel for each measure, and one key below them."""
    figure, panels = _make_panels(len(chart.measures), 3.2, 2.5)
    key: dict[str, Line2D] = {}
    for axes, measure in zip(panels, chart.measures, strict=True):
        for place, (name, rows) in enumerate(chart.figure.curves.items()):
            colour, marker, dashes = _CURVE_STYLES[place % len(_CURVE_STYLES)]
            lines = {number: line for number, row in sorted(rows.items()) if (line := chart.scores.find_row(row))}
            ours = {number: line.cells[measure.name] for number, line in lines.items() if measure.name in line.cells}
            if not any(lines[number].row.system for number in ours):
                continue
            for number, (_, low, high) in ours.items():
                axes.plot([number, number], [low, high], color=colour, lw=1)
            look: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": dashes}
            key[name] = _plot_line(axes, {number: point.value for number, point in ours.items()}, name, **look)
            printed = {
                at: of[measure.name] for at, of in chart.figure.published.get(name, {}).items() if measure.name in of
            }
            if printed:
                said = f"{name}, in the paper"
                key[said] = _plot_line(axes, printed, said, **look, lw=0.6, markerfacecolor="none", markersize=8)
        axes.set_title(measure.head, loc="left")
        axes.set_xlabel(chart.figure.across)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(handles=list(key.values()), loc="outside lower center", ncols=min(2, len(panels)), frameon=False)
    return figure


def _plot_line(axes: Axes, points: Mapping[int, float], label: str, **look: Any) -> Line2D:
    (line,) = axes.plot(sorted(points), [points[number] for number in sorted(points)], label=label, **look)
    return line
