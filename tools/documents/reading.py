"""Reads one paper of any format, a file, bytes or the text itself, into a stored document, once for each content."""

from __future__ import annotations

import errno
import hashlib
import re
from pathlib import Path, PurePath
from typing import Literal

from state.documents import Document, DocumentFormat, DocumentRef
from state.errors import BadInput
from state.files import read_pipe
from state.settings import Scope
from tools.documents.guarded import MAX_CHARACTERS
from tools.documents.language import NOT_ENGLISH, is_english
from tools.documents.plain_text import clean_characters, decode, text_parts
from tools.documents.store import document_path, keep_input, store_document, stored_document
from tools.documents.structure import Parts, outline

MAX_BYTES = 50_000_000
MAX_WORDS = 200_000
FORMATS: dict[str, DocumentFormat] = {
    ".pdf": "pdf",
    ".docx": "docx",
    **dict.fromkeys((".md", ".markdown", ".qmd", ".rmd"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".tex", ".latex", ".ltx"), "latex"),
}
_PAPER_SUFFIXES = {*FORMATS, ".txt", ".text", ".doc"}
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
_MARKDOWN = re.compile(rb"^#{1,6} \S", re.MULTILINE)
_LATEX = re.compile(rb"^\s*\\(?:documentclass|documentstyle|begin\{document\})", re.MULTILINE)


def read_document(source: str, *, scope: Scope = "whole", max_pages: int = 100) -> DocumentRef:
    """Read a paper and store it; blocks, so asynchronous code calls it in a thread.

    Args:
        source: Path of a PDF, Word, HTML, Markdown, LaTeX or text file, or the text itself: a string with white space
            in it that is no existing file.
        scope: What `stored_text` gives of it; `auto` is the abstract of a PDF or Word file where it can be found, and
            otherwise the whole paper.
        max_pages: Longest PDF to accept.

    Raises:
        BadInput: The paper cannot be used; `kind` says why.
        StateError: The document cannot be stored.
    """
    data, path = source_bytes(source)
    lasting = str(Path(path).expanduser().absolute()) if path and not Path(path).expanduser().is_fifo() else ""
    return read_document_bytes(data, name=path or "the text", source=lasting, scope=scope, max_pages=max_pages)


def read_document_bytes(
    data: bytes, *, name: str, source: str = "", scope: Scope = "whole", max_pages: int = 100
) -> DocumentRef:
    """Read a paper from its bytes, as `read_document` does.

    Args:
        data: The file.
        name: Stands in messages; its suffix tells the format, where the bytes do not.
        source: Path of the file; without one the bytes are kept in the state folder.
        scope: What `stored_text` gives of it.
        max_pages: Longest PDF to accept.
    """
    _check_bytes(data, name)
    document_format, sha256 = _format(data, name), hashlib.sha256(data).hexdigest()
    path = document_path(sha256, document_format)
    document = stored_document(path, sha256)
    if document is None:
        parts = _parts(data, document_format, name, max_pages)
        document = outline(parts, sha256=sha256, document_format=document_format)
        _refuse_unusable(document["text"], name)
        store_document(path, document)
    elif document["pages"] > max_pages:
        from tools.documents.pdf.parts import too_many_pages  # noqa: PLC0415

        raise too_many_pages(name, document["pages"], max_pages)
    chosen, text, warnings = _choose(document, scope, name)
    language = [] if is_english(text) else [NOT_ENGLISH]
    return DocumentRef(
        sha256=sha256,
        path=str(path),
        source=source or str(keep_input(data, sha256, PurePath(name).suffix)),
        title=document["title"],
        format=document_format,
        scope=chosen,
        words=len(text.split()),
        pages=document["pages"],
        paragraphs=len(document["paragraphs"]),
        warnings=[*language, *warnings],
    )


def source_bytes(source: str) -> tuple[bytes, str]:
    """Bytes of a paper and its path, which is empty if the source is the text itself.

    Raises:
        BadInput: The source is empty, names no file that can be read, or is no text.
    """
    if not source.strip():
        raise _empty_input("the text")
    data = _file_bytes(source)
    if data is not None:
        return data, source
    try:
        return source.encode(), ""
    except UnicodeEncodeError as error:
        raise BadInput(
            f"The text holds half a surrogate pair at character {error.start}, which is no text; decode its source "
            "as UTF-8 and try again.",
            kind="not_utf8",
        ) from None


def _file_bytes(source: str) -> bytes | None:
    """Bytes of a file, one more than allowed at most; None if the source is the text itself."""
    try:
        path = Path(source).expanduser()
        if path.is_fifo():
            return read_pipe(path, MAX_BYTES + 1)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except BadInput:  # a RuntimeError, too
        raise
    except IsADirectoryError:
        raise BadInput(f"{source} is a folder; name one paper in it.", kind="missing_file") from None
    except (FileNotFoundError, NotADirectoryError, ValueError, RuntimeError):  # NUL characters; ~ of an unknown user
        if _names_a_file(source):
            raise BadInput(f"There is no file {source}; check its name.", kind="missing_file") from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise BadInput(
                f"{source} cannot be read ({error.strerror}); check its permissions.", kind="missing_file"
            ) from error
    return None


def _names_a_file(source: str) -> bool:
    """Whether a string that is no existing file was meant to be one; what has an empty line was not."""
    line = source.strip()
    if "\n\n" in source:
        return False
    return len(line.split()) == 1 or ("\n" not in line and PurePath(line).suffix.lower() in _PAPER_SUFFIXES)


def _check_bytes(data: bytes, name: str) -> None:
    """Refuse a paper that is empty or too large."""
    if len(data) > MAX_BYTES:
        raise BadInput(
            f"{name} is larger than {MAX_BYTES // 1_000_000} MB; pass the paper without its attachments and images.",
            kind="input_too_long",
        )
    if not data.strip():
        raise _empty_input(name)


def _format(data: bytes, name: str) -> DocumentFormat:
    suffix = PurePath(name).suffix.lower()
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if data.startswith(b"PK\x03\x04") and b"word/" in data:
        return "docx"
    if suffix in FORMATS:
        return FORMATS[suffix]
    if _HTML.match(data[:10_000]):
        return "html"
    if not suffix and _MARKDOWN.search(data[:10_000]):  # a text without a file, such as standard input
        return "markdown"
    return "latex" if _LATEX.search(data[:10_000]) else "text"


def _parts(data: bytes, document_format: DocumentFormat, name: str, max_pages: int) -> Parts:
    """Parts of a paper; the libraries of a format are loaded only when one of that format is read."""
    if document_format == "pdf":
        from tools.documents.pdf.parts import pdf_parts  # noqa: PLC0415

        return pdf_parts(data, name=name, max_pages=max_pages)
    if document_format == "docx":
        from tools.documents.word import word_parts  # noqa: PLC0415

        return word_parts(data, name=name)
    text = _characters(data, name)
    if document_format == "latex":
        from tools.documents.latex import latex_parts  # noqa: PLC0415

        return latex_parts(text)
    if document_format == "text":
        return text_parts(text)
    from tools.documents.web_pages import html_parts, markdown_parts  # noqa: PLC0415

    return html_parts(text) if document_format == "html" else markdown_parts(text)


def _characters(data: bytes, name: str) -> str:
    text = clean_characters(decode(data, name=name))
    if len(text) > MAX_CHARACTERS:
        raise _too_long(name, f"{MAX_CHARACTERS:,} characters")
    return text


def _refuse_unusable(text: str, name: str) -> None:
    if not text:
        raise _empty_input(name)
    if len(text.split()) > MAX_WORDS:
        raise _too_long(name, f"{MAX_WORDS:,} words")


def _choose(document: Document, scope: Scope, name: str) -> tuple[Literal["abstract", "whole"], str, list[str]]:
    """The part of a document that is used, its text, and the warnings that concern it."""
    wanted = scope == "abstract" or (scope == "auto" and document["format"] in ("pdf", "docx"))
    if wanted and document["abstract"]:
        return "abstract", document["abstract"], []
    if scope == "abstract":
        raise BadInput(
            f"{name} has no abstract that could be recognised; use the whole paper, or put a line `Abstract` above it "
            "and a line `Introduction` below."
        )
    missed = ["the abstract was not found, so the whole paper is used"] if wanted else []
    return "whole", document["text"], document["warnings"] + missed


def _too_long(name: str, limit: str) -> BadInput:
    return BadInput(f"{name} has more than {limit}; pass the part that matters.", kind="input_too_long")


def _empty_input(name: str) -> BadInput:
    return BadInput(f"{name} is empty; pass a paper as PDF, Word, Markdown or plain text.", kind="empty_input")
