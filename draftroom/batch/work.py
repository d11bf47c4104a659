"""Interface between a batch and the work that it does on each paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from uuid import UUID

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper
from state.errors import DraftroomError, ErrorKind, NoUsableAnswer, RequestFailedError

if TYPE_CHECKING:  # takes time to import
    from langgraph.runtime import RunControl

    from runs.jobs import Record

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


class PaperSession(Protocol):
    """Protocol of an open session, in which a batch works on its papers one by one."""

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        """Do the batch's work on a paper (a run of a system, or checks); `name` is its id in the batch.

        Raises:
            DraftroomError: The paper cannot be processed; a failure after calls of a model is a result instead.
            GraphDrained: The batch was stopped.
        """

    async def discard_checkpoints(self, row: Record) -> None:
        """Delete the checkpoints of the paper of a result row; called when the row is on disk."""


class PaperWork:
    """Abstract base class of what a batch does with each paper; subclasses set the attributes."""

    formats: Collection[str]
    """Suffixes of the formats that results may have."""
    asked: Mapping[str, Any]
    """Everything that results depend on, as plain values."""
    at_once: int
    """Default number of papers under way at once."""
    on_this_machine = False
    """Whether the checkpoints can be reached from this machine only."""

    def open_session(
        self, folder: BatchFolder, batch: UUID, suffixes: Collection[str], control: RunControl
    ) -> AbstractAsyncContextManager[PaperSession]:
        """Return an asynchronous context manager of a session that makes result files of these suffixes (abstract)."""
        raise NotImplementedError
