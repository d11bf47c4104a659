"""A system as the command sees it: a graph, and functions that read its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.graph import StateGraph

from draftroom.records import RunInput, RunRecord
from state.records import CallRecord

Values = Mapping[str, Any]
"""The state of a graph; a run that was stopped early lacks keys."""

Render = Callable[[RunRecord, Values], str]
Print = Callable[[RunRecord, Values], None]


@dataclass(frozen=True)
class Dialogue:
    """How a person answers the question at which a run pauses."""

    describe: Callable[[Values], str]
    """The question as text."""
    answer: Callable[[list[str] | None], dict[str, Any]]
    """From a person's lines, or None for "as it is", to what the graph wants to hear."""


@dataclass(frozen=True)
class System:
    """One graph and how its runs are started, followed, recorded and shown."""

    name: str
    unit: str
    """What it counts its calls by, as a person says it: round or entry."""
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
    """From results: rounds so far, and the grade of the first and the returned text."""
    milestone: Callable[[str, Values, Values], str]
    """From a node, what it has just written and the state before it: a line, empty if it is not worth one."""
    print_result: Print
    print_warnings: Print
    print_details: Callable[[RunRecord, Values, int | None], None]
    """The whole story, or that of one round or entry."""
    formats: Mapping[str, Render]
    """By the suffix of a file."""
    dialogue: Dialogue | None = None
    """None if its runs never pause."""
