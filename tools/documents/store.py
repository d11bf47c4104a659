"""The plain text of papers, kept once each under the hash of its content."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path

from state.errors import StateError
from state.files import write_atomically
from state.paths import state_folder
from state.records import Paper


def store_text(text: str) -> Path:
    """Keep a text in the state folder as `papers/<sha256 of the text>.txt`, written whole or not at all.

    Raises:
        StateError: The state folder cannot be written, or the disk is full.
    """
    data = text.encode()
    path = state_folder().absolute() / "papers" / f"{hashlib.sha256(data).hexdigest()}.txt"
    try:
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
    except OSError as error:
        raise unwritable(path.parent, error) from error
    return path


def stored_text(paper: Paper) -> str:
    """The plain text of a paper that was read before.

    Raises:
        StateError: The stored text is gone, or is no longer what was stored.
    """
    path = Path(paper["path"])
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StateError(
            f"The stored text of the paper, {path}, cannot be read ({error.strerror}); start a new run from the paper.",
            kind="missing_file",
        ) from error
    if hashlib.sha256(data).hexdigest() != path.stem:
        raise StateError(
            f"The stored text of the paper, {path}, was changed since it was read; start a new run from the paper.",
            kind="run_incompatible",
        )
    return data.decode()


def unwritable(folder: Path, error: OSError) -> StateError:
    """What the user is told when papers cannot be stored in a folder: a full disk and all else are two kinds."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StateError(
            f"The disk is full, so the paper cannot be stored in {folder}; free some space, or set DRAFTROOM_HOME "
            "to a folder on another disk.",
            kind="disk_full",
        )
    return StateError(
        f"The paper cannot be stored in {folder} ({error.strerror}); make that folder writable, or set "
        "DRAFTROOM_HOME to one that is."
    )
