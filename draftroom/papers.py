"""The paper as the command gets it: a file, or standard input."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import NamedTuple

from draftroom.records import RunInput
from state.documents import Document
from state.errors import BadInput
from state.paths import state_folder
from state.records import Paper
from state.settings import Scope
from tools.checkpoints import storage_error
from tools.documents import load_document, read_bytes, read_document, read_document_bytes, read_paper
from tools.documents.reading import MAX_BYTES
from tools.input_files import read_pipe

STANDARD_INPUT = "-"


class _Given(NamedTuple):
    name: str
    """As a person calls it."""
    path: str
    """What the graph is to read; a file that is not there yet if there are bytes."""
    data: bytes | None
    """Of what can be read only once."""


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
    given = _find(file)
    if given.data is None:
        paper = read_paper(given.path, scope=scope, max_pages=max_pages)
    else:
        paper = read_bytes(given.data, name=given.name, scope=scope, max_pages=max_pages)
        _keep(given.path, given.data)
    return RunInput(name=given.name, path=given.path, paper=paper)


def take_document(file: str, *, max_pages: int) -> tuple[RunInput, Document]:
    """Read a paper in paragraphs once, so that a bad one is refused before a run begins.

    Args:
        file: Its path, or `-` for standard input.
        max_pages: Longest PDF that is accepted.

    Raises:
        BadInput: If the paper cannot be used.
        StateError: If the state folder cannot be written.
    """
    given = _find(file)
    if given.data is None:
        ref = read_document(given.path, max_pages=max_pages)
    else:
        ref = read_document_bytes(given.data, name=given.name, source=given.path, max_pages=max_pages)
        _keep(given.path, given.data)
    document = load_document(ref)
    return RunInput(name=given.name, path=given.path, paper=_paper(document, ref["path"])), document


def read_standard_input() -> bytes:
    """All of it, or one byte more than a paper may have."""
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _find(file: str) -> _Given:
    if file == STANDARD_INPUT:
        data = read_standard_input()
        return _Given("standard input", _path_for(data, ""), data)
    path = Path(file).expanduser()
    if path.is_fifo():
        data = read_pipe(path, MAX_BYTES + 1)
        return _Given(file, _path_for(data, path.suffix), data)
    if not path.exists():  # `read_paper` would take some names for text
        raise BadInput(f"There is no file {file!r}; check its name.", kind="missing_file")
    # With a folder in front, so that no name can be taken for text.
    return _Given(path.name, str(path.resolve()), None)


def _path_for(data: bytes, suffix: str) -> str:
    """Where to keep what can be read only once; the suffix tells its format."""
    return str(state_folder().absolute() / "papers" / f"{hashlib.sha256(data).hexdigest()}.input{suffix}")


def _keep(path: str, data: bytes) -> None:
    """Keep what can be read only once, so that the run can be resumed."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)
    except OSError as error:
        raise storage_error(error, Path(path)) from error


def _paper(document: Document, path: str) -> Paper:
    return Paper(
        sha256=document["sha256"],
        path=path,
        title=document["title"],
        format=document["format"],
        scope="whole",
        words=sum(len(paragraph["text"].split()) for paragraph in document["paragraphs"]),
        pages=document["pages"],
        warnings=document["warnings"],
    )
