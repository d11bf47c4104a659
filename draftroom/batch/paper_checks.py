"""What each paper of a batch contradicts in itself, computed without a model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper
from draftroom.batch.work import PaperResult, PaperSession, PaperWork
from draftroom.rendering.findings import REPORT_FORMATS
from runs.record import RunInput
from state.computed_findings import SEVERITIES, PaperReport

if TYPE_CHECKING:  # takes time to import
    from langgraph.runtime import RunControl

    from runs.jobs import Record


class CheckWork(PaperWork):
    """What each paper contradicts in itself, computed in threads.

    Args:
        choices: What was chosen, as plain values.
        examine: Reports what is found in a paper.
        max_pages: Longest PDF that is accepted.
    """

    def __init__(self, choices: Mapping[str, Any], examine: Callable[[RunInput], PaperReport], max_pages: int) -> None:
        self.formats = REPORT_FORMATS.keys()
        self.asked = {"settings": choices}
        self.at_once = os.cpu_count() or 1
        self._examine, self._max_pages = examine, max_pages

    @asynccontextmanager
    async def open_session(
        self, folder: BatchFolder, batch: UUID, suffixes: Collection[str], control: RunControl
    ) -> AsyncIterator[PaperSession]:
        """Nothing has to be open."""
        del folder, batch, control
        yield _CheckSession(self._examine, self._max_pages, suffixes)


class _CheckSession(NamedTuple):
    examine: Callable[[RunInput], PaperReport]
    max_pages: int
    suffixes: Collection[str]

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        """Check a paper."""
        del name
        return await asyncio.to_thread(self._check_paper, paper)

    async def discard_checkpoints(self, row: Record) -> None:
        """Nothing is kept."""

    def _check_paper(self, paper: NamedPaper) -> PaperResult:
        begun = perf_counter()
        taken = paper.read_input(scope="whole", max_pages=self.max_pages)
        report = self.examine(taken)
        row = {
            "title": taken["paper"]["title"],
            "sha256": taken["paper"]["sha256"],
            "seconds": round(perf_counter() - begun, 3),
            "scores": {each: sum(found["severity"] == each for found in report["findings"]) for each in SEVERITIES},
            "read": report["read"],
            "unread": report["unread"],
        }
        return PaperResult(row, {suffix: REPORT_FORMATS[suffix](taken, report) for suffix in self.suffixes})
