"""Where Draftroom keeps its files, and writing them so that nobody leaves or sees half of one; what if that fails."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from pathlib import Path

from platformdirs import user_cache_path, user_state_path

from state.errors import StateError


def state_folder() -> Path:
    """Folder of runs, checkpoints and stored papers: `$DRAFTROOM_HOME/state`, or the platform's state folder."""
    home = os.environ.get("DRAFTROOM_HOME")
    return Path(home).expanduser() / "state" if home else user_state_path("draftroom", appauthor=False)


def cache_folder() -> Path:
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


def storage_error(error: OSError | sqlite3.Error, path: Path) -> StateError:
    """Say what is wrong with the state folder and what to do; what was written before is safe."""
    sqlite_code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details of extended codes
    if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT} or sqlite_code == sqlite3.SQLITE_FULL:
        return StateError(f"The disk of {path} is full; make room, then resume the run.", kind="disk_full")
    if sqlite_code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
        return StateError(f"{path} is not a sound SQLite file; move it away, or name another one with `checkpoints`.")
    return StateError(f"{path} cannot be written ({error}); make it writable, or set DRAFTROOM_HOME to another folder.")
