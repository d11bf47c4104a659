"""The paper as the command gets it: a file, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from runs.record import RunInput
from state.errors import BadInput
from state.settings import Scope
from tools.documents import read_document, read_document_bytes
from tools.documents.reading import MAX_BYTES

STANDARD_INPUT = "-"


def take_paper(file: str, *, scope: Scope, max_pages: int) -> RunInput:
    """Read the paper once, so that a bad one is refused before a run begins.

    Args:
        file: Its path, or `-` for standard input.
        scope: What models read as one text: the abstract, or the whole paper.
        max_pages: Longest PDF that is accepted.

    Raises:
        BadInput: If the paper cannot be used.
        StateError: If the state folder cannot be written.
    """
    if file == STANDARD_INPUT:
        name = "standard input"
        paper = read_document_bytes(read_standard_input(), name=name, scope=scope, max_pages=max_pages)
        return RunInput(name=name, path=paper["source"], paper=paper)
    path = Path(file).expanduser()
    if not path.exists():  # `read_document` would take some names for text
        raise BadInput(f"There is no file {file!r}; check its name.", kind="missing_file")
    # With a folder in front, so that no name can be taken for text; a pipe of the shell has no other name than its own.
    paper = read_document(str(path.absolute() if path.is_fifo() else path.resolve()), scope=scope, max_pages=max_pages)
    return RunInput(name=file if path.is_fifo() else path.name, path=paper["source"], paper=paper)


def read_standard_input() -> bytes:
    """All of it, or one byte more than a paper may have."""
    return sys.stdin.buffer.read(MAX_BYTES + 1)
