"""Runs in processes that are forked from one which has imported everything, as importing takes longer than the runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Event

from draftroom.systems import find_system
from runs.driver import drive_run
from runs.record import RunRecord, find_record
from state.files import resolve_state_folder
from tests.support.processes import preload

_FORKS = get_context("forkserver")
preload(__name__)


@contextmanager
def driven(record: RunRecord, environment: Mapping[str, str]) -> Iterator[ForkServerProcess]:
    """A process that has just begun to drive the run, or to resume it; it is killed where the block ends."""
    begun = _FORKS.Event()
    process = _FORKS.Process(target=_drive, args=(record, dict(environment), begun))
    process.start()
    try:
        assert begun.wait(120)
        yield process
    finally:
        process.kill()
        process.join()


def _drive(record: RunRecord, environment: dict[str, str], begun: Event) -> None:
    # Not where it is preloaded: a console asks once, when it is imported, whether it writes to a terminal.
    from draftroom.commands.console_run import ConsoleProgress  # noqa: PLC0415

    os.environ.update(environment)
    has_begun = (resolve_state_folder() / "runs" / f"{record['id']}.json").exists()
    newest = find_record(record["id"]) if has_begun else record
    begun.set()
    system = find_system(newest["system"])
    drive_run(newest, system.graph, ConsoleProgress(system.rendering, quiet=True))
