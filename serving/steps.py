"""Long steps: programs that run with their output in a log file, and locks that say when somebody else holds them."""

from __future__ import annotations

import errno
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from state.errors import ServingError, StateError

Report = Callable[[str], None]
"""Is told the name of every step as it begins."""

_TELLING = re.compile(r"\b\w*(Error|Exception)\b.*:|^ERROR\b|\bNo space left\b")
_TAIL_BYTES = 64 * 1024


def run_step(step: str, command: Sequence[str | Path], log: Path, report: Report) -> None:
    """Run `command` to its end and add what it prints to `log`.

    Raises:
        ServingError: It failed; the message quotes the end of its output and names the log.
    """
    report(step)
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        with log.open("ab") as output:
            process = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
            )
    except OSError as error:
        raise ServingError(f"{step}: cannot run {command[0]}: {error.strerror}.") from error
    if process.returncode:
        raise ServingError(
            f"{step} failed ({telling_lines(log)}); mend that and run the command again. "
            f"Everything it said is in {log}."
        )


def telling_lines(log: Path, count: int = 3) -> str:
    """The last lines of `log` that name an error, or else its last lines, joined by ` | `."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if _TELLING.search(line)] or lines
    return " | ".join(line[:300] for line in dict.fromkeys(telling[-count:])) or "it printed nothing"


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
