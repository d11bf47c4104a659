"""The story of a journalism run, round by round, read from the state of its graph; its four measures as a curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import plotext

from draftroom.rendering.rendering import by_sentence
from state.journalism import Assessment, Draft, DraftReview, Notes
from state.records import Fact, Values
from tools.text.edits import Change, word_changes

UNIT = "round"
_Item = TypeVar("_Item", bound=Mapping[str, Any])


@dataclass(frozen=True)
class Round:
    """Notes and advice on one draft, and the draft that they led to. Round 0 has only its draft, the first.

    What a round has not reached, or its variant leaves out, is None.
    """

    number: int
    notes: Notes | None
    review: DraftReview | None
    draft: Draft | None
    assessment: Assessment | None
    changes: list[Change]
    """From the draft before."""


def rounds(values: Values) -> list[Round]:
    """All rounds, also one that has begun and has no draft yet."""
    drafts: dict[int, Draft] = _by_round(values.get("drafts", []))
    assessments: dict[int, Assessment] = _by_round(values.get("assessments", []))
    # A person's advice follows the editor's as a second review of the same draft: the later one counts.
    notes: dict[int, Notes] = _by_round(values.get("notes", []))
    reviews: dict[int, DraftReview] = _by_round(values.get("reviews", []))
    numbers = sorted({*drafts, *(number + 1 for number in (*notes, *reviews))})
    return [
        Round(
            number=number,
            notes=notes.get(number - 1),
            review=reviews.get(number - 1),
            draft=drafts.get(number),
            assessment=assessments.get(number),
            changes=_changes(drafts, number),
        )
        for number in numbers
    ]


def selected_round(values: Values) -> int | None:
    """Number of the returned draft; None while there is none."""
    return int(values["selected_round"]) if values.get("article") else None


def unsupported_by_sentence(values: Values) -> dict[str, list[Fact]]:
    """Details of the returned draft that the paper does not support, under the sentence that holds them."""
    selected = selected_round(values)
    found = [item["unsupported"] for item in values.get("assessments", []) if item["round"] == selected]
    return by_sentence(found[-1]) if found else {}


def _by_round(items: Iterable[_Item]) -> dict[int, _Item]:
    return {int(item["round"]): item for item in items}


def _changes(drafts: Mapping[int, Draft], number: int) -> list[Change]:
    before, after = drafts.get(number - 1), drafts.get(number)
    return word_changes(before["text"], after["text"]) if before and after else []


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
