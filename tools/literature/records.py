"""What a search of the literature asks for and returns: words, hits, documents, and what was blocked or went wrong.

Of the JSON of services, what is missing or null is empty, and an entry that is broken costs itself only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
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


MOST_WORDS = 10
_EMPTY = """
a about above after against all also among an and any are as at be been before being between both but by can
could did do does doing done during each either for from further had has have having how if in into is it its
itself just many may might more most much must no nor not of off on once one only or other others our out over
own paper papers same shall should since so some study studies such than that the their them then there these
they this those through to too under until up upon used using very was we were what when where whether which
while who whom whose why will with within without would you your
"""
_STOP_WORDS = frozenset(_EMPTY.split())


def search_words(question: str) -> list[str]:
    """The words that carry the question, in order, each once, ten at most.

    Hyphenated words are taken apart, as Semantic Scholar finds nothing for them; wildcards and operators of query
    languages do not come through.
    """
    every = list(dict.fromkeys(word.lower() for word in re.findall(r"[^\W_]+", question)))
    telling = [word for word in every if word not in _STOP_WORDS and (len(word) > 1 or word.isdigit())]
    return (telling or every)[:MOST_WORDS]


M = TypeVar("M", bound="ServiceRecord")


class ServiceRecord(BaseModel):
    """A record of a service, of which we read some fields."""

    model_config = ConfigDict(populate_by_name=True)


def entries(raw: Sequence[Any], model: type[M]) -> list[M]:
    """Those of the entries that are what the service's documentation says."""
    return [entry for item in raw if (entry := _entry(item, model)) is not None]


def _entry(item: Any, model: type[M]) -> M | None:
    try:
        return model.model_validate(item)
    except ValidationError:
        return None
