"""Records of literature searches, and rules for deciding which of them describe one study.

Two records describe one study if they share a DOI, arXiv number, title or abstract. The hits of all providers are
merged into one list, in which each study appears once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain, zip_longest
from typing import NamedTuple, Protocol

from typing_extensions import TypedDict

from state.documents import Document
from tools.text import normalize_title


@dataclass(frozen=True)
class Hit:
    """A study that a provider found; unknown fields are empty."""

    provider: str
    title: str = ""
    authors: list[str] = field(default_factory=list)
    year: int = 0
    abstract: str = ""
    address: str = ""
    """Address of the landing page; the path of the file for a local folder."""
    pdf_address: str = ""
    identifiers: list[str] = field(default_factory=list)
    """For example doi:10.18653/v1/n18-3011 and arxiv:1706.03762, in lower case and without versions."""
    retracted: bool = False
    """Whether the provider says so."""


class SearchResult(NamedTuple):
    """Named tuple of the hits of one provider, best first, and notes on the files that it could not read."""

    hits: list[Hit]
    notes: list[str]


class Provider(Protocol):
    """Protocol of a source of studies, such as the local folder or a client of a scholarly service."""

    @property
    def name(self) -> str:
        """Name in settings, hits and notes."""

    async def search(self, query: str, limit: int) -> SearchResult:
        """Return the best hits for a question, at most `limit`, and notes on what failed.

        Raises:
            FetchError: The provider could not be searched.
        """


class FoundDocument(TypedDict):
    """A document found for a question, with its source."""

    document: Document
    title: str
    address: str
    """Web address or file, for a person to open."""


class LiteratureResults(NamedTuple):
    """Named tuple of the documents found for a question, and notes on what was left out or failed."""

    found: list[FoundDocument]
    notes: list[str]


class ReviewedPaper(TypedDict):
    """The paper under review, which does not count as literature."""

    title: str
    abstract: str
    sha256: str
    """Hash of its file."""
    identifiers: list[str]
    """As in a hit."""


def normalize_field_text(text: str | None) -> str:
    """Return the text of a field with each run of whitespace as a single space; empty if the field is missing."""
    return " ".join((text or "").split())


MAX_SEARCH_WORDS = 10
_STOP_WORD_LIST = """
a about above after against all also among an and any are as at be been before being between both but by can
could did do does doing done during each either for from further had has have having how if in into is it its
itself just many may might more most much must no nor not of off on once one only or other others our out over
own paper papers same shall should since so some study studies such than that the their them then there these
they this those through to too under until up upon used using very was we were what when where whether which
while who whom whose why will with within without would you your
"""
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())


def extract_search_words(question: str) -> list[str]:
    """Return the content words of a question in lower case and in their order, each once, at most ten.

    Hyphenated words are split, because Semantic Scholar finds nothing for them; wildcards and operators of query
    languages are dropped.
    """
    words = list(dict.fromkeys(word.lower() for word in re.findall(r"[^\W_]+", question)))
    content = [word for word in words if word not in _STOP_WORDS and (len(word) > 1 or word.isdigit())]
    return (content or words)[:MAX_SEARCH_WORDS]


_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf|html)/|[.:/])\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s?#&\"<>]+", re.IGNORECASE)
_ARXIV_STAMP = re.compile(r"arxiv:\S+v\d+\s+\[[a-z.-]+\]", re.IGNORECASE)
_OPENING_PARAGRAPHS = 10  # further down, an arXiv number may be that of a cited paper
_NEARLY_EQUAL_RATIO = 0.9
_MIN_TITLE_WORDS = 4
_MIN_ABSTRACT_WORDS = 30
_MIN_KEY_TITLE_WORDS = 3  # many studies may share a shorter title, such as Introduction


def extract_identifiers(values: Iterable[str | None]) -> list[str]:
    """Return the first arXiv number and the first DOI of each address or other text, once, as in `Hit.identifiers`.

    A DOI of arXiv (10.48550/arXiv.1706.03762) counts as the arXiv number in it.
    """
    found: list[str] = []
    for value in filter(None, values):
        if arxiv := _ARXIV.search(value):
            found.append(f"arxiv:{arxiv[1].lower()}")
        if (doi := _DOI.search(value)) and not doi[0].startswith("10.48550/"):
            found.append(f"doi:{doi[0].lower().rstrip('.,;)')}")
    return list(dict.fromkeys(found))


def is_same_study(hit: Hit, paper: ReviewedPaper) -> bool:
    """Return whether a hit is the paper under review, by its identifiers, its title or its abstract."""
    is_named = not set(hit.identifiers).isdisjoint(paper["identifiers"])
    return is_named or _matches_title_or_abstract(hit.title, hit.abstract, paper)


def is_same_document(document: Document, paper: ReviewedPaper) -> bool:
    """Return whether a document is the paper under review, by its hash, its title or its abstract."""
    is_equal = document["sha256"] == paper["sha256"]
    return is_equal or _matches_title_or_abstract(document["title"], document["abstract"], paper)


def identify_reviewed_paper(document: Document, named: Iterable[str] = ()) -> ReviewedPaper:
    """Return what identifies the paper under review: title, abstract, hash and identifiers, `named` or in a stamp.

    `named` is its DOI or arXiv number if the user gives one; the stamp that arXiv prints on a PDF is found, too.
    """
    opening = (paragraph["text"] for paragraph in document["paragraphs"][:_OPENING_PARAGRAPHS])
    stamps = (stamp[0] for text in opening if (stamp := _ARXIV_STAMP.search(text)))
    return ReviewedPaper(
        title=document["title"],
        abstract=document["abstract"],
        sha256=document["sha256"],
        identifiers=extract_identifiers([*named, *stamps]),
    )


def _matches_title_or_abstract(title: str, abstract: str, paper: ReviewedPaper) -> bool:
    """Return whether the titles are equal, or titles or abstracts of enough words are nearly so."""
    for text, own, least in (
        (title, paper["title"], _MIN_TITLE_WORDS),
        (abstract, paper["abstract"], _MIN_ABSTRACT_WORDS),
    ):
        left, right = normalize_title(text).split(), normalize_title(own).split()
        if text is title and left and left == right:
            return True
        if min(len(left), len(right)) < least:  # too short to decide
            continue
        matcher = SequenceMatcher(None, left, right, autojunk=False)
        # The quick ratio is an upper bound, and spares most pairs the slow comparison.
        if matcher.quick_ratio() >= _NEARLY_EQUAL_RATIO and matcher.ratio() >= _NEARLY_EQUAL_RATIO:
            return True
    return False


def merge_hits(results: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return the hits of several providers in turn; a study found by several is listed once, with the fields of all."""
    merged = list[Hit]()
    known = dict[str, int]()
    for hit in chain.from_iterable(zip_longest(*results)):
        if hit is None:
            continue
        title = normalize_title(hit.title)
        keys = [*hit.identifiers, *([title] if len(title.split()) >= _MIN_KEY_TITLE_WORDS else [])]
        place = next((known[key] for key in keys if key in known), len(merged))
        if place == len(merged):
            merged.append(hit)
        else:
            # The first hit's fields win unless they are empty.
            first = {name: value for name, value in vars(merged[place]).items() if value}
            identifiers = list(dict.fromkeys([*merged[place].identifiers, *hit.identifiers]))
            merged[place] = Hit(**{**vars(hit), **first, "identifiers": identifiers})
        known.update(dict.fromkeys(keys, place))
    return merged
