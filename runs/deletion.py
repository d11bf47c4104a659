"""Deletes a run and all its files in the state folder."""

from __future__ import annotations

import asyncio

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.record import RunRecord, delete_record, load_records, lock_thread
from tools.documents.reading import delete_document
from tools.literature.web import delete_cached_searches
from tools.retrieval.search import delete_vectors


def delete_run(record: RunRecord) -> None:
    """Delete a run's checkpoints and record, all cached searches, and its paper with vectors if no other run has it.

    Files outside the state folder, such as the original paper and results, belong to the user.

    Raises:
        StateError: Another process drives the run, or the checkpoints or the state folder cannot be written.
    """
    paper = record["input"]["paper"]
    with lock_thread(record["thread"]):
        if record["checkpoints"] != "memory":
            asyncio.run(_delete_checkpoints(record))
        # The cache does not say which run a search was for. It lasts a week, and is filled again on demand.
        delete_cached_searches()
        papers = [each["input"]["paper"]["sha256"] for each in load_records().readable]
        if papers.count(paper["sha256"]) <= 1:
            delete_document(paper)
            delete_vectors(paper["sha256"])
        # The record goes last, so that a deletion that failed can be tried again.
        delete_record(record)


async def _delete_checkpoints(record: RunRecord) -> None:
    """Delete the checkpoints of a run, and in SQLite free their space on disk."""
    async with open_checkpointer(resolve_checkpoint_address(record)) as saver:
        await saver.adelete_thread(record["thread"])
        if isinstance(saver, AsyncSqliteSaver):
            # Otherwise the file would keep the deleted pages.
            await saver.conn.execute("VACUUM")
            await saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
