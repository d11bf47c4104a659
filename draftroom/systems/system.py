"""A system as the command sees it: a graph, and functions that read its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.graph import StateGraph

from draftroom.records import RunInput, RunRecord
from state.records import CallRecord

Values = Mapping[str, Any]
"""The state of a graph; a run that was stopped early lacks keys."""

Render = Callable[[RunRecord, Values], str | bytes]
Print = Callable[[RunRecord, Values], None]


@dataclass(frozen=True)
class Dialogue:
    """How a person answers the question at which a run pauses."""

    describe: Callable[[Values], str]
    """The question as text."""
    answer: Callable[[list[str] | None], dict[str, Any]]
    """From a person's lines, or None for "as it is", to what the graph wants to hear."""
    these: str
    """What a person answers with, for a sentence: these questions."""
    line: str
    """What a line of the answer is: a question."""


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
class System:
    """One graph and how its runs are started, followed, recorded and shown."""

    name: str
    unit: str
    """What it counts its calls by, as a person says it: round, entry or paragraph."""
    builder: StateGraph[Any, Any, Any, Any]
    graph_input: Callable[[RunInput], dict[str, Any]]
    context: Callable[[Mapping[str, Any]], Any]
    """From frozen settings, so that a run which was killed before its first step resumes with the same ones."""
    is_finished: Callable[[Values], bool]
    calls: Callable[[Values], list[CallRecord]]
    """All answered calls that the state tells of."""
    results: Callable[[Values], dict[str, Any]]
    """What the run record keeps of the state."""
    progress: Callable[[dict[str, Any]], tuple[str, str]]
    """From results: how far it is, and what has come of it; of texts the grade of the first and the newest one."""
    milestone: Callable[[str, Values, Values], str]
    """From a node, what it has just written and the state with it: a line, empty if it is not worth one."""
    print_result: Print
    print_warnings: Print
    print_details: Callable[[RunRecord, Values, int | None], None]
    """The whole story, or that of one round, entry or paragraph."""
    formats: Mapping[str, Render]
    """By the suffix of a file."""
    with_subgraphs: Callable[[Values, Sequence[Subgraph]], dict[str, Any]] = laid_over
    """The newest state as all functions here read it: that of the graph, with what its subgraphs have come to."""
    dialogue: Dialogue | None = None
    """None if its runs never pause."""
