"""The work that a batch does on each paper, and what becomes of its result or failure."""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Callable, Collection, Mapping
from time import perf_counter
from typing import Any, NamedTuple
from uuid import UUID

from langgraph.errors import GraphDrained

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper
from draftroom.rendering.findings import REPORT_FORMATS
from runs.jobs import Record, RowWork
from runs.record import RunInput
from state.computed_findings import SEVERITIES, PaperReport
from state.errors import DraftroomError, ErrorKind, NoUsableAnswer, RequestFailedError
from state.files import make_storage_error

INTERNAL_ERROR_KIND = "fault"  # an error of Draftroom itself
_ENVIRONMENT_ERROR_KINDS: set[ErrorKind] = {
    "bad_settings",
    "endpoint_down",
    "endpoint_refused",
    "wrong_model",
    "state_unwritable",
    "disk_full",
    "output_unwritable",
}


def is_environment_error(error: DraftroomError) -> bool:
    """Return whether every further paper of a batch would fail with this error, so that the batch should end."""
    # An endpoint may fail on one request, or give no usable answer, and work for the next paper.
    of_one_request = isinstance(error, (RequestFailedError, NoUsableAnswer))
    return error.kind in _ENVIRONMENT_ERROR_KINDS and not of_one_request


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
        return PaperResult(row, {suffix: REPORT_FORMATS[suffix](run_input, report) for suffix in self.suffixes})
