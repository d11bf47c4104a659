"""Check each paper of a batch for contradictions, without a model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from draftroom.batch.papers import NamedPaper
from draftroom.batch.work import PaperResult, PaperWork
from draftroom.rendering.findings import REPORT_FORMATS
from runs.record import RunInput
from state.computed_findings import SEVERITIES, PaperReport


class CheckWork(PaperWork):
    """Work that checks papers without a model, each in a thread, by the function `examine`."""

    def __init__(self, choices: Mapping[str, Any], examine: Callable[[RunInput], PaperReport], max_pages: int) -> None:
        self.formats = REPORT_FORMATS.keys()
        self.asked = {"settings": choices}
        self.at_once = os.cpu_count() or 1
        self._examine, self._max_pages = examine, max_pages

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        """Check a paper in a thread; return its table row and the report in each wanted format."""
        del name
        return await asyncio.to_thread(self._check_paper, paper)

    def _check_paper(self, paper: NamedPaper) -> PaperResult:
        """Read and check a paper, and render its reports; this blocks."""
        begun = perf_counter()
        run_input = paper.read_input(scope="whole", max_pages=self._max_pages)
        report = self._examine(run_input)
        row = {
            "title": run_input["paper"]["title"],
            "sha256": run_input["paper"]["sha256"],
            "seconds": round(perf_counter() - begun, 3),
            "scores": {each: sum(found["severity"] == each for found in report["findings"]) for each in SEVERITIES},
            "read": report["read"],
            "unread": report["unread"],
        }
        return PaperResult(row, {suffix: REPORT_FORMATS[suffix](run_input, report) for suffix in self.suffixes})
