"""Drawing a paper's figures, with measured and published points, as SVG and PNG.

The same data gives the same bytes: the files have no dates, and ids are derived from the content. Curves differ in
markers and dashes as well as in colour.
"""

from __future__ import annotations

import re
from io import BytesIO
from math import ceil
from typing import Any
from unicodedata import normalize

from matplotlib import rc_context
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
# Colour, marker and dashes. The colours are Okabe and Ito's, which are safe for colour-blind readers.
_CURVE_STYLES = (("#0072b2", "o", "-"), ("#d55e00", "s", "--"), ("#009e73", "^", "-."), ("#cc79a7", "D", ":"))
_MAX_COLUMNS = 3
# By format: the metadata that depends on the time or the software.
_OMITTED_METADATA = {"svg": ("Creator", "Date", "Format", "Type"), "png": ("Software",)}


def draw_figures(evaluation: Evaluation) -> list[Picture]:
    """Draw all figures of an evaluation as SVG and PNG in memory."""
    pictures = []
    with rc_context(_STYLE):
        for number, chart in enumerate(evaluation.charts, start=1):
            title, figure = chart.scores.title, _draw_curves(chart)
            encoded = {}
            for kind, omitted in _OMITTED_METADATA.items():
                buffer = BytesIO()
                figure.savefig(buffer, format=kind, dpi=150, metadata=dict.fromkeys(omitted))
                encoded[kind] = buffer.getvalue()
            pictures.append(Picture(f"{number}-{make_slug(title)}", title, encoded["svg"], encoded["png"]))
    return pictures


def make_slug(text: str) -> str:
    """Convert a text into at most 40 lower-case ASCII letters, digits and hyphens for a file name; may be empty."""
    ascii_only = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:40].strip("-")


def _draw_curves(chart: Chart) -> Figure:
    """Return the figure of a chart: its curves with 95% intervals and published points, a panel for each measure."""
    # Sizes are in inches: 3.2 by 2.5 for a panel, and room for the legend.
    number = len(chart.measures)
    columns = min(_MAX_COLUMNS, number)
    rows = ceil(number / columns)
    figure = Figure(figsize=(max(3.2 * columns, 4.5), 2.5 * rows + 0.5), layout="constrained")
    legend: dict[str, Line2D] = {}
    for panel, measure in enumerate(chart.measures, start=1):
        axes = figure.add_subplot(rows, columns, panel)
        for place, (name, curve) in enumerate(chart.figure.curves.items()):
            colour, marker, dashes = _CURVE_STYLES[place % len(_CURVE_STYLES)]
            lines = {at: line for at, row in sorted(curve.items()) if (line := chart.scores.find_row(row))}
            points = {at: line.cells[measure.name] for at, line in lines.items() if measure.name in line.cells}
            # A text of the corpus alone, such as the source as round 0, is no curve.
            if not any(lines[at].row.system for at in points):
                continue
            for at, (_, low, high) in points.items():
                axes.plot([at, at], [low, high], color=colour, lw=1)
            style: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": dashes}
            series = [(name, {at: point.value for at, point in points.items()}, style)]
            figures = chart.figure.published.get(name, {})
            if printed := {at: values[measure.name] for at, values in figures.items() if measure.name in values}:
                hollow = {**style, "lw": 0.6, "markerfacecolor": "none", "markersize": 8}
                series.append((f"{name}, in the paper", printed, hollow))
            for label, values, look in series:
                (legend[label],) = axes.plot(sorted(values), [values[at] for at in sorted(values)], label=label, **look)
        axes.set_title(measure.head, loc="left")
        axes.set_xlabel(chart.figure.across)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(handles=list(legend.values()), loc="outside lower center", ncols=min(2, number), frameon=False)
    return figure
