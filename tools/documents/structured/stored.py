"""Documents as they lie in the state folder: one JSON file for each content, format and version of the parser."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from state.documents import Document, DocumentFormat, DocumentRef
from state.errors import StateError
from state.files import write_atomically
from state.paths import state_folder
from tools.documents.store import unwritable

PARSER_VERSION = 1
"""To be raised whenever the same bytes would give another document, so that none of the old ones is used."""
_DOCUMENT = TypeAdapter(Document)


def document_path(sha256: str, document_format: DocumentFormat) -> Path:
    """Where the document of some bytes is kept."""
    return state_folder().absolute() / "documents" / f"{sha256}.{document_format}.v{PARSER_VERSION}.json"


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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, _DOCUMENT.dump_json(document))
    except OSError as error:
        raise unwritable(path.parent, error) from error


def load_document(ref: DocumentRef) -> Document:
    """The document that was read before.

    Raises:
        StateError: Its file is gone, or is no longer that of this document.
    """
    path = Path(ref["path"])
    try:
        return _validated(path.read_bytes(), ref["sha256"])
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


def _validated(data: bytes, sha256: str) -> Document:
    """A document of the given hash; a pydantic `ValidationError` is a ValueError, too."""
    document = _DOCUMENT.validate_json(data, strict=True)
    if document["sha256"] != sha256:
        raise ValueError(f"the document is that of {document['sha256']}")
    return document
