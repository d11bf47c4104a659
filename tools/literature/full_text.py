"""Turn a hit into a document: its PDF, else its web page, else its abstract."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from state.documents import Document, Paragraph
from state.errors import InputError
from tools.documents.reading import load_document, read_document_bytes
from tools.literature.records import FoundDocument, Hit
from tools.literature.url_guard import AddressBlockedError, FetchError
from tools.literature.web import WebClient

ABSTRACT_ONLY_WARNING = "This is the abstract only; the full text could not be fetched."
# Reads a paper from its bytes, its file name (whose suffix gives the format) and its source; raises InputError if they
# are not a paper. Blocks, so it is called in a thread.
PaperReader = Callable[[bytes, str, str], Document]


def read_paper(data: bytes, name: str, source: str) -> Document:
    """Read a paper from its bytes as `PaperReader` describes; equal contents are read once and stored."""
    return load_document(read_document_bytes(data, name=name, source=source))


# A page with less text than this, or with less than the abstract, is a cookie notice or a landing page.
MIN_FULL_TEXT_CHARACTERS = 500
_SUFFIXES = {"application/pdf": ".pdf", "application/x-pdf": ".pdf", "text/plain": ".txt"}


async def fetch_hit_document(
    hit: Hit, web: WebClient, read: PaperReader, note: Callable[[str], None]
) -> FoundDocument | None:
    """Fetch the full text of a hit of a web service, or else use its abstract; None if there is neither.

    The PDF is tried first, then the landing page; `note` is called with the reason why an address gives no full text.

    Raises:
        AddressBlockedError: One of the addresses leads to a blocked site, so nothing of the hit is used.
        StateError: The text cannot be stored.
    """
    for address in dict.fromkeys(filter(None, [hit["pdf_address"], hit["address"]])):
        try:
            download = await web.fetch_file(address)
            # The reader chooses the format by the suffix, and many addresses have none, or that of a script.
            name = PurePosixPath(unquote(urlsplit(download.address).path)).name
            suffix = _SUFFIXES.get(download.content_type, ".html")
            if not name.lower().endswith(suffix):
                name = f"{name or 'page'}{suffix}"
            document = await asyncio.to_thread(read, download.data, name, download.address)
            characters = sum(len(paragraph["text"]) for paragraph in document["paragraphs"])
            if characters >= max(MIN_FULL_TEXT_CHARACTERS, len(hit["abstract"])):
                return as_found_document(hit, document)
            note(str(FetchError(download.address, "holds no full text")))
        except AddressBlockedError:
            raise
        except (FetchError, InputError) as error:
            note(str(error))
    text = hit["abstract"]
    if not text:
        return None
    abstract = Document(
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
    return as_found_document(hit, abstract, full=False)


def as_found_document(hit: Hit, document: Document, *, full: bool = True) -> FoundDocument:
    """Return a document with title, address and provider of its hit; neither is changed."""
    return FoundDocument(
        document=document,
        title=hit["title"] or document["title"],
        address=hit["address"] or hit["pdf_address"],
        provider=hit["provider"],
        extent="full text" if full else "abstract",
    )
