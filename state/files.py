"""Places of Draftroom's own files, atomic writes, and reading of users' files with errors that name file and line."""

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
    """Return the folder of runs and papers: `$DRAFTROOM_HOME/state`, or the platform's; it may not exist yet."""
    home = os.environ.get("DRAFTROOM_HOME")
    return Path(home).expanduser() / "state" if home else user_state_path("draftroom", appauthor=False)


def resolve_cache_folder() -> Path:
    """Return the folder of models and servers: `$DRAFTROOM_HOME/cache`, or the platform's; it may not exist yet."""
    home = os.environ.get("DRAFTROOM_HOME")
    return Path(home).expanduser() / "cache" if home else user_cache_path("draftroom", appauthor=False)


def ensure_folder(folder: Path) -> Path:
    """Make a folder of the state, with its parents, unless it exists, and return it.

    Raises:
        StateError: The folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise make_storage_error(error, folder) from error
    return folder


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, in a folder that exists; an earlier file is replaced.

    Raises:
        OSError: The folder cannot be written; nothing is left behind.
    """
    # A rename is atomic within one folder only.
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(data)
            file.close()  # so that all of it is written before the rename
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def save_state_file(path: Path, data: bytes) -> None:
    """Write a file of the state as `write_atomically` does, and make its folder if that is missing.

    Raises:
        StateError: The folder cannot be made or written, or the disk is full.
    """
    ensure_folder(path.parent)
    try:
        write_atomically(path, data)
    except OSError as error:
        raise make_storage_error(error, path.parent) from error


def delete_state_files(folder: Path, pattern: str) -> None:
    """Delete the files of a folder whose names match a pattern, if there are any.

    Raises:
        StateError: The folder cannot be written.
    """
    try:
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise make_storage_error(error, folder) from error


def make_storage_error(error: OSError | sqlite3.Error, path: Path) -> StateError:
    """Return, without raising it, the error that says why a file or folder of the state cannot be used, and what to do.

    The caller raises it from `error`.
    """
    sqlite_code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of extended codes
    if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT} or sqlite_code == sqlite3.SQLITE_FULL:
        return StateError(f"The disk of {path} is full; make room, then resume the run.", kind="disk_full")
    if sqlite_code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return StateError(f"{path} is locked by another process; wait for it, or stop it, then run the same again.")
    if sqlite_code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
        return StateError(f"{path} is not a sound SQLite file; move it away, or name another one with `checkpoints`.")
    return StateError(f"{path} cannot be written ({error}); make it writable, or set DRAFTROOM_HOME to another folder.")


def read_file(path: Path, what: str) -> bytes:
    """Return the bytes of a user's file or named pipe; errors name the kind expected, `what`, without article: "key".

    Raises:
        InputError: The file cannot be read.
    """
    try:
        return read_pipe(path) if path.is_fifo() else path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a {what}.", kind="missing_file") from error


def read_pipe(path: Path, limit: int | None = None) -> bytes:
    """Return the bytes of a named pipe to its end, or at most `limit + 1` of them; blocks while a writer is slow.

    Raises:
        InputError: The pipe is empty and has no writer, so that waiting for one would look like work.
    """
    # Opening a pipe would block until it has a writer.
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
    """Return the text of a UTF-8 file with its line ends, without a byte order mark; `what` is as in `read_file`.

    Raises:
        InputError: The file cannot be read, or is not UTF-8.
    """
    try:
        return read_file(path, what).decode("utf-8-sig")  # spreadsheets put a byte order mark before UTF-8
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8.", kind="not_utf8") from error


def list_filled_lines(lines: Iterable[AnyStr]) -> list[tuple[int, AnyStr]]:
    """List the lines that are not blank as pairs of the number, counted from 1 over all lines, and the line.

    The lines were split at line feeds, because str.splitlines would also split at a U+2028 inside a text.
    """
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def parse_json_record(schema: type[_Model], data: str | bytes, problem: str) -> _Model:
    """Return JSON as an instance of a schema, or raise InputError with a message that begins with `problem`.

    Raises:
        InputError: The data is no JSON, or does not fit the schema.
    """
    try:
        return schema.model_validate_json(data)
    except ValidationError as error:
        raise InputError(f"{problem}: {describe_validation_error(error)}.") from error
