"""Reads one paper of any format into a stored document, once for each content."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePath

from state.documents import Document, DocumentFormat, DocumentRef
from tools.documents.pdf import is_pdf, too_many_pages
from tools.documents.reading import (
    MARKDOWN_SUFFIXES,
    check_bytes,
    empty_input,
    read_characters,
    refuse_long,
    source_bytes,
)
from tools.documents.structured.blocks import Parts
from tools.documents.structured.outline import outline
from tools.documents.structured.stored import document_path, store_document, stored_document
from tools.documents.structured.text_parts import text_parts

_SUFFIXES: dict[str, DocumentFormat] = {
    **dict.fromkeys(MARKDOWN_SUFFIXES, "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".tex", ".latex", ".ltx"), "latex"),
}
_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype html|html)\b", re.IGNORECASE | re.DOTALL)
_MARKDOWN = re.compile(rb"^#{1,6} \S", re.MULTILINE)
_LATEX = re.compile(rb"^\s*\\(?:documentclass|documentstyle|begin\{document\})", re.MULTILINE)


def read_document(source: str, *, max_pages: int = 100) -> DocumentRef:
    """Read a paper with its structure and store it; blocks, so asynchronous code calls it in a thread.

    Args:
        source: Path of a PDF, HTML, Markdown, LaTeX or text file, or the text itself: a string with white space in
            it that is no existing file.
        max_pages: Longest PDF to accept.

    Raises:
        BadInput: The paper cannot be used; `kind` says why.
        StateError: The document cannot be stored.
    """
    data, path = source_bytes(source)
    absolute = str(Path(path).expanduser().absolute()) if path else ""
    return read_document_bytes(data, name=path or "the text", source=absolute, max_pages=max_pages)


def read_document_bytes(data: bytes, *, name: str, source: str = "", max_pages: int = 100) -> DocumentRef:
    """Read a paper from its bytes, as `read_document` does.

    Args:
        data: The file.
        name: Stands in messages; its suffix tells the format, where the bytes do not.
        source: Path of the file, for those who show it; empty if there is none.
        max_pages: Longest PDF to accept.
    """
    check_bytes(data, name)
    document_format = _format(data, name)
    sha256 = hashlib.sha256(data).hexdigest()
    path = document_path(sha256, document_format)
    document = stored_document(path, sha256)
    if document is None:
        parts = _parts(data, document_format, name, max_pages)
        document = outline(parts, sha256=sha256, document_format=document_format)
        _refuse_unusable(document, name)
        store_document(path, document)
    elif document["pages"] > max_pages:
        raise too_many_pages(name, document["pages"], max_pages)
    return DocumentRef(
        sha256=sha256,
        path=str(path),
        source=source,
        title=document["title"],
        format=document_format,
        pages=document["pages"],
        paragraphs=len(document["paragraphs"]),
        warnings=document["warnings"],
    )


def _format(data: bytes, name: str) -> DocumentFormat:
    suffix = PurePath(name).suffix.lower()
    if is_pdf(data, name=name):
        return "pdf"
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if _HTML.match(data[:10_000]):
        return "html"
    if not suffix and _MARKDOWN.search(data[:10_000]):  # a text without a file, such as standard input
        return "markdown"
    return "latex" if _LATEX.search(data[:10_000]) else "text"


def _parts(data: bytes, document_format: DocumentFormat, name: str, max_pages: int) -> Parts:
    """Parts of a paper; the libraries of a format are loaded only when one of that format is read."""
    if document_format == "pdf":
        from tools.documents.structured.pdf_parts import pdf_parts  # noqa: PLC0415

        return pdf_parts(data, name=name, max_pages=max_pages)
    text = read_characters(data, name=name)
    if document_format == "latex":
        from tools.documents.structured.latex_parts import latex_parts  # noqa: PLC0415

        return latex_parts(text)
    if document_format == "text":
        return text_parts(text)
    from tools.documents.structured.html_parts import html_parts, markdown_parts  # noqa: PLC0415

    return html_parts(text) if document_format == "html" else markdown_parts(text)


def _refuse_unusable(document: Document, name: str) -> None:
    if not document["paragraphs"]:
        raise empty_input(name)
    refuse_long((paragraph["text"] for paragraph in document["paragraphs"]), name)
