"""Writing files so that a reader, or a process that is killed, never leaves or sees half of one."""

from __future__ import annotations

import tempfile
from pathlib import Path


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
