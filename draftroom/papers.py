"""The paper as the command gets it: a file, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from draftroom.records import RunInput
from state.errors import BadInput
from state.paths import state_folder
from state.settings import Scope
from tools.checkpoints import storage_error
from tools.documents import read_bytes, read_paper
from tools.documents.reading import MAX_BYTES

STANDARD_INPUT = "-"


def take_paper(file: str, *, scope: Scope, max_pages: int) -> RunInput:
    """Read the paper once, so that a bad one is refused before a run begins.

    Args:
        file: Its path, or `-` for standard input.
        scope: Of a PDF: its abstract, or the whole paper.
        max_pages: Longest PDF that is accepted.

    Raises:
        BadInput: If the paper cannot be used.
        StateError: If the state folder cannot be written.
    """
    if file == STANDARD_INPUT:
        return _from_bytes(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input", scope, max_pages)
    path = Path(file).expanduser()
    if path.is_fifo():  # can be read only once
        with path.open("rb") as pipe:
            return _from_bytes(pipe.read(MAX_BYTES + 1), file, scope, max_pages)
    if not path.exists():  # `read_paper` would take some names for text
        raise BadInput(f"There is no file {file!r}; check its name.", kind="missing_file")
    # With a folder in front, so that no name can be taken for text.
    resolved = str(path.resolve())
    paper = read_paper(resolved, scope=scope, max_pages=max_pages)
    return RunInput(name=path.name, path=resolved, paper=paper)


def _from_bytes(data: bytes, name: str, scope: Scope, max_pages: int) -> RunInput:
    """Keep what can be read only once, so that the run can be resumed."""
    paper = read_bytes(data, name=name, scope=scope, max_pages=max_pages)
    path = state_folder().absolute() / "papers" / f"{paper['sha256']}.input"
    try:
        path.write_bytes(data)
    except OSError as error:
        raise storage_error(error, path) from error
    return RunInput(name=name, path=str(path), paper=paper)
