"""The newest state of a run's graph: read from its checkpoints, and followed through its stream."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from nodes.shared import FROZEN_SETTINGS
from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.record import RunRecord
from runs.runnable import Builder, RunnableGraph, Subgraph
from state.errors import ModelOutputError
from state.records import Values
from tools.models.ask import FAILED_ANSWERS

Graph = CompiledStateGraph[Any, Any, Any, Any]
Namespace = tuple[str, ...]  # of a part of the stream: empty for the graph itself, else the subgraph's node and task
# Of the metadata; the first is LangGraph's server's, too.
GRAPH_KEY, RUN_KEY = "graph_id", "run"
NodeUpdate = tuple[str, Values]  # a node, or a task within it, and the update that it has written


def build_graph_config(thread: str, settings: Mapping[str, Any] | None = None) -> RunnableConfig:
    """Return the configuration with which LangGraph finds the checkpoints of a thread, and a new run its settings."""
    return {"configurable": {"thread_id": thread, FROZEN_SETTINGS: settings}}


def build_graph_metadata(record: RunRecord) -> dict[str, Any]:
    """Return metadata for LangGraph's configuration, which the checkpoints keep.

    They are the graph, the run, and the number of failed answers of earlier attempts, for agents.
    """
    failed = sum(failure["kind"] == ModelOutputError.default_kind for failure in record["failures"])
    return {GRAPH_KEY: record["system"], RUN_KEY: record["id"], FAILED_ANSWERS: failed}


# Cached, because compiling a graph blocks the event loop that drives many runs.
@lru_cache(maxsize=16)
def compile_graph(builder: Builder, saver: BaseCheckpointSaver[str]) -> Graph:
    """Compile a graph with a saver, or return the graph that was compiled for both before; many runs share it."""
    return builder.compile(checkpointer=saver)


async def read_state(
    runnable: RunnableGraph, saver: BaseCheckpointSaver[str], thread: str
) -> tuple[StateSnapshot, dict[str, Any]]:
    """Return a pair from an open saver: the newest snapshot of a thread, and its state merged with its subgraphs'.

    Without a checkpoint both are empty.
    """
    builder = await asyncio.to_thread(getattr, runnable, "builder")  # the first use reads its module
    snapshot = await compile_graph(builder, saver).aget_state(build_graph_config(thread), subgraphs=True)
    return snapshot, StreamState(snapshot).merge_subgraphs(runnable)


async def load_snapshot(record: RunRecord, runnable: RunnableGraph) -> tuple[StateSnapshot, dict[str, Any]]:
    """Return the newest snapshot and state of a run as `read_state` does, from the run's checkpoints.

    Raises:
        StateError: The checkpoints cannot be read.
    """
    async with open_checkpointer(await asyncio.to_thread(resolve_checkpoint_address, record)) as saver:
        return await read_state(runnable, saver, record["thread"])


def load_state(record: RunRecord, runnable: RunnableGraph) -> dict[str, Any]:
    """Return the newest state of a run as `load_snapshot` does, outside of any event loop; blocks."""
    return asyncio.run(load_snapshot(record, runnable))[1]


class StreamState:
    """State of a graph and its subgraphs, from a snapshot on through the parts of a stream.

    Subgraphs have no checkpoints of their own. The snapshot is read with them, and also holds the finished tasks of a
    step under way.
    """

    def __init__(self, snapshot: StateSnapshot) -> None:
        self._values: Values = snapshot.values
        self._subgraphs: dict[Namespace, Values] = {
            (f"{task.name}:{task.id}",): task.state.values
            for task in snapshot.tasks
            # A task with a result has returned from its subgraph, and its result is in the state.
            if isinstance(task.state, StateSnapshot) and task.result is None
        }
        self._written: dict[Namespace, list[NodeUpdate]] = {}
        # The stream of a resumed run begins with these states once more, without the finished tasks of the step.
        self._repeated: set[Namespace] = {(), *self._subgraphs} if snapshot.created_at else set()

    def merge_subgraphs(self, graph: RunnableGraph) -> dict[str, Any]:
        """Return a new dict, the state of the graph with those of its subgraphs, merged by `graph`; change nothing."""
        subgraphs = [
            Subgraph(values, [update for _, update in self._written.get(namespace, [])])
            for namespace, values in self._subgraphs.items()
        ]
        return graph.with_subgraphs(self._values, subgraphs)

    def apply_stream_part(self, part: Mapping[str, Any]) -> list[NodeUpdate]:
        """Apply a part of the stream to this state, and return the node updates that took effect by it, if any.

        A part is an update or new values. Those of a subgraph are held at once, updates of the graph with new values.
        """
        namespace: Namespace = part["ns"]
        if part["type"] == "updates":
            # LangGraph marks with `__metadata__` the updates that a resumed run takes from its checkpoints.
            updates: Mapping[str, Any] = {} if "__metadata__" in part["data"] else part["data"]
            # A node may have written nothing, and an interrupt is no mapping.
            steps = [(node, update) for node, update in updates.items() if update and isinstance(update, Mapping)]
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
