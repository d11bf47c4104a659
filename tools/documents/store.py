"""Documents as they lie in the state folder: a JSON file for each content, format and version of the reader.

What came as text, or can be read only once, lies beside its document as it was given, so that a run can begin again.
"""

from __future__ import annotations

import errno
import json
import os
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from state.documents import Document, DocumentFormat, DocumentRef
from state.errors import StateError
from state.files import state_folder, storage_error, write_atomically

READER_VERSION = 3
"""To be raised whenever the same bytes would give another document, so that none of the old ones is used."""
_DOCUMENT = TypeAdapter(Document)


def document_path(sha256: str, document_format: DocumentFormat) -> Path:
    """Where the document of some bytes is kept."""
    return _folder() / f"{sha256}.{document_format}.v{READER_VERSION}.json"


def stored_document(path: Path, sha256: str) -> Document | None:
    """A document that was read before; None if there is none, or its file is damaged."""
    try:
        return _validated(path.read_bytes(), sha256)
    except (OSError, ValueError):
        return None


def store_document(path: Path, document: Document) -> None:
    """Keep a document, whole or not at all.

    Raises:
        StateError: The state folder cannot be written, or the disk is full.
    """
    _write(path, _DOCUMENT.dump_json(document))


def keep_input(data: bytes, sha256: str, suffix: str) -> Path:
    """Keep a paper as it was given and return its path; the suffix tells its format.

    Raises:
        StateError: The state folder cannot be written, or the disk is full.
    """
    path = _folder() / f"{sha256}{suffix}"
    if not path.exists() or path.read_bytes() != data:
        _write(path, data)
    return path


def load_document(ref: DocumentRef) -> Document:
    """The document that was read before; not to be changed, for others may be given the same.

    Raises:
        StateError: Its file is gone, is no longer that of this document, or is of an earlier version.
    """
    path = Path(ref["path"])
    if path.suffix == ".txt":
        raise StateError(
            f"The paper of this run, {path}, was stored by an earlier version of Draftroom (reader 1, this one is "
            f"{READER_VERSION}); finish the run with that version, or start a new run from the paper.",
            kind="run_incompatible",
        )
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
        return _kept(path, ref["sha256"], (status.st_ino, status.st_mtime_ns, status.st_size))
    except OSError as error:
        raise StateError(
            f"The stored document, {path}, cannot be read ({error.strerror}); start a new run from the paper.",
            kind="missing_file",
        ) from error
    except ValueError as error:
        raise StateError(
            f"The stored document, {path}, was changed since it was read; start a new run from the paper.",
            kind="run_incompatible",
        ) from error


def delete_document(ref: DocumentRef) -> None:
    """Remove all that is kept of a paper: its documents, by whichever version they were read, and the paper itself.

    Raises:
        StateError: The state folder cannot be written.
    """
    names = {ref["sha256"], Path(ref["path"]).name.partition(".")[0]}
    for folder in (_folder(), _folder().with_name("papers")):  # the latter is that of version 1
        try:
            for path in folder.glob("*"):
                if path.name.partition(".")[0] in names:
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, folder) from error


def stored_text(ref: DocumentRef) -> str:
    """What a model reads of a document: its abstract or the whole of it, as the reference says.

    Raises:
        StateError: As `load_document`.
    """
    document = load_document(ref)
    return document["abstract"] if ref["scope"] == "abstract" else document["text"]


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


def _folder() -> Path:
    return state_folder().absolute() / "documents"


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
    except OSError as error:
        raise unwritable(path.parent, error) from error


@lru_cache(maxsize=8)
def _kept(path: Path, sha256: str, _: tuple[int, int, int]) -> Document:
    """Read once as long as the file is the same: agents ask before each question, and it has the place of each word."""
    return _validated(path.read_bytes(), sha256)


def _validated(data: bytes, sha256: str) -> Document:
    """A document of the given hash; a pydantic `ValidationError` is a ValueError, too."""
    stored = json.loads(data)
    if not isinstance(stored, dict):
        raise ValueError("it is no document")  # noqa: TRY004 - a damaged file
    # Reader 1, whose reviews are still shown, had no `text`.
    document = _DOCUMENT.validate_python({"text": "", **stored}, strict=True)
    if document["sha256"] != sha256:
        raise ValueError(f"the document is that of {document['sha256']}")
    return document
