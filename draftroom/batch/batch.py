"""Drives a batch: every paper that is named, through `runs/many.py`, until all have ended or somebody stops it."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from uuid import UUID

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper, papers_of
from draftroom.batch.work import Session, Work, of_the_surroundings
from runs.many import Ended, Job, Key, Record, run_many, until_stopped
from state.errors import DraftroomError
from state.files import storage_error
from tools.models import close_clients

FAULT = "fault"
"""The kind of a failure that is a mistake in Draftroom itself."""


@dataclass
class Batch:
    """What is asked of a batch, and how it goes."""

    command: str
    """What is done with each paper, as the command is called that does it with one."""
    work: Work
    named: Sequence[str]
    """Files, folders, patterns and tables."""
    folder: BatchFolder
    suffixes: Collection[str]
    """Of the results."""
    at_once: int | None = None
    """Papers under way at once; None: as many as suit the work."""
    retry_failed: bool = False
    _control: RunControl = field(default_factory=RunControl)
    _error: DraftroomError | None = None
    """The one that every further paper would end with."""

    def run(self, tell: Callable[[Ended], None], say: Callable[[str], None]) -> list[Record]:
        """Run it as far as it goes, in its folder.

        Args:
            tell: Is told of each paper that has ended.
            say: Is told what a person must know.

        Returns:
            A row for each paper that has ended by now; of fewer papers than there are if somebody stopped it.

        Raises:
            DraftroomError: What is wrong with what is asked, or what every further paper would end with.
        """
        papers = [paper._replace(text="") for paper in papers_of(self.named, self.folder.path)]
        with self.folder.held():
            batch = self.folder.begin(
                {
                    "command": self.command,
                    "formats": sorted(self.suffixes),
                    "version": version("draftroom"),
                    **self.work.asked,
                }
            )
            names = self.folder.ids(papers)
            try:
                asyncio.run(until_stopped(self._work(batch, names, tell), self._control, say))
            finally:
                rows = self.folder.finish()
        if self._error:
            raise self._error
        ids = set(names.values())
        return [row for row in rows if row["id"] in ids]

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped it."""
        return self._control.drain_requested

    async def _work(self, batch: UUID, names: dict[str, str], tell: Callable[[Ended], None]) -> None:
        try:
            async with self.work.opened(self.folder, batch, self.suffixes, self._control) as session:
                await run_many(
                    self._jobs(session, names),
                    self.folder.table,
                    self.at_once or self.work.at_once,
                    keys=[(name,) for name in names.values()],
                    fields=["id"],
                    tell=tell,
                    written=session.forget,
                    retry_failed=self.retry_failed,
                    control=self._control,
                )
        finally:
            await close_clients()

    def _jobs(self, session: Session, names: dict[str, str]) -> Iterator[tuple[Key, Job]]:
        for paper in papers_of(self.named, self.folder.path):
            if paper.origin in names:  # a folder may have got another one meanwhile
                yield (names[paper.origin],), partial(self._one, session, names[paper.origin], paper)

    async def _one(self, session: Session, name: str, paper: NamedPaper) -> Record:
        """The row of a paper, whose results are written."""
        try:
            row = await self._result(session, name, paper)
        except GraphDrained:
            raise
        except DraftroomError as error:
            if of_the_surroundings(error):
                self._error = self._error or error
                self._control.request_drain()
                raise GraphDrained from error
            row = {"error": str(error), "kind": error.kind}
        except Exception as error:  # noqa: BLE001 - one odd paper must not end a thousand others, whatever is wrong with it
            told = f"{name}.traceback.txt"
            await asyncio.to_thread(self.folder.write, told, traceback.format_exc())
            row = {"error": f"{type(error).__name__}: {error}; please report {told}", "kind": FAULT}
        return {"paper": paper.origin, "status": "failed" if "error" in row else "done", **row}

    async def _result(self, session: Session, name: str, paper: NamedPaper) -> Record:
        result = await session.do(name, paper)
        for suffix, content in result.files.items():
            try:
                await asyncio.to_thread(self.folder.write, f"{name}{suffix}", content)
            except OSError as error:
                raise storage_error(error, self.folder.path) from error
        return result.row
