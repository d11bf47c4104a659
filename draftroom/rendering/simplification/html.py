"""The run as one page: text, lost details, the change from source to result, and the conversation of every entry."""

from __future__ import annotations

from draftroom.rendering.html import page
from draftroom.rendering.simplification.story import (
    NOT_ADVICE,
    UNIT,
    accepted_losses,
    changes_of_the_run,
    entries,
    lost_by_sentence,
    measured,
    origin,
    outcome,
)
from runs.record import RunRecord
from state.records import Values


def to_html(record: RunRecord, values: Values) -> str:
    """The page."""
    return page(
        "simplification.html",
        record,
        values,
        UNIT,
        simplified=values.get("simplified", ""),
        stop_reason=values.get("stop_reason", ""),
        not_advice=NOT_ADVICE,
        lost=lost_by_sentence(values),
        accepted=accepted_losses(values),
        glossary=values.get("glossary", []),
        versions=values.get("versions", []),
        changes=changes_of_the_run(values),
        entries=entries(values),
        outcome=outcome,
        measured=measured,
        origin=origin,
    )
