"""Drives a batch: every paper that is named, through `runs/jobs.py`, until all have ended or somebody stops it.

On a Ray cluster a row holds a paper, and its actors work on them.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple
from uuid import UUID

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper, iterate_papers
from draftroom.batch.work import INTERNAL_ERROR_KIND, PaperSession, PaperWork, is_environment_error
from runs.jobs import EndedJob, Record, Workers, iterate_results, run_rows
from runs.signals import run_until_stopped
from state.errors import DraftroomError
from state.files import make_storage_error
from tools.models import close_clients


@dataclass
class Batch:
    """What is asked of a batch, and how it goes."""

    command: str
    """What is done with each paper, as the command is called that does it with one."""
    work: PaperWork
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

    def run(
        self,
        tell: Callable[[EndedJob], None],
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
        papers = [paper._replace(text="") for paper in iterate_papers(self.named, self.folder.path)]
        with self.folder.hold_lock():
            batch = self.folder.open_batch(
                {
                    "command": self.command,
                    "formats": sorted(self.suffixes),
                    "version": version("draftroom"),
                    **self.work.asked,
                }
            )
            names = self.folder.assign_ids(papers)
            newest = {row["id"]: row["status"] for row in iterate_results(self.folder.table)}
            again = {"failed"} if self.retry_failed else set[str]()
            begun(sum(name in newest and newest[name] not in again for name in names.values()), len(names))
            try:
                asyncio.run(run_until_stopped(self._run_papers(batch, names, tell, say), self._control, say))
            finally:
                rows = self.folder.compact_results()
        ids = set(names.values())
        return [row for row in rows if row["id"] in ids]

    @property
    def is_stopped(self) -> bool:
        """Whether somebody has stopped it."""
        return self._control.drain_requested

    async def _run_papers(
        self, batch: UUID, names: dict[str, str], tell: Callable[[EndedJob], None], say: Callable[[str], None]
    ) -> None:
        # A folder may have got another paper meanwhile.
        papers = (paper for paper in iterate_papers(self.named, self.folder.path) if paper.origin in names)
        named = ((names[paper.origin], paper._asdict()) for paper in papers)
        try:
            await run_rows(
                (((name,), {"id": name, **paper}) for name, paper in named),
                PaperRowWork(self.work, self.folder.path.absolute(), batch, self.suffixes),
                self.folder.table,
                Workers(self.at_once or self.work.at_once, self.actors if self.engine == "ray" else 0),
                keys=[(name,) for name in names.values()],
                fields=["id"],
                tell=tell,
                control=self._control,
                on_one_machine=self.work.on_this_machine,
                say=say,
                retry_failed=self.retry_failed,
            )
        finally:
            await close_clients()


class PaperRowWork(NamedTuple):
    """Work on the papers of a batch, wherever its folder can be written."""

    work: PaperWork
    folder: Path
    batch: UUID
    suffixes: Collection[str]

    @asynccontextmanager
    async def open_session(self, control: RunControl) -> AsyncIterator[PaperRowSession]:
        """Open what the work needs."""
        folder = BatchFolder(self.folder)
        async with self.work.open_session(folder, self.batch, self.suffixes, control) as session:
            yield PaperRowSession(folder, session)


class PaperRowSession(NamedTuple):
    """The work with what it needs."""

    folder: BatchFolder
    session: PaperSession

    async def run_row(self, row: Record) -> Record:
        """Work on a paper, and write its results. What every further paper would end with is a result with `fatal`."""
        name, paper = row["id"], NamedPaper(*(row[field] for field in NamedPaper._fields))
        try:
            told, files = await self.session.produce_result(name, paper)
            try:
                for suffix, content in files.items():
                    await asyncio.to_thread(self.folder.write_file, f"{name}{suffix}", content)
            except OSError as error:
                raise make_storage_error(error, self.folder.path) from error
        except GraphDrained:
            raise
        except DraftroomError as error:
            if is_environment_error(error):
                return {"fatal": {"message": str(error), "kind": error.kind}}
            told = {"error": str(error), "kind": error.kind}
        except Exception as error:  # noqa: BLE001 - one odd paper must not end a thousand others, whatever is wrong
            fault = f"{name}.traceback.txt"
            await asyncio.to_thread(self.folder.write_file, fault, traceback.format_exc())
            told = {"error": f"{type(error).__name__}: {error}; please report {fault}", "kind": INTERNAL_ERROR_KIND}
        return {"paper": paper.origin, "status": "failed" if "error" in told else "done", **told}

    async def discard_checkpoints(self, result: Record) -> None:
        """The result is on disk."""
        await self.session.discard_checkpoints(result)
