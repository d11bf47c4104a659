"""Scholarly services: one client, and a table of what each of them is asked and answers.

arXiv (https://info.arxiv.org/help/api/user-manual.html), Semantic Scholar (https://api.semanticscholar.org/api-docs/graph),
OpenAlex (https://developers.openalex.org/guides/searching), Crossref
(https://www.crossref.org/documentation/retrieve-metadata/rest-api/) and Google's Programmable Search
(https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list).

A field of a hit is told by templates, of which the first that is not empty counts: `{a.0.b}` is what stands under `b`
in the first item of `a`, and a template whose fields are all missing is empty. So what a service leaves out is empty,
and what it sends in another type is, too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple
from xml.etree import ElementTree

from pydantic_core import from_json

from tools.literature.fetching import FEED_TYPES, JSON_TYPES, Secret
from tools.literature.records import Hit, SearchResult, identifiers, one_line, search_words
from tools.literature.web import ARXIV, Service, Web

Record = Mapping[str, Any]


class Fields(NamedTuple):
    """Where a record has what a hit tells: templates, and the path of the list of authors."""

    title: tuple[str, ...]
    abstract: tuple[str, ...]
    year: tuple[str, ...]
    authors: str
    """`*` stands for each item of a list."""
    author: tuple[str, ...]
    """Of an item of that list."""
    addresses: tuple[str, ...]
    files: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Each of them counts."""
    needed: str = "{title}"
    """What a record must have."""


class Key(NamedTuple):
    """A secret that a service is sent."""

    setting: str
    """Field of the settings that names the environment variable."""
    place: Literal["header", "query"]
    name: str
    needed: bool = False


@dataclass(frozen=True)
class Catalogue:
    """What a service is asked and answers."""

    service: Service
    url: str
    queries: Callable[[str], list[str]]
    """From a question to what is asked, one after the other until something is found."""
    parameters: Mapping[str, str]
    """With {query}, {limit} and {contact}; what comes out empty is not sent."""
    most: int
    """Records that it gives at once."""
    marker: str
    """What each answer has at this path."""
    records: str
    """Path of the records; it may be missing where nothing was found."""
    fields: Fields
    keys: tuple[Key, ...] = ()
    accept: AbstractSet[str] = JSON_TYPES
    parse: Callable[[bytes], Any] = from_json
    """From an answer to plain values; raises ValueError."""
    complete: Callable[[Record], Record] = dict
    """Adds to a record what no template can tell."""


@dataclass(frozen=True)
class Client:
    """Asks one service, as `Provider` says."""

    catalogue: Catalogue
    web: Web
    secrets: tuple[Secret, ...] = ()
    contact: str = ""

    @property
    def name(self) -> str:
        """Name of the service in settings, hits and notices."""
        return self.catalogue.service.name

    async def search(self, query: str, limit: int) -> SearchResult:
        """As `Provider` says."""
        catalogue, hits = self.catalogue, list[Hit]()
        for text in catalogue.queries(query):
            values = {"query": text, "limit": min(limit, catalogue.most), "contact": self.contact}
            parameters = {name: template.format(**values) for name, template in catalogue.parameters.items()}
            hits = await self.web.ask(
                catalogue.service,
                catalogue.url,
                {name: value for name, value in parameters.items() if value},
                accept=catalogue.accept,
                read=self._read,
                secrets=self.secrets,
            )
            if hits:
                break
        return SearchResult(hits, [])

    def _read(self, data: bytes) -> list[Hit]:
        """Return the hits of an answer, without peer reviews, which have entries of their own.

        Raises:
            ValueError: It is no such answer.
        """
        answer = self.catalogue.parse(data)
        if not find_values(answer, self.catalogue.marker):
            raise ValueError("an answer of another form")
        records = find_values(answer, f"{self.catalogue.records}.*")
        hits = (self._hit(record) for record in records if isinstance(record, dict))
        return [hit for hit in hits if hit is not None]

    def _hit(self, record: Record) -> Hit | None:
        record, fields = self.catalogue.complete(record), self.catalogue.fields
        title = fill_first(fields.title, record)
        if record.get("type") == "peer-review" or not fill_template(fields.needed, record):
            return None
        year = re.search(r"\b\d{4}\b", fill_first(fields.year, record))
        authors = (fill_first(fields.author, author) for author in find_values(record, fields.authors))
        return Hit(
            provider=self.name,
            title=title,
            authors=[author for author in authors if author],
            year=int(year[0]) if year else 0,
            abstract=fill_first(fields.abstract, record),
            address=fill_first(fields.addresses, record),
            pdf_address=fill_first(fields.files, record),
            identifiers=identifiers(fill_template(template, record) for template in fields.identifiers),
        )


def find_values(value: Any, path: str) -> list[Any]:
    """Return what stands at a path, of which each `*` is every item of a list."""
    values = [value]
    for key in path.split("."):
        values = [part for value in values for part in _parts(value, key)]
    return [value for value in values if value is not None]


def _parts(value: Any, key: str) -> Iterable[Any]:
    if isinstance(value, list):
        return value if key == "*" else value[int(key) : int(key) + 1] if key.isdecimal() else ()
    return [value[key]] if isinstance(value, dict) and key in value else ()


def fill_first(templates: Iterable[str], record: Record) -> str:
    """Return the first template that is not empty, filled in."""
    return next((text for template in templates if (text := fill_template(template, record))), "")


def fill_template(template: str, record: Record) -> str:
    """Fill a template in; one whose fields are all missing is empty."""
    told = False

    def fill(field: re.Match[str]) -> str:
        nonlocal told
        found = [value for value in find_values(record, field[1]) if isinstance(value, (str, int))]
        text = one_line(str(found[0])) if found else ""
        told = told or bool(text)
        return text

    text = re.sub(r"\{([^}]*)\}", fill, template)
    return one_line(text) if told else ""


def _all_words(question: str) -> list[str]:
    return [" ".join(search_words(question))]


def _all_words_else_any(question: str) -> list[str]:
    words = search_words(question)
    return [" ".join(words), " OR ".join(words)][: len(words)]


def _words_of_any_field(question: str) -> list[str]:
    words = [f"all:{word}" for word in search_words(question)]
    return [" AND ".join(words), " OR ".join(words)][: len(words)]


def parse_feed(data: bytes) -> dict[str, Any]:
    """Parse an Atom feed of arXiv.

    Raises:
        ValueError: It is no feed, or one that tells an error.
    """
    text = data.decode()
    if "<!DOCTYPE" in text:  # an Atom feed has none, and entities in one could be a bomb
        raise ValueError("a feed with a document type")
    try:
        feed = ElementTree.fromstring(text)  # noqa: S314 - without a document type there is nothing to expand
    except ElementTree.ParseError as error:
        raise ValueError("no XML") from error
    spaces = {"": "http://www.w3.org/2005/Atom", "arxiv": "http://arxiv.org/schemas/atom"}
    if feed.tag != f"{{{spaces['']}}}feed":
        raise ValueError("no Atom feed")
    entries = list[Record]()
    for entry in feed.iterfind("entry", spaces):
        page = one_line(entry.findtext("id", "", spaces))
        if "/api/errors" in page:
            raise ValueError("an error in the place of an entry")
        pdf = entry.find("link[@title='pdf']", spaces)
        entries.append(
            {
                "title": entry.findtext("title", "", spaces),
                "summary": entry.findtext("summary", "", spaces),
                "published": entry.findtext("published", "", spaces),
                "authors": [{"name": name.text} for name in entry.iterfind("author/name", spaces)],
                "page": page,
                "pdf": page.replace("/abs/", "/pdf/") if pdf is None else pdf.get("href"),
                "doi": entry.findtext("arxiv:doi", "", spaces),
            }
        )
    return {"entries": entries}


LONGEST_ABSTRACT = 5_000  # words


def _with_plain_abstract(work: Record) -> Record:
    """Turn an inverted index, which has the places of each word, into an abstract."""
    index = work.get("abstract_inverted_index")
    told = index.items() if isinstance(index, dict) else ()
    placed = [(place, word) for word, places in told for place in find_values(places, "*") if isinstance(place, int)]
    return {**work, "abstract": " ".join(word for _, word in sorted(placed)[:LONGEST_ABSTRACT])}


def _without_markup(work: Record) -> Record:
    """Take the JATS markup out of title and abstract, and find the link to the PDF."""
    links = [link for link in find_values(work, "link.*") if isinstance(link, dict)]
    pdfs = [link.get("URL") for link in links if link.get("content-type") == "application/pdf"]
    title, abstract = (fill_template(template, work) for template in ("{title.0}", "{abstract}"))
    return {**work, "title": plain_jats(title), "abstract": plain_jats(abstract), "pdf": next(iter(pdfs), "")}


def plain_jats(text: str) -> str:
    """Return the words of a text in JATS markup, without the heading of an abstract."""
    body = re.sub(r"<jats:title>\s*abstract\s*</jats:title>", " ", text, flags=re.IGNORECASE)
    return one_line(html.unescape(re.sub(r"<[^<>]*>", " ", body)))


def _with_own_file(result: Record) -> Record:
    """Name the page itself as the PDF, where it is one."""
    return {**result, "pdf": result.get("link") if result.get("mime") == "application/pdf" else ""}


_OPENALEX_PAGES = ("{doi}", "{best_oa_location.landing_page_url}", "{primary_location.landing_page_url}", "{id}")

CATALOGUES = {
    "arxiv": Catalogue(
        service=ARXIV,
        url="https://export.arxiv.org/api/query",
        queries=_words_of_any_field,
        parameters={"search_query": "{query}", "start": "0", "max_results": "{limit}", "sortBy": "relevance"},
        most=100,
        accept=FEED_TYPES,
        parse=parse_feed,
        marker="entries",
        records="entries",
        fields=Fields(
            title=("{title}",),
            abstract=("{summary}",),
            year=("{published}",),
            authors="authors.*",
            author=("{name}",),
            addresses=("{page}",),
            files=("{pdf}",),
            identifiers=("{page}", "{doi}"),
        ),
    ),
    "semantic_scholar": Catalogue(
        # One request a second is what a new key allows; without one, all callers of the world share a pool.
        service=Service("semantic_scholar", 1.0),
        url="https://api.semanticscholar.org/graph/v1/paper/search",
        queries=_all_words,
        parameters={
            "query": "{query}",
            "limit": "{limit}",
            "fields": "title,abstract,year,authors,externalIds,openAccessPdf,url",
        },
        most=100,
        keys=(Key("semantic_scholar_key_env", "header", "x-api-key"),),
        marker="total",
        records="data",
        fields=Fields(
            title=("{title}",),
            abstract=("{abstract}",),
            year=("{year}",),
            authors="authors.*",
            author=("{name}",),
            addresses=("https://doi.org/{externalIds.DOI}", "{url}"),
            files=("{openAccessPdf.url}", "https://arxiv.org/pdf/{externalIds.ArXiv}"),
            identifiers=("{externalIds.DOI}", "arxiv:{externalIds.ArXiv}"),
        ),
    ),
    "openalex": Catalogue(
        # The service allows 100 requests a second, and so many a day.
        service=Service("openalex", 0.1),
        url="https://api.openalex.org/works",
        queries=_all_words_else_any,
        parameters={
            "search": "{query}",
            "per_page": "{limit}",
            "select": "id,doi,display_name,publication_year,type,authorships,abstract_inverted_index,best_oa_location,"
            "primary_location",
            "mailto": "{contact}",
        },
        most=100,
        keys=(Key("openalex_key_env", "query", "api_key"),),
        marker="results",
        records="results",
        complete=_with_plain_abstract,
        fields=Fields(
            title=("{display_name}",),
            abstract=("{abstract}",),
            year=("{publication_year}",),
            authors="authorships.*",
            author=("{author.display_name}",),
            addresses=_OPENALEX_PAGES,
            files=("{best_oa_location.pdf_url}", "{primary_location.pdf_url}"),
            identifiers=_OPENALEX_PAGES,
            needed="{display_name}",
        ),
    ),
    "crossref": Catalogue(
        # The limit of searches is told in headers and was lowered before; one a second is under all that were.
        service=Service("crossref", 1.0),
        url="https://api.crossref.org/works",
        queries=_all_words,
        parameters={"query.bibliographic": "{query}", "rows": "{limit}", "mailto": "{contact}"},
        most=100,
        marker="message.items",
        records="message.items",
        complete=_without_markup,
        fields=Fields(
            title=("{title}",),
            abstract=("{abstract}",),
            year=("{issued.date-parts.0.0}",),
            authors="author.*",
            author=("{name}", "{given} {family}"),
            addresses=("{resource.primary.URL}", "https://doi.org/{DOI}"),
            files=("{pdf}",),
            identifiers=("{DOI}",),
        ),
    ),
    "google": Catalogue(
        service=Service("google", 1.0),
        url="https://www.googleapis.com/customsearch/v1",
        queries=lambda question: [one_line(question)[:300]],
        parameters={"q": "{query}", "num": "{limit}"},
        most=10,
        # The key travels in a header, which Google's services take as well, so that it is never part of an address.
        keys=(
            Key("google_key_env", "header", "X-Goog-Api-Key", needed=True),
            Key("google_engine_env", "query", "cx", needed=True),
        ),
        marker="kind",
        records="items",
        complete=_with_own_file,
        fields=Fields(
            title=("{pagemap.metatags.0.citation_title}", "{title}"),
            abstract=(),  # snippets are none
            year=("{pagemap.metatags.0.citation_publication_date}", "{pagemap.metatags.0.citation_date}"),
            authors="pagemap.metatags.0",
            author=("{citation_author}",),
            addresses=("{link}",),
            files=("{pdf}", "{pagemap.metatags.0.citation_pdf_url}"),
            identifiers=("{pagemap.metatags.0.citation_doi}", "arxiv:{pagemap.metatags.0.citation_arxiv_id}", "{link}"),
            needed="{link}",
        ),
    ),
}
