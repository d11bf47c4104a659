"""The literature for a question: ask the providers, keep out what must not be read, and fetch the first results."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from state.errors import RetrievalUnavailable
from tools.literature.folder import Folder
from tools.literature.full_text import Opened, ReadPaper, found, open_hit
from tools.literature.records import (
    Blocked,
    Findings,
    Found,
    Hit,
    Notice,
    Provider,
    SearchResult,
    UnderReview,
    is_same_document,
    is_same_study,
    merge,
    search_words,
)
from tools.literature.url_guard import AddressBlocked, AddressRefused, FetchError
from tools.literature.web import Web

CANDIDATES = 10
"""Hits asked of each provider: more than are wanted, as some cannot be fetched."""
OWN_PAPER = "is the paper under review"


@dataclass(frozen=True)
class Sources:
    """Where to look, and how to get at what is there.

    Args:
        providers: Whom to ask, in this order.
        folder: That of the providers whose hits are files.
        web: The way to the hits of all others.
        read: Makes documents of files and pages.
    """

    providers: Sequence[Provider]
    web: Web
    read: ReadPaper
    folder: Folder | None = None


@dataclass
class _Journal:
    blocked: list[Blocked] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def block(self, address: str, reason: str) -> None:
        self.blocked.append(Blocked(address=address, reason=reason))

    def notice(self, provider: str, message: str) -> None:
        self.notices.append(Notice(provider=provider, message=message))


async def find_documents(
    question: str,
    sources: Sources,
    *,
    limit: int = 3,
    under_review: UnderReview | None = None,
) -> Findings:
    """The first `limit` documents on a question that can be fetched and read.

    The paper's pipeline (SWIF2T, Section 4.1), over several providers: what is blocked, and the paper under review, is
    left out and recorded; a provider, page or file that fails is recorded.

    Args:
        question: In plain words; it reaches the providers, nothing else does.
        sources: As `open_sources` makes them from the settings.
        limit: Documents that are wanted.
        under_review: The paper that must not be found.

    Raises:
        RetrievalUnavailable: No provider could be asked.
        StateError: The state folder cannot be written.
    """
    journal = _Journal()
    documents = list[Found]()
    if not sources.providers:
        journal.notice("folder", "No folder of papers is set; set `folder`, or name other providers.")
    elif search_words(question):
        results = await _search_all(question, sources, max(CANDIDATES, limit), journal)
        admitted = (hit for hit in merge(results) if _admit(hit, sources, under_review, journal))
        async for document in _opened(admitted, sources, limit, under_review, journal):
            documents.append(document)
    return Findings(found=documents, blocked=journal.blocked, notices=journal.notices)


async def _search_all(question: str, sources: Sources, limit: int, journal: _Journal) -> list[list[Hit]]:
    """The hits of each provider that answers; what is told of the providers stands in their order."""
    answers = await asyncio.gather(*(_search(provider, question, limit) for provider in sources.providers))
    results = [answer for answer in answers if isinstance(answer, SearchResult)]
    for provider, answer in zip(sources.providers, answers, strict=True):
        if isinstance(answer, SearchResult):
            journal.notices.extend(answer.notices)
            continue
        if isinstance(answer, AddressBlocked):
            journal.block(answer.address, answer.reason)
        journal.notice(provider.name, str(answer))
    if not results:
        reasons = "; ".join(f"{notice['provider']}: {notice['message']}" for notice in journal.notices)
        raise RetrievalUnavailable(
            f"No literature could be searched ({reasons}); check the network and the folder, or choose other "
            "providers, then resume the run."
        )
    return [result.hits for result in results]


async def _search(provider: Provider, question: str, limit: int) -> SearchResult | FetchError:
    try:
        return await provider.search(question, limit)
    except FetchError as error:
        return error


def _admit(hit: Hit, sources: Sources, under_review: UnderReview | None, journal: _Journal) -> bool:
    """Whether a hit may be opened: none of its addresses is blocked, and it is not the paper under review.

    That paper stays out without extensions, too: the literature is other publications, and it is none.
    """
    if under_review and is_same_study(hit, under_review):
        journal.block(hit["address"], OWN_PAPER)
        return False
    if sources.folder and hit["provider"] == sources.folder.name:
        return True
    for address in _addresses(hit):
        try:
            sources.web.fetcher.gate.check(address)
        except AddressBlocked as error:
            journal.block(error.address, error.reason)
            return False
        except AddressRefused:
            continue  # the other addresses may do
    return True


def _addresses(hit: Hit) -> Iterator[str]:
    """Where a hit can be read; its DOI leads to the site of its publisher."""
    yield from (address for address in (hit["address"], hit["pdf_address"]) if address)
    yield from (f"https://doi.org/{name.removeprefix('doi:')}" for name in hit["identifiers"] if name[:4] == "doi:")


async def _opened(
    hits: Iterator[Hit], sources: Sources, limit: int, under_review: UnderReview | None, journal: _Journal
) -> AsyncIterator[Found]:
    """The first documents, in the order of the hits; as many at once as are still wanted."""
    missing = limit
    while missing and (batch := list(islice(hits, missing))):
        for document in await asyncio.gather(*(_open(hit, sources, journal) for hit in batch)):
            if document is None:
                continue
            if under_review and is_same_document(document["document"], under_review):
                journal.block(document["address"], OWN_PAPER)
                continue
            missing -= 1
            yield document


async def _open(hit: Hit, sources: Sources, journal: _Journal) -> Found | None:
    try:
        opened = await _read(hit, sources)
    except AddressBlocked as error:
        journal.block(error.address, error.reason)
        return None
    except FetchError as error:
        opened = Opened(None, [str(error)])
    for problem in opened.problems:
        journal.notice(hit["provider"], problem)
    return opened.found


async def _read(hit: Hit, sources: Sources) -> Opened:
    if sources.folder and hit["provider"] == sources.folder.name:
        return Opened(found(hit, await sources.folder.load(hit)), [])
    return await open_hit(hit, sources.web, sources.read)
