"""arXiv: the Atom feed of its API (https://info.arxiv.org/help/api/user-manual.html)."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tools.literature.fetching import FEED_TYPES
from tools.literature.records import Hit, SearchResult, identifiers, names, one_line, search_words
from tools.literature.web import ARXIV, Web

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"


@dataclass(frozen=True)
class Arxiv:
    """Asks for papers with all words of the question, and if there are none, with any of them."""

    web: Web
    base_url: str = "https://export.arxiv.org"
    name: str = "arxiv"

    async def search(self, query: str, limit: int) -> SearchResult:
        """As `Provider` says."""
        words = [f"all:{word}" for word in search_words(query)]
        hits = await self._ask(" AND ".join(words), limit)
        return SearchResult(hits or (await self._ask(" OR ".join(words), limit) if len(words) > 1 else []), [])

    async def _ask(self, search_query: str, limit: int) -> list[Hit]:
        params = {"search_query": search_query, "start": "0", "max_results": str(limit), "sortBy": "relevance"}
        return await self.web.ask(ARXIV, f"{self.base_url}/api/query", params, accept=FEED_TYPES, read=read_feed)


def read_feed(data: bytes) -> list[Hit]:
    """The entries of a feed.

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
    if feed.tag != f"{_ATOM}feed":
        raise ValueError("no Atom feed")
    entries = feed.findall(f"{_ATOM}entry")
    if any("/api/errors" in _text(entry, f"{_ATOM}id") for entry in entries):
        raise ValueError("an error in the place of an entry")
    return [_hit(entry) for entry in entries if _text(entry, f"{_ATOM}title")]


def _hit(entry: Element) -> Hit:
    page, published = _text(entry, f"{_ATOM}id"), _text(entry, f"{_ATOM}published")
    links = entry.findall(f"{_ATOM}link")
    pdf = next((link.get("href") for link in links if link.get("title") == "pdf"), None)
    return Hit(
        provider="arxiv",
        title=_text(entry, f"{_ATOM}title"),
        authors=names(_text(author, f"{_ATOM}name") for author in entry.findall(f"{_ATOM}author")),
        year=int(published[:4]) if published[:4].isdecimal() else 0,
        abstract=_text(entry, f"{_ATOM}summary"),
        address=page,
        pdf_address=pdf or page.replace("/abs/", "/pdf/"),
        identifiers=identifiers([page, _text(entry, f"{_ARXIV}doi")]),
    )


def _text(element: Element, tag: str) -> str:
    return one_line(element.findtext(tag))
