"""Clients of scholarly services. The table `providers.toml` describes the queries and answers of each service.

A field of a hit is filled from templates; the first that is not empty is used. `{a.0.b}` stands for the value under `b`
in the first item of `a`. A template whose fields are all missing, or of another type than text or a number, is empty.
"""

from __future__ import annotations

import asyncio
import html
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import isawaitable
from pathlib import Path
from typing import Any, Literal, NamedTuple
from xml.etree import ElementTree

from pydantic import BaseModel, TypeAdapter
from pydantic_core import from_json

from tools.configuration import mask_keys
from tools.literature.records import Hit, SearchResult, extract_identifiers, extract_search_words, normalize_field_text
from tools.literature.url_guard import FetchError
from tools.literature.web import FEED_TYPES, JSON_TYPES, PDF, Secret, Service, WebClient

Record = Mapping[str, Any]
_TEMPLATE_FIELD = re.compile(r"\{([^}]*)\}")
_ABSTRACT_HEADING = re.compile(r"<jats:title>\s*abstract\s*</jats:title>", re.IGNORECASE)


class FieldTemplates(BaseModel, extra="forbid", frozen=True):
    """Templates that fill the fields of a hit from a record."""

    title: list[str]
    abstract: list[str]
    year: list[str]
    authors: str
    """Path of the authors; `*` stands for each item of a list."""
    author: list[str]
    """Templates of a single author."""
    addresses: list[str]
    files: list[str]
    identifiers: list[str]
    """Templates of DOIs and arXiv numbers, all of which are used."""
    needed: str
    """Template that must not be empty for a valid record."""
    retracted: str = ""
    """Path whose value is true or `retraction` for a retracted work."""


class ServiceSpec(BaseModel, extra="forbid", frozen=True):
    """Description of a service: how it is queried, and how its answers are read."""

    interval_s: float
    """Seconds from the beginning of one request to that of the next."""
    url: str
    word: str = "{}"
    """Format of each word of a question."""
    joins: list[str]
    """Separators of the words; each gives a query, and they are tried in order until one finds something."""
    parameters: dict[str, str]
    """Templates with {query}, {limit} and {contact}; empty parameters are not sent."""
    most: int
    """Most records of an answer."""
    keys: dict[str, tuple[Literal["header", "query"], str]] = {}
    """Place and name of a key in a request, by the setting that names its environment variable."""
    marker: str
    """Path that every valid answer has."""
    records: str
    """Path of the records; it may be missing where nothing was found."""
    fields: FieldTemplates


class OwnProvider(NamedTuple):
    """A `Provider` that is the user's own function `module:function`, which returns fields of hits for a question."""

    name: str
    function: Callable[[str, int], Any]

    async def search(self, query: str, limit: int) -> SearchResult:
        """Call the function as `Provider.search` describes; it may be asynchronous, and else runs in a thread."""
        try:
            records = await asyncio.to_thread(self.function, query, limit)
            records = await records if isawaitable(records) else records
            named = [{**record, "provider": self.name} for record in records]
            hits = TypeAdapter(list[Hit]).validate_python(named[:limit])
        except Exception as error:  # the user's code may raise anything
            message = mask_keys(" ".join(str(error).split()))
            raise FetchError("the function", f"failed ({type(error).__name__}: {message})") from error
        identified = (replace(hit, identifiers=extract_identifiers([*hit.identifiers, hit.address])) for hit in hits)
        return SearchResult(list(identified), [])


@dataclass(frozen=True)
class ServiceClient:
    """A `Provider` that searches one scholarly service."""

    name: str
    """Name in settings, hits and notices."""
    catalogue: ServiceSpec
    web: WebClient
    secrets: tuple[Secret, ...] = ()
    contact: str = ""

    async def search(self, query: str, limit: int) -> SearchResult:
        """Search the service with each separator of the words in turn until one finds something; without notices."""
        catalogue, hits = self.catalogue, list[Hit]()
        words = [catalogue.word.format(word) for word in extract_search_words(query)]
        # A single word gives the same query with each separator.
        for text in dict.fromkeys(join.join(words) for join in catalogue.joins):
            hits = await self._request_hits(catalogue.parameters, text, limit)
            if hits:
                break
        return SearchResult(hits, [])

    async def look_up_doi(self, doi: str) -> SearchResult:
        """Look up the work with a DOI, at a service that filters by it: one hit, or none if it is unknown there.

        Raises:
            FetchError: The service could not be asked.
        """
        kept = {name: text for name, text in self.catalogue.parameters.items() if "{query}" not in text}
        return SearchResult(await self._request_hits({**kept, "filter": "doi:{query}"}, doi, 1), [])

    async def _request_hits(self, templates: Mapping[str, str], query: str, limit: int) -> list[Hit]:
        """Query the service with parameters from templates, and return the hits; answers are cached."""
        values = {"query": query, "limit": min(limit, self.catalogue.most), "contact": self.contact}
        parameters = {name: template.format(**values) for name, template in templates.items()}
        return await self.web.query_service(
            Service(self.name, self.catalogue.interval_s),
            self.catalogue.url,
            {name: value for name, value in parameters.items() if value},
            accept=FEED_TYPES if self.name == "arxiv" else JSON_TYPES,
            read=self._parse_hits,
            secrets=self.secrets,
        )

    def _parse_hits(self, data: bytes) -> list[Hit]:
        """Return the hits in an answer, without peer reviews; raise ValueError if it has another form."""
        answer = parse_arxiv_feed(data) if self.name == "arxiv" else from_json(data)
        if not find_values(answer, self.catalogue.marker):
            raise ValueError("an answer of another form")
        fields, hits = self.catalogue.fields, list[Hit]()
        for found in find_values(answer, f"{self.catalogue.records}.*"):
            record = derive_record_fields(self.name, found) if isinstance(found, dict) else {}
            # Some services list peer reviews as works.
            if record.get("type") == "peer-review" or not fill_template(fields.needed, record):
                continue
            year = re.search(r"\b\d{4}\b", fill_first_template(fields.year, record))
            authors = (fill_first_template(fields.author, author) for author in find_values(record, fields.authors))
            hit = Hit(
                provider=self.name,
                title=fill_first_template(fields.title, record),
                authors=[author for author in authors if author],
                year=int(year[0]) if year else 0,
                abstract=fill_first_template(fields.abstract, record),
                address=fill_first_template(fields.addresses, record),
                pdf_address=fill_first_template(fields.files, record),
                identifiers=extract_identifiers(fill_template(template, record) for template in fields.identifiers),
                retracted=any(value in (True, "retraction") for value in find_values(record, fields.retracted)),
            )
            hits.append(hit)
        return hits


def find_values(value: Any, path: str) -> list[Any]:
    """Return all values at a path that are there and not null.

    A path has keys separated by dots; `*` stands for every item of a list, and a number for the item at its place.
    """
    values = [value]
    for key in path.split("."):
        parts: list[Any] = []
        for each in values:
            if isinstance(each, list):
                parts += each if key == "*" else each[int(key) : int(key) + 1] if key.isdecimal() else ()
            elif isinstance(each, dict) and key in each:
                parts.append(each[key])
        values = parts
    return [value for value in values if value is not None]


def fill_first_template(templates: Iterable[str], record: Record) -> str:
    """Fill in templates from a record; return the first result that is not empty, or an empty text if all are."""
    return next((text for template in templates if (text := fill_template(template, record))), "")


def fill_template(template: str, record: Record) -> str:
    """Return a template filled in from a record; empty if all its fields are missing."""
    values = dict[str, str]()
    for path in _TEMPLATE_FIELD.findall(template):
        found = (str(value) for value in find_values(record, path) if isinstance(value, (str, int)))
        values[path] = normalize_field_text(next(found, ""))
    text = _TEMPLATE_FIELD.sub(lambda field: values[field[1]], template)
    return normalize_field_text(text) if any(values.values()) else ""


def parse_arxiv_feed(data: bytes) -> dict[str, Any]:
    """Parse an Atom feed of arXiv to a dictionary of `entries`; raise ValueError or ParseError if it is none."""
    text = data.decode()
    if "<!DOCTYPE" in text:  # an Atom feed has none, and its entities could expand without end
        raise ValueError("a feed with a document type")
    feed = ElementTree.fromstring(text)  # noqa: S314 - without a document type there is nothing to expand
    if feed.tag != "{http://www.w3.org/2005/Atom}feed":
        raise ValueError("not an Atom feed")
    entries = list[Record]()
    for entry in feed.iterfind("{*}entry"):
        names = ("id", "title", "summary", "published", "doi")
        record = {name: normalize_field_text(entry.findtext(f"{{*}}{name}")) for name in names}
        if "/api/errors" in record["id"]:  # arXiv reports errors as entries, with status 200
            raise ValueError("an error instead of an entry")
        authors = [{"name": name.text} for name in entry.iterfind("{*}author/{*}name")]
        entries.append({**record, "authors": authors, "pdf": record["id"].replace("/abs/", "/pdf/")})
    return {"entries": entries}


def derive_record_fields(service: str, record: Record) -> Record:
    """Return a record with plain abstract (OpenAlex) or title, abstract and PDF link (Crossref); others as they are."""
    if service == "openalex":
        # The abstract is an inverted index, which maps each word to its positions.
        index = record.get("abstract_inverted_index")
        placed = list[tuple[int, str]]()
        for word, places in index.items() if isinstance(index, dict) else ():
            placed += [(place, word) for place in find_values(places, "*") if isinstance(place, int)]
        return {**record, "abstract": " ".join(word for _, word in sorted(placed))}
    if service == "crossref":
        # Title and abstract are in JATS markup, and the abstract may have a heading of its own.
        words = dict[str, str]()
        for name, template in [("title", "{title.0}"), ("abstract", "{abstract}")]:
            body = _ABSTRACT_HEADING.sub(" ", fill_template(template, record))
            words[name] = normalize_field_text(html.unescape(re.sub(r"<[^<>]*>", " ", body)))
        links = (link for link in find_values(record, "link.*") if isinstance(link, dict))
        pdfs = (link.get("URL") for link in links if link.get("content-type") == PDF)
        return {**record, **words, "pdf": next(pdfs, "")}
    return record


_TABLE = Path(__file__).with_name("providers.toml").read_text(encoding="utf-8")
SERVICE_SPECS = TypeAdapter(dict[str, ServiceSpec]).validate_python(tomllib.loads(_TABLE))
