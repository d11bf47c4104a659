"""Graphs as runs see them: how they are started, when they are finished, and how their state is read and recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from runs.record import (
    RunInput,
    RunRecord,
    compute_usage,
    format_current_time,
    list_enabled_extensions,
    merge_calls,
)
from state.records import CallRecord, Values
from state.settings import CHOSEN_KEY

if TYPE_CHECKING:  # takes time to import
    from langgraph.graph import StateGraph

Builder: TypeAlias = "StateGraph[Any, Any, Any, Any]"


@dataclass(frozen=True)
class Subgraph:
    """State of a subgraph that has not returned yet."""

    values: Values
    """State of the subgraph, as far as it returns it."""
    written: Sequence[Values]
    """Updates of nodes that are not in `values` yet, because other nodes of their step are still at work."""


def merge_subgraph_values(values: Values, subgraphs: Sequence[Subgraph]) -> dict[str, Any]:
    """Return a copy of a graph's state with every key of its unfinished subgraphs, of which it runs one at a time."""
    return {**values, **{key: value for subgraph in subgraphs for key, value in subgraph.values.items()}}


def build_paper_input(run_input: RunInput) -> dict[str, Any]:
    """Return the input of most graphs: the path of the paper, and the further keys of the request."""
    return {"paper": run_input["path"], **run_input.get("request", {})}


def list_calls(values: Values) -> list[CallRecord]:
    """List the answered calls in the state, those of a loop that has not ended last; empty if it has none yet."""
    return [*values.get("calls", []), *values.get("loop_calls", [])]


@dataclass(frozen=True)
class RunnableGraph:
    """A graph and how its runs are started, followed and recorded."""

    address: str
    """Module of the graph, a colon, and the name of its builder; imported at the first use."""
    is_finished: Callable[[Values], bool]
    results: Callable[[Values], dict[str, Any]]
    """Results in the state that the run record keeps."""
    graph_input: Callable[[RunInput], dict[str, Any]] = build_paper_input
    with_subgraphs: Callable[[Values, Sequence[Subgraph]], dict[str, Any]] = merge_subgraph_values
    """The state of the graph, merged with that of its subgraphs; all functions here read the merged state."""

    @property
    def builder(self) -> Builder:
        """Return the builder of the graph, which is not compiled; the first use imports its module."""
        return cast("Builder", resolve_name(self.address))


def refresh_record(record: RunRecord, values: Values, runnable: RunnableGraph) -> RunRecord:
    """Return a copy of the record with the usage and results in the graph's state, which may lack keys."""
    calls = merge_calls(list_calls(values), record["failures"])
    # A resume can have changed the models.
    settings = {**(values.get("settings") or record["settings"]), "models": record["settings"]["models"]}
    settings.pop(CHOSEN_KEY, None)
    return {
        **record,
        "updated": format_current_time(),
        "settings": settings,
        "prompts": {call["prompt"]: call["prompt_sha256"] for call in calls},
        "usage": compute_usage(calls),
        "results": runnable.results(values),
        "extensions": list_enabled_extensions(settings),
    }
