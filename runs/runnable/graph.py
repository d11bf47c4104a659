"""What a run must know of its graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.graph import StateGraph

from runs.record import RunInput
from state.contexts import RunContext
from state.records import CallRecord, Values

Builder = StateGraph[Any, Any, Any, Any]


@dataclass(frozen=True)
class Subgraph:
    """A subgraph that has not returned yet."""

    values: Values
    """Its state, as far as it hands it back."""
    written: Sequence[Values]
    """What nodes have written that is not in `values` yet, because others of their step are still at work."""


def laid_over(values: Values, subgraphs: Sequence[Subgraph]) -> dict[str, Any]:
    """The state with that of its subgraphs laid over it, as is right where one at a time is under way."""
    return {**values, **{key: value for subgraph in subgraphs for key, value in subgraph.values.items()}}


@dataclass(frozen=True)
class RunnableGraph:
    """A graph and how its runs are started, followed and recorded."""

    builder: Builder
    graph_input: Callable[[RunInput], dict[str, Any]]
    context_schema: type[RunContext]
    is_finished: Callable[[Values], bool]
    calls: Callable[[Values], list[CallRecord]]
    """All answered calls that the state tells of."""
    results: Callable[[Values], dict[str, Any]]
    """What the run record keeps of the state."""
    with_subgraphs: Callable[[Values, Sequence[Subgraph]], dict[str, Any]] = laid_over
    """The newest state as all functions here read it: that of the graph, with what its subgraphs have come to."""

    def context(self, settings: Mapping[str, Any]) -> RunContext:
        """The frozen settings as they are: a run that was killed before its first step resumes with the same ones."""
        return self.context_schema(resolved=dict(settings))
