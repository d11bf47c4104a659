"""Removes runs and all that the state folder holds because of them: one, or all that are old enough."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from runs.checkpoints import checkpoints_of, compact, delete_checkpoints
from runs.record import RunRecord, all_records, delete_record, hold_run, shown_status
from tools.documents.reading import delete_document
from tools.literature.fetching import delete_searches


def delete_runs(records: Sequence[RunRecord]) -> None:
    """Remove the checkpoints of runs, their papers as they are stored, the papers' vectors, all searches, and records.

    A paper that another run was given, too, stays with its vectors until that one is deleted. Answers of literature
    services, of which nobody knows any more for whom they were fetched, go all together: they are kept a week, and
    asked for again when they are needed. Files that lie elsewhere, as the paper and results do, are the user's.

    The file of the checkpoints is written anew once. A record goes last, so that a deletion that failed can be tried
    again.

    Raises:
        StateError: Another process drives one, or the checkpoints or the state folder cannot be written.
    """
    stored = [record for record in records if record["checkpoints"] != "memory"]
    for record in stored:
        with hold_run(record["id"]):
            asyncio.run(delete_checkpoints(checkpoints_of(record), record["thread"]))
    for place in {checkpoints_of(record) for record in stored}:
        asyncio.run(compact(place))
    delete_searches()
    given = Counter(_paper(record) for record in all_records().readable)
    for record in records:
        paper = _paper(record)
        with hold_run(record["id"]):
            if given[paper] <= 1:
                delete_document(record["input"]["paper"])
                _delete_vectors(paper)
            delete_record(record["id"])
        given[paper] -= 1


def old_runs(days: int, *, unfinished: bool = False) -> list[RunRecord]:
    """The runs that nothing was written of for so many days.

    Args:
        days: How many.
        unfinished: Those, too, that are not done: they could still go on.
    """
    before = datetime.now(UTC) - timedelta(days=days)
    old = [record for record in all_records().readable if datetime.fromisoformat(record["updated"]) < before]
    rest = [record for record in old if unfinished and shown_status(record) not in {"done", "running"}]
    return [*(record for record in old if record["status"] == "done"), *rest]


def _paper(record: RunRecord) -> str:
    return record["input"]["paper"]["sha256"]


def _delete_vectors(sha256: str) -> None:
    try:
        from tools.retrieval.index import delete_vectors  # noqa: PLC0415 - loads Chroma, an optional package
    except ImportError:  # then there are none
        return
    delete_vectors(sha256)
