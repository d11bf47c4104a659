"""Run a batch of papers through `runs/jobs.py`, in this process or with actors on a Ray cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from langgraph.runtime import RunControl

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import iterate_papers
from draftroom.batch.work import PaperWork
from runs.jobs import EndedJob, Record, Workers, iterate_results, run_rows
from runs.signals import run_until_stopped


@dataclass
class Batch:
    """A batch of papers for one command: its settings, its folder, and the control by which it is stopped."""

    command: str
    """Name of the command that does the same for a single paper."""
    work: PaperWork
    named: Sequence[str]
    """Files, folders, glob patterns and tables."""
    folder: BatchFolder
    suffixes: Collection[str]
    """Suffixes of the result files."""
    workers: Workers
    retry_failed: bool = False
    _control: RunControl = field(default_factory=RunControl)

    def run(
        self,
        on_end: Callable[[EndedJob], None],
        on_message: Callable[[str], None],
        begun: Callable[[int, int], None] = lambda ended, total: None,  # noqa: ARG005
    ) -> list[Record]:
        """Run the batch until all papers have ended or it is stopped; this blocks, and writes results to the folder.

        Args:
            on_end: Called with each paper that has ended.
            on_message: Called with messages for the user.
            begun: Called at the beginning with the numbers of papers that have ended before, and of all papers.

        Returns:
            A row for each paper that has ended; not for all papers if the batch was stopped.

        Raises:
            DraftroomError: The request is wrong, or every further paper would fail with this error.
        """
        # Without their texts: a table of many papers must not fill the memory.
        named = [paper._replace(text="") for paper in iterate_papers(self.named, self.folder.path)]
        with self.folder.hold_lock():
            asked = {"command": self.command, "formats": sorted(self.suffixes), "version": version("draftroom")}
            batch = self.folder.open_batch({**asked, **self.work.asked})
            names = self.folder.assign_ids(named)
            newest = {row["id"]: row["status"] for row in iterate_results(self.folder.table)}
            repeated = {"failed"} if self.retry_failed else set[str]()
            begun(sum(name in newest and newest[name] not in repeated for name in names.values()), len(names))
            # Papers that were added to a folder since the ids were assigned have none and are left out.
            papers = (paper for paper in iterate_papers(self.named, self.folder.path) if paper.origin in names)
            self.work.folder, self.work.batch = BatchFolder(self.folder.path.absolute()), batch
            self.work.suffixes = self.suffixes
            running = run_rows(
                (((names[paper.origin],), {"id": names[paper.origin], **paper._asdict()}) for paper in papers),
                self.work,
                self.folder.table,
                self.workers,
                keys=[(name,) for name in names.values()],
                fields=["id"],
                on_end=on_end,
                control=self._control,
                has_local_checkpoints=self.work.on_this_machine,
                on_message=on_message,
                retry_failed=self.retry_failed,
            )
            try:
                asyncio.run(run_until_stopped(running, self._control, on_message))
            finally:
                rows = self.folder.compact_results()
        ids = set(names.values())
        return [row for row in rows if row["id"] in ids]

    @property
    def is_stopped(self) -> bool:
        """Whether the batch was asked to stop before all papers had ended."""
        return self._control.drain_requested
