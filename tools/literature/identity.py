"""Whether two descriptions mean the same paper, by DOI, arXiv number, title or abstract.

The hits of all providers become one list, with each study once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import chain, zip_longest
from urllib.parse import urlsplit

from state.documents import Document
from tools.literature.records import Hit, UnderReview
from tools.text.characters import without_accents

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
    return " ".join(re.findall(r"[^\W_]+", without_accents(title.casefold())))


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


_WEB_SEARCH = {"google"}  # all others name scholarly works only
_LISTED_TITLE_WORDS = 3  # a shorter title, such as Introduction, may be that of many studies
_SCHOLARLY_HOSTS = (
    "aclanthology.org",
    "acm.org",
    "acs.org",
    "ams.org",
    "annualreviews.org",
    "aps.org",
    "arxiv.org",
    "bioone.org",
    "biorxiv.org",
    "biomedcentral.com",
    "bmj.com",
    "cambridge.org",
    "cell.com",
    "chemrxiv.org",
    "cochranelibrary.com",
    "copernicus.org",
    "core.ac.uk",
    "doi.org",
    "europepmc.org",
    "frontiersin.org",
    "hal.science",
    "ieee.org",
    "iop.org",
    "jamanetwork.com",
    "jmlr.org",
    "jstor.org",
    "mdpi.com",
    "medrxiv.org",
    "mlr.press",
    "nature.com",
    "ncbi.nlm.nih.gov",
    "nejm.org",
    "neurips.cc",
    "oup.com",
    "plos.org",
    "pnas.org",
    "royalsocietypublishing.org",
    "rsc.org",
    "sagepub.com",
    "science.org",
    "sciencedirect.com",
    "semanticscholar.org",
    "springer.com",
    "ssrn.com",
    "tandfonline.com",
    "thecvf.com",
    "thelancet.com",
    "usenix.org",
    "wiley.com",
    "zenodo.org",
)


def merge(results: Sequence[Sequence[Hit]], *, scholarly_first: bool = False) -> list[Hit]:
    """Take turns among the providers; a study that several name stands once, with all that they tell of it.

    Args:
        results: Of each provider, in its order.
        scholarly_first: Whether hits from scholarly sources come before all others (the aid).
    """
    merged = list[Hit]()
    known = dict[str, int]()
    for hit in chain.from_iterable(zip_longest(*results)):
        if hit is None:
            continue
        title = title_key(hit["title"])
        keys = [*hit["identifiers"], *([title] if len(title.split()) >= _LISTED_TITLE_WORDS else [])]
        place = next((known[key] for key in keys if key in known), len(merged))
        if place == len(merged):
            merged.append(hit)
        else:
            merged[place] = _completed(merged[place], hit)
        known.update(dict.fromkeys(keys, place))
    return sorted(merged, key=lambda hit: not is_scholarly(hit)) if scholarly_first else merged


def is_scholarly(hit: Hit) -> bool:
    """Whether a hit comes from a scholarly catalogue, a local folder, or the site of a scientific publisher."""
    if hit["provider"] not in _WEB_SEARCH:
        return True
    host = (urlsplit(hit["address"]).hostname or "").rstrip(".")
    return any(host == site or host.endswith(f".{site}") for site in _SCHOLARLY_HOSTS)


def _completed(hit: Hit, other: Hit) -> Hit:
    return Hit(
        provider=hit["provider"],
        title=hit["title"] or other["title"],
        authors=hit["authors"] or other["authors"],
        year=hit["year"] or other["year"],
        abstract=hit["abstract"] or other["abstract"],
        address=hit["address"] or other["address"],
        pdf_address=hit["pdf_address"] or other["pdf_address"],
        identifiers=list(dict.fromkeys([*hit["identifiers"], *other["identifiers"]])),
    )
