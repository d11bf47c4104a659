"""From a hit to a document: its PDF, else its page, else its abstract."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from state.documents import Document, Paragraph
from state.errors import InputError
from tools.documents.reading import load_document, read_document_bytes
from tools.literature.fetching import Download
from tools.literature.records import FoundDocument, Hit
from tools.literature.url_guard import AddressBlockedError, FetchError
from tools.literature.web import WebClient

ABSTRACT_ONLY_WARNING = "This is the abstract only; the full text could not be fetched."


PaperReader = Callable[[bytes, str, str], Document]
"""Reads a paper from its bytes, its name, whose suffix tells the format, and its source; raises BadInput where they are
none. Blocks, so it is called in a thread."""


def read_paper(data: bytes, name: str, source: str) -> Document:
    """Read a paper as `PaperReader` says, once a content."""
    return load_document(read_document_bytes(data, name=name, source=source))


def build_abstract_document(hit: Hit) -> Document:
    """The abstract of a hit as a short document, marked as such."""
    text = hit["abstract"]
    return Document(
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        format="text",
        title=hit["title"],
        abstract=text,
        text=text,
        paragraphs=[Paragraph(id="p1", section="Abstract", text=text, page=0, words=[])],
        references=[],
        hidden=[],
        pages=0,
        warnings=[ABSTRACT_ONLY_WARNING],
    )


MIN_FULL_TEXT_CHARACTERS = 500
"""A page with less text than this, or less than the abstract, is a cookie notice or a bare landing page."""
_SUFFIXES = {"application/pdf": ".pdf", "application/x-pdf": ".pdf", "text/plain": ".txt"}


async def fetch_hit_document(
    hit: Hit, web: WebClient, read: PaperReader, note: Callable[[str], None]
) -> FoundDocument | None:
    """The full text of a hit of a web service, or else its abstract; `note` is told why it is not the full text.

    Raises:
        AddressBlocked: An address of it leads to a blocked site, so nothing of it is used.
        StateError: The text cannot be stored.
    """
    for address in dict.fromkeys(filter(None, [hit["pdf_address"], hit["address"]])):
        try:
            return as_found_document(hit, await _read_download(await web.fetch_file(address), hit, read))
        except AddressBlockedError:
            raise
        except (FetchError, InputError) as error:
            note(str(error))
    return as_found_document(hit, build_abstract_document(hit), full=False) if hit["abstract"] else None


def as_found_document(hit: Hit, document: Document, *, full: bool = True) -> FoundDocument:
    """A document with its source."""
    return FoundDocument(
        document=document,
        title=hit["title"] or document["title"],
        address=hit["address"] or hit["pdf_address"],
        provider=hit["provider"],
        extent="full text" if full else "abstract",
    )


async def _read_download(download: Download, hit: Hit, read: PaperReader) -> Document:
    name = PurePosixPath(unquote(urlsplit(download.address).path)).name
    suffix = _SUFFIXES.get(download.content_type, ".html")
    if not name.lower().endswith(suffix):
        name = f"{name or 'page'}{suffix}"
    document = await asyncio.to_thread(read, download.data, name, download.address)
    characters = sum(len(paragraph["text"]) for paragraph in document["paragraphs"])
    if characters < max(MIN_FULL_TEXT_CHARACTERS, len(hit["abstract"])):
        raise FetchError(download.address, "holds no full text")
    return document
