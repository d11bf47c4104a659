"""Runs of medical simplification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runs.record import RunInput
from runs.runnable.graph import RunnableGraph
from state.records import CallRecord, Values

if TYPE_CHECKING:  # imports LangGraph, which the registry does without
    from state.simplification import Version


def graph_input(run_input: RunInput) -> dict[str, Any]:
    """What the graph starts from."""
    return {"abstract": run_input["path"]}


def is_finished(values: Values) -> bool:
    """Whether there is a result."""
    return bool(values.get("simplified"))


def calls(values: Values) -> list[CallRecord]:
    """The calls of all entries, and those of the loop that is under way."""
    return [*values.get("calls", []), *values.get("loop_calls", [])]


def results(values: Values) -> dict[str, Any]:
    """Entries, the measures of each version, what the newest text has lost, and which loops ended early."""
    return {
        "entries": len(values.get("versions", [])[1:]),
        "versions": [_in_short(version) for version in values.get("versions", [])],
        "stop_reason": values.get("stop_reason", ""),
        "warnings": list(values.get("warnings", [])),
        "lost": list(values.get("lost", [])),
        "problems": [
            {"entry": exchange["entry"], "loop": exchange["loop"], "problem": exchange["problem"]}
            for exchange in values.get("history", [])
            if exchange["problem"]
        ],
    }


def _in_short(version: Version) -> dict[str, Any]:
    """Its measures; the texts are in the checkpoints."""
    kept = {key: version[key] for key in ("number", "loop", "grade", "words")}
    return {**kept, "lost": len(version["lost"])}


MEDICAL_SIMPLIFICATION = RunnableGraph(
    "graphs.medical_simplification:builder", is_finished, results, graph_input, calls
)
