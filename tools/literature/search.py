"""The literature for a question: ask the providers, keep out what must not be read, and fetch the first results.

Nothing leaves the machine unless a web service is named in the settings.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from state.errors import RetrievalUnavailableError, SettingsError
from state.files import resolve_state_folder
from state.settings import LiteratureSettings
from tools.literature.fetching import DownloadCache, Fetcher, Secret, locate_search_cache
from tools.literature.folder import FolderProvider, PassageRanker
from tools.literature.full_text import PaperReader, as_found_document, fetch_hit_document, read_paper
from tools.literature.providers import SERVICE_SPECS, ServiceClient, ServiceKey
from tools.literature.records import (
    BlockedAddress,
    FoundDocument,
    Hit,
    LiteratureResults,
    Notice,
    Provider,
    ReviewedPaper,
    SearchResult,
    extract_search_words,
    is_same_document,
    is_same_study,
    merge_hits,
)
from tools.literature.url_guard import DEFAULT_BLOCKLIST, AddressBlockedError, AddressGuard, FetchError
from tools.literature.web import WebClient

CANDIDATES_PER_PROVIDER = 10
"""Hits asked of each provider: more than are wanted, as some cannot be fetched."""
OWN_PAPER_REASON = "is the paper under review"


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
    web: WebClient
    read: PaperReader
    folder: FolderProvider | None = None


async def find_documents(
    question: str,
    sources: Sources,
    *,
    limit: int = 3,
    under_review: ReviewedPaper | None = None,
) -> LiteratureResults:
    """The first `limit` documents on a question that can be fetched and read.

    The paper's pipeline (SWIF2T, Section 4.1), over several providers: what is blocked and, which is ours, the paper
    under review is left out and recorded; a provider, page or file that fails is recorded.

    Args:
        question: In plain words; it reaches the providers, nothing else does.
        sources: As `build_sources` makes them from the settings.
        limit: Documents that are wanted.
        under_review: The paper that must not be found.

    Raises:
        RetrievalUnavailable: No provider could be asked.
        StateError: The state folder cannot be written.
    """
    findings = LiteratureResults(found=[], blocked=[], notices=[])
    if not sources.providers:
        _record_notice(findings, "folder", "No folder of papers is set; set `folder`, or name other providers.")
    elif extract_search_words(question):
        results = await _search_providers(question, sources, max(CANDIDATES_PER_PROVIDER, limit), findings)
        admitted = (hit for hit in merge_hits(results) if _accept_hit(hit, sources, under_review, findings))
        found = findings["found"]
        while batch := list(islice(admitted, limit - len(found))):  # as many at once as are still wanted
            for document in await asyncio.gather(*(_load_hit_document(hit, sources, findings) for hit in batch)):
                if document and under_review and is_same_document(document["document"], under_review):
                    _record_blocked(findings, document["address"], OWN_PAPER_REASON)
                elif document:
                    found.append(document)
    return findings


def _record_blocked(findings: LiteratureResults, address: str, reason: str) -> None:
    findings["blocked"].append(BlockedAddress(address=address, reason=reason))


def _record_notice(findings: LiteratureResults, provider: str, message: str) -> None:
    findings["notices"].append(Notice(provider=provider, message=message))


async def _search_providers(
    question: str, sources: Sources, limit: int, findings: LiteratureResults
) -> list[list[Hit]]:
    """The hits of each provider that answers; what is told of the providers stands in their order."""
    answers = await asyncio.gather(*(_search_provider(provider, question, limit) for provider in sources.providers))
    results = [answer for answer in answers if isinstance(answer, SearchResult)]
    for provider, answer in zip(sources.providers, answers, strict=True):
        if isinstance(answer, SearchResult):
            findings["notices"].extend(answer.notices)
            continue
        if isinstance(answer, AddressBlockedError):
            _record_blocked(findings, answer.address, answer.reason)
        _record_notice(findings, provider.name, str(answer))
    if not results:
        reasons = "; ".join(f"{notice['provider']}: {notice['message']}" for notice in findings["notices"])
        raise RetrievalUnavailableError(
            f"No literature could be searched ({reasons}); check the network and the folder, or choose other "
            "providers, then resume the run."
        )
    return [result.hits for result in results]


async def _search_provider(provider: Provider, question: str, limit: int) -> SearchResult | FetchError:
    try:
        return await provider.search(question, limit)
    except FetchError as error:
        return error


def _accept_hit(hit: Hit, sources: Sources, under_review: ReviewedPaper | None, findings: LiteratureResults) -> bool:
    """Whether a hit may be opened: none of its addresses is blocked, and it is not the paper under review.

    That paper stays out without extensions, too: the literature is other publications, and it is none.
    """
    if under_review and is_same_study(hit, under_review):
        _record_blocked(findings, hit["address"], OWN_PAPER_REASON)
        return False
    if sources.folder and hit["provider"] == sources.folder.name:
        return True
    names = [name.removeprefix("doi:") for name in hit["identifiers"] if name.startswith("doi:")]
    publishers = [f"https://doi.org/{name}" for name in names]
    for address in filter(None, (hit["address"], hit["pdf_address"], *publishers)):
        try:
            sources.web.fetcher.gate.check_address(address)
        except AddressBlockedError as error:
            _record_blocked(findings, error.address, error.reason)
            return False
        except FetchError:
            continue  # the other addresses may do
    return True


async def _load_hit_document(hit: Hit, sources: Sources, findings: LiteratureResults) -> FoundDocument | None:
    note = partial(_record_notice, findings, hit["provider"])
    try:
        if sources.folder and hit["provider"] == sources.folder.name:
            return as_found_document(hit, await sources.folder.load_hit(hit))
        return await fetch_hit_document(hit, sources.web, sources.read, note)
    except AddressBlockedError as error:
        _record_blocked(findings, error.address, error.reason)
    except FetchError as error:
        note(str(error))
    return None


SEARCH_CACHE_MAX_AGE_S = 7 * 24 * 3600.0
PROJECT_NAME = "Draftroom"


def build_sources(
    settings: LiteratureSettings,
    *,
    rank: PassageRanker,
    read: PaperReader = read_paper,
    gate: AddressGuard | None = None,
) -> Sources:
    """The providers that the settings name; no folder among them if none is set.

    Args:
        settings: What the user chose.
        rank: Finds passages in the papers of the folder.
        read: Makes documents of files and pages.
        gate: What may be asked; by default the public internet without the blocklist of the settings.

    Raises:
        SettingsError: A key or the contact holds characters that no header can hold.
    """
    blocklist = DEFAULT_BLOCKLIST if settings.blocked_hosts is None else tuple(settings.blocked_hosts)
    agent = (
        f"{PROJECT_NAME} (mailto:{_validate_header_value(settings.contact, '`contact`')})"
        if settings.contact
        else PROJECT_NAME
    )
    files = DownloadCache(resolve_state_folder() / "literature" / "files")
    web = WebClient(
        Fetcher(gate or AddressGuard(blocklist), agent),
        DownloadCache(locate_search_cache(), SEARCH_CACHE_MAX_AGE_S),
        files,
    )
    folder = (
        FolderProvider(Path(settings.folder), read, rank)
        if settings.folder and "folder" in settings.providers
        else None
    )
    providers = list[Provider]()
    for name in dict.fromkeys(settings.providers):
        if name != "folder":
            keys = SERVICE_SPECS[name].keys
            secrets = (_resolve_secret(key, getattr(settings, key.setting)) for key in keys)
            told = tuple(secret for secret in secrets if secret.value)
            providers.append(ServiceClient(name, SERVICE_SPECS[name], web, told, settings.contact or ""))
        elif folder:
            providers.append(folder)
    return Sources(providers, web, read, folder)


def _resolve_secret(key: ServiceKey, variable: str) -> Secret:
    return Secret(
        key.place,
        key.name,
        _validate_header_value(os.environ.get(variable, ""), f"The environment variable {variable}"),
    )


def _validate_header_value(value: str, what: str) -> str:
    """A value that can stand in a header; a message must not quote it."""
    plain = value.strip()
    if plain.isascii() and plain.isprintable():
        return plain
    raise SettingsError(f"{what} holds characters that no key or address has; set it anew.")
