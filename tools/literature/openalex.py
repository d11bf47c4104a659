"""OpenAlex: search of works (https://developers.openalex.org/guides/searching)."""

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

SERVICE = Service("openalex", 0.1)
"""The service allows 100 requests a second, and so many a day."""
_FIELDS = (
    "id,doi,display_name,publication_year,type,authorships,abstract_inverted_index,best_oa_location,primary_location"
)
_LONGEST_ABSTRACT = 5_000  # words


class _Author(ServiceRecord):
    display_name: str | None = None


class _Authorship(ServiceRecord):
    author: _Author | None = None


class _Location(ServiceRecord):
    landing_page_url: str | None = None
    pdf_url: str | None = None


class _Work(ServiceRecord):
    id: str | None = None
    doi: str | None = None
    title: str = Field(alias="display_name", min_length=1)
    year: int | None = Field(None, alias="publication_year")
    type: str | None = None
    authorships: list[_Authorship] | None = None
    abstract: dict[str, list[int]] | None = Field(None, alias="abstract_inverted_index")
    open_location: _Location | None = Field(None, alias="best_oa_location")
    location: _Location | None = Field(None, alias="primary_location")


class _Answer(ServiceRecord):
    results: list[Any]


@dataclass(frozen=True)
class OpenAlex:
    """Asks for works with all words of the question, and if there are none, with any of them."""

    web: Web
    api_key: str = field(default="", repr=False)
    contact: str = ""
    base_url: str = "https://api.openalex.org"
    name: str = "openalex"

    async def search(self, query: str, limit: int) -> SearchResult:
        """As `Provider` says."""
        words = search_words(query)
        hits = await self._ask(" ".join(words), limit)
        return SearchResult(hits or (await self._ask(" OR ".join(words), limit) if len(words) > 1 else []), [])

    async def _ask(self, search: str, limit: int) -> list[Hit]:
        params = {"search": search, "per_page": str(min(limit, 100)), "select": _FIELDS}
        if self.contact:
            params["mailto"] = self.contact
        secrets = [Secret("query", "api_key", self.api_key)] if self.api_key else []
        address = f"{self.base_url}/works"
        return await self.web.ask(SERVICE, address, params, accept=JSON_TYPES, read=read_works, secrets=secrets)


def read_works(data: bytes) -> list[Hit]:
    """The works of an answer, without peer reviews, which have entries of their own.

    Raises:
        ValueError: It is no such answer.
    """
    works = entries(_Answer.model_validate_json(data).results, _Work)
    return [_hit(work) for work in works if work.type != "peer-review"]


def plain_abstract(index: dict[str, list[int]]) -> str:
    """The text of an inverted index: words with their places, counted from 0."""
    placed = sorted((place, word) for word, places in index.items() for place in places)
    return one_line(" ".join(word for _, word in placed[:_LONGEST_ABSTRACT]))


def _hit(work: _Work) -> Hit:
    places = [place for place in (work.open_location, work.location) if place]
    pages = [work.doi, *(place.landing_page_url for place in places), work.id]
    return Hit(
        provider="openalex",
        title=one_line(work.title),
        authors=names(authorship.author.display_name for authorship in work.authorships or [] if authorship.author),
        year=work.year or 0,
        abstract=plain_abstract(work.abstract or {}),
        address=next((one_line(page) for page in pages if page), ""),
        pdf_address=next((one_line(place.pdf_url) for place in places if place.pdf_url), ""),
        identifiers=identifiers(pages),
    )
