"""What the search of the literature returns: hits, documents, and a record of all that was blocked or went wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol

from typing_extensions import TypedDict

from state.documents import Document


class Hit(TypedDict):
    """A study that a provider names; what it does not tell is empty."""

    provider: str
    title: str
    authors: list[str]
    year: int
    """0 if it is unknown."""
    abstract: str
    address: str
    """Of the landing page; the path of the file for a local folder."""
    pdf_address: str
    identifiers: list[str]
    """Such as doi:10.18653/v1/n18-3011 and arxiv:1706.03762, in lower case and without versions."""


class Blocked(TypedDict):
    """An address that was kept out, before anything was asked of it."""

    address: str
    reason: str


class Notice(TypedDict):
    """Something that a provider, a file or a page could not do; the search went on without it."""

    provider: str
    message: str


class SearchResult(NamedTuple):
    """What one provider found."""

    hits: list[Hit]
    """Best first."""
    notices: list[Notice]


class Provider(Protocol):
    """A place to look for studies."""

    @property
    def name(self) -> str:
        """As it stands in settings, hits and notices."""
        ...

    async def search(self, query: str, limit: int) -> SearchResult:
        """The best `limit` hits for a question.

        Raises:
            FetchError: The provider could not be asked.
        """
        ...


class Found(TypedDict):
    """A document to look up the question in."""

    document: Document
    title: str
    address: str
    """Web address or file, for a person to open."""
    provider: str
    extent: Literal["full text", "abstract"]


class Findings(TypedDict):
    """Everything that came of one question."""

    found: list[Found]
    blocked: list[Blocked]
    notices: list[Notice]


class UnderReview(TypedDict):
    """The paper under review, which is no literature about itself."""

    title: str
    abstract: str
    sha256: str
    """Of its file."""
    identifiers: list[str]
    """As in a hit."""


def one_line(text: str | None) -> str:
    """The words of a field, one space apart; nothing for a field that is missing."""
    return " ".join((text or "").split())


def names(authors: Iterable[str | None]) -> list[str]:
    """The authors that have a name."""
    return [name for name in map(one_line, authors) if name]
