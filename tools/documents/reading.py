"""Reads one paper: a file, bytes from standard input, or the text itself."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Literal, NamedTuple

from state.errors import BadInput
from state.records import Paper
from state.settings import Scope
from tools.documents.decoding import clean_characters, decode
from tools.documents.lines import reflow
from tools.documents.markdown import plain_markdown
from tools.documents.pdf import is_pdf, read_pdf
from tools.documents.pypdf_process import MAX_CHARACTERS
from tools.documents.sections import cut_references, find_abstract
from tools.documents.store import store_text
from tools.documents.titles import markdown_title, text_title
from tools.input_files import read_pipe

MAX_BYTES = 50_000_000
MAX_WORDS = 200_000
MARKDOWN_SUFFIXES = {".md", ".markdown", ".qmd", ".rmd"}
_PAPER_SUFFIXES = MARKDOWN_SUFFIXES | {".pdf", ".txt", ".text", ".docx", ".doc", ".tex", ".html", ".htm"}


class _Document(NamedTuple):
    """A paper as it was read, before the abstract or the whole of it is chosen."""

    format: Literal["text", "markdown", "pdf"]
    title: str
    lines: list[str]
    pages: int
    warnings: list[str]


def read_paper(source: str, *, scope: Scope = "auto", max_pages: int = 100) -> Paper:
    """Read a paper and store its plain text; blocks, so asynchronous code calls it in a thread.

    Args:
        source: Path of a file, or the text itself: a string with white space in it that is no existing file.
        scope: What to keep; `auto` is the abstract of a PDF where it can be found, and otherwise the whole paper.
        max_pages: Longest PDF to accept.

    Raises:
        BadInput: The paper cannot be used; `kind` says why.
        StateError: Its text cannot be stored.
    """
    data, path = source_bytes(source)
    return read_bytes(data, name=path or "the text", scope=scope, max_pages=max_pages)


def read_bytes(data: bytes, *, name: str, scope: Scope = "auto", max_pages: int = 100) -> Paper:
    """Read a paper from its bytes, as `read_paper` does; `name` stands in messages, its suffix tells Markdown."""
    check_bytes(data, name)
    document = _read_pdf(data, name, max_pages) if is_pdf(data, name=name) else _read_text(data, name)
    refuse_long(document.lines, name)
    chosen, lines, warnings = _choose(document, scope, name)
    text = reflow(lines) if document.format == "pdf" else "\n".join(lines).strip()
    if not text:
        raise empty_input(name)
    return Paper(
        sha256=hashlib.sha256(data).hexdigest(),
        path=str(store_text(text)),
        title=document.title,
        format=document.format,
        scope=chosen,
        words=len(text.split()),
        pages=document.pages,
        warnings=warnings,
    )


def source_bytes(source: str) -> tuple[bytes, str]:
    """Bytes of a paper and its path, which is empty if the source is the text itself.

    Raises:
        BadInput: The source is empty, names no file that can be read, or is no text.
    """
    if not source.strip():
        raise empty_input("the text")
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


def check_bytes(data: bytes, name: str) -> None:
    """Refuse a paper that is empty or too large.

    Raises:
        BadInput: It is.
    """
    if len(data) > MAX_BYTES:
        raise BadInput(
            f"{name} is larger than {MAX_BYTES // 1_000_000} MB; pass the paper without its attachments and images.",
            kind="input_too_long",
        )
    if not data.strip():
        raise empty_input(name)


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


def _read_pdf(data: bytes, name: str, max_pages: int) -> _Document:
    pdf = read_pdf(data, name=name, max_pages=max_pages)
    return _Document("pdf", pdf.title, pdf.lines, pdf.pages, pdf.warnings)


def read_characters(data: bytes, *, name: str) -> str:
    """Clean text of a file that is no PDF.

    Raises:
        BadInput: It is no text, or too long.
    """
    text = clean_characters(decode(data, name=name))
    if len(text) > MAX_CHARACTERS:
        raise _too_long(name, f"{MAX_CHARACTERS:,} characters")
    return text


def _read_text(data: bytes, name: str) -> _Document:
    text = read_characters(data, name=name)
    markdown = PurePath(name).suffix.lower() in MARKDOWN_SUFFIXES
    plain = plain_markdown(text) if markdown else text
    if not plain.strip():
        raise empty_input(name)
    lines = plain.split("\n")
    title = markdown_title(plain) if markdown else text_title(lines)
    return _Document("markdown" if markdown else "text", title, lines, pages=0, warnings=[])


def _choose(document: _Document, scope: Scope, name: str) -> tuple[Literal["abstract", "whole"], list[str], list[str]]:
    """The part of the document that is used, with the warnings that concern it."""
    wanted = scope == "abstract" or (scope == "auto" and document.format == "pdf")
    abstract = find_abstract(document.lines) if wanted else None
    if abstract is not None:
        return "abstract", abstract, []
    if scope == "abstract":
        raise BadInput(
            f"{name} has no abstract that could be recognised; use the whole paper, or put a line `Abstract` above it "
            "and a line `Introduction` below."
        )
    missed = ["the abstract was not found, so the whole paper is used"] if wanted else []
    return "whole", cut_references(document.lines), document.warnings + missed


def refuse_long(lines: Iterable[str], name: str) -> None:
    """Refuse a paper of too many words.

    Raises:
        BadInput: It has more than `MAX_WORDS`.
    """
    if sum(len(line.split()) for line in lines) > MAX_WORDS:
        raise _too_long(name, f"{MAX_WORDS:,} words")


def _too_long(name: str, limit: str) -> BadInput:
    return BadInput(f"{name} has more than {limit}; pass the part that matters.", kind="input_too_long")


def empty_input(name: str) -> BadInput:
    """What the user is told of a paper without text."""
    return BadInput(f"{name} is empty; pass a paper as PDF, Markdown or plain text.", kind="empty_input")
