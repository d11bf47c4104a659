"""What a run must know of its graph: how it begins, when it is finished, and what its state tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from runs.record import RunInput
from state.records import CallRecord, Values
from state.settings import RunContext

if TYPE_CHECKING:  # takes time to import
    from langgraph.graph import StateGraph


Builder: TypeAlias = "StateGraph[Any, Any, Any, Any]"


@dataclass(frozen=True)
class Subgraph:
    """A subgraph that has not returned yet."""

    values: Values
    """Its state, as far as it hands it back."""
    written: Sequence[Values]
    """What nodes have written that is not in `values` yet, because others of their step are still at work."""


def merge_subgraph_values(values: Values, subgraphs: Sequence[Subgraph]) -> dict[str, Any]:
    """The state with that of its subgraphs laid over it, as is right where one at a time is under way."""
    return {**values, **{key: value for subgraph in subgraphs for key, value in subgraph.values.items()}}


def build_paper_input(run_input: RunInput) -> dict[str, Any]:
    """What most graphs start from: the paper, and what is asked of it."""
    return {"paper": run_input["path"], **run_input.get("request", {})}


def list_calls(values: Values) -> list[CallRecord]:
    """The calls that the state lists."""
    return list(values.get("calls", []))


@dataclass(frozen=True)
class RunnableGraph:
    """A graph and how its runs are started, followed and recorded."""

    address: str
    """The module of the graph, a colon, and the name of its builder there; it is imported when it is used."""
    is_finished: Callable[[Values], bool]
    results: Callable[[Values], dict[str, Any]]
    """What the run record keeps of the state."""
    graph_input: Callable[[RunInput], dict[str, Any]] = build_paper_input
    calls: Callable[[Values], list[CallRecord]] = list_calls
    """All answered calls that the state tells of."""
    with_subgraphs: Callable[[Values, Sequence[Subgraph]], dict[str, Any]] = merge_subgraph_values
    """The newest state as all functions here read it: that of the graph, with what its subgraphs have come to."""

    @property
    def builder(self) -> Builder:
        """The graph, not compiled."""
        return cast("Builder", resolve_name(self.address))

    def build_context(self, settings: Mapping[str, Any]) -> RunContext:
        """The frozen settings as they are: a run that was killed before its first step resumes with the same ones."""
        schema = cast("type[RunContext]", self.builder.context_schema)
        return schema(resolved=dict(settings))
