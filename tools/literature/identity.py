"""Whether two descriptions mean the same paper: by DOI, arXiv number, title or abstract."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

from state.documents import Document
from tools.literature.records import Hit, UnderReview

_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf|html)/|[.:/])\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s?#&\"<>]+", re.IGNORECASE)
_STAMP = re.compile(r"arxiv:\S+v\d+\s+\[[a-z.-]+\]", re.IGNORECASE)
_OPENING = 10  # paragraphs; further down, the number may be that of a cited paper
_NEARLY = 0.9
_TITLE_WORDS = 4
_ABSTRACT_WORDS = 30


def identifiers(values: Iterable[str | None]) -> list[str]:
    """The arXiv numbers and DOIs in addresses and other texts, each once, in the form of `Hit`.

    A DOI of arXiv (10.48550/arXiv.1706.03762) counts as the number in it.
    """
    found = [name for value in values if value and (name := _identifier(value))]
    return list(dict.fromkeys(found))


def title_key(title: str) -> str:
    """The letters and digits of a title's words: accents, case and punctuation make no other paper."""
    plain = unicodedata.normalize("NFKD", title.casefold())
    return " ".join(re.findall(r"[^\W_]+", "".join(c for c in plain if not unicodedata.combining(c))))


def is_same_study(hit: Hit, paper: UnderReview) -> bool:
    """Whether a hit is the paper under review."""
    shared = set(hit["identifiers"]) & set(paper["identifiers"])
    return bool(shared) or _alike(hit["title"], paper["title"], _TITLE_WORDS) or _same_abstract(hit, paper)


def is_same_document(document: Document, paper: UnderReview) -> bool:
    """Whether a document that was read is the paper under review."""
    same_file = document["sha256"] == paper["sha256"]
    return same_file or _alike(document["title"], paper["title"], _TITLE_WORDS) or _same_abstract(document, paper)


def under_review(document: Document, named: Iterable[str] = ()) -> UnderReview:
    """What tells the paper under review, for `find_documents`.

    Args:
        document: The paper.
        named: Its DOI or arXiv number, where the user knows it; the stamp that arXiv prints on a PDF is found.
    """
    opening = (paragraph["text"] for paragraph in document["paragraphs"][:_OPENING])
    stamps = (stamp[0] for text in opening if (stamp := _STAMP.search(text)))
    return UnderReview(
        title=document["title"],
        abstract=document["abstract"],
        sha256=document["sha256"],
        identifiers=identifiers([*named, *stamps]),
    )


def _identifier(value: str) -> str:
    if arxiv := _ARXIV.search(value):
        return f"arxiv:{arxiv[1].lower()}"
    doi = _DOI.search(value)
    return f"doi:{doi[0].lower().rstrip('.,;)')}" if doi else ""


def _same_abstract(other: Hit | Document, paper: UnderReview) -> bool:
    return _alike(other["abstract"], paper["abstract"], _ABSTRACT_WORDS, exactly=False)


def _alike(one: str, other: str, words: int, *, exactly: bool = True) -> bool:
    """Whether two texts are equal, or nearly so; texts of fewer words are too short for nearly."""
    left, right = title_key(one), title_key(other)
    if exactly and left and left == right:
        return True
    if min(len(left.split()), len(right.split())) < words:
        return False
    matcher = SequenceMatcher(None, left.split(), right.split(), autojunk=False)
    return matcher.quick_ratio() >= _NEARLY and matcher.ratio() >= _NEARLY
