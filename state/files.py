"""Writing files so that a reader, or a process that is killed, never leaves or sees half of one; what if that fails."""

from __future__ import annotations

import errno
import sqlite3
import tempfile
from pathlib import Path

from state.errors import StateError


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


def storage_error(error: OSError | sqlite3.Error, path: Path) -> StateError:
    """Say what is wrong with the state folder and what to do; what was written before is safe."""
    sqlite_code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of extended codes
    if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT} or sqlite_code == sqlite3.SQLITE_FULL:
        return StateError(f"The disk of {path} is full; make room, then resume the run.", kind="disk_full")
    if sqlite_code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
        return StateError(f"{path} is not a sound SQLite file; move it away, or name another one with `checkpoints`.")
    return StateError(f"{path} cannot be written ({error}); make it writable, or set DRAFTROOM_HOME to another folder.")
