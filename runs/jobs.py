"""Runs many jobs at once, stores each result when its job ends, and runs what is missing on the next call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Self

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from state.errors import DraftroomError, InputError
from state.files import list_filled_lines, read_file
from tools.models.endpoint import job_order

Record = dict[str, Any]  # a line of a JSON Lines file
Key = tuple[str, ...]  # of a job: the id of a paper, or those of a sample and a system


class RowWork:
    """Abstract base class of work on rows. On a cluster it is pickled, and opened in each actor."""

    @asynccontextmanager
    async def open_session(self, control: RunControl) -> AsyncIterator[Self]:
        """Open what the work needs, by default nothing, and yield the work, whose other methods can be called then.

        Rows under way end with `GraphDrained` when `control` asks to drain.
        """
        del control
        yield self

    async def run_row(self, row: Record) -> Record:
        """Return the result of a row; one with `fatal` if every further row would end with the same error (abstract).

        Raises:
            DraftroomError: The row has failed.
            GraphDrained: The row was stopped.
        """
        raise NotImplementedError

    async def discard_checkpoints(self, result: Record) -> None:
        """Delete the checkpoints of a row whose result is on disk; by default there are none."""


class Workers(NamedTuple):
    """How many rows are worked on at once, and by how many actors."""

    at_once: int
    """Rows that this process, or each actor, has under way."""
    actors: int = 0
    """Actors of a Ray cluster; with 0 this process works."""


class EndedJob(NamedTuple):
    """A job that has ended, with its result and the progress of all jobs, for those who report it."""

    key: Key
    result: Record
    number: int
    """Jobs that have ended by now, including those of earlier calls."""
    total: int
    failed: int
    """Jobs among those that have failed."""
    seconds_each: float | None
    """Time between two successes of this call; None before the first. Failures do not count, as they may be instant."""

    @property
    def pace(self) -> str:
        """Describe how fast jobs end and the time left at that pace, or how many are left if no pace is known."""
        if self.seconds_each is None:
            return f"{self.total - self.number} left"
        left = timedelta(seconds=round((self.total - self.number) * self.seconds_each))
        return f"{60 / self.seconds_each:.1f} a minute, {left} left"

    def __str__(self) -> str:
        return f"{self.number}/{self.total} {' '.join(self.key)} {self.result.get('error', 'ok')} ({self.pace})"


def read_json_lines(path: Path) -> list[Record]:
    """List the records of a JSON Lines file, such as a corpus or results.

    Raises:
        InputError: The file cannot be read, or a line is no JSON.
    """
    lines = list_filled_lines(read_file(path, "JSON Lines file").split(b"\n"))
    return [parse_json_line(line, f"Line {number} of {path}") for number, line in lines]


def iterate_results(out: Path) -> Iterator[Record]:
    """Yield the results in the file `out`, oldest first, without loading all into memory; none if there is no file.

    Half a line at the end, whose writer still writes or was killed, is left out.

    Raises:
        InputError: A line is no JSON.
    """
    if not out.exists():
        return
    with out.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n") and line.strip():
                yield parse_json_line(line, f"Line {number} of {out}")


def parse_json_line(line: bytes, where: str) -> Record:
    """Return the record in a line of JSON; `where` begins the message if it is none: "Line 3 of out.jsonl"."""
    try:
        record: Record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is no JSON ({error}); mend the line, or remove it.") from error
    return record


class JobStore:
    """Store of the jobs that have ended: their results in a JSON Lines file, and in memory only their keys.

    Args:
        out: File of the results; of several results of one job the newest counts.
        fields: Names of the parts of a key in a result.
        on_end: Receives each job that ends.
        written: Awaited when the result of a job that has succeeded is on disk.
    """

    def __init__(
        self,
        out: Path,
        fields: Sequence[str],
        on_end: Callable[[EndedJob], None],
        written: Callable[[Record], Awaitable[None]],
    ) -> None:
        self._out, self._fields, self._on_end, self._written = out, fields, on_end, written
        self._failed = set[Key]()
        self.ended = set[Key]()
        """Jobs that are not to be run, having succeeded or failed without being retried."""
        self.fatal: DraftroomError | None = None
        """Error with which every further job would end."""

    def load_ended_jobs(self, keys: Iterable[Key], *, retry_failed: bool) -> None:
        """Read from the results which jobs have ended, and cut off half a line at their end; blocks.

        With `retry_failed` failed jobs count as pending, so that they are run again.

        Raises:
            InputError: A line of the results is no JSON.
        """
        # 1. Cut off half a line, which a killed process has left, so that the next result is not added to it.
        if self._out.exists():
            with self._out.open("rb+") as file:
                file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))
        # 2. Of several results of one job the newest counts. Jobs of other calls may share the file.
        every, earlier = set(keys), dict[Key, bool]()
        for result in iterate_results(self._out):
            key = tuple(result[field] for field in self._fields)
            if key in every:
                earlier[key] = "error" in result
        self._failed = set() if retry_failed else {key for key, failed in earlier.items() if failed}
        self.ended = {key for key, failed in earlier.items() if not failed} | self._failed
        self._begun, self._before, self.total = perf_counter(), len(self.ended - self._failed), len(every)

    async def record_outcome(self, key: Key, outcome: Record) -> None:
        """Append the outcome of a job to the results and report its end, or keep a fatal one in `fatal` alone.

        The outcome holds `error` if the job has failed. A job whose outcome has `fatal` stays pending.
        """
        if "fatal" in outcome:
            self.fatal = self.fatal or DraftroomError(**outcome["fatal"])
            return
        result = {**dict(zip(self._fields, key, strict=True)), **outcome}
        await asyncio.to_thread(_append_result, self._out, result)
        self.ended.add(key)
        if "error" in result:
            self._failed.add(key)
        else:
            await self._written(result)
        succeeded = len(self.ended - self._failed) - self._before
        pace = (perf_counter() - self._begun) / succeeded if succeeded else None
        self._on_end(EndedJob(key, result, len(self.ended), self.total, len(self._failed), pace))


async def run_rows(  # noqa: PLR0913 - each is one thing that many rows need
    rows: Iterable[tuple[Key, Record]],
    work: RowWork,
    out: Path,
    workers: Workers,
    *,
    keys: Iterable[Key],
    fields: Sequence[str],
    on_end: Callable[[EndedJob], None],
    control: RunControl,
    has_local_checkpoints: bool = False,
    on_message: Callable[[str], None] = lambda _: None,
    retry_failed: bool = True,
) -> None:
    """Work on the rows that have not succeeded yet, here or on a Ray cluster, and append results to a JSON Lines file.

    A row that fails with a `DraftroomError` gets a result with `error`; the others go on. Memory holds only the keys
    and the rows under way.

    Args:
        rows: Keys and rows of plain values, in the order in which they begin. On this machine they are read lazily.
        work: Work to do on each row.
        out: File of the results; may not exist yet. Of several results of one row the newest counts.
        workers: Number of workers.
        keys: Keys of all rows.
        fields: Names of the parts of a key in a result.
        on_end: Receives each row that ends.
        control: When it asks to drain, no further row begins, and rows under way end where they can be resumed.
        has_local_checkpoints: Whether the checkpoints can be reached from this machine only.
        on_message: Receives messages that the user must see.
        retry_failed: Whether rows that failed in an earlier call are run again.

    Raises:
        DraftroomError: Every further row would end with this error, or the cluster cannot be used.
    """
    async with work.open_session(control) as session:
        store = JobStore(out, fields, on_end, session.discard_checkpoints)
        await asyncio.to_thread(store.load_ended_jobs, keys, retry_failed=retry_failed)
        if not workers.actors:
            await _run_pending_rows(rows, session, store, workers.at_once, control)
        else:
            from runs.jobs_on_ray import iterate_ray_results, join_cluster  # noqa: PLC0415 - needs an optional package

            async with join_cluster(has_local_checkpoints=has_local_checkpoints) as machines:
                on_message(f"On Ray: machines {machines}, actors {workers.actors}, of each at once {workers.at_once}.")
                waiting = (each for each in rows if each[0] not in store.ended)
                async for key, result in iterate_ray_results(waiting, work, workers, control):
                    await store.record_outcome(key, result)
                    if store.fatal:
                        control.request_drain()
    if store.fatal:
        raise store.fatal


async def _run_pending_rows(
    rows: Iterable[tuple[Key, Record]], session: RowWork, store: JobStore, concurrency: int, control: RunControl
) -> None:
    """Work on the rows that have not ended, `concurrency` at once, and record their outcomes in the store; return None.

    No row begins after a fatal outcome, which is left in `store.fatal`, or once `control` asks to drain.
    """
    pending, reading = ((key, row) for key, row in rows if key not in store.ended), asyncio.Lock()

    async def run_one_by_one() -> None:
        """Work on one pending row after the other, until none is left or no further one may begin."""
        while not control.drain_requested:
            async with reading:
                # In a thread, because `rows` may read a file when it is asked for the next row.
                key, row = await asyncio.to_thread(next, pending, ((), None))
            if row is None:
                return
            try:
                outcome = await try_row(session, row)
            except GraphDrained:
                return
            await store.record_outcome(key, outcome)
            if store.fatal:
                control.request_drain()

    workers = [asyncio.create_task(run_one_by_one()) for _ in range(min(concurrency, store.total))]
    try:
        await asyncio.gather(*workers)
    finally:  # no row may be worked on after its session is closed
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


_job_numbers = count(1)  # over all calls of this process


async def try_row(session: RowWork, row: Record) -> Record:
    """Return the result of a row, or one with `error`; its requests go before those of rows that begin later."""
    job_order.set(next(_job_numbers))
    try:
        return await session.run_row(row)
    except DraftroomError as error:  # ends this row only; a bug ends them all
        return {"error": f"{error.kind}: {error}"}


def _append_result(out: Path, result: Record) -> None:
    """Add a line to the results; blocks."""
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result, ensure_ascii=False) + "\n")
