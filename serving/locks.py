"""A lock file that tells its user when somebody else holds it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from serving.steps import Report
from state.errors import StateError


@contextmanager
def exclusive(path: Path, report: Report) -> Iterator[None]:
    """Hold the lock file `path` for work on files beside it, waiting while another process holds it.

    Raises:
        StateError: The lock file, or a file that the work is about, cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _acquired(FileLock(path), report):
            yield
    except OSError as error:
        raise StateError(
            f"Cannot write {error.filename or path}: {error.strerror}; "
            "free some space, or set DRAFTROOM_HOME to a folder that you can write to.",
            kind="disk_full" if error.errno == errno.ENOSPC else None,
        ) from error


@contextmanager
def _acquired(lock: FileLock, report: Report) -> Iterator[None]:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report(f"Waiting for another command that holds {lock.lock_file}")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
