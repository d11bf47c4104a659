"""Run a system on each paper of a batch, with checkpoints until its result is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Self
from uuid import uuid5

from langgraph.runtime import RunControl

from draftroom.batch.papers import NamedPaper
from draftroom.batch.work import PaperResult, PaperWork, is_environment_error
from draftroom.systems import RunRequest
from runs.checkpoints import open_checkpointer
from runs.driver import run_to_completion
from runs.graph_state import read_state
from runs.jobs import Record
from runs.record import RunRecord, add_failure, sum_usage_totals
from runs.recorder import refresh_record
from state.errors import DraftroomError, InputError
from state.model_settings import ModelSettings
from tools.models.endpoint import close_clients

# Papers under way for each concurrent request of an endpoint: while some are read, others keep it busy.
PAPERS_PER_REQUEST = 2


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
