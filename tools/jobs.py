"""Many jobs at once: each result is written down when it is there, and what is missing is taken up again later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from state.errors import DraftroomError

Record = dict[str, Any]
Key = tuple[str, ...]
Job = Callable[[], Awaitable[Record]]


def read_records(path: Path) -> list[Record]:
    """The records of a JSON Lines file: a corpus or results."""
    with path.open(encoding="utf-8") as file:  # str.splitlines would also split at a U+2028 inside a text
        return [json.loads(line) for line in file]


async def run_jobs(
    jobs: Mapping[Key, Job],
    out: Path,
    concurrency: int,
    *,
    fields: Sequence[str],
    tell: Callable[[str], None],
) -> list[Record]:
    """Runs the jobs that have not succeeded yet and appends their results to a JSON Lines file.

    A job that fails with a `DraftroomError` leaves a result with `error`, ends no other job, and is run again by the
    next call.

    Args:
        jobs: By key, in the order in which they are started.
        out: Results so far, if there are any. Of several results of one job the newest counts.
        concurrency: How many jobs run at once.
        fields: Names that the parts of a key have in a result.
        tell: Receives a line of progress for each job that ends.

    Returns:
        The newest result of each job, in the order of the jobs.
    """
    newest = await asyncio.to_thread(_newest, out, fields)
    results = {key: result for key, result in newest.items() if key in jobs}
    done = [key for key, result in results.items() if "error" not in result]
    gate = asyncio.Semaphore(concurrency)
    tasks = [asyncio.create_task(_finish(key, job, gate)) for key, job in jobs.items() if key not in done]
    for number, task in enumerate(asyncio.as_completed(tasks), start=len(done) + 1):
        key, outcome = await task
        results[key] = {**dict(zip(fields, key, strict=True)), **outcome}
        await asyncio.to_thread(_append, out, results[key])
        tell(f"{number}/{len(jobs)} {' '.join(key)} {outcome.get('error', 'ok')}")
    return [results[key] for key in jobs]


async def _finish(key: Key, job: Job, gate: asyncio.Semaphore) -> tuple[Key, Record]:
    async with gate:
        try:
            return key, await job()
        except DraftroomError as error:  # one job must not end a run of hours; a bug must
            return key, {"error": f"{error.kind}: {error}"}


def _newest(out: Path, fields: Sequence[str]) -> dict[Key, Record]:
    results = read_records(out) if out.exists() else []
    return {tuple(result[field] for field in fields): result for result in results}


def _append(out: Path, result: Record) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result, ensure_ascii=False) + "\n")
