"""What a batch must know of its work: what it depends on, and how one paper is worked on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from uuid import UUID

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper
from state.errors import DraftroomError, Kind, RequestFailed, Unanswered

if TYPE_CHECKING:  # takes time to import
    from langgraph.runtime import RunControl

    from runs.many import Record

FAULT = "fault"
"""The kind of a failure that is a mistake in Draftroom itself."""
_OF_THE_SURROUNDINGS: set[Kind] = {
    "bad_settings",
    "endpoint_down",
    "endpoint_refused",
    "wrong_model",
    "state_unwritable",
    "disk_full",
    "output_unwritable",
}


def of_the_surroundings(error: DraftroomError) -> bool:
    """Whether every paper would end with this error, and not only the one that did."""
    of_one_request = isinstance(error, (RequestFailed, Unanswered))
    return error.kind in _OF_THE_SURROUNDINGS and not of_one_request


class Result(NamedTuple):
    """What came of a paper."""

    row: Record
    """For the table; with `error` if the work has failed."""
    files: Mapping[str, str | bytes]
    """By suffix; none if it has failed."""


class Session(Protocol):
    """Work on papers, with what it needs open."""

    async def do(self, name: str, paper: NamedPaper) -> Result:
        """Work on a paper, or go on where that was stopped.

        Raises:
            DraftroomError: Why it cannot be done; a failure that has cost something is a result.
            GraphDrained: It was stopped.
        """
        ...

    async def forget(self, row: Record) -> None:
        """The result is on disk: what was kept for going on can go."""
        ...


class Work:
    """One kind of work on papers."""

    formats: Collection[str]
    """Suffixes that results may have."""
    asked: Mapping[str, Any]
    """All that results depend on, as plain values."""
    at_once: int
    """Papers to have under way unless a person says otherwise."""
    on_this_machine = False
    """Whether what it keeps for going on can be reached from this machine alone."""

    def opened(
        self, folder: BatchFolder, batch: UUID, suffixes: Collection[str], control: RunControl
    ) -> AbstractAsyncContextManager[Session]:
        """Open what it needs while papers are worked on."""
        raise NotImplementedError
