"""Differences to the baseline with 95% intervals, one panel a measure; filled points are beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evals.reports.curve_figure import COLUMNS
from evals.reports.differences import is_beyond_chance
from evals.reports.figure_style import INK, PAPER
from evals.reports.notation import difference, interval
from evals.reports.score_table import head
from evals.scores import Contrast

_COLOUR = "#0072b2"
_LONGEST_LINE = 32
"""Of a row's title, in letters."""


def forest_figure(contrasts: Sequence[Contrast]) -> Figure:
    """Small multiples with the rows in the same places; the names stand at the left ones only."""
    measures = list(dict.fromkeys(contrast.measure.name for contrast in contrasts))
    rows = list(dict.fromkeys(contrast.row.title for contrast in contrasts))
    columns = min(COLUMNS, len(measures))
    lines = ceil(len(measures) / columns)
    figure = Figure(figsize=(2.4 * columns + 2, (0.26 * len(rows) + 0.8) * lines), layout="constrained")
    for place, name in enumerate(measures):
        axes = figure.add_subplot(lines, columns, place + 1)
        _draw_panel(axes, [each for each in contrasts if each.measure.name == name], rows)
        if place % columns:
            axes.tick_params(labelleft=False)
    return figure


def differences_in_words(title: str, contrasts: Sequence[Contrast]) -> str:
    """All that the figure shows."""
    said = "; ".join(map(_in_words, contrasts))
    return f"{title}. Differences with 95% intervals: {said}."


def _draw_panel(axes: Axes, contrasts: Sequence[Contrast], rows: Sequence[str]) -> None:
    axes.axvline(0, color=INK, lw=0.8, ls=":")
    for contrast in contrasts:
        height = rows.index(contrast.row.title)
        mean, low, high = contrast.difference
        axes.plot([low, high], [height, height], color=_COLOUR, lw=1.5)
        inside = _COLOUR if is_beyond_chance(contrast) else PAPER
        axes.plot([mean], [height], marker="o", ms=6, color=_COLOUR, markerfacecolor=inside)
    axes.set_title(head(contrasts[0].measure), loc="left")
    axes.set_yticks(range(len(rows)), [fill(title, _LONGEST_LINE) for title in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)  # the first row on top


def _in_words(contrast: Contrast) -> str:
    mean, low, high = contrast.difference
    digits = contrast.measure.digits
    chance = "beyond chance" if is_beyond_chance(contrast) else "may be chance"
    ends = interval(low, high, digits)
    return f"{contrast.row.title}, {contrast.measure.name} {difference(mean, digits)} {ends}, {chance}"
