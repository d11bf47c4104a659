"""Runs of science journalism."""

from __future__ import annotations

from typing import Any

from graphs.science_journalism import builder
from runs.record import RunInput
from runs.runnable.graph import RunnableGraph
from state.contexts import JournalismContext
from state.records import CallRecord, Values


def graph_input(run_input: RunInput) -> dict[str, Any]:
    """What the graph starts from."""
    return {"paper": run_input["path"]}


def is_finished(values: Values) -> bool:
    """Whether a draft was chosen."""
    return bool(values.get("article"))


def calls(values: Values) -> list[CallRecord]:
    """The calls of all rounds."""
    return list(values.get("calls", []))


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


SCIENCE_JOURNALISM = RunnableGraph(builder, graph_input, JournalismContext, is_finished, calls, results)
