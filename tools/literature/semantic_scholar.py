"""Semantic Scholar: paper search of its Academic Graph API (https://api.semanticscholar.org/api-docs/graph)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from tools.literature.fetching import JSON_TYPES, Secret
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

SERVICE = Service("semantic_scholar", 1.0)
"""One request a second is what a new key allows; without one, all callers of the world share a pool."""
_FIELDS = "title,abstract,year,authors,externalIds,openAccessPdf,url"


class _Author(ServiceRecord):
    name: str | None = None


class _File(ServiceRecord):
    url: str | None = None


class _Paper(ServiceRecord):
    title: str = Field(min_length=1)
    abstract: str | None = None
    year: int | None = None
    authors: list[_Author] | None = None
    external: dict[str, Any] | None = Field(None, alias="externalIds")
    pdf: _File | None = Field(None, alias="openAccessPdf")
    url: str | None = None


class _Answer(ServiceRecord):
    total: int
    data: list[Any] | None = None
    """Left out where nothing was found."""


@dataclass(frozen=True)
class SemanticScholar:
    """Asks by relevance."""

    web: Web
    api_key: str = field(default="", repr=False)
    base_url: str = "https://api.semanticscholar.org"
    name: str = "semantic_scholar"

    async def search(self, query: str, limit: int) -> SearchResult:
        """As `Provider` says."""
        params = {"query": " ".join(search_words(query)), "limit": str(min(limit, 100)), "fields": _FIELDS}
        secrets = [Secret("header", "x-api-key", self.api_key)] if self.api_key else []
        address = f"{self.base_url}/graph/v1/paper/search"
        hits = await self.web.ask(SERVICE, address, params, accept=JSON_TYPES, read=read_papers, secrets=secrets)
        return SearchResult(hits, [])


def read_papers(data: bytes) -> list[Hit]:
    """The papers of an answer.

    Raises:
        ValueError: It is no such answer.
    """
    return [_hit(paper) for paper in entries(_Answer.model_validate_json(data).data or [], _Paper)]


def _hit(paper: _Paper) -> Hit:
    external = paper.external or {}
    doi, arxiv = (one_line(str(external.get(name) or "")) for name in ("DOI", "ArXiv"))
    pdf = one_line(paper.pdf.url if paper.pdf else "")
    return Hit(
        provider="semantic_scholar",
        title=one_line(paper.title),
        authors=names(author.name for author in paper.authors or []),
        year=paper.year or 0,
        abstract=one_line(paper.abstract),
        address=f"https://doi.org/{doi}" if doi else one_line(paper.url),
        pdf_address=pdf or (f"https://arxiv.org/pdf/{arxiv}" if arxiv else ""),
        identifiers=identifiers([doi, f"arxiv:{arxiv}"]),
    )
