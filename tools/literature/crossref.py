"""Crossref: search of works (https://www.crossref.org/documentation/retrieve-metadata/rest-api/)."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from tools.literature.fetching import JSON_TYPES
from tools.literature.records import (
    Hit,
    SearchResult,
    ServiceRecord,
    entries,
    identifiers,
    names,
    one_line,
    search_words,
)
from tools.literature.web import Service, Web

SERVICE = Service("crossref", 1.0)
"""The limit of searches is told in headers and was lowered before; one a second is under all that were."""


_HEADING = re.compile(r"<jats:title>\s*abstract\s*</jats:title>", re.IGNORECASE)


class _Author(ServiceRecord):
    given: str | None = None
    family: str | None = None
    organisation: str | None = Field(None, alias="name")


class _Date(ServiceRecord):
    parts: list[list[int | None]] = Field([], alias="date-parts")


class _Link(ServiceRecord):
    url: str = Field("", alias="URL")
    content_type: str = Field("", alias="content-type")


class _Primary(ServiceRecord):
    url: str = Field("", alias="URL")


class _Resource(ServiceRecord):
    primary: _Primary | None = None


class _Work(ServiceRecord):
    doi: str = Field(alias="DOI", min_length=1)
    titles: list[str] = Field(alias="title", min_length=1)
    type: str | None = None
    abstract: str | None = None
    authors: list[_Author] | None = Field(None, alias="author")
    issued: _Date | None = None
    links: list[_Link] | None = Field(None, alias="link")
    resource: _Resource | None = None


class _Message(ServiceRecord):
    items: list[Any]


class _Answer(ServiceRecord):
    message: _Message


@dataclass(frozen=True)
class Crossref:
    """Asks by relevance, for works with any of the words."""

    web: Web
    contact: str = ""
    base_url: str = "https://api.crossref.org"
    name: str = "crossref"

    async def search(self, query: str, limit: int) -> SearchResult:
        """As `Provider` says."""
        params = {"query.bibliographic": " ".join(search_words(query)), "rows": str(min(limit, 100))}
        if self.contact:
            params["mailto"] = self.contact
        hits = await self.web.ask(SERVICE, f"{self.base_url}/works", params, accept=JSON_TYPES, read=read_works)
        return SearchResult(hits, [])


def read_works(data: bytes) -> list[Hit]:
    """The works of an answer, without peer reviews, which have entries of their own.

    Raises:
        ValueError: It is no such answer.
    """
    works = entries(_Answer.model_validate_json(data).message.items, _Work)
    return [_hit(work) for work in works if work.type != "peer-review"]


def plain_jats(abstract: str) -> str:
    """The words of an abstract in JATS markup, without its heading."""
    return one_line(html.unescape(re.sub(r"<[^<>]*>", " ", _HEADING.sub(" ", abstract))))


def _hit(work: _Work) -> Hit:
    year = work.issued.parts[0][0] if work.issued and work.issued.parts and work.issued.parts[0] else None
    primary = one_line(work.resource.primary.url) if work.resource and work.resource.primary else ""
    pdf = next((link.url for link in work.links or [] if link.content_type == "application/pdf"), "")
    return Hit(
        provider="crossref",
        title=plain_jats(work.titles[0]),
        authors=names(a.organisation or f"{a.given or ''} {a.family or ''}" for a in work.authors or []),
        year=year or 0,
        abstract=plain_jats(work.abstract or ""),
        address=primary or f"https://doi.org/{work.doi}",
        pdf_address=one_line(pdf),
        identifiers=identifiers([work.doi]),
    )
