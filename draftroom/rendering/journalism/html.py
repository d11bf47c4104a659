"""The run as one page: article, readability, every round with its changes, notes and advice."""

from __future__ import annotations

from draftroom.rendering.html import page
from draftroom.rendering.journalism.story import (
    HEIGHT,
    MEASURES,
    UNIT,
    WIDTH,
    drawing,
    rounds,
    selected_round,
    unsupported_by_sentence,
)
from runs.record import RunRecord
from state.records import Values


def to_html(record: RunRecord, values: Values) -> str:
    """The page."""
    assessments = values.get("assessments", [])
    return page(
        "journalism.html",
        record,
        values,
        UNIT,
        article=values.get("article", ""),
        selected=selected_round(values),
        because=values.get("selected_because", ""),
        stop_reason=values.get("stop_reason", ""),
        assessments=assessments,
        measures=MEASURES,
        curve=drawing(assessments) if assessments else None,
        width=WIDTH,
        height=HEIGHT,
        facts=unsupported_by_sentence(values),
        rounds=rounds(values),
    )
