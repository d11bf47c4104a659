"""Drives runs on LangGraph's server, in whose process this is, and keeps their records right.

The server has the graph, its stream and its interrupts; here a run gets its lock and its record, as one of the command
does. What is killed goes on from its checkpoints: the server's own list of threads and runs may be lost with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, NamedTuple

from langgraph.types import StateSnapshot
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from langgraph_sdk.schema import StreamMode

from draftroom.systems import find_system
from runs.driver import Answer
from runs.graph_state import StreamState, build_graph_metadata, load_snapshot
from runs.record import Failure, RunRecord, format_current_time, lock_run, write_record
from runs.recorder import refresh_record
from runs.runnable import RunnableGraph
from state import errors
from state.errors import InputError

ERROR_KINDS: Mapping[str, str] = {
    name: error.default_kind
    for name, error in vars(errors).items()
    if isinstance(error, type) and issubclass(error, errors.DraftroomError)
}
"""Of an error of which the server tells the class and the message only."""
STREAM_MODES: list[StreamMode] = ["custom", "updates", "values"]


class ServerRun(NamedTuple):
    """What the page needs to follow a run."""

    thread: str
    run: str
    """The server's id of this attempt."""


@asynccontextmanager
async def hold_run_async(run_id: str) -> AsyncIterator[None]:
    """Hold a run as `lock_run` does, without a wait in the server's loop."""
    lock = lock_run(run_id)
    await asyncio.to_thread(lock.__enter__)
    try:
        yield
    finally:
        await asyncio.to_thread(lock.__exit__, None, None, None)


class RunManager:
    """Knows the runs that this server drives."""

    def __init__(self) -> None:
        self._under_way: dict[str, tuple[ServerRun, asyncio.Task[None]]] = {}

    def list_active_attempts(self) -> dict[str, ServerRun]:
        """The attempts that this server is making, by the id of the run."""
        return {run_id: started for run_id, (started, _) in self._under_way.items()}

    async def cancel_inherited_attempts(self) -> None:
        """End the attempts that the server has taken over from one before it, without a lock and a record.

        LangGraph's development server keeps its list of attempts in the folder where it was started, and goes on by
        itself with those that were under way there, as long ago as that may be.
        """
        with suppress(NotFoundError):  # there are none
            await get_client().runs.cancel_many(status="all")

    async def start_attempt(self, record: RunRecord, answer: Answer | None = None) -> ServerRun:
        """Begin a run or go on with it; returns when the server has taken it.

        Args:
            record: Of the run.
            answer: To the question at which it has paused.

        Raises:
            StateError: Another process drives it, or its checkpoints cannot be read.
            BadInput: It waits for no answer, or is done.
        """
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(hold_run_async(record["id"]))
            runnable = find_system(record["system"]).graph
            given = await _build_server_input(record, runnable, answer)
            record = {**record, "status": "running", "updated": format_current_time()}
            await asyncio.to_thread(write_record, record)
            client = get_client()
            started = await _create_server_run(client, record, given)
            following = asyncio.create_task(self._await_attempt(client, started, record, runnable, stack.pop_all()))
            self._under_way[record["id"]] = (started, following)
            return started

    async def stop_attempt(self, run_id: str) -> None:
        """Stop a run that this server drives; it can be resumed."""
        if found := self._under_way.get(run_id):
            started, following = found
            await get_client().runs.cancel(started.thread, started.run, wait=False, action="interrupt")
            await asyncio.shield(following)

    async def _await_attempt(
        self,
        client: LangGraphClient,
        started: ServerRun,
        record: RunRecord,
        runnable: RunnableGraph,
        lock: AsyncExitStack,
    ) -> None:
        """Wait for the end of the attempt and write what came of it."""
        try:
            async with lock:  # given back first: whoever sees that the run is over may change it at once
                result = await client.runs.join(*started)
                error = result.get("__error__") if isinstance(result, dict) else None
                snapshot = await load_snapshot(record, runnable)
                await asyncio.to_thread(write_record, update_record_after_attempt(record, snapshot, runnable, error))
        finally:
            if self.list_active_attempts().get(record["id"]) == started:  # and not the next attempt
                del self._under_way[record["id"]]


async def _build_server_input(record: RunRecord, runnable: RunnableGraph, answer: Answer | None) -> dict[str, Any]:
    """What the server gives the graph: its input, an answer, or nothing for going on where it stopped."""
    snapshot = await load_snapshot(record, runnable)
    if runnable.is_finished(snapshot.values):
        raise InputError("This run is done; begin a new one.")
    if bool(snapshot.interrupts) != (answer is not None):
        raise InputError(
            "This run waits for an answer." if snapshot.interrupts else "This run does not wait for an answer."
        )
    if answer is not None:
        return {"command": {"resume": answer}}
    return {"input": None if snapshot.created_at else runnable.graph_input(record["input"])}


async def _create_server_run(client: LangGraphClient, record: RunRecord, given: Mapping[str, Any]) -> ServerRun:
    thread = record["thread"]
    await client.threads.create(thread_id=thread, if_exists="do_nothing", graph_id=record["system"])
    run = await client.runs.create(
        thread,
        record["system"],
        **given,
        context={"resolved": record["settings"]},
        metadata=build_graph_metadata(record),
        stream_mode=STREAM_MODES,
        stream_subgraphs=True,
        stream_resumable=True,
        durability="sync",
        multitask_strategy="reject",
    )
    return ServerRun(thread, run["run_id"])


def update_record_after_attempt(
    record: RunRecord, snapshot: StateSnapshot, runnable: RunnableGraph, error: Mapping[str, str] | None
) -> RunRecord:
    """The record after an attempt.

    Args:
        record: Before it.
        snapshot: Where the graph stands now.
        runnable: The graph.
        error: What the server says of an attempt that failed: a class and its message.
    """
    newest = refresh_record(record, StreamState(snapshot).merge_subgraphs(runnable), runnable)
    if error:
        failure = Failure(
            kind=ERROR_KINDS.get(error["error"], error["error"]),
            message=error["message"],
            time=format_current_time(),
            spent=[],
        )
        return {**newest, "status": "failed", "failures": [*newest["failures"], failure]}
    if snapshot.interrupts:
        return {**newest, "status": "paused"}
    return {**newest, "status": "done" if runnable.is_finished(snapshot.values) else "stopped"}
