"""The four measures over the rounds: as characters for a terminal, and as coordinates for a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import plotext

from state.journalism import Assessment

Measure = Literal["cli", "fkgl", "dcrs", "ari"]

MEASURES: dict[Measure, str] = {"cli": "CLI", "fkgl": "FKGL", "dcrs": "DCRS", "ari": "ARI"}

WIDTH, HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 70, 16, 30


def plot(assessments: Sequence[Assessment], width: int) -> str:
    """The curve as lines of text; each measure is drawn with the first letter of its name.

    Args:
        assessments: One a draft, in order.
        width: In characters.
    """
    rounds = [assessment["round"] for assessment in assessments]
    figure = plotext.figure
    figure.clear()
    figure.theme("colorless")
    figure.plot_size(width, 14)
    for measure, label in MEASURES.items():
        grades = [assessment["readability"][measure] for assessment in assessments]
        figure.draw(figure.signal(rounds, grades, marker=label[0]).lines().label(label))
    figure.ruler("x").ticks(rounds, [str(number) for number in rounds])
    return str(plotext.uncolorize(figure.build().string())).rstrip()


@dataclass(frozen=True)
class Polyline:
    """One measure as points of the drawing."""

    label: str
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class Drawing:
    """Coordinates in a field of `WIDTH` by `HEIGHT`, y pointing down."""

    lines: list[Polyline]
    grades: list[tuple[float, str]]
    """Height and label of each mark of the vertical axis."""
    rounds: list[tuple[float, str]]
    """Position and label of each mark of the horizontal axis."""


def drawing(assessments: Sequence[Assessment]) -> Drawing:
    """Lay the curve out."""
    rounds = [assessment["round"] for assessment in assessments]
    values = [assessment["readability"][measure] for assessment in assessments for measure in MEASURES]
    low, high = int(min(values)) - 1, int(max(values)) + 2
    span = max(len(rounds) - 1, 1)

    def x(place: int) -> float:
        return round(_LEFT + place * (WIDTH - _LEFT - _RIGHT) / span, 1)

    def y(grade: float) -> float:
        return round(_TOP + (high - grade) * (HEIGHT - _TOP - _BOTTOM) / (high - low), 1)

    lines = [
        Polyline(label, [(x(place), y(item["readability"][measure])) for place, item in enumerate(assessments)])
        for measure, label in MEASURES.items()
    ]
    marks = range(low, high + 1, max(1, (high - low) // 6))
    return Drawing(
        lines=lines,
        grades=[(y(grade), str(grade)) for grade in marks],
        rounds=[(x(place), str(number)) for place, number in enumerate(rounds)],
    )
