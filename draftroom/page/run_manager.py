"""Start, stop and follow runs on LangGraph's server, within the server's own process.

The server executes the graph, streams it and handles interrupts. A killed run resumes from its checkpoints, because the
server's list of threads and runs may be lost; threads that it lacks are made again.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, NamedTuple

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from langgraph_sdk.schema import StreamMode
from starlette.types import ASGIApp, Receive, Scope, Send

from draftroom.page.access import IN_PROCESS_ROOT
from draftroom.systems import SYSTEMS, find_system
from nodes.shared import FROZEN_SETTINGS
from runs.checkpoints import open_studio_checkpointer
from runs.driver import Answer, choose_graph_input
from runs.graph_state import GRAPH_KEY, RUN_KEY, build_graph_metadata, load_snapshot
from runs.record import RunRecord, format_current_time, write_record
from runs.runnable import RunnableGraph
from runs.threads import hold_thread, list_threads
from state.errors import InputError

STREAM_MODES: list[StreamMode] = ["custom", "updates", "values"]


class ServerRun(NamedTuple):
    """Tuple of the ids by which the page follows a run on LangGraph's server."""

    thread: str
    run: str
    """Id of this attempt on the server."""


class RunManager:
    """Manager of the active attempts at runs in this server: starts, stops and lists them, updates their records."""

    def __init__(self) -> None:
        self._under_way: dict[str, tuple[ServerRun, asyncio.Task[None]]] = {}

    def list_active_attempts(self) -> dict[str, ServerRun]:
        """Return the ids of this server's active attempts in a new dictionary by run id."""
        return {run_id: started for run_id, (started, _) in self._under_way.items()}

    async def cancel_inherited_attempts(self) -> None:
        """Cancel the attempts that LangGraph's server has kept from an earlier process.

        LangGraph's development server stores its attempts in the folder where it was started and resumes them by
        itself, without the lock and the record of the run.
        """
        with suppress(NotFoundError):  # raised if there are none
            await get_client().runs.cancel_many(status="all")

    async def start_attempt(self, record: RunRecord, answer: Answer | None = None) -> ServerRun:
        """Begin a run, or go on from its checkpoint, in the background; return its ids once the server has accepted it.

        `answer` is only for a run that waits for one. The record is saved as running.

        Raises:
            StateError: Another process executes the run, or its checkpoints cannot be read.
            InputError: The run is done, or the answer is missing or not asked for.
        """
        system = find_system(record["system"])
        if not system.commands:  # a baseline, which the page's server does not serve
            raise InputError(f"The page does not run {system.name}; go on with `draftroom resume {record['id']}`.")
        thread = record["thread"]
        async with hold_thread(thread):
            server_input = await _build_server_input(record, system.graph, answer)
            record = {**record, "status": "running", "updated": format_current_time()}
            await asyncio.to_thread(write_record, record)
        # From here on, the graph as `served_graphs` opens it locks the thread and keeps the record.
        client = get_client()
        await client.threads.create(thread_id=thread, if_exists="do_nothing", graph_id=record["system"])
        run = await client.runs.create(
            thread,
            record["system"],
            **server_input,
            config={"configurable": {FROZEN_SETTINGS: record["settings"]}},
            metadata=build_graph_metadata(record),
            stream_mode=STREAM_MODES,
            stream_subgraphs=True,
            stream_resumable=True,
            durability="sync",
            multitask_strategy="reject",
        )
        started = ServerRun(thread, run["run_id"])
        following = asyncio.create_task(self._await_attempt(client, started, record["id"]))
        self._under_way[record["id"]] = (started, following)
        return started

    async def stop_attempt(self, run_id: str) -> None:
        """Stop a run of this server and wait for its end; do nothing if it is not active. It can be resumed."""
        if found := self._under_way.get(run_id):
            started, following = found
            await get_client().runs.cancel(started.thread, started.run, wait=False, action="interrupt")
            await asyncio.shield(following)

    async def _await_attempt(self, client: LangGraphClient, started: ServerRun, run_id: str) -> None:
        """Wait for the end of an attempt, and leave it out of the active ones."""
        try:
            await client.runs.join(*started)
        finally:
            # The next attempt may have begun since.
            if self.list_active_attempts().get(run_id) == started:
                del self._under_way[run_id]


async def _build_server_input(record: RunRecord, runnable: RunnableGraph, answer: Answer | None) -> dict[str, Any]:
    """Return arguments for the server's call: `command` with the answer, or `input`, which is None to resume."""
    snapshot, _ = await load_snapshot(record, runnable)
    if runnable.is_finished(snapshot.values):
        raise InputError("This run is done; begin a new one.")
    if snapshot.interrupts and answer is None:
        raise InputError("This run waits for an answer.")
    chosen = choose_graph_input(snapshot, record, runnable, answer)
    return {"input": chosen} if answer is None else {"command": {"resume": answer}}


class ThreadMiddleware:
    """ASGI middleware that makes the server's threads of those in the checkpoints before a request for threads."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._known: set[str] = set()  # threads that the server has

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, one that lists threads, or is for one not seen yet, after the missing ones are made."""
        if scope["type"] == "http" and scope.get("root_path") != IN_PROCESS_ROOT:
            place = scope["path"].split("/")
            if place[1:2] == ["threads"] and not self._known.issuperset(place[2:3]):
                await self._make_threads()
        await self._app(scope, receive, send)

    async def _make_threads(self) -> None:
        """Make a thread of the server of each in the checkpoints whose graph is one of ours."""
        async with open_studio_checkpointer() as saver:
            threads = await list_threads(saver, lambda thread, _: thread not in self._known)
        for first, _ in threads:
            thread, graph = first.config["configurable"]["thread_id"], first.metadata.get(GRAPH_KEY)
            if graph in SYSTEMS:
                # Nothing of the paper, which is deleted with its run; the state is read from the checkpoints.
                metadata = {GRAPH_KEY: graph, RUN_KEY: first.metadata.get(RUN_KEY)}
                await get_client().threads.create(thread_id=thread, metadata=metadata, if_exists="do_nothing")
            self._known.add(thread)
