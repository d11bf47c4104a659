"""Plots of an evaluation: the paper's figures with our points, and what differs from the baseline.

They are drawn as SVG and PNG, and the paper's figures as characters for a terminal, too. The same data gives the same
bytes: there are no dates in the files, and ids come from the content. Curves are told apart by letters, markers and
dashes, so colour is only an addition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from math import ceil
from textwrap import fill
from typing import Any, Literal, NamedTuple

import plotext
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from evals.evaluation import LETTERS, Chart, Curve, Evaluation, Panel, charts
from evals.reports.document import Picture, difference, interval, slug
from evals.reports.document import figure as shown
from evals.scores import Contrast, Scores
from tools.text import on_one_line

INK, PAPER = "#1d2226", "#ffffff"
"""Of all lines and letters, and of what is behind them; in a page that is dark both are exchanged."""

_STYLE: dict[Any, Any] = {  # matplotlib's type for the names is a list of them all
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": 9.0,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib
    "font.size": 8.0,
    "svg.fonttype": "path",
    "svg.hashsalt": "draftroom",
    "text.color": INK,
    "text.parse_math": False,  # the name of a corpus may have a $
    "xtick.color": INK,
    "ytick.color": INK,
}

_COLOUR = "#0072b2"
_LONGEST_LINE = 32
"""Of a row's title, in letters."""
_TEXT_WIDTH, _TEXT_HEIGHT = 72, 13
"""Of a plot on a terminal, in characters."""
_COLUMNS = 3
_PANEL_WIDTH, _PANEL_HEIGHT = 3.2, 2.5
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


def draw(charts: Sequence[Chart], scores: Sequence[Scores]) -> list[Picture]:
    """Every figure, and the differences to the baseline of every table that has some; costs are left to the tables.

    Args:
        charts: The paper's figures with our points.
        scores: Of each table for each corpus.
    """
    with rc_context(_STYLE):
        drawn = [(chart.title, _curves_in_words(chart), curve_figure(chart)) for chart in charts]
        for each in scores:
            if contrasts := [contrast for contrast in each.contrasts if not contrast.measure.is_cost]:
                title = f"{each.title}: against {contrasts[0].baseline.title}"
                drawn.append((title, _differences_in_words(title, contrasts), _forest_figure(contrasts)))
        return [
            Picture(f"{number}-{slug(title)}", title, description, _bytes(figure, "svg"), _bytes(figure, "png"))
            for number, (title, description, figure) in enumerate(drawn, start=1)
        ]


def _bytes(figure: Figure, kind: Literal["svg", "png"]) -> bytes:
    """The figure's file, without any metadata that depends on when and by what it was drawn."""
    buffer = BytesIO()
    unsaid = {"svg": ("Creator", "Date", "Format", "Type"), "png": ("Software",)}[kind]
    figure.savefig(buffer, format=kind, dpi=150, metadata=dict.fromkeys(unsaid))
    return buffer.getvalue()


def curve_figure(chart: Chart) -> Figure:
    """Curves with 95% intervals, a panel for each measure, and one key below them."""
    columns = min(_COLUMNS, len(chart.panels))
    rows = ceil(len(chart.panels) / columns)
    figure = Figure(figsize=(max(_PANEL_WIDTH * columns, 4.5), _PANEL_HEIGHT * rows + 0.5), layout="constrained")
    for number, panel in enumerate(chart.panels, start=1):
        _draw_curves(figure.add_subplot(rows, columns, number), panel, chart.figure.across)
    curves = sorted((curve for panel in chart.panels for curve in panel.curves), key=lambda curve: bool(curve.paper))
    drawn = {curve.letter: curve for curve in curves}  # with the paper's points, if any panel has some
    handles = [handle for _, curve in sorted(drawn.items()) for handle in _key(curve)]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(2, columns), frameon=False)
    return figure


def _curves_in_words(chart: Chart) -> str:
    """All that the figure shows."""
    panels = ". ".join(_panel_in_words(panel) for panel in chart.panels)
    return f"{chart.title}, by {chart.figure.across}. {panels}."


def _draw_curves(axes: Axes, panel: Panel, across: str) -> None:
    for curve in panel.curves:
        axes.add_line(_papers_line(curve, curve.paper))
        for number, point in sorted(curve.ours.items()):
            axes.plot([number, number], [point.low, point.high], color=_look(curve).colour, lw=1)
        axes.add_line(_our_line(curve, {number: point.value for number, point in curve.ours.items()}))
    axes.autoscale_view()
    axes.margins(x=0.12)
    _label_ends(axes, panel.curves)
    axes.set_title(panel.measure.head, loc="left")
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
    numbers, heights = _by_number(points)
    return Line2D(numbers, heights, color=colour, marker=marker, linestyle=dashes, linewidth=1.4, label=label)


def _papers_line(curve: Curve, points: Mapping[int, float], label: str = "") -> Line2D:
    """Thinner, with hollow markers."""
    line = _our_line(curve, points, label)
    line.set(linewidth=0.6, markerfacecolor="none", markersize=8)
    return line


def _by_number(points: Mapping[int, float]) -> tuple[list[int], list[float]]:
    numbers = sorted(points)
    return numbers, [points[number] for number in numbers]


def _look(curve: Curve) -> _Look:
    return _LOOKS[LETTERS.index(curve.letter) % len(_LOOKS)]


def _panel_in_words(panel: Panel) -> str:
    digits = panel.measure.digits
    said = []
    for curve in panel.curves:
        said.append(f"{curve.name} {_points_in_words({at: each.value for at, each in curve.ours.items()}, digits)}")
        if curve.paper:
            said.append(f"in the paper {_points_in_words(curve.paper, digits)}")
    return f"{panel.measure.name}: {'; '.join(said)}"


def _points_in_words(points: Mapping[int, float], digits: int) -> str:
    return ", ".join(f"{shown(points[number], digits)} at {number}" for number in sorted(points))


def _forest_figure(contrasts: Sequence[Contrast]) -> Figure:
    """Small multiples with the rows in the same places; the names stand at the left ones only."""
    measures = list(dict.fromkeys(contrast.measure.name for contrast in contrasts))
    rows = list(dict.fromkeys(contrast.row.title for contrast in contrasts))
    columns = min(_COLUMNS, len(measures))
    lines = ceil(len(measures) / columns)
    figure = Figure(figsize=(2.4 * columns + 2, (0.26 * len(rows) + 0.8) * lines), layout="constrained")
    for number, name in enumerate(measures):
        axes = figure.add_subplot(lines, columns, number + 1)
        _draw_differences(axes, [each for each in contrasts if each.measure.name == name], rows)
        if number % columns:
            axes.tick_params(labelleft=False)
    return figure


def _differences_in_words(title: str, contrasts: Sequence[Contrast]) -> str:
    """All that the figure shows."""
    said = "; ".join(map(_difference_in_words, contrasts))
    return f"{title}. Differences with 95% intervals: {said}."


def _draw_differences(axes: Axes, contrasts: Sequence[Contrast], rows: Sequence[str]) -> None:
    axes.axvline(0, color=INK, lw=0.8, ls=":")
    for contrast in contrasts:
        height = rows.index(contrast.row.title)
        mean, low, high = contrast.test.difference
        axes.plot([low, high], [height, height], color=_COLOUR, lw=1.5)
        inside = _COLOUR if contrast.test.beyond_chance else PAPER
        axes.plot([mean], [height], marker="o", ms=6, color=_COLOUR, markerfacecolor=inside)
    axes.set_title(contrasts[0].measure.head, loc="left")
    axes.set_yticks(range(len(rows)), [fill(title, _LONGEST_LINE) for title in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)  # the first row on top


def _difference_in_words(contrast: Contrast) -> str:
    mean, low, high = contrast.test.difference
    digits = contrast.measure.digits
    chance = "beyond chance" if contrast.test.beyond_chance else "may be chance"
    ends = interval(low, high, digits)
    return f"{contrast.row.title}, {contrast.measure.name} {difference(mean, digits)} {ends}, {chance}"


def plot(evaluation: Evaluation, width: int = _TEXT_WIDTH) -> str:
    """Every figure for every corpus, a plot for each measure; empty if there is none.

    Args:
        evaluation: A run, scored.
        width: In characters.
    """
    return "".join(_panel_as_text(chart, panel, width) for chart in charts(evaluation) for panel in chart.panels)


def _panel_as_text(chart: Chart, panel: Panel, width: int) -> str:
    title = f"{on_one_line(chart.title)}: {panel.measure.head} by {chart.figure.across}"
    return f"\n{title}\n{_drawn(panel.curves, width)}\n{_key_as_text(panel.curves)}\n"


def _drawn(curves: Sequence[Curve], width: int) -> str:
    figure = plotext.figure
    figure.clear()
    figure.theme("colorless")
    figure.plot_size(width, _TEXT_HEIGHT)
    for curve in curves:  # ours come last, so that they lie on top
        if curve.paper:
            figure.draw(figure.signal(*_by_number(curve.paper), marker=curve.letter.lower()))
    for curve in curves:
        ours = {number: point.value for number, point in curve.ours.items()}
        figure.draw(figure.signal(*_by_number(ours), marker=curve.letter).lines())
    numbers = sorted({number for curve in curves for number in (*curve.ours, *curve.paper)})
    figure.ruler("x").ticks(numbers, [str(number) for number in numbers])
    figure.ruler("x").lim(numbers[0] - 0.5, numbers[-1] + 0.5)
    figure.ruler("y").lim(*_limits(curves))
    return str(plotext.uncolorize(figure.build().string())).rstrip()


def _limits(curves: Iterable[Curve]) -> tuple[float, float]:
    """A little more than the points need, and never nothing."""
    values = [
        value for curve in curves for value in (*(point.value for point in curve.ours.values()), *curve.paper.values())
    ]
    margin = (max(values) - min(values)) / 10 or 1.0
    return min(values) - margin, max(values) + margin


def _key_as_text(curves: Iterable[Curve]) -> str:
    """What the letters stand for."""
    return "\n".join(
        f"  {curve.letter} {curve.name}" + (f", {curve.letter.lower()} in the paper" if curve.paper else "")
        for curve in curves
    )
