"""Google: Programmable Search (https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from tools.literature.fetching import JSON_TYPES, Secret
from tools.literature.records import Hit, SearchResult, ServiceRecord, entries, identifiers, names, one_line
from tools.literature.web import Service, Web

SERVICE = Service("google", 1.0)
_LONGEST_QUERY = 300  # characters
_MOST_RESULTS = 10


class _Pages(ServiceRecord):
    tags: list[dict[str, Any]] = Field([], alias="metatags")


class _Result(ServiceRecord):
    title: str = ""
    link: str = Field(min_length=1)
    mime: str = ""
    pages: _Pages | None = Field(None, alias="pagemap")


class _Answer(ServiceRecord):
    kind: str
    items: list[Any] | None = None
    """Left out where nothing was found."""


@dataclass(frozen=True)
class Google:
    """Asks the engine that the user has set up.

    The key travels in a header, which Google's services take as well, so that it is never part of an address.
    """

    web: Web
    api_key: str = field(repr=False)
    engine: str = field(repr=False)
    base_url: str = "https://www.googleapis.com"
    name: str = "google"

    async def search(self, query: str, limit: int) -> SearchResult:
        """As `Provider` says; snippets are no abstracts, so hits have none."""
        params = {"q": one_line(query)[:_LONGEST_QUERY], "num": str(min(limit, _MOST_RESULTS))}
        secrets = [Secret("header", "X-Goog-Api-Key", self.api_key), Secret("query", "cx", self.engine)]
        address = f"{self.base_url}/customsearch/v1"
        hits = await self.web.ask(SERVICE, address, params, accept=JSON_TYPES, read=read_results, secrets=secrets)
        return SearchResult(hits, [])


def read_results(data: bytes) -> list[Hit]:
    """The pages of an answer; what scholarly pages tell of themselves is read from their `citation_` tags.

    Raises:
        ValueError: It is no such answer.
    """
    return [_hit(result) for result in entries(_Answer.model_validate_json(data).items or [], _Result)]


def _hit(result: _Result) -> Hit:
    tags = result.pages.tags[0] if result.pages and result.pages.tags else {}
    told = {name: one_line(str(value)) for name, value in tags.items()}
    date = re.search(r"\b(?:19|20)\d\d\b", told.get("citation_publication_date") or told.get("citation_date") or "")
    is_pdf = result.mime == "application/pdf"
    return Hit(
        provider="google",
        title=told.get("citation_title") or one_line(result.title),
        authors=names([told.get("citation_author")]),
        year=int(date[0]) if date else 0,
        abstract="",
        address=result.link,
        pdf_address=result.link if is_pdf else told.get("citation_pdf_url", ""),
        identifiers=identifiers([told.get("citation_doi"), f"arxiv:{told.get('citation_arxiv_id')}", result.link]),
    )
