"""The newest state of a run: that of its graph, and of the subgraphs that are under way, many of them perhaps at once.

A subgraph's state reaches that of the graph when it returns, and what parallel nodes write reaches it when the last of
them is done. Until then calls that were answered, and paid for, are known from here only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import StateSnapshot

from runs.runnable.graph import RunnableGraph, Subgraph
from state.records import Values

Namespace = tuple[str, ...]
"""Where something happens: empty for the graph itself, else the subgraph's node and task."""

Step = tuple[str, Values]
"""A node, or a task within one, and what it has written."""

_CACHED = "__metadata__"
"""Marks updates that a resumed run takes from its checkpoints."""


class NewestState:
    """Begins with what the checkpoints hold and follows the stream of a graph, whose subgraphs have none of their own.

    Args:
        snapshot: State of the graph, read with its subgraphs; it holds what has finished of a step under way, too.
    """

    def __init__(self, snapshot: StateSnapshot) -> None:
        self._values: Values = snapshot.values
        self._subgraphs: dict[Namespace, Values] = {
            (f"{task.name}:{task.id}",): task.state.values
            for task in snapshot.tasks
            if isinstance(task.state, StateSnapshot) and task.result is None
        }
        self._written: dict[Namespace, list[Step]] = {}
        self._repeated: set[Namespace] = {(), *self._subgraphs} if snapshot.created_at else set()
        """Whose state the stream of a resumed run begins with once more, without what had finished of its step."""

    def joined(self, graph: RunnableGraph) -> dict[str, Any]:
        """One state of it all, as the functions that read it take it."""
        subgraphs = [
            Subgraph(values, [update for _, update in self._written.get(namespace, [])])
            for namespace, values in self._subgraphs.items()
        ]
        return graph.with_subgraphs(self._values, subgraphs)

    def take(self, part: Mapping[str, Any]) -> list[Step]:
        """Take in an update or new values from the stream; `joined` holds the steps that come back from now on."""
        namespace: Namespace = part["ns"]
        if part["type"] == "updates":
            steps = _steps(part["data"])
            self._written.setdefault(namespace, []).extend(steps)
            return steps if namespace else []
        if namespace in self._repeated:
            self._repeated.remove(namespace)
            return []
        steps = self._written.pop(namespace, [])
        if namespace:
            self._subgraphs[namespace] = part["data"]
            return []
        if not part["interrupts"]:  # otherwise its subgraphs have not returned
            self._values, self._subgraphs, self._written = part["data"], {}, {}
        return steps


def _steps(updates: Mapping[str, Any]) -> list[Step]:
    """What nodes have just written, if anything; an interrupt is no mapping."""
    if _CACHED in updates:
        return []
    return [(node, update) for node, update in updates.items() if update and isinstance(update, Mapping)]
