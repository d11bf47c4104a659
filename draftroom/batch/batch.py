"""Run a batch of papers through `runs/jobs.py`: what is done on each paper, here or with actors on a Ray cluster."""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from time import perf_counter
from typing import Any, NamedTuple, Self
from uuid import UUID, uuid5

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from draftroom.batch.files import BatchFolder, NamedPaper, iterate_papers
from draftroom.exit_codes import BATCH_ENDING_KINDS
from draftroom.rendering.findings import REPORT_FORMATS
from draftroom.systems import RunRequest
from runs.checkpoints import open_checkpointer
from runs.driver import run_to_completion
from runs.graph_state import read_state
from runs.jobs import EndedJob, Record, RowWork, Workers, iterate_results, run_rows
from runs.record import RunInput, RunRecord, add_failure, sum_usage_totals
from runs.runnable import refresh_record
from runs.signals import run_until_stopped
from state.computed_findings import SEVERITIES, PaperReport
from state.errors import DraftroomError, InputError, NoUsableAnswer, RequestFailedError
from state.files import make_storage_error
from state.model_settings import ModelSettings
from tools.models.endpoint import close_clients

INTERNAL_ERROR_KIND = "fault"  # an error of Draftroom itself
# Papers under way for each concurrent request of an endpoint: while some are read, others keep it busy.
PAPERS_PER_REQUEST = 2


def is_environment_error(error: DraftroomError) -> bool:
    """Return whether every further paper of a batch would fail with this error, so that the batch should end."""
    # An endpoint may fail on one request, or give no usable answer, and work for the next paper.
    of_one_request = isinstance(error, (RequestFailedError, NoUsableAnswer))
    return error.kind in BATCH_ENDING_KINDS and not of_one_request


class PaperResult(NamedTuple):
    """Tuple of the table row and the result files of one paper."""

    row: Record
    """Row of the table; with `error` if the work failed."""
    files: Mapping[str, str | bytes]
    """Result files by suffix; empty if the work failed."""


class PaperWork(RowWork):
    """Abstract base class of what a batch does with each paper.

    Subclasses set the first four attributes, and the batch the others before the work is opened.
    """

    formats: Collection[str]
    """Suffixes of the formats that results may have."""
    asked: Mapping[str, Any]
    """Everything that results depend on, as plain values."""
    at_once: int
    """Default number of papers under way at once."""
    on_this_machine = False
    """Whether the checkpoints can be reached from this machine only."""
    folder: BatchFolder
    """Folder that receives the results."""
    batch: UUID
    """Id of the batch."""
    suffixes: Collection[str]
    """Suffixes of the result files."""

    async def run_row(self, row: Record) -> Record:
        """Process the paper of a row, write its result files, and return its table row; a failure is a row, too.

        Returns:
            The row for the table; or `fatal` with an error that every further paper would end with.
        """
        name, paper = row["id"], NamedPaper(*(row[field] for field in NamedPaper._fields))
        try:
            outcome, files = await self.produce_result(name, paper)
            try:
                for suffix, content in files.items():
                    await asyncio.to_thread(self.folder.write_file, f"{name}{suffix}", content)
            except OSError as error:
                raise make_storage_error(error, self.folder.path) from error
        except GraphDrained:  # stopped, not failed: it has no row
            raise
        except DraftroomError as error:
            if is_environment_error(error):
                return {"fatal": {"message": str(error), "kind": error.kind}}
            outcome = {"error": str(error), "kind": error.kind}
        except Exception as error:  # noqa: BLE001 - one odd paper must not end a thousand others
            file = f"{name}.traceback.txt"
            await asyncio.to_thread(self.folder.write_file, file, traceback.format_exc())
            outcome = {"error": f"{type(error).__name__}: {error}; please report {file}", "kind": INTERNAL_ERROR_KIND}
        return {"paper": paper.origin, "status": "failed" if "error" in outcome else "done", **outcome}

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        """Do the work on a paper, a run of a system or checks; `name` is its id in the batch (abstract).

        Raises:
            DraftroomError: The paper cannot be processed; a failure after calls of a model is a result instead.
            GraphDrained: The batch was stopped.
        """
        raise NotImplementedError


class CheckWork(PaperWork):
    """Work that checks papers for contradictions without a model, each in a thread, by the function `examine`."""

    def __init__(self, choices: Mapping[str, Any], examine: Callable[[RunInput], PaperReport], max_pages: int) -> None:
        self.formats = REPORT_FORMATS.keys()
        self.asked = {"settings": choices}
        self.at_once = os.cpu_count() or 1
        self._examine, self._max_pages = examine, max_pages

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        """Check a paper in a thread; return its table row and the report in each wanted format."""
        del name
        begun = perf_counter()
        run_input = await asyncio.to_thread(paper.read_input, scope="whole", max_pages=self._max_pages)
        report = await asyncio.to_thread(self._examine, run_input)
        row = {
            **{key: run_input["paper"][key] for key in ("title", "sha256")},
            "seconds": round(perf_counter() - begun, 3),
            "scores": {each: sum(found["severity"] == each for found in report["findings"]) for each in SEVERITIES},
            **{key: report[key] for key in ("read", "unread")},
        }
        rendered = {
            suffix: await asyncio.to_thread(REPORT_FORMATS[suffix], run_input, report) for suffix in self.suffixes
        }
        return PaperResult(row, rendered)


class SystemRunWork(PaperWork):
    """Work that runs the system of a request on each paper; it can be resumed from checkpoints."""

    def __init__(self, wanted: RunRequest) -> None:
        self._wanted = wanted
        settings = wanted.settings.freeze_settings(wanted.system.table)
        self.formats = wanted.system.rendering.formats.keys()
        self.asked = {"system": wanted.system.name, "request": dict(wanted.request), "settings": settings}
        models = [ModelSettings(**model) for model in settings["models"].values()]
        self.at_once = PAPERS_PER_REQUEST * max(model.concurrency for model in models)
        self.on_this_machine = not wanted.settings.checkpoints.startswith("postgres")

    @asynccontextmanager
    async def open_session(self, control: RunControl) -> AsyncIterator[Self]:
        """Open the checkpoint store: in the batch folder, unless the settings name a database."""
        address = self._wanted.settings.checkpoints
        self._control = control
        try:
            async with open_checkpointer(self.folder.checkpoints if address == "sqlite" else address) as self._saver:
                yield self
        finally:
            await close_clients()

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        """Run the system on a paper or resume its run; return the row, with `error` if it failed, and the files."""
        # 1. Read the paper, and refuse formats that it cannot have before a model is asked.
        begun = perf_counter()
        record = await asyncio.to_thread(self._wanted.prepare_record, paper.read_input)
        for suffix in self.suffixes:
            if refusal := self._wanted.system.rendering.describe_refusal(suffix, record["input"]["paper"]["format"]):
                raise InputError(f"There is no {suffix} of this paper: {refusal}; ask for other formats.")
        # 2. Run the graph. The thread is the same in every attempt, so that a later one resumes from it.
        graph, thread = self._wanted.system.graph, self._make_thread_id(name, record["input"]["paper"]["sha256"])
        record = {**record, "thread": thread}
        try:
            request = graph.graph_input(record["input"])
            await run_to_completion(graph.builder, self._saver, thread, request, record["settings"], self._control)
        except DraftroomError as error:
            if is_environment_error(error):
                raise
            # A failure is a result, too: its row says what it cost.
            _, values = await read_state(graph, self._saver, thread)
            failed = refresh_record(add_failure(record, error), values, graph)
            return PaperResult({**_build_result_row(failed, begun), "error": str(error), "kind": error.kind}, {})
        # 3. Render the result.
        _, values = await read_state(graph, self._saver, thread)
        record = {**refresh_record(record, values, graph), "status": "done"}
        row = {**_build_result_row(record, begun), "scores": dict(self._wanted.system.scores(record["results"]))}
        render = self._wanted.system.rendering.formats
        files = {suffix: await asyncio.to_thread(render[suffix], record, values) for suffix in self.suffixes}
        return PaperResult(row, files)

    async def discard_checkpoints(self, result: Record) -> None:
        """Delete the checkpoints of the run that a result row is about."""
        await self._saver.adelete_thread(self._make_thread_id(result["id"], result["sha256"]))

    def _make_thread_id(self, name: str, sha256: str) -> str:
        """Return the id of a paper's checkpoints, which is the same in every attempt."""
        # The hash is part of the id, so a paper that has changed begins anew.
        return str(uuid5(self.batch, f"{name} {sha256}"))


def _build_result_row(record: RunRecord, begun: float) -> Record:
    """Build a run's columns: title, hash, the cost of all attempts, and the seconds since `begun`."""
    paper, cost = record["input"]["paper"], sum_usage_totals(record["usage"])
    return {
        "title": paper["title"],
        "sha256": paper["sha256"],
        "calls": cost["calls"],
        "input_tokens": cost["input_tokens"],
        "output_tokens": cost["output_tokens"],
        "seconds": round(perf_counter() - begun, 3),
    }


@dataclass
class Batch:
    """A batch of papers for one command: its settings, its folder, and the control by which it is stopped."""

    command: str
    """Name of the command that does the same for a single paper."""
    work: PaperWork
    named: Sequence[str]
    """Files, folders, glob patterns and tables."""
    folder: BatchFolder
    suffixes: Collection[str]
    """Suffixes of the result files."""
    workers: Workers
    retry_failed: bool = False
    control: RunControl = field(default_factory=RunControl)
    """Asked to drain, it stops the batch."""

    def run(
        self,
        on_end: Callable[[EndedJob], None],
        on_message: Callable[[str], None],
        begun: Callable[[int, int], None] = lambda ended, total: None,  # noqa: ARG005
    ) -> list[Record]:
        """Run the batch until all papers have ended or it is stopped; this blocks, and writes results to the folder.

        Args:
            on_end: Called with each paper that has ended.
            on_message: Called with messages for the user.
            begun: Called at the beginning with the numbers of papers that have ended before, and of all papers.

        Returns:
            A row for each paper that has ended; not for all papers if the batch was stopped.

        Raises:
            DraftroomError: The request is wrong, or every further paper would fail with this error.
        """
        # Without their texts: a table of many papers must not fill the memory.
        named = [paper._replace(text="") for paper in iterate_papers(self.named, self.folder.path)]
        with self.folder.hold_lock():
            asked = {"command": self.command, "formats": sorted(self.suffixes), "version": version("draftroom")}
            batch = self.folder.open_batch({**asked, **self.work.asked})
            names = self.folder.assign_ids(named)
            newest = {row["id"]: row["status"] for row in iterate_results(self.folder.table)}
            repeated = {"failed"} if self.retry_failed else set[str]()
            begun(sum(name in newest and newest[name] not in repeated for name in names.values()), len(names))
            # Papers that were added to a folder since the ids were assigned have none and are left out.
            papers = (paper for paper in iterate_papers(self.named, self.folder.path) if paper.origin in names)
            self.work.folder, self.work.batch = BatchFolder(self.folder.path.absolute()), batch
            self.work.suffixes = self.suffixes
            running = run_rows(
                (((names[paper.origin],), {"id": names[paper.origin], **paper._asdict()}) for paper in papers),
                self.work,
                self.folder.table,
                self.workers,
                keys=[(name,) for name in names.values()],
                fields=["id"],
                on_end=on_end,
                control=self.control,
                has_local_checkpoints=self.work.on_this_machine,
                on_message=on_message,
                retry_failed=self.retry_failed,
            )
            try:
                asyncio.run(run_until_stopped(running, self.control, on_message))
            finally:
                rows = self.folder.compact_results()
        ids = set(names.values())
        return [row for row in rows if row["id"] in ids]
