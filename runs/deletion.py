"""Removes a run and all that the state folder holds because of it."""

from __future__ import annotations

import asyncio

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.record import RunRecord, delete_record, load_records, lock_run
from tools.documents.reading import delete_document
from tools.literature.fetching import delete_cached_searches


def delete_run(record: RunRecord) -> None:
    """Remove the checkpoints of a run, its paper as it is stored, the paper's vectors, all searches, and the record.

    A paper that another run was given, too, stays with its vectors until that one is deleted. Answers of literature
    services, of which nobody knows any more for whom they were fetched, go all together: they are kept a week, and
    asked for again when they are needed. Files that lie elsewhere, as the paper and results do, are the user's.

    The record goes last, so that a deletion that failed can be tried again.

    Raises:
        StateError: Another process drives it, or the checkpoints or the state folder cannot be written.
    """
    paper = record["input"]["paper"]
    with lock_run(record["id"]):
        if record["checkpoints"] != "memory":
            asyncio.run(_delete_checkpoints(record))
        delete_cached_searches()
        given = [each["input"]["paper"]["sha256"] for each in load_records().readable]
        if given.count(paper["sha256"]) <= 1:
            delete_document(paper)
            _delete_vectors(paper["sha256"])
        delete_record(record["id"])


async def _delete_checkpoints(record: RunRecord) -> None:
    """Remove them, and write a SQLite file anew, for it keeps the pages of what was removed."""
    async with open_checkpointer(resolve_checkpoint_address(record)) as saver:
        await saver.adelete_thread(record["thread"])
        if isinstance(saver, AsyncSqliteSaver):
            await saver.conn.execute("VACUUM")
            await saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _delete_vectors(sha256: str) -> None:
    try:
        from tools.retrieval.index import delete_vectors  # noqa: PLC0415 - loads Chroma, an optional package
    except ImportError:  # then there are none
        return
    delete_vectors(sha256)
