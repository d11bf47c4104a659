"""Curves with 95% intervals, one panel a measure, and the paper's points where they are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Literal, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from evals.reports.charts import LETTERS, Chart, Curve, Panel
from evals.reports.notation import figure as shown
from evals.reports.score_table import head

COLUMNS = 3
_WIDTH, _HEIGHT = 3.2, 2.5
"""Of a panel, in inches."""
_LABEL_GAP = 0.09
"""Between two letters beside the ends of curves, as a share of the panel's height."""


class _Look(NamedTuple):
    colour: str
    marker: str
    dashes: Literal["-", "--", ":", "-."]


_LOOKS = [  # colours of Okabe and Ito, which people with any colour vision can tell apart
    _Look("#0072b2", "o", "-"),
    _Look("#d55e00", "s", "--"),
    _Look("#009e73", "^", "-."),
    _Look("#cc79a7", "D", ":"),
    _Look("#7f7f7f", "v", "-"),
]


def curve_figure(chart: Chart) -> Figure:
    """Small multiples with one key below them."""
    columns = min(COLUMNS, len(chart.panels))
    rows = ceil(len(chart.panels) / columns)
    figure = Figure(figsize=(max(_WIDTH * columns, 4.5), _HEIGHT * rows + 0.5), layout="constrained")
    for number, panel in enumerate(chart.panels, start=1):
        _draw_panel(figure.add_subplot(rows, columns, number), panel, chart.figure.across)
    curves = sorted((curve for panel in chart.panels for curve in panel.curves), key=lambda curve: bool(curve.paper))
    drawn = {curve.letter: curve for curve in curves}  # with the paper's points, if any panel has some
    handles = [handle for _, curve in sorted(drawn.items()) for handle in _key(curve)]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(2, columns), frameon=False)
    return figure


def curves_in_words(chart: Chart) -> str:
    """All that the figure shows."""
    panels = ". ".join(_panel_in_words(panel) for panel in chart.panels)
    return f"{chart.title}, by {chart.figure.across}. {panels}."


def _draw_panel(axes: Axes, panel: Panel, across: str) -> None:
    for curve in panel.curves:
        axes.add_line(_papers_line(curve, curve.paper))
        for number, point in sorted(curve.ours.items()):
            axes.plot([number, number], [point.low, point.high], color=_look(curve).colour, lw=1)
        axes.add_line(_our_line(curve, {number: point.value for number, point in curve.ours.items()}))
    axes.autoscale_view()
    axes.margins(x=0.12)
    _label_ends(axes, panel.curves)
    axes.set_title(head(panel.measure), loc="left")
    axes.set_xlabel(across)
    axes.set_xticks(sorted({number for curve in panel.curves for number in (*curve.ours, *curve.paper)}))


def _label_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """The letter of each curve beside its last point; letters that would lie on each other are moved apart."""
    low, high = axes.get_ylim()
    ends = sorted((curve.ours[max(curve.ours)].value, curve.letter, max(curve.ours)) for curve in curves)
    before = float("-inf")
    for value, letter, number in ends:
        height = max(value, before + _LABEL_GAP * (high - low))
        axes.annotate(
            letter,
            (number, height),
            xytext=(7, 0),
            textcoords="offset points",
            annotation_clip=False,
            va="center",
            weight="bold",
        )
        before = height


def _key(curve: Curve) -> list[Line2D]:
    found = [_our_line(curve, {}, f"{curve.letter}  {curve.name}")]
    return [*found, _papers_line(curve, {}, f"{curve.name}, in the paper")] if curve.paper else found


def _our_line(curve: Curve, points: Mapping[int, float], label: str = "") -> Line2D:
    colour, marker, dashes = _look(curve)
    numbers = sorted(points)
    heights = [points[number] for number in numbers]
    return Line2D(numbers, heights, color=colour, marker=marker, linestyle=dashes, linewidth=1.4, label=label)


def _papers_line(curve: Curve, points: Mapping[int, float], label: str = "") -> Line2D:
    """Thinner, with hollow markers."""
    colour, marker, dashes = _look(curve)
    numbers = sorted(points)
    heights = [points[number] for number in numbers]
    line = Line2D(numbers, heights, color=colour, marker=marker, linestyle=dashes, linewidth=0.6, label=label)
    line.set_markerfacecolor("none")
    line.set_markersize(8)
    return line


def _look(curve: Curve) -> _Look:
    return _LOOKS[LETTERS.index(curve.letter) % len(_LOOKS)]


def _panel_in_words(panel: Panel) -> str:
    digits = panel.measure.digits
    said = []
    for curve in panel.curves:
        said.append(f"{curve.name} {_in_words({at: each.value for at, each in curve.ours.items()}, digits)}")
        if curve.paper:
            said.append(f"in the paper {_in_words(curve.paper, digits)}")
    return f"{panel.measure.name}: {'; '.join(said)}"


def _in_words(points: Mapping[int, float], digits: int) -> str:
    return ", ".join(f"{shown(points[number], digits)} at {number}" for number in sorted(points))
