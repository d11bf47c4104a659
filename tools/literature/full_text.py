"""From a hit to a document: its PDF, else its page, else its abstract."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from state.documents import Document
from state.errors import BadInput
from tools.literature.faults import AddressBlocked, FetchError
from tools.literature.fetching import Download
from tools.literature.reader import Reader, abstract_document
from tools.literature.records import Found, Hit
from tools.literature.web import Web

LEAST_CHARACTERS = 500
"""A page with less text than this, or less than the abstract, is a cookie notice or a bare landing page."""
_SUFFIXES = {"application/pdf": ".pdf", "application/x-pdf": ".pdf", "text/plain": ".txt"}


class Opened(NamedTuple):
    """What became of a hit."""

    found: Found | None
    problems: list[str]
    """Why it was not the full text, one sentence an address."""


async def open_hit(hit: Hit, web: Web, reader: Reader) -> Opened:
    """The full text of a hit of a web service, or else its abstract.

    Raises:
        AddressBlocked: An address of it leads to a blocked site, so nothing of it is used.
        StateError: The text cannot be stored.
    """
    problems = list[str]()
    for address in dict.fromkeys([hit["pdf_address"], hit["address"]]):
        if not address:
            continue
        try:
            document = await _document(await web.file(address), hit, reader)
        except AddressBlocked:
            raise
        except (FetchError, BadInput) as error:
            problems.append(str(error))
            continue
        return Opened(found(hit, document), problems)
    return Opened(found(hit, abstract_document(hit), full=False) if hit["abstract"] else None, problems)


def found(hit: Hit, document: Document, *, full: bool = True) -> Found:
    """A document with its source."""
    return Found(
        document=document,
        title=hit["title"] or document["title"],
        address=hit["address"] or hit["pdf_address"],
        provider=hit["provider"],
        extent="full text" if full else "abstract",
    )


async def _document(download: Download, hit: Hit, reader: Reader) -> Document:
    name, data = _name(download), _as_utf8(download)
    document = await asyncio.to_thread(reader.document, data, name=name, source=download.address)
    characters = sum(len(paragraph["text"]) for paragraph in document["paragraphs"])
    if characters < max(LEAST_CHARACTERS, len(hit["abstract"])):
        raise FetchError(download.address, "holds no full text")
    return document


def _name(download: Download) -> str:
    """The last part of the address, with the suffix that the type of the content asks for."""
    last = PurePosixPath(unquote(urlsplit(download.address).path)).name
    suffix = _SUFFIXES.get(download.content_type, ".html")
    return last if last.lower().endswith(suffix) else f"{last or 'page'}{suffix}"


def _as_utf8(download: Download) -> bytes:
    """Plain text in UTF-8; PDF and HTML tell their encoding themselves."""
    if download.content_type != "text/plain" or download.charset.lower() in {"", "utf-8", "utf8"}:
        return download.data
    try:
        return download.data.decode(download.charset).encode()
    except (LookupError, ValueError):
        return download.data
