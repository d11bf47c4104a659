"""Threads in the checkpoints that the command and LangGraph's server share, and the records that follow them.

The checkpoints are the truth: of a thread that the server has begun there is no record yet, and that of a run that it
has continued is old, until they are written here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from datetime import datetime
from pathlib import PurePath
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver

from runs.checkpoints import open_checkpointer
from runs.graph_state import GRAPH_KEY, read_state
from runs.record import (
    THREADS_QUERY,
    RunInput,
    RunRecord,
    Status,
    add_failure,
    build_run_record,
    is_thread_locked,
    load_records,
    lock_thread,
    write_record,
)
from runs.runnable import RunnableGraph, refresh_record
from state.documents import DocumentRef
from state.errors import DraftroomError
from tools.configuration import load_settings


@asynccontextmanager
async def hold_thread(thread: str) -> AsyncIterator[None]:
    """Asynchronous context manager that locks a thread without blocking the event loop."""
    lock = lock_thread(thread)
    await asyncio.to_thread(lock.__enter__)
    try:
        yield
    finally:
        await asyncio.to_thread(lock.__exit__, None, None, None)


async def list_threads(
    saver: BaseCheckpointSaver[str], is_wanted: Callable[[str, str], bool]
) -> list[tuple[CheckpointTuple, str]]:
    """Return the first checkpoint, and the id of the newest, of each thread that is wanted by its id and the latter."""
    if isinstance(saver, InMemorySaver):
        return []
    connection: Any = saver.conn  # type: ignore[attr-defined] # of aiosqlite or psycopg, which are alike here
    threads = []
    for row in await (await connection.execute(THREADS_QUERY)).fetchall():
        thread, first, newest = row.values() if isinstance(row, dict) else row
        place: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_id": first}}
        if is_wanted(thread, newest) and (found := await saver.aget_tuple(place)):
            threads.append((found, newest))
    return threads


def update_records(
    graphs: Mapping[str, RunnableGraph], ended: str = "", error: DraftroomError | None = None
) -> list[str]:
    """Write the records that are behind their thread's checkpoints or missing, and return the problems; blocks.

    Args:
        graphs: Graphs by the names of their systems; threads of others are left alone.
        ended: The only thread to record, whose attempt has just ended in this process and which it still has locked.
        error: Error that ended this attempt.
    """
    try:
        return asyncio.run(_update_records(load_settings().checkpoints, graphs, ended, error))
    except DraftroomError as problem:
        return [str(problem)]


async def _update_records(
    address: str, graphs: Mapping[str, RunnableGraph], ended: str, error: DraftroomError | None
) -> list[str]:
    """Write the records that are behind or missing, as `update_records` does, and return the problems."""
    loaded, problems = await asyncio.to_thread(load_records), []
    records = {record["thread"]: record for record in loaded.readable}
    known = {thread: record.get("checkpoint", "") for thread, record in records.items()}
    async with open_checkpointer(address) as saver:
        wanted = await list_threads(saver, lambda each, newest: each == ended if ended else known.get(each) != newest)
        for first, newest in wanted:
            thread = first.config["configurable"]["thread_id"]
            system = records[thread]["system"] if thread in records else str(first.metadata.get(GRAPH_KEY))
            is_driven = not ended and system in graphs and await asyncio.to_thread(is_thread_locked, thread)
            if system not in graphs or (is_driven and thread in records):  # whoever drives a run keeps its record
                continue
            try:
                # Locked, so that the run is neither deleted nor begun before its record is written.
                async with nullcontext() if ended or is_driven else hold_thread(thread):
                    if record := await _read_record(system, graphs[system], saver, address, first):
                        if ended and record["status"] in {"running", "failed"}:
                            record["status"] = "stopped"
                        # The record of a thread that is being driven is read again later.
                        record["checkpoint"] = "" if is_driven else newest
                        await asyncio.to_thread(write_record, add_failure(record, error) if error else record)
            except DraftroomError as problem:
                problems.append(str(problem))
            except Exception as problem:  # noqa: BLE001 - clients can write any state, and one breaks no other run
                kind = type(problem).__name__  # the rest may quote the paper
                problems.append(
                    f"The thread {thread} has the state of no run ({kind}); delete it or correct its state."
                )
    return problems


async def _read_record(
    system: str, graph: RunnableGraph, saver: BaseCheckpointSaver[str], address: str, first: CheckpointTuple
) -> RunRecord | None:
    """Return the record of a thread, new if it has none, as its state is now; None before its paper is read."""
    thread = first.config["configurable"]["thread_id"]
    snapshot, values = await read_state(graph, saver, thread)
    if "settings" not in values:
        return None
    loaded = await asyncio.to_thread(load_records)
    record = next((each for each in loaded.readable if each["thread"] == thread), None)
    paper: DocumentRef = values.get("source") or values["document"]
    if record is None or record["input"]["paper"]["sha256"] != paper["sha256"]:  # also a thread begun anew
        record = _build_record(system, paper, values["settings"], address, first, record)
    status: Status = "failed" if record["status"] == "failed" else "running"
    if snapshot.interrupts or graph.is_finished(values):
        status = "paused" if snapshot.interrupts else "done"
    return {**refresh_record(record, values, graph), "status": status}


def _build_record(
    system: str,
    paper: DocumentRef,
    settings: Mapping[str, Any],
    address: str,
    first: CheckpointTuple,
    earlier: RunRecord | None,
) -> RunRecord:
    """Return, without writing it, the record of a thread that was begun without one, or anew on another paper."""
    path, created = PurePath(paper["source"]), datetime.fromisoformat(first.checkpoint["ts"])
    thread = first.config["configurable"]["thread_id"]
    # A text has no file of its own; it is stored under its hash.
    name = paper["title"] if path.stem == paper["sha256"] else path.name
    return {
        **build_run_record(system, RunInput(name=name, path=paper["source"], paper=paper), settings, address),
        # Always the same id, because two processes may meet the thread at once.
        "id": earlier["id"] if earlier else f"{created:%Y%m%d-%H%M%S}-{thread[-8:]}",
        "thread": thread,
        "created": created.isoformat(timespec="seconds"),
    }
