"""The files of runs: a record and a lock each, in `runs` of the state folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from runs.record import RunRecord
from state.errors import StateError
from state.files import state_folder, storage_error, write_atomically
from state.settings import describe

NO_RUNS = "There are no runs yet; begin one with `draftroom explain FILE`, `simplify FILE` or `review FILE`."
_RECORD = TypeAdapter(RunRecord)
_LOCK_WAIT_S = 1.0
"""`draftroom runs` holds a lock for a moment to see whether it is free; a run that begins just then waits for it."""
_MOST_CANDIDATES = 5


class Records(NamedTuple):
    """All records that can be read, newest first, and what is wrong with the others."""

    readable: list[RunRecord]
    problems: list[str]


def write_record(record: RunRecord) -> None:
    """Write a record whole or not at all.

    Raises:
        StateError: If the state folder cannot be written.
    """
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / f"{record['id']}.json", _RECORD.dump_json(record, indent=2))
    except OSError as error:
        raise storage_error(error, folder) from error


def delete_record(run_id: str) -> None:
    """Remove the files of a run that this process holds.

    Raises:
        StateError: If the state folder cannot be written.
    """
    try:
        for suffix in ("json", "lock"):
            (_folder() / f"{run_id}.{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, _folder()) from error


def all_records() -> Records:
    """Read every record of the state folder.

    Raises:
        StateError: If the folder cannot be read.
    """
    found, problems = [], []
    for path in _record_paths():
        try:
            found.append(_read(path))
        except StateError as error:
            problems.append(str(error))
    return Records(found, problems)


def find_record(name: str) -> RunRecord:
    """The record of the run called `name`: its id, a prefix that no other id has, or `last` for the newest.

    Raises:
        StateError: If there is no such run, or more than one, or its record cannot be read.
    """
    paths = _record_paths()
    if name == "last":
        matches = paths[:1]
    else:
        matches = [path for path in paths if path.stem == name] or [
            path for path in paths if path.stem.startswith(name)
        ]
    if len(matches) == 1:
        return _read(matches[0])
    if not paths:
        raise StateError(NO_RUNS, kind="run_not_found")
    problem = "More than one run has" if matches else "No run has"
    raise StateError(
        f"{problem} an id that begins with {name!r}; choose from {_candidates(matches or paths)}.", kind="run_not_found"
    )


@contextmanager
def hold_run(run_id: str) -> Iterator[None]:
    """Keep every other process from driving this run. The lock ends with the process, however that ends.

    Raises:
        StateError: If another process drives it, or the state folder cannot be written.
    """
    lock = _lock(run_id)
    try:
        lock.acquire(timeout=_LOCK_WAIT_S)
    except Timeout as error:
        raise StateError(
            f"The run {run_id} is being driven by another process; wait for it or stop it.", kind="run_busy"
        ) from error
    except OSError as error:
        raise storage_error(error, _folder()) from error
    try:
        yield
    finally:
        lock.release()


def shown_status(record: RunRecord) -> str:
    """The status for a person: a run that claims to be running but that no process drives was interrupted."""
    if record["status"] != "running":
        return record["status"]
    lock = _lock(record["id"])
    try:
        lock.acquire(blocking=False)
    except (Timeout, OSError):
        return "running"
    lock.release()
    return "interrupted"


def _folder() -> Path:
    return state_folder() / "runs"


def _record_paths() -> list[Path]:
    """Newest first: ids begin with the time."""
    try:
        return sorted(_folder().glob("*.json"), reverse=True)
    except OSError as error:
        raise storage_error(error, _folder()) from error


def _read(path: Path) -> RunRecord:
    try:
        return _RECORD.validate_json(path.read_bytes())
    except OSError as error:
        raise storage_error(error, path) from error
    except ValidationError as error:
        raise StateError(
            f"The run record {path} cannot be understood ({describe(error)}); move it away if it is of no use.",
            kind="run_incompatible",
        ) from error


def _lock(run_id: str) -> FileLock:
    folder = _folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error
    # Not of a thread: a server takes it in one of its threads and gives it back in another.
    return FileLock(folder / f"{run_id}.lock", thread_local=False)


def _candidates(paths: list[Path]) -> str:
    names = [path.stem for path in paths[:_MOST_CANDIDATES]]
    return ", ".join(names) + (" and others" if len(paths) > _MOST_CANDIDATES else "")
