"""What a batch must know of its work: what it depends on, and how one paper is worked on."""

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

INTERNAL_ERROR_KIND = "fault"
"""The kind of a failure that is a mistake in Draftroom itself."""
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
    """Whether every paper would end with this error, and not only the one that did."""
    of_one_request = isinstance(error, (RequestFailedError, NoUsableAnswer))
    return error.kind in _ENVIRONMENT_ERROR_KINDS and not of_one_request


class PaperResult(NamedTuple):
    """What came of a paper."""

    row: Record
    """For the table; with `error` if the work has failed."""
    files: Mapping[str, str | bytes]
    """By suffix; none if it has failed."""


class PaperSession(Protocol):
    """Work on papers, with what it needs open."""

    async def produce_result(self, name: str, paper: NamedPaper) -> PaperResult:
        """Work on a paper, or go on where that was stopped.

        Raises:
            DraftroomError: Why it cannot be done; a failure that has cost something is a result.
            GraphDrained: It was stopped.
        """
        ...

    async def discard_checkpoints(self, row: Record) -> None:
        """The result is on disk: what was kept for going on can go."""
        ...


class PaperWork:
    """One kind of work on papers."""

    formats: Collection[str]
    """Suffixes that results may have."""
    asked: Mapping[str, Any]
    """All that results depend on, as plain values."""
    at_once: int
    """Papers to have under way unless a person says otherwise."""
    on_this_machine = False
    """Whether what it keeps for going on can be reached from this machine alone."""

    def open_session(
        self, folder: BatchFolder, batch: UUID, suffixes: Collection[str], control: RunControl
    ) -> AbstractAsyncContextManager[PaperSession]:
        """Open what it needs while papers are worked on."""
        raise NotImplementedError
