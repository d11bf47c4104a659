"""Many jobs at once: each result is written down when it is there, and what is missing is taken up again later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Protocol

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from runs.driver import stop_on_signals
from state.errors import DraftroomError, InputError
from state.files import list_filled_lines, read_file
from tools.models import job_order

Record = dict[str, Any]
Key = tuple[str, ...]
Job = Callable[[], Awaitable[Record]]
"""A result with `error` is that of a job that has failed. A job that raises `GraphDrained` was stopped and has none."""


class RowSession(Protocol):
    """Work on rows, with what it needs open."""

    async def run_row(self, row: Record) -> Record:
        """From what a row holds to its result; one with `fatal` is what every further row would end with.

        Raises:
            DraftroomError: It has failed.
            GraphDrained: It was stopped.
        """
        ...

    async def discard_checkpoints(self, result: Record) -> None:
        """The result is on disk: what was kept for going on can go."""
        ...


class RowWork(Protocol):
    """What is done with rows. On a cluster it is pickled, and opened in each actor."""

    def open_session(self, control: RunControl) -> AbstractAsyncContextManager[RowSession]:
        """Open what it needs. Where `control` asks to drain, what is under way ends with `GraphDrained`."""
        ...


class Workers(NamedTuple):
    """Who works on rows."""

    at_once: int
    """Rows that this process, or each actor, has under way."""
    actors: int = 0
    """Of a Ray cluster; none: this process works."""


class EndedJob(NamedTuple):
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


def read_json_lines(path: Path) -> list[Record]:
    """The records of a JSON Lines file: a corpus or results.

    Raises:
        BadInput: It cannot be read, or a line is no JSON.
    """
    lines = list_filled_lines(read_file(path, "JSON Lines file").split(b"\n"))
    return [_parse_json_line(line, f"Line {number} of {path}") for number, line in lines]


def iterate_results(out: Path) -> Iterator[Record]:
    """The results so far one by one, oldest first: there may be more than memory holds.

    Half a line at the end, whose writer still writes or was killed, is left out.

    Raises:
        BadInput: A line is no JSON.
    """
    if not out.exists():
        return
    with out.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.endswith(b"\n") and line.strip():
                yield _parse_json_line(line, f"Line {number} of {out}")


def _parse_json_line(line: bytes, where: str) -> Record:
    try:
        record: Record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is no JSON ({error}); mend the line, or remove it.") from error
    return record


async def run_jobs(
    jobs: Mapping[Key, Job],
    out: Path,
    concurrency: int,
    *,
    fields: Sequence[str],
    tell: Callable[[str], None],
) -> list[Record]:
    """Run the jobs that have not succeeded yet, append their results to a JSON Lines file, and give those of all.

    Args:
        jobs: By key, in the order in which they are started.
        out: Results so far, if there are any.
        concurrency: How many jobs run at once.
        fields: Names that the parts of a key have in a result.
        tell: Receives a line of progress for each job that ends.

    Returns:
        The newest result of each job, in the order of the jobs.
    """
    ledger = JobStore(out, fields, lambda ended: tell(str(ended)))
    await ledger.load_ended_jobs(jobs, retry_failed=True)
    await _run_pending_jobs(jobs.items(), ledger, concurrency, RunControl())
    results = await asyncio.to_thread(list, iterate_results(out))
    newest = {tuple(result[field] for field in fields): result for result in results}
    return [newest[key] for key in jobs]


class JobStore:
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
        tell: Callable[[EndedJob], None],
        written: Callable[[Record], Awaitable[None]] | None = None,
    ) -> None:
        self._out, self._fields, self._tell, self._written = out, fields, tell, written
        self._settled, self._failed = set[Key](), set[Key]()
        self.fatal: DraftroomError | None = None
        """What every further job would end with."""

    async def load_ended_jobs(self, keys: Iterable[Key], *, retry_failed: bool) -> None:
        """Read what has ended of all jobs, those that have failed as not ended if they are to be run again."""
        every = set(keys)
        found = await asyncio.to_thread(_load_job_failures, self._out, self._fields)
        earlier = {key: bad for key, bad in found.items() if key in every}
        self._failed = set() if retry_failed else {key for key, bad in earlier.items() if bad}
        self._settled = {key for key, bad in earlier.items() if not bad} | self._failed
        self._begun, self._before, self.total = perf_counter(), len(self._settled - self._failed), len(every)

    def is_pending(self, key: Key) -> bool:
        """Whether a job has not ended yet."""
        return key not in self._settled

    async def record_outcome(self, key: Key, outcome: Record) -> None:
        """A job has ended."""
        if "fatal" in outcome:
            self.fatal = self.fatal or DraftroomError(**outcome["fatal"])
            return
        result = {**dict(zip(self._fields, key, strict=True)), **outcome}
        await asyncio.to_thread(_append_result, self._out, result)
        self._settled.add(key)
        if "error" in result:
            self._failed.add(key)
        elif self._written:
            await self._written(result)
        succeeded = len(self._settled - self._failed) - self._before
        pace = (perf_counter() - self._begun) / succeeded if succeeded else None
        self._tell(EndedJob(key, result, len(self._settled), self.total, len(self._failed), pace))


async def run_rows(  # noqa: PLR0913 - each is one thing that many rows need
    rows: Iterable[tuple[Key, Record]],
    work: RowWork,
    out: Path,
    workers: Workers,
    *,
    keys: Iterable[Key],
    fields: Sequence[str],
    tell: Callable[[EndedJob], None],
    control: RunControl,
    on_one_machine: bool,
    say: Callable[[str], None] = lambda _: None,
    retry_failed: bool = True,
) -> None:
    """Work on the rows that have not succeeded yet, here or on a Ray cluster, and append results to a JSON Lines file.

    A row that fails with a `DraftroomError` leaves a result with `error` and ends no other. No more is kept in memory
    here than the keys and what is under way.

    Args:
        rows: As plain values, with their keys, in the order in which they are begun; read as far as work begins.
        work: What is done with each.
        out: Results so far, if there are any. Of several results of one row the newest counts.
        workers: Who works.
        keys: Of all rows.
        fields: Names that the parts of a key have in a result.
        tell: Is told of each row that ends.
        control: Where it asks to drain, no further row begins, and those under way end where they can go on.
        on_one_machine: Whether what is kept for going on can be reached from this machine alone.
        say: Is told what a person must know.
        retry_failed: Do again what has failed in an earlier call.

    Raises:
        DraftroomError: What every further row would end with; or the cluster cannot be used.
    """
    async with work.open_session(control) as session:
        ledger = JobStore(out, fields, tell, session.discard_checkpoints)
        await ledger.load_ended_jobs(keys, retry_failed=retry_failed)
        if not workers.actors:
            jobs = ((key, partial(session.run_row, row)) for key, row in rows)
            await _run_pending_jobs(jobs, ledger, workers.at_once, control)
        else:
            from runs.jobs_on_ray import iterate_ray_results, join_cluster  # noqa: PLC0415 - needs an optional package

            async with join_cluster(on_one_machine=on_one_machine) as machines:
                say(f"On Ray: machines {machines}, actors {workers.actors}, of each at once {workers.at_once}.")
                waiting = (each for each in rows if ledger.is_pending(each[0]))
                async for key, result in iterate_ray_results(waiting, work, workers, control):
                    await ledger.record_outcome(key, result)
                    if ledger.fatal:
                        control.request_drain()
    if ledger.fatal:
        raise ledger.fatal


async def _run_pending_jobs(
    jobs: Iterable[tuple[Key, Job]], ledger: JobStore, concurrency: int, control: RunControl
) -> None:
    """Run the jobs that have not ended, which are read, in a thread, as far as they begin."""
    coming, turn = iter(jobs), asyncio.Lock()

    async def work() -> None:
        while not control.drain_requested:
            async with turn:
                key, job = await asyncio.to_thread(_find_pending_job, coming, ledger)
            if job is None:
                return
            try:
                outcome = await run_job(job)
            except GraphDrained:
                return
            await ledger.record_outcome(key, outcome)
            if ledger.fatal:
                control.request_drain()

    workers = [asyncio.create_task(work()) for _ in range(min(concurrency, ledger.total))]
    try:
        await asyncio.gather(*workers)
    finally:  # a run that is stopped leaves no job behind that would go on without its surroundings
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def run_until_stopped(work: Coroutine[Any, Any, None], control: RunControl, say: Callable[[str], None]) -> bool:
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


def _find_pending_job(jobs: Iterator[tuple[Key, Job]], ledger: JobStore) -> tuple[Key, Job | None]:
    """The next job that has not ended; none if there are no more."""
    return next(((key, job) for key, job in jobs if ledger.is_pending(key)), ((), None))


_job_numbers = count(1)


async def run_job(job: Job) -> Record:
    """The result of a job, or why it has none; its requests go before those of jobs that begin later."""
    job_order.set(next(_job_numbers))
    try:
        return await job()
    except DraftroomError as error:  # one job must not end a run of hours; a bug must
        return {"error": f"{error.kind}: {error}"}


def _load_job_failures(out: Path, fields: Sequence[str]) -> dict[Key, bool]:
    """Whether each job that has a result has failed."""
    if out.exists():  # the next result must not follow half of one, which a process killed while writing it left
        with out.open("rb+") as file:
            file.truncate(sum(len(line) for line in file if line.endswith(b"\n")))
    return {tuple(result[field] for field in fields): "error" in result for result in iterate_results(out)}


def _append_result(out: Path, result: Record) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(result, ensure_ascii=False) + "\n")
