"""Read papers of any format from files, bytes or text, and store the documents.

A document is stored in the state folder under the hash of its file, so the same content is read only once; the state of
a run holds a reference.
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
from state.files import delete_state_files, read_pipe, resolve_state_folder, save_state_file
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
# How files begin, for names that do not show the format.
_XML = rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*"
_FORMAT_SIGNATURES: dict[DocumentFormat, re.Pattern[bytes]] = {
    "html": re.compile(_XML + rb"<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL),
    "jats": re.compile(_XML + rb"<(?:!DOCTYPE (?:pmc-)?article|pmc-articleset|article\s[^>]*article-type=)", re.DOTALL),
    "latex": re.compile(rb"^\s*\\(?:documentclass|documentstyle|begin\{document\})", re.MULTILINE),
    "markdown": re.compile(rb"^#{1,6} \S", re.MULTILINE),
}
# Formats that are parsed in a process of its own, and the modules that do it.
_PARSER_MODULES: dict[str, str] = {"pdf": "tools.documents.pdf.process", "docx": "tools.documents.word"}
# Raise this number when the same bytes give another document, so that stored documents are not reused.
READER_VERSION = 12
_DOCUMENT_ADAPTER = TypeAdapter(Document)
MIN_LANGUAGE_WORDS = 20  # words, or letters of another script; shorter texts pass as English
# Share of function words in an English text. The minimum in 691 abstracts (eLife, PLOS, Cochrane) and 611 plain
# summaries is 0.13, in 194 whole papers 0.19; in abstracts in five other languages it is 0.00 to 0.02.
MIN_FUNCTION_WORD_SHARE = 0.07
NOT_ENGLISH_WARNING = (
    "it does not read as English, which prompts, grades and checks are made for: none of them is valid here"
)
_FUNCTION_WORDS = frozenset(
    "the of and to is was were with for that by from this we which not or has have be as it its these than can".split()  # noqa: SIM905 - readable
)
_WORD = re.compile(r"[^\W\d_]+")


def read_document(source: str, *, scope: Scope = "whole", max_pages: int = 100) -> DocumentRef:
    """Read a paper, given by path or as text, store it and return a reference; asynchronous code needs a thread for it.

    Args:
        source: Path of a PDF, Word, HTML, JATS, Markdown, LaTeX or text file, or the text itself: a string with white
            space that is no existing file.
        scope: Part that `load_source_text` returns; `auto` is the abstract of a PDF or Word file if it is found, and
            otherwise the whole paper.
        max_pages: Maximum number of pages of a PDF.

    Raises:
        InputError: The paper cannot be used; `kind` says why.
        StateError: The document cannot be stored.
    """
    data, path = read_source_bytes(source)
    file = Path(path).expanduser().absolute()
    stored = str(file) if path and not file.is_fifo() else ""
    if stored and _detect_format(data, path) == "latex":
        # Text from several files has no source of its own, so its bytes are kept like those of a pipe.
        whole = insert_included_files(data, file)
        stored, data = (stored if whole == data else ""), whole
    return read_document_bytes(data, name=path or "the text", source=stored, scope=scope, max_pages=max_pages)


def read_document_bytes(
    data: bytes, *, name: str, source: str = "", scope: Scope = "whole", max_pages: int = 100
) -> DocumentRef:
    """Read a paper from its bytes, store it and return a reference, as `read_document` does.

    The suffix of the name, which messages quote, shows the format if the bytes do not. Without the path of a file as
    the source, the bytes are stored in the state folder.
    """
    # 1. Check the size.
    if len(data) > MAX_BYTES:
        raise _build_length_error(name, f"{MAX_BYTES // 1_000_000} MB")
    if not data.strip():
        raise _build_empty_input_error(name)
    # 2. Load the document if this content was read before; its file may be missing or damaged.
    document_format, sha256 = _detect_format(data, name), hashlib.sha256(data).hexdigest()
    path = _resolve_documents_folder() / f"{sha256}.{document_format}.v{READER_VERSION}.json"
    document: Document | None = None
    with suppress(OSError, ValueError):
        document = _load_stored_document(path, sha256)
    # 3. Otherwise parse and store it.
    if document is None:
        parts = _parse_by_format(data, document_format, name, max_pages)
        document = build_document_from_parts(parts, sha256=sha256, document_format=document_format)
        if not document["text"]:
            raise _build_empty_input_error(name)
        if len(document["text"].split()) > MAX_WORDS:
            raise _build_length_error(name, f"{MAX_WORDS:,} words")
        save_state_file(path, _DOCUMENT_ADAPTER.dump_json(document))
    # 4. Select the part that is used. The limit of pages may be lower than when the document was stored.
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
    """Return a paper's bytes, at most one over the limit, and its path, which is empty if the source is the text.

    Raises:
        InputError: The source is empty, names no readable file, or is no valid text.
    """
    if not source.strip():
        raise _build_empty_input_error("the text")
    # 1. Try to read a file, one byte more than allowed, so that the caller sees that it is too long.
    try:
        path = Path(source).expanduser()
        if path.is_fifo():
            return read_pipe(path, MAX_BYTES + 1), source
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1), source
    except InputError:  # which is a RuntimeError
        raise
    except IsADirectoryError:
        raise InputError(f"{source} is a folder; name one paper in it.", kind="missing_file") from None
    except (FileNotFoundError, NotADirectoryError, ValueError, RuntimeError):
        # ValueError is raised for NUL characters, RuntimeError for `~` of an unknown user.
        line = source.strip()
        is_name = len(line.split()) == 1 or ("\n" not in line and PurePath(line).suffix.lower() in _PAPER_SUFFIXES)
        if is_name and "\n\n" not in source:
            raise InputError(f"There is no file {source}; check its name.", kind="missing_file") from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            message = f"{source} cannot be read ({error.strerror}); check its permissions."
            raise InputError(message, kind="missing_file") from error
    # 2. No file has this name, so the source is the text itself.
    try:
        return source.encode(), ""
    except UnicodeEncodeError as error:
        message = f"The text is no valid Unicode at character {error.start}; decode its source as UTF-8 and try again."
        raise InputError(message, kind="not_utf8") from None


def _detect_format(data: bytes, name: str) -> DocumentFormat:
    """Return a paper's format: PDF or Word by its bytes, else by its name's suffix, or by its content; else `text`."""
    suffix = PurePath(name).suffix.lower()
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if data.startswith(b"PK\x03\x04") and b"word/" in data:
        return "docx"
    if suffix in FORMATS:
        return FORMATS[suffix]
    for known, pattern in _FORMAT_SIGNATURES.items():
        # A line of a text file may begin with #; only text without a name, as from standard input, is Markdown then.
        if not (suffix and known == "markdown") and pattern.search(data[:10_000]):
            return known
    return "text"


def _parse_by_format(data: bytes, document_format: DocumentFormat, name: str, max_pages: int) -> DocumentParts:
    """Parse a paper into its parts with the parser of its format, whose libraries are imported only then."""
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
    """Return the used part of a document, its text, and warnings; raise `InputError` without a required abstract."""
    prefers_abstract = scope == "abstract" or (scope == "auto" and document["format"] in ("pdf", "docx"))
    if prefers_abstract and document["abstract"]:
        return "abstract", document["abstract"], []
    if scope == "abstract":
        raise InputError(
            f"{name} has no abstract that could be recognised; use the whole paper, or put a line `Abstract` above it "
            "and a line `Introduction` below."
        )
    missing = ["the abstract was not found, so the whole paper is used"] if prefers_abstract else []
    return "whole", document["text"], document["warnings"] + missing


def _build_length_error(name: str, limit: str) -> InputError:
    """Build the error that a paper is longer than a limit with its unit, such as `50 MB`."""
    return InputError(f"{name} has more than {limit}; pass the part that matters.", kind="input_too_long")


def _build_empty_input_error(name: str) -> InputError:
    return InputError(f"{name} is empty; pass a paper as PDF, Word, Markdown or plain text.", kind="empty_input")


def save_input(data: bytes, sha256: str, suffix: str) -> Path:
    """Store the bytes of a paper in the state folder, unless they are there, and return the path: hash and suffix.

    Raises:
        StateError: The state folder cannot be written, or the disk is full.
    """
    path = _resolve_documents_folder() / f"{sha256}{suffix}"
    if not path.exists() or path.read_bytes() != data:
        save_state_file(path, data)
    return path


def load_document(ref: DocumentRef) -> Document:
    """Load a stored document, which is cached, so callers must not change it.

    Raises:
        StateError: The file is missing, or was changed.
    """
    path = Path(ref["path"])
    try:
        return _load_stored_document(path, ref["sha256"])
    except OSError as error:
        message = f"The stored document {path} cannot be read ({error.strerror}); start a new run from the paper."
        raise StateError(message, kind="missing_file") from error
    except ValueError as error:
        message = f"The stored document {path} was changed since it was read; start a new run from the paper."
        raise StateError(message, kind="run_incompatible") from error


def delete_document(ref: DocumentRef) -> None:
    """Delete the stored bytes of a paper and its documents of all reader versions from the state folder.

    Raises:
        StateError: The state folder cannot be written.
    """
    delete_state_files(_resolve_documents_folder(), f"{ref['sha256']}*")


def load_source_text(ref: DocumentRef) -> str:
    """Load the text that models read: the abstract or the whole document, as the reference says."""
    document = load_document(ref)
    return document["abstract"] if ref["scope"] == "abstract" else document["text"]


def _resolve_documents_folder() -> Path:
    """Return the folder of stored documents, which may not exist yet."""
    return resolve_state_folder().absolute() / "documents"


def _load_stored_document(path: Path, sha256: str) -> Document:
    """Load a stored document; raise OSError or ValueError if its file is missing, damaged, or that of another."""
    # Nodes load papers in the event loop, where `os.stat` counts as blocking and opening a local file does not.
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
    return _load_cached_document(path, sha256, (status.st_ino, status.st_mtime_ns, status.st_size))


# Agents load the document before each question, and it is large: it has the place of each word.
@lru_cache(maxsize=8)
def _load_cached_document(path: Path, sha256: str, _status: tuple[int, int, int]) -> Document:
    """Load a stored document, or return it from the cache while the file's status is the same."""
    document = _DOCUMENT_ADAPTER.validate_json(path.read_bytes(), strict=True)
    if document["sha256"] != sha256:
        raise ValueError(f"the document is that of {document['sha256']}")
    return document


def is_english(text: str) -> bool:
    """Return whether a text has mostly Latin letters and enough English function words; a very short one passes."""
    words = _WORD.findall(text.casefold())
    letters = "".join(words)
    if len(letters) >= MIN_LANGUAGE_WORDS and sum(letter.isascii() for letter in letters) < len(letters) / 2:
        return False
    function_words = sum(word in _FUNCTION_WORDS for word in words)
    return len(words) < MIN_LANGUAGE_WORDS or function_words >= MIN_FUNCTION_WORD_SHARE * len(words)
