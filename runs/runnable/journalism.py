"""Runs of science journalism."""

from __future__ import annotations

from typing import Any

from runs.runnable.graph import RunnableGraph
from state.records import Values


def is_finished(values: Values) -> bool:
    """Whether a draft was chosen."""
    return bool(values.get("article"))


def results(values: Values) -> dict[str, Any]:
    """Rounds, the measures and unsupported facts of each draft, and which one was chosen and why."""
    return {
        "rounds": values.get("round", 0),
        "drafts": list(values.get("assessments", [])),
        "stop_reason": values.get("stop_reason", ""),
        "selected_round": values.get("selected_round") if is_finished(values) else None,
        "selected_because": values.get("selected_because", ""),
        "warnings": list(values.get("warnings", [])),
    }


SCIENCE_JOURNALISM = RunnableGraph("graphs.science_journalism:builder", is_finished, results)
