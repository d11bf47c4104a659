"""Drives a batch: every paper that is named, through `runs/many.py`, until all have ended or somebody stops it.

On a Ray cluster a row holds a paper, and its actors work on them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple
from uuid import UUID

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper, papers_of
from draftroom.batch.work import Session, Work, row_of
from runs.many import Ended, Ledger, Record, each_result, run_many, until_stopped
from state.errors import DraftroomError
from tools.models import close_clients

if TYPE_CHECKING:  # needs an optional package
    from runs.many_on_ray import Do


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
    """Papers that a process has under way at once; None: as many as suit the work."""
    retry_failed: bool = False
    engine: Literal["local", "ray"] = "local"
    """Who works on them: this process, or actors on a Ray cluster."""
    actors: int = 1
    """On a cluster: for each endpoint of a model."""
    _control: RunControl = field(default_factory=RunControl)
    _error: DraftroomError | None = None
    """The one that every further paper would end with."""

    def run(
        self,
        tell: Callable[[Ended], None],
        say: Callable[[str], None],
        begun: Callable[[int, int], None] = lambda ended, total: None,  # noqa: ARG005
    ) -> list[Record]:
        """Run it as far as it goes, in its folder.

        Args:
            tell: Is told of each paper that has ended.
            say: Is told what a person must know.
            begun: Is told, at the beginning, how many papers have ended before, and how many there are.

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
            newest = {row["id"]: row["status"] for row in each_result(self.folder.table)}
            again = {"failed"} if self.retry_failed else set[str]()
            begun(sum(name in newest and newest[name] not in again for name in names.values()), len(names))
            try:
                asyncio.run(until_stopped(self._work(batch, names, tell, say), self._control, say))
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

    async def _work(
        self, batch: UUID, names: dict[str, str], tell: Callable[[Ended], None], say: Callable[[str], None]
    ) -> None:
        try:
            async with self.work.opened(self.folder, batch, self.suffixes, self._control) as session:
                if self.engine == "ray":
                    await self._on_ray(session, batch, names, tell, say)
                else:
                    names_and_papers = ((names[paper.origin], paper) for paper in self._papers(names))
                    await run_many(
                        (((name,), partial(self._one, session, name, paper)) for name, paper in names_and_papers),
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

    async def _on_ray(
        self,
        session: Session,
        batch: UUID,
        names: dict[str, str],
        tell: Callable[[Ended], None],
        say: Callable[[str], None],
    ) -> None:
        from runs.many_on_ray import Actors, joined_cluster, results_on_ray  # noqa: PLC0415

        ledger = Ledger(self.folder.table, ["id"], tell, session.forget)
        await ledger.open([(name,) for name in names.values()], retry_failed=self.retry_failed)
        work = RemotePapers(self.work, self.folder.path.absolute(), batch, self.suffixes)
        at_once = self.at_once or self.work.at_once
        actors = Actors(self.actors, at_once)
        async with joined_cluster(on_one_machine=self.work.on_this_machine) as machines:
            say(f"On Ray: machines {machines}, actors {actors.number}, papers of each at once {at_once}.")
            waiting = (paper for paper in self._papers(names) if ledger.waits((names[paper.origin],)))
            named = ((names[paper.origin], paper._asdict()) for paper in waiting)
            rows = (((name,), {"id": name, **paper}) for name, paper in named)
            async for key, result in results_on_ray(rows, work, actors, self._control):
                if "fatal" in result:
                    self._stop(DraftroomError(**result["fatal"]))
                else:
                    await ledger.enter(key, result)

    def _papers(self, names: dict[str, str]) -> Iterator[NamedPaper]:
        """Those of the batch: a folder may have got another one meanwhile."""
        return (paper for paper in papers_of(self.named, self.folder.path) if paper.origin in names)

    async def _one(self, session: Session, name: str, paper: NamedPaper) -> Record:
        try:
            return await row_of(self.folder, session, name, paper)
        except DraftroomError as error:
            self._stop(error)
            raise GraphDrained from error

    def _stop(self, error: DraftroomError) -> None:
        """Begin no further paper: each would end with this error."""
        self._error = self._error or error
        self._control.request_drain()


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
