"""Threads in the checkpoints that the command and LangGraph's server share, and the records that follow them.

The checkpoints are the truth: of a thread that the server has begun there is no record yet, and that of a run that it
has continued is old, until `update_records` writes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
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
    write_record,
)
from runs.recorder import refresh_record
from runs.runnable import RunnableGraph
from state.documents import DocumentRef
from state.errors import DraftroomError
from tools.configuration import load_settings


async def list_threads(saver: BaseCheckpointSaver[str], known: Mapping[str, str]) -> list[tuple[CheckpointTuple, str]]:
    """Return the first checkpoint and the id of the newest one of each thread whose newest one is not in `known`."""
    if isinstance(saver, InMemorySaver):
        return []
    connection: Any = saver.conn  # type: ignore[attr-defined] # of aiosqlite or psycopg, which are alike here
    threads = []
    for row in await (await connection.execute(THREADS_QUERY)).fetchall():
        thread, first, newest = row.values() if isinstance(row, dict) else row
        place: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_id": first}}
        if known.get(thread) != newest and (found := await saver.aget_tuple(place)):
            threads.append((found, newest))
    return threads


def update_records(
    graphs: Mapping[str, RunnableGraph], ended: str = "", error: DraftroomError | None = None
) -> list[str]:
    """Write the records that are behind their thread's checkpoints or missing, and return the problems; blocks.

    Args:
        graphs: Graphs by the names of their systems; threads of others are left alone.
        ended: Thread of an attempt that has just ended in this process; it is stopped if it is not finished.
        error: Error that ended this attempt.
    """
    try:
        records = {record["thread"]: record for record in load_records().readable}
        for record in asyncio.run(_collect_records(load_settings().checkpoints, graphs, records, ended)):
            write_record(add_failure(record, error) if error and record["thread"] == ended else record)
    except DraftroomError as problem:
        return [str(problem)]
    return []


async def _collect_records(
    address: str, graphs: Mapping[str, RunnableGraph], records: Mapping[str, RunRecord], ended: str
) -> list[RunRecord]:
    """Return new records of the threads that have none, and current ones of those whose record is old."""
    known = {thread: record.get("checkpoint", "") for thread, record in records.items() if thread != ended}
    collected = []
    async with open_checkpointer(address) as saver:
        for first, newest in await list_threads(saver, known):
            thread = first.config["configurable"]["thread_id"]
            record = records.get(thread)
            system = record["system"] if record else str(first.metadata.get(GRAPH_KEY))
            if system not in graphs:
                continue
            is_driven = thread != ended and await asyncio.to_thread(is_thread_locked, thread)
            if record and is_driven:  # whoever drives a run keeps its record
                continue
            snapshot, values = await read_state(graphs[system], saver, thread)
            if "settings" not in values:  # its paper is not read yet
                continue
            paper: DocumentRef = values.get("source") or values["document"]
            if record is None or record["input"]["paper"]["sha256"] != paper["sha256"]:  # also a thread begun anew
                record = _build_record(system, paper, values["settings"], address, first, record)
            status: Status = "stopped" if thread == ended else "failed" if record["status"] == "failed" else "running"
            if snapshot.interrupts or graphs[system].is_finished(values):
                status = "paused" if snapshot.interrupts else "done"
            record = {**refresh_record(record, values, graphs[system]), "status": status}
            # The record of a thread that is being driven is read again later.
            collected.append(record if is_driven else {**record, "checkpoint": newest})
    return collected


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
