"""A run of a system for each paper of a batch, with checkpoints until its result is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from time import perf_counter
from typing import NamedTuple
from uuid import UUID, uuid5

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.runtime import RunControl

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper
from draftroom.batch.work import Result, Session, Work, of_the_surroundings
from draftroom.systems import RunRequest
from runs.checkpoints import open_checkpointer
from runs.driver import refresh_record, run_to_its_end, state_so_far
from runs.many import Record
from runs.record import RunRecord, added_up, with_failure
from state.errors import BadInput, DraftroomError
from state.model_settings import ModelSettings
from state.records import Values

PAPERS_A_REQUEST = 2
"""To have under way for each request that an endpoint takes at once: while some are read, others keep it busy."""


class Runs(Work):
    """A run of a system for each paper."""

    def __init__(self, wanted: RunRequest) -> None:
        self._wanted = wanted
        settings = wanted.settings.frozen(wanted.system.table)
        self.formats = wanted.system.rendering.formats.keys()
        self.asked = {"system": wanted.system.name, "request": dict(wanted.request), "settings": settings}
        models = [ModelSettings(**model) for model in settings["models"].values()]
        self.at_once = PAPERS_A_REQUEST * max(model.concurrency for model in models)
        self.on_this_machine = not wanted.settings.checkpoints.startswith("postgres")

    @asynccontextmanager
    async def opened(
        self, folder: BatchFolder, batch: UUID, suffixes: Collection[str], control: RunControl
    ) -> AsyncIterator[Session]:
        """Open the checkpoints: in the folder, unless the settings name another place than the usual file."""
        address = self._wanted.settings.checkpoints
        async with open_checkpointer(folder.checkpoints if address == "sqlite" else address) as saver:
            yield _Running(self._wanted, saver, batch, suffixes, control)


class _Running(NamedTuple):
    wanted: RunRequest
    saver: BaseCheckpointSaver[str]
    batch: UUID
    suffixes: Collection[str]
    control: RunControl

    async def do(self, name: str, paper: NamedPaper) -> Result:
        """Run the system on a paper, from its checkpoints if it has any."""
        begun = perf_counter()
        record = await asyncio.to_thread(self.wanted.begin, paper.take)
        for suffix in self.suffixes:
            if refusal := self.wanted.system.rendering.refusal(suffix, record["input"]["paper"]["format"]):
                raise BadInput(f"There is no {suffix} of this paper: {refusal}; ask for other formats.")
        graph, thread = self.wanted.system.graph, self._thread(name, record["input"]["paper"]["sha256"])
        record = {**record, "thread": thread}
        context = graph.context(record["settings"])
        try:
            request = graph.graph_input(record["input"])
            await run_to_its_end(graph.builder, self.saver, thread, request, context, self.control)
        except DraftroomError as error:
            if of_the_surroundings(error):
                raise
            values = await state_so_far(graph, self.saver, thread)
            failed = refresh_record(with_failure(record, error), values, graph)
            return Result({**_row(failed, begun), "error": str(error), "kind": error.kind}, {})
        values = await state_so_far(graph, self.saver, thread)
        record = {**refresh_record(record, values, graph), "status": "done"}
        row = {**_row(record, begun), "scores": dict(self.wanted.system.scores(record["results"]))}
        return Result(row, await asyncio.to_thread(self._rendered, record, values))

    def _rendered(self, record: RunRecord, values: Values) -> dict[str, str | bytes]:
        render = self.wanted.system.rendering.formats
        return {suffix: render[suffix](record, values) for suffix in self.suffixes}

    async def forget(self, row: Record) -> None:
        """Delete the checkpoints of the run."""
        await self.saver.adelete_thread(self._thread(row["id"], row["sha256"]))

    def _thread(self, name: str, sha256: str) -> str:
        """A paper that has changed begins anew."""
        return str(uuid5(self.batch, f"{name} {sha256}"))


def _row(record: RunRecord, begun: float) -> Record:
    """What the table tells of a run, with its calls of earlier attempts; seconds are those of this one."""
    paper, cost = record["input"]["paper"], added_up(record["usage"])
    return {
        "title": paper["title"],
        "sha256": paper["sha256"],
        "calls": cost["calls"],
        "input_tokens": cost["input_tokens"],
        "output_tokens": cost["output_tokens"],
        "seconds": round(perf_counter() - begun, 3),
    }
