"""The figures of a paper as characters, for a terminal: our points as capital letters, the paper's as small ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import plotext

from evals.evaluation import Evaluation
from evals.reports.charts import Chart, Curve, Panel, charts
from evals.reports.score_table import head
from tools.plain_characters import on_one_line

_WIDTH, _HEIGHT = 72, 13


def plot(evaluation: Evaluation, width: int = _WIDTH) -> str:
    """Every figure for every corpus, a plot for each measure; empty if there is none.

    Args:
        evaluation: A run, scored.
        width: In characters.
    """
    return "".join(_panel(chart, panel, width) for chart in charts(evaluation) for panel in chart.panels)


def _panel(chart: Chart, panel: Panel, width: int) -> str:
    title = f"{on_one_line(chart.title)}: {head(panel.measure)} by {chart.figure.across}"
    return f"\n{title}\n{_drawn(panel.curves, width)}\n{_key(panel.curves)}\n"


def _drawn(curves: Sequence[Curve], width: int) -> str:
    figure = plotext.figure
    figure.clear()
    figure.theme("colorless")
    figure.plot_size(width, _HEIGHT)
    for curve in curves:  # ours come last, so that they lie on top
        if curve.paper:
            figure.draw(figure.signal(*_points(curve.paper), marker=curve.letter.lower()))
    for curve in curves:
        ours = {number: point.value for number, point in curve.ours.items()}
        figure.draw(figure.signal(*_points(ours), marker=curve.letter).lines())
    numbers = sorted({number for curve in curves for number in (*curve.ours, *curve.paper)})
    figure.ruler("x").ticks(numbers, [str(number) for number in numbers])
    figure.ruler("x").lim(numbers[0] - 0.5, numbers[-1] + 0.5)
    figure.ruler("y").lim(*_limits(curves))
    return str(plotext.uncolorize(figure.build().string())).rstrip()


def _points(values: Mapping[int, float]) -> tuple[list[int], list[float]]:
    """In the order of their numbers."""
    return sorted(values), [values[number] for number in sorted(values)]


def _limits(curves: Iterable[Curve]) -> tuple[float, float]:
    """A little more than the points need, and never nothing."""
    values = [
        value for curve in curves for value in (*(point.value for point in curve.ours.values()), *curve.paper.values())
    ]
    margin = (max(values) - min(values)) / 10 or 1.0
    return min(values) - margin, max(values) + margin


def _key(curves: Iterable[Curve]) -> str:
    """What the letters stand for."""
    return "\n".join(
        f"  {curve.letter} {curve.name}" + (f", {curve.letter.lower()} in the paper" if curve.paper else "")
        for curve in curves
    )
