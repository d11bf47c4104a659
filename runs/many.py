"""Many jobs at once: each result is written down when it is there, and what is missing is taken up again later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from runs.driver import stop_on_signals
from state.errors import BadInput, DraftroomError
from state.files import filled_lines, read_file
from tools.models import job_order

Record = dict[str, Any]
Key = tuple[str, ...]
Job = Callable[[], Awaitable[Record]]
"""A result with `error` is that of a job that has failed. A job that raises `GraphDrained` was stopped and has none."""


class Ended(NamedTuple):
    """A job that has ended, and how it goes with all of them."""

    key: Key
    result: Record
    number: int
    """How many have ended by now, those of earlier calls included."""
    total: int
    failed: int
    """How many of those that have ended."""
    seconds_each: float | None
    """Between the ends of two jobs that succeed, in this call; None if none has: what fails may fail at once."""

    @property
    def pace(self) -> str:
        """How fast jobs end, and how long those that are left take at that pace."""
        if self.seconds_each is None:
            return f"{self.total - self.number} left"
        left = timedelta(seconds=round((self.total - self.number) * self.seconds_each))
        return f"{60 / self.seconds_each:.1f} a minute, {left} left"

    def __str__(self) -> str:
        return f"{self.number}/{self.total} {' '.join(self.key)} {self.result.get('error', 'ok')} ({self.pace})"


def read_records(path: Path) -> list[Record]:
    """The records of a JSON Lines file: a corpus or results.

    Raises:
        BadInput: It cannot be read, or a line is no JSON.
    """
    lines = filled_lines(read_file(path, "JSON Lines file").split(b"\n"))
    return [_record(line, f"Line {number} of {path}") for number, line in lines]


def read_results(out: Path) -> list[Record]:
    """The results so far, oldest first, without half a line at the end, whose writer still writes or was killed.

    Raises:
        BadInput: A line is no JSON.
    """
    return list(each_result(out))


def each_result(out: Path) -> Iterator[Record]:
    """The results so far one by one, as `read_results` has them: there may be more than memory holds.

    Raises:
        BadInput: A line is no JSON.
    """
    if not out.exists():
        return
    with out.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n") and line.strip():
                yield _record(line, f"Line {number} of {out}")


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
    """Runs jobs as `run_many` does, and gives their results.

    Args:
        jobs: By key, in the order in which they are started.
        out: Results so far, if there are any.
        concurrency: How many jobs run at once.
        fields: Names that the parts of a key have in a result.
        tell: Receives a line of progress for each job that ends.

    Returns:
        The newest result of each job, in the order of the jobs.
    """
    await run_many(jobs.items(), out, concurrency, keys=jobs, fields=fields, tell=lambda ended: tell(str(ended)))
    results = await asyncio.to_thread(read_results, out)
    newest = {tuple(result[field] for field in fields): result for result in results}
    return [newest[key] for key in jobs]


class Ledger:
    """Which of many jobs have ended: their results in a JSON Lines file, of several of one job the newest counts.

    No more of them is kept in memory than their keys.

    Args:
        out: Results so far, if there are any.
        fields: Names that the parts of a key have in a result.
        tell: Is told of each job that ends.
        written: Awaited when the result of a job that has succeeded is on disk.
    """

    def __init__(
        self,
        out: Path,
        fields: Sequence[str],
        tell: Callable[[Ended], None],
        written: Callable[[Record], Awaitable[None]] | None = None,
    ) -> None:
        self._out, self._fields, self._tell, self._written = out, fields, tell, written
        self._settled, self._failed = set[Key](), set[Key]()

    async def open(self, keys: Iterable[Key], *, retry_failed: bool) -> None:
        """Read what has ended of all jobs, those that have failed as not ended if they are to be run again."""
        every = set(keys)
        found = await asyncio.to_thread(_failed, self._out, self._fields)
        earlier = {key: bad for key, bad in found.items() if key in every}
        self._failed = set() if retry_failed else {key for key, bad in earlier.items() if bad}
        self._settled = {key for key, bad in earlier.items() if not bad} | self._failed
        self._begun, self._before, self.total = perf_counter(), len(self._settled - self._failed), len(every)

    def waits(self, key: Key) -> bool:
        """Whether a job has not ended yet."""
        return key not in self._settled

    async def enter(self, key: Key, outcome: Record) -> None:
        """A job has ended."""
        result = {**dict(zip(self._fields, key, strict=True)), **outcome}
        await asyncio.to_thread(_append, self._out, result)
        self._settled.add(key)
        if "error" in result:
            self._failed.add(key)
        elif self._written:
            await self._written(result)
        succeeded = len(self._settled - self._failed) - self._before
        pace = (perf_counter() - self._begun) / succeeded if succeeded else None
        self._tell(Ended(key, result, len(self._settled), self.total, len(self._failed), pace))


async def run_many(  # noqa: PLR0913 - each is one thing that many jobs need
    jobs: Iterable[tuple[Key, Job]],
    out: Path,
    concurrency: int,
    *,
    keys: Iterable[Key],
    fields: Sequence[str],
    tell: Callable[[Ended], None],
    written: Callable[[Record], Awaitable[None]] | None = None,
    retry_failed: bool = True,
    control: RunControl | None = None,
) -> None:
    """Runs the jobs that have not succeeded yet and appends their results to a JSON Lines file.

    A job that fails with a `DraftroomError` leaves a result with `error` and ends no other job. No more is kept in
    memory than the keys and what is under way.

    Args:
        jobs: With their keys, in the order in which they are started; read, in a thread, as far as jobs begin.
        out: Results so far, if there are any. Of several results of one job the newest counts.
        concurrency: How many jobs run at once.
        keys: Of all jobs.
        fields: Names that the parts of a key have in a result.
        tell: Is told of each job that ends.
        written: Awaited when the result of a job that has succeeded is on disk.
        retry_failed: Run again what has failed in an earlier call.
        control: Where it asks to drain, no further job begins.
    """
    ledger = Ledger(out, fields, tell, written)
    await ledger.open(keys, retry_failed=retry_failed)
    coming, turn = iter(jobs), asyncio.Lock()

    async def work() -> None:
        while not (control and control.drain_requested):
            async with turn:
                key, job = await asyncio.to_thread(_next, coming, ledger)
            if job is None:
                return
            try:
                outcome = await outcome_of(job)
            except GraphDrained:
                return
            await ledger.enter(key, outcome)

    workers = [asyncio.create_task(work()) for _ in range(min(concurrency, ledger.total))]
    try:
        await asyncio.gather(*workers)
    finally:  # a run that is stopped leaves no job behind that would go on without its surroundings
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def until_stopped(work: Coroutine[Any, Any, None], control: RunControl, say: Callable[[str], None]) -> bool:
    """Waits for work on many jobs; the first Ctrl-C or SIGTERM drains it, the second one ends it at once.

    Returns:
        Whether it was stopped.
    """
    working = asyncio.create_task(work)
    with stop_on_signals(control, working, say):
        try:
            await working
        except asyncio.CancelledError:
            if not working.cancelled():
                raise
    return control.drain_requested


def _next(jobs: Iterator[tuple[Key, Job]], ledger: Ledger) -> tuple[Key, Job | None]:
    """The next job that has not ended; none if there are no more."""
    return next(((key, job) for key, job in jobs if ledger.waits(key)), ((), None))


_orders = count(1)


async def outcome_of(job: Job) -> Record:
    """The result of a job, or why it has none; its requests go before those of jobs that begin later."""
    job_order.set(next(_orders))
    try:
        return await job()
    except DraftroomError as error:  # one job must not end a run of hours; a bug must
        return {"error": f"{error.kind}: {error}"}


def _failed(out: Path, fields: Sequence[str]) -> dict[Key, bool]:
    """Whether each job that has a result has failed."""
    if out.exists():  # the next result must not follow half of one, which a process killed while writing it left
        with out.open("rb+") as file:
            file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))
    return {tuple(result[field] for field in fields): "error" in result for result in each_result(out)}


def _append(out: Path, result: Record) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result, ensure_ascii=False) + "\n")
