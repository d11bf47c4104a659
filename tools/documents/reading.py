"""Read a paper, in any format, once a content: from a file, from bytes, or from text that is given as such.

What was read is kept in the state folder under the hash of the file; a run's state holds only the reference.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Literal

from pydantic import TypeAdapter

from state.documents import FORMAT_NAMES, Document, DocumentFormat, DocumentRef
from state.errors import InputError, StateError
from state.files import make_storage_error, read_pipe, resolve_state_folder, write_atomically
from state.settings import Scope
from tools.documents.latex_source import insert_included_files
from tools.documents.parser_process import MAX_CHARACTERS, UnreadableFileError, describe_page_limit, run_parser
from tools.documents.structure import (
    DocumentParts,
    build_document_from_parts,
    clean_characters,
    decode_text,
    parse_plain_text,
)

MAX_BYTES = 50_000_000
MAX_WORDS = 200_000
FORMATS: dict[str, DocumentFormat] = {
    ".pdf": "pdf",
    ".docx": "docx",
    **dict.fromkeys((".md", ".markdown", ".qmd", ".rmd"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".tex", ".latex", ".ltx"), "latex"),
    **dict.fromkeys((".nxml", ".xml"), "jats"),
}
_PAPER_SUFFIXES = {*FORMATS, ".txt", ".text", ".doc"}
# How files begin whose names do not tell the format.
_XML = rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*"
_FORMAT_SIGNATURES: dict[DocumentFormat, re.Pattern[bytes]] = {
    "html": re.compile(_XML + rb"<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL),
    "jats": re.compile(_XML + rb"<(?:!DOCTYPE (?:pmc-)?article|pmc-articleset|article\s[^>]*article-type=)", re.DOTALL),
    "latex": re.compile(rb"^\s*\\(?:documentclass|documentstyle|begin\{document\})", re.MULTILINE),
    "markdown": re.compile(rb"^#{1,6} \S", re.MULTILINE),
}


def read_document(source: str, *, scope: Scope = "whole", max_pages: int = 100) -> DocumentRef:
    """Read a paper and store it; blocks, so asynchronous code calls it in a thread.

    Args:
        source: Path of a PDF, Word, HTML, JATS, Markdown, LaTeX or text file, or the text itself: a string with white
            space in it that is no existing file.
        scope: What `load_source_text` gives of it; `auto` is the abstract of a PDF or Word file where it can be found,
            and otherwise the whole paper.
        max_pages: Longest PDF to accept.

    Raises:
        BadInput: The paper cannot be used; `kind` says why.
        StateError: The document cannot be stored.
    """
    data, path = read_source_bytes(source)
    place = Path(path).expanduser().absolute()
    lasting = str(place) if path and not place.is_fifo() else ""
    if lasting and _detect_format(data, path) == "latex":
        whole = insert_included_files(data, place)
        lasting, data = (lasting if whole == data else ""), whole
    return read_document_bytes(data, name=path or "the text", source=lasting, scope=scope, max_pages=max_pages)


def read_document_bytes(
    data: bytes, *, name: str, source: str = "", scope: Scope = "whole", max_pages: int = 100
) -> DocumentRef:
    """Read a paper from its bytes, as `read_document` does.

    Args:
        data: The file.
        name: Stands in messages; its suffix tells the format, where the bytes do not.
        source: Path of the file; without one the bytes are kept in the state folder.
        scope: What `load_source_text` gives of it.
        max_pages: Longest PDF to accept.
    """
    if len(data) > MAX_BYTES:
        raise _build_length_error(name, f"{MAX_BYTES // 1_000_000} MB")
    if not data.strip():
        raise _build_empty_input_error(name)
    document_format, sha256 = _detect_format(data, name), hashlib.sha256(data).hexdigest()
    path = _resolve_documents_folder() / f"{sha256}.{document_format}.v{READER_VERSION}.json"
    document: Document | None = None
    with suppress(OSError, ValueError):  # there is none yet, or its file is damaged
        document = _validate_document(path.read_bytes(), sha256)
    if document is None:
        parts = _parse_by_format(data, document_format, name, max_pages)
        document = build_document_from_parts(parts, sha256=sha256, document_format=document_format)
        if not document["text"]:
            raise _build_empty_input_error(name)
        if len(document["text"].split()) > MAX_WORDS:
            raise _build_length_error(name, f"{MAX_WORDS:,} words")
        _save_bytes(path, _DOCUMENT_ADAPTER.dump_json(document))
    if document["pages"] > max_pages:
        raise InputError(f"{name} {describe_page_limit(document['pages'], max_pages)}", kind="input_too_long")
    chosen, text, warnings = _select_scope(document, scope, name)
    language = [] if is_english(text) else [NOT_ENGLISH_WARNING]
    return DocumentRef(
        sha256=sha256,
        path=str(path),
        source=source or str(save_input(data, sha256, PurePath(name).suffix)),
        title=document["title"],
        format=document_format,
        scope=chosen,
        words=len(text.split()),
        pages=document["pages"],
        paragraphs=len(document["paragraphs"]),
        warnings=[*language, *warnings],
    )


def read_source_bytes(source: str) -> tuple[bytes, str]:
    """Bytes of a paper and its path, which is empty if the source is the text itself.

    Raises:
        BadInput: The source is empty, names no file that can be read, or is no text.
    """
    if not source.strip():
        raise _build_empty_input_error("the text")
    data = _read_file_bytes(source)
    if data is not None:
        return data, source
    try:
        return source.encode(), ""
    except UnicodeEncodeError as error:
        raise InputError(
            f"The text holds half a surrogate pair at character {error.start}, which is no text; decode its source "
            "as UTF-8 and try again.",
            kind="not_utf8",
        ) from None


def _read_file_bytes(source: str) -> bytes | None:
    """Bytes of a file, one more than allowed at most; None if the source is the text itself."""
    try:
        path = Path(source).expanduser()
        if path.is_fifo():
            return read_pipe(path, MAX_BYTES + 1)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except InputError:  # a RuntimeError, too
        raise
    except IsADirectoryError:
        raise InputError(f"{source} is a folder; name one paper in it.", kind="missing_file") from None
    except (FileNotFoundError, NotADirectoryError, ValueError, RuntimeError):  # NUL characters; ~ of an unknown user
        line = source.strip()
        is_name = len(line.split()) == 1 or ("\n" not in line and PurePath(line).suffix.lower() in _PAPER_SUFFIXES)
        if is_name and "\n\n" not in source:
            raise InputError(f"There is no file {source}; check its name.", kind="missing_file") from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise InputError(
                f"{source} cannot be read ({error.strerror}); check its permissions.", kind="missing_file"
            ) from error
    return None


def _detect_format(data: bytes, name: str) -> DocumentFormat:
    suffix = PurePath(name).suffix.lower()
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if data.startswith(b"PK\x03\x04") and b"word/" in data:
        return "docx"
    if suffix in FORMATS:
        return FORMATS[suffix]
    named = {"markdown"} if suffix else set()  # a line of a text file may begin with #; standard input has no name
    found = (
        name for name, pattern in _FORMAT_SIGNATURES.items() if name not in named and pattern.search(data[:10_000])
    )
    return next(found, "text")


# Read in a process of its own, by these modules.
_PARSER_MODULES: dict[str, str] = {"pdf": "tools.documents.pdf.process", "docx": "tools.documents.word"}


def _parse_by_format(data: bytes, document_format: DocumentFormat, name: str, max_pages: int) -> DocumentParts:
    """Parts of a paper; the libraries of a format are loaded only when one of that format is read."""
    try:
        if document_format in _PARSER_MODULES:
            return run_parser(_PARSER_MODULES[document_format], data, name=name, limit=max_pages)
        text = clean_characters(decode_text(data, name=name))
        if len(text) > MAX_CHARACTERS:
            raise _build_length_error(name, f"{MAX_CHARACTERS:,} characters")
        if document_format == "text":
            return parse_plain_text(text)
        if document_format == "latex":
            from tools.documents.latex import parse_latex  # noqa: PLC0415

            return parse_latex(text)
        if document_format == "jats":
            from tools.documents.jats import parse_jats  # noqa: PLC0415

            return parse_jats(text)
        from tools.documents.web_pages import parse_html, parse_markdown  # noqa: PLC0415

        return parse_html(text) if document_format == "html" else parse_markdown(text)
    except UnreadableFileError as error:
        raise InputError(
            f"{name} cannot be read as {FORMAT_NAMES[document_format]} ({error}); open it in the program that it is "
            "made for, save it anew or in another format, and try again.",
            kind="broken_pdf" if document_format == "pdf" else "binary_input",
        ) from None


def _select_scope(document: Document, scope: Scope, name: str) -> tuple[Literal["abstract", "whole"], str, list[str]]:
    """The part of a document that is used, its text, and the warnings that concern it."""
    wanted = scope == "abstract" or (scope == "auto" and document["format"] in ("pdf", "docx"))
    if wanted and document["abstract"]:
        return "abstract", document["abstract"], []
    if scope == "abstract":
        raise InputError(
            f"{name} has no abstract that could be recognised; use the whole paper, or put a line `Abstract` above it "
            "and a line `Introduction` below."
        )
    missed = ["the abstract was not found, so the whole paper is used"] if wanted else []
    return "whole", document["text"], document["warnings"] + missed


def _build_length_error(name: str, limit: str) -> InputError:
    return InputError(f"{name} has more than {limit}; pass the part that matters.", kind="input_too_long")


def _build_empty_input_error(name: str) -> InputError:
    return InputError(f"{name} is empty; pass a paper as PDF, Word, Markdown or plain text.", kind="empty_input")


READER_VERSION = 11
"""To be raised whenever the same bytes would give another document, so that none of the old ones is used."""
_DOCUMENT_ADAPTER = TypeAdapter(Document)


def save_input(data: bytes, sha256: str, suffix: str) -> Path:
    """Keep a paper as it was given and return its path; the suffix tells its format.

    Raises:
        StateError: The state folder cannot be written, or the disk is full.
    """
    path = _resolve_documents_folder() / f"{sha256}{suffix}"
    if not path.exists() or path.read_bytes() != data:
        _save_bytes(path, data)
    return path


def load_document(ref: DocumentRef) -> Document:
    """The document that was read before; not to be changed, for others may be given the same.

    Raises:
        StateError: Its file is gone, or is no longer that of this document.
    """
    path = Path(ref["path"])
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
        return _load_cached_document(path, ref["sha256"], (status.st_ino, status.st_mtime_ns, status.st_size))
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
    """Remove all that is kept of a paper: its documents, by whichever reader, and the paper itself.

    Raises:
        StateError: The state folder cannot be written.
    """
    try:
        for path in _resolve_documents_folder().glob(f"{ref['sha256']}*"):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise make_storage_error(error, _resolve_documents_folder()) from error


def load_source_text(ref: DocumentRef) -> str:
    """What a model reads of a document: its abstract or the whole of it, as the reference says.

    Raises:
        StateError: As `load_document`.
    """
    document = load_document(ref)
    return document["abstract"] if ref["scope"] == "abstract" else document["text"]


def _resolve_documents_folder() -> Path:
    return resolve_state_folder().absolute() / "documents"


def _save_bytes(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
    except OSError as error:
        raise make_storage_error(error, path.parent) from error


@lru_cache(maxsize=8)
def _load_cached_document(path: Path, sha256: str, _: tuple[int, int, int]) -> Document:
    """Read once as long as the file is the same: agents ask before each question, and it has the place of each word."""
    return _validate_document(path.read_bytes(), sha256)


def _validate_document(data: bytes, sha256: str) -> Document:
    """A document of the given hash; a pydantic `ValidationError` is a ValueError, too."""
    document = _DOCUMENT_ADAPTER.validate_json(data, strict=True)
    if document["sha256"] != sha256:
        raise ValueError(f"the document is that of {document['sha256']}")
    return document


MIN_LANGUAGE_WORDS = 20
"""Words, or letters of another script, below which a text is not judged."""
MIN_FUNCTION_WORD_SHARE = 0.07
"""Share of function words among the words of an English text.

The least in 691 abstracts (eLife, PLOS, Cochrane) and 611 plain summaries is 0.13, in 194 whole papers 0.19; in
abstracts in five other languages it is 0.00 to 0.02.
"""
NOT_ENGLISH_WARNING = (
    "it does not read as English, which prompts, grades and checks are made for: none of them is valid here"
)

_FUNCTION_WORDS = frozenset(
    "the of and to is was were with for that by from this we which not or has have be as it its these than can".split()  # noqa: SIM905 - one can read it
)
_WORD = re.compile(r"[^\W\d_]+")


def is_english(text: str) -> bool:
    """Whether a text is in Latin letters and has the function words of English; a very short one passes for it."""
    words = _WORD.findall(text.casefold())
    letters = "".join(words)
    if len(letters) >= MIN_LANGUAGE_WORDS and sum(letter.isascii() for letter in letters) < len(letters) / 2:
        return False
    return len(words) < MIN_LANGUAGE_WORDS or sum(
        word in _FUNCTION_WORDS for word in words
    ) >= MIN_FUNCTION_WORD_SHARE * len(words)
