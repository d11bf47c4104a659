"""What a kill leaves behind, at moments of a run that is not killed: its folder as it is when a file is to be written.

A process that is killed leaves what it has handed over to the system, and nothing of what it would have done next; a
copy of the folder is the same. That processes are really killed is tested in `test_fitting.py`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WRITING_EVENTS = {"open": 0, "os.rename": 1}
"""Audit events of Python by the position of the path that is written."""


@contextmanager
def copied_at(moments: Sequence[str], out: Path, copies: Path) -> Iterator[None]:
    """Copy `out` into `copies` when a file is about to be written whose path ends in one of `moments`.

    The copy is called after the moment, with `_` for each `/`.
    """
    waiting = set(moments)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in WRITING_EVENTS and waiting:
            path = str(arguments[WRITING_EVENTS[event]])
            for moment in [each for each in waiting if path.endswith(each)]:
                waiting.remove(moment)
                shutil.copytree(out, copy_of(moment, copies))

    sys.addaudithook(watch)  # for good, which is why it ends with `waiting`
    try:
        yield
    finally:
        missed = waiting.copy()
        waiting.clear()
    assert not missed


def copy_of(moment: str, copies: Path) -> Path:
    """Where the copy of a moment is."""
    return copies / moment.replace("/", "_")
