"""The papers of a batch as rows of a Ray cluster: what a row holds, and how an actor works on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from langgraph.runtime import RunControl

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper
from draftroom.batch.work import Work, row_of
from runs.many import Record
from runs.many_on_ray import Do
from state.errors import DraftroomError


class RemotePapers(NamedTuple):
    """Work on the papers of a batch, wherever its folder can be written."""

    work: Work
    folder: Path
    batch: UUID
    suffixes: Collection[str]

    @asynccontextmanager
    async def opened(self, control: RunControl) -> AsyncIterator[Do]:
        """Open what the work needs. What every further paper would end with is a result with `fatal`."""
        folder = BatchFolder(self.folder)
        async with self.work.opened(folder, self.batch, self.suffixes, control) as session:

            async def do(row: Record) -> Record:
                try:
                    paper = NamedPaper(*(row[field] for field in NamedPaper._fields))
                    return await row_of(folder, session, row["id"], paper)
                except DraftroomError as error:
                    return {"fatal": {"message": str(error), "kind": error.kind}}

            yield do
