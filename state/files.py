"""Files: where Draftroom keeps its own, writing them whole or not at all, and reading those that people hand over.

Nobody leaves or sees half of a file. Files that people hand over are read whole and checked before any work; what is
wrong with them is told with its file and line.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import AnyStr, TypeVar

from platformdirs import user_cache_path, user_state_path
from pydantic import BaseModel, ValidationError

from state.errors import InputError, StateError
from state.settings import describe_validation_error

_Model = TypeVar("_Model", bound=BaseModel)


def resolve_state_folder() -> Path:
    """Folder of runs, checkpoints and stored papers: `$DRAFTROOM_HOME/state`, or the platform's state folder."""
    home = os.environ.get("DRAFTROOM_HOME")
    return Path(home).expanduser() / "state" if home else user_state_path("draftroom", appauthor=False)


def ensure_folder(folder: Path) -> Path:
    """A folder of the state, which is made if it is not there.

    Raises:
        StateError: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise make_storage_error(error, folder) from error
    return folder


def resolve_cache_folder() -> Path:
    """Folder of model weights and server environments: `$DRAFTROOM_HOME/cache`, or the platform's cache folder."""
    home = os.environ.get("DRAFTROOM_HOME")
    return Path(home).expanduser() / "cache" if home else user_cache_path("draftroom", appauthor=False)


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to a temporary file beside `path` and move it there in one step.

    Raises:
        OSError: If the folder cannot be written; nothing is left behind.
    """
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.close()
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def make_storage_error(error: OSError | sqlite3.Error, path: Path) -> StateError:
    """Say what is wrong with the state folder and what to do; what was written before is safe."""
    sqlite_code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of extended codes
    if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT} or sqlite_code == sqlite3.SQLITE_FULL:
        return StateError(f"The disk of {path} is full; make room, then resume the run.", kind="disk_full")
    if sqlite_code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
        return StateError(f"{path} is not a sound SQLite file; move it away, or name another one with `checkpoints`.")
    return StateError(f"{path} cannot be written ({error}); make it writable, or set DRAFTROOM_HOME to another folder.")


def read_file(path: Path, what: str) -> bytes:
    """The bytes of a file.

    Args:
        path: The file.
        what: It should be, for the message: "key".

    Raises:
        BadInput: It cannot be read.
    """
    try:
        return read_pipe(path) if path.is_fifo() else path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a {what}.", kind="missing_file") from error


def read_pipe(path: Path, limit: int | None = None) -> bytes:
    """What is written to a named pipe, at most about `limit` bytes; it can be read only once.

    Raises:
        BadInput: It is empty and nobody writes to it; to wait for somebody would look like work.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
        first = pipe.raw.read(1)  # nothing yet is None; nothing ever is empty
        if first == b"":
            raise InputError(
                f"The pipe {path} is empty, and nobody writes to it; begin to write first, or name a file.",
                kind="empty_input",
            )
        os.set_blocking(pipe.fileno(), True)
        return (first or b"") + pipe.read(limit)


def read_text(path: Path, what: str) -> str:
    """A whole file, with its line ends as they are.

    Args:
        path: The file.
        what: It should be, for the message: "file of the corpus".

    Raises:
        BadInput: It cannot be read, or is not UTF-8.
    """
    try:
        return read_file(path, what).decode("utf-8-sig")  # spreadsheets put a byte order mark before UTF-8
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8.", kind="not_utf8") from error


def list_filled_lines(lines: Iterable[AnyStr]) -> list[tuple[int, AnyStr]]:
    """Those that hold something, each with its number from 1.

    Args:
        lines: Of a file, split at line feeds only: str.splitlines would also split at a U+2028 inside a text.
    """
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def parse_json_record(schema: type[_Model], data: str | bytes, problem: str) -> _Model:
    """JSON as a `schema`.

    Args:
        schema: What it must be.
        data: The JSON.
        problem: What to say if it is not: "Line 3 of corpus.jsonl is no paper".

    Raises:
        BadInput: It is no JSON, or does not fit; says why.
    """
    try:
        return schema.model_validate_json(data)
    except ValidationError as error:
        raise InputError(f"{problem}: {describe_validation_error(error)}.") from error


def read_validated_records(path: Path, schema: type[_Model], what: str) -> list[tuple[int, _Model]]:
    """The records of a JSON Lines file, each with the number of its line; empty lines are passed over.

    Args:
        path: The file.
        schema: Of a line.
        what: A line should be, for messages: "paper with its reviews".

    Raises:
        BadInput: The file cannot be read, has no record, or a line does not fit the schema.
    """
    found = [
        (number, parse_json_record(schema, line, f"Line {number} of {path} is no {what}"))
        for number, line in list_filled_lines(read_file(path, "JSON Lines file").split(b"\n"))
    ]
    if not found:
        raise InputError(f"{path} is empty; give a file with one {what} a line.", kind="empty_input")
    return found
