"""Removes a run and all that the state folder holds because of it."""

from __future__ import annotations

import asyncio

from runs.checkpoints import checkpoints_of, delete_checkpoints
from runs.record import RunRecord, all_records, delete_record, hold_run, thread_of
from tools.documents.reading import delete_document
from tools.literature.fetching import delete_searches


def delete_run(record: RunRecord) -> None:
    """Remove a run's checkpoints, its paper as it is stored, the paper's vectors, all searches, and its record.

    A paper that another run was given, too, stays with its vectors until that one is deleted. Answers of literature
    services, of which nobody knows any more for whom they were fetched, go all together: they are kept a week, and
    asked for again when they are needed. Files that lie elsewhere, as the paper and results do, are the user's.

    The record goes last, so that a deletion that failed can be tried again.

    Raises:
        StateError: Another process drives the run, or the checkpoints or the state folder cannot be written.
    """
    with hold_run(record["id"]):
        if record["checkpoints"] != "memory":
            asyncio.run(delete_checkpoints(checkpoints_of(record), thread_of(record)))
        if not _is_shared(record):
            delete_document(record["input"]["paper"])
            _delete_vectors(record["input"]["paper"]["sha256"])
        delete_searches()
        delete_record(record["id"])


def _is_shared(record: RunRecord) -> bool:
    paper = record["input"]["paper"]["sha256"]
    others = (other for other in all_records().readable if other["id"] != record["id"])
    return any(other["input"]["paper"]["sha256"] == paper for other in others)


def _delete_vectors(sha256: str) -> None:
    try:
        from tools.retrieval.index import delete_vectors  # noqa: PLC0415 - loads Chroma, an optional package
    except ImportError:  # then there are none
        return
    delete_vectors(sha256)
