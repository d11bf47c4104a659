"""Many jobs at once: each result is written down when it is there, and what is missing is taken up again later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from state.errors import BadInput, DraftroomError
from state.files import filled_lines, read_file, write_atomically

Record = dict[str, Any]
Key = tuple[str, ...]
Job = Callable[[], Awaitable[Record]]


def read_records(path: Path) -> list[Record]:
    """The records of a JSON Lines file: a corpus or results.

    Raises:
        BadInput: It cannot be read, or a line is no JSON.
    """
    return _records(read_file(path, "JSON Lines file"), path)


def read_results(out: Path) -> list[Record]:
    """The results so far, oldest first, without half a line at the end, whose writer still writes or was killed.

    Raises:
        BadInput: A line is no JSON.
    """
    written = out.read_bytes() if out.exists() else b""
    return _records(written[: written.rfind(b"\n") + 1], out)


def _records(data: bytes, path: Path) -> list[Record]:
    return [_record(line, f"Line {number} of {path}") for number, line in filled_lines(data.split(b"\n"))]


def _record(line: bytes, where: str) -> Record:
    try:
        record: Record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where} is no JSON ({error}); mend the line, or remove it.") from error
    return record


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
        tell: Receives a line of progress for each job that ends: how many there are, and how long the rest may take.

    Returns:
        The newest result of each job, in the order of the jobs.
    """
    newest = await asyncio.to_thread(_newest, out, fields)
    results = {key: result for key, result in newest.items() if key in jobs}
    done = [key for key, result in results.items() if "error" not in result]
    gate = asyncio.Semaphore(concurrency)
    begun = perf_counter()
    tasks = [asyncio.create_task(_finish(key, job, gate)) for key, job in jobs.items() if key not in done]
    try:
        for number, task in enumerate(asyncio.as_completed(tasks), start=len(done) + 1):
            key, outcome = await task
            results[key] = {**dict(zip(fields, key, strict=True)), **outcome}
            await asyncio.to_thread(_append, out, results[key])
            told = f"{number}/{len(jobs)} {' '.join(key)} {outcome.get('error', 'ok')}"
            tell(f"{told} ({_pace(number - len(done), len(jobs) - number, perf_counter() - begun)})")
    finally:  # a run that is stopped leaves no job behind that would go on without its surroundings
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [results[key] for key in jobs]


def _pace(ended: int, left: int, seconds: float) -> str:
    """How fast jobs end, and how long those that are left take at that pace."""
    return f"{60 * ended / seconds:.1f} a minute, {timedelta(seconds=round(left * seconds / ended))} left"


async def _finish(key: Key, job: Job, gate: asyncio.Semaphore) -> tuple[Key, Record]:
    async with gate:
        try:
            return key, await job()
        except DraftroomError as error:  # one job must not end a run of hours; a bug must
            return key, {"error": f"{error.kind}: {error}"}


def _newest(out: Path, fields: Sequence[str]) -> dict[Key, Record]:
    _drop_half_line(out)
    return {tuple(result[field] for field in fields): result for result in read_results(out)}


def _drop_half_line(out: Path) -> None:
    """The next result must not be appended to half of one, which a process that was killed while writing left."""
    written = out.read_bytes() if out.exists() else b""
    if written and not written.endswith(b"\n"):
        write_atomically(out, written[: written.rfind(b"\n") + 1])


def _append(out: Path, result: Record) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result, ensure_ascii=False) + "\n")
