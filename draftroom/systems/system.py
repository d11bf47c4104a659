"""A system as the command sees it: a graph, and functions that read its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph.graph import StateGraph

from draftroom.records import RunInput, RunRecord

Values = Mapping[str, Any]
"""The state of a graph; a run that was stopped early lacks keys."""

Render = Callable[[RunRecord, Values], str]
Print = Callable[[RunRecord, Values], None]


@dataclass(frozen=True)
class System:
    """One graph and how its runs are started, followed, recorded and shown."""

    name: str
    builder: StateGraph[Any, Any, Any, Any]
    graph_input: Callable[[RunInput], dict[str, Any]]
    context: Callable[[Mapping[str, Any]], Any]
    """From frozen settings, so that a run which was killed before its first step resumes with the same ones."""
    is_finished: Callable[[Values], bool]
    results: Callable[[Values], dict[str, Any]]
    """What the run record keeps of the state."""
    progress: Callable[[dict[str, Any]], tuple[str, str]]
    """From results: rounds so far, and the grade of the first and the returned text."""
    milestone: Callable[[str, Values], str]
    """A line about what a node has just written; empty if it is not worth one."""
    describe_question: Callable[[Values], str]
    """What a paused run asks, as text."""
    answer: Callable[[list[str] | None], dict[str, Any]]
    """From a person's lines, or None for "as it is", to what the graph wants to hear."""
    print_result: Print
    print_warnings: Print
    print_details: Callable[[RunRecord, Values, int | None], None]
    """The whole story, or that of one round."""
    formats: Mapping[str, Render]
    """By the suffix of a file."""
