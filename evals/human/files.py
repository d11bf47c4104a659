"""Files that people hand over."""

from __future__ import annotations

from pathlib import Path

from state.errors import BadInput


def read_file(path: Path, what: str) -> bytes:
    """The bytes of a file.

    Args:
        path: The file.
        what: It should be, for the message: "key".

    Raises:
        BadInput: The file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); name a {what}.", kind="missing_file") from error
