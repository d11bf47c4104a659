"""Find literature on a question: search the providers, block addresses that must not be read, and fetch the first hits.

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
from tools.configuration import load_custom_object
from tools.literature.fetching import DownloadCache, Fetcher, Secret, locate_search_cache
from tools.literature.folder import FolderProvider, PassageRanker
from tools.literature.full_text import PaperReader, as_found_document, fetch_hit_document, read_paper
from tools.literature.providers import SERVICE_SPECS, OwnProvider, ServiceClient
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

CANDIDATES_PER_PROVIDER = 10  # hits per provider: more than are wanted, because some cannot be fetched
OWN_PAPER_REASON = "is the paper under review"
SEARCH_CACHE_MAX_AGE_S = 7 * 24 * 3600.0
PROJECT_NAME = "Draftroom"


@dataclass(frozen=True)
class Sources:
    """Providers to search, and the means to fetch their hits."""

    providers: Sequence[Provider]  # in the order in which they are searched
    web: WebClient
    read: PaperReader
    folder: FolderProvider | None = None  # the provider whose hits are local files


async def find_documents(
    question: str, sources: Sources, *, limit: int = 3, under_review: ReviewedPaper | None = None
) -> LiteratureResults:
    """Search the providers, and return the first `limit` documents on a question that can be fetched and read.

    The paper's pipeline (SWIF2T, Section 4.1) over several providers. Blocked pages are left out and recorded, and so
    is the paper under review (an extension). A provider, page or file that fails is recorded, too. Nothing but the
    question is sent to the providers.

    Raises:
        RetrievalUnavailableError: No provider could be searched.
        StateError: The state folder cannot be written.
    """
    findings = LiteratureResults(found=[], blocked=[], notices=[])
    if not sources.providers:
        _record_notice(findings, "folder", "No folder of papers is set; set `folder`, or name other providers.")
    elif extract_search_words(question):
        results = await _search_providers(question, sources, max(CANDIDATES_PER_PROVIDER, limit), findings)
        admitted = (hit for hit in merge_hits(results) if _accept_hit(hit, sources, under_review, findings))
        found = findings["found"]
        while batch := list(islice(admitted, limit - len(found))):  # fetch as many at once as are still wanted
            for document in await asyncio.gather(*(_load_hit_document(hit, sources, findings) for hit in batch)):
                # A hit with a wrong title shows only now that it is the paper under review.
                if document and under_review and is_same_document(document["document"], under_review):
                    findings["blocked"].append(BlockedAddress(address=document["address"], reason=OWN_PAPER_REASON))
                elif document:
                    found.append(document)
    return findings


def _record_notice(findings: LiteratureResults, provider: str, message: str) -> None:
    """Add a notice to the findings, in place."""
    findings["notices"].append(Notice(provider=provider, message=message))


async def _search_providers(
    question: str, sources: Sources, limit: int, findings: LiteratureResults
) -> list[list[Hit]]:
    """Return the hits of each provider that answers; record failures and blocked addresses; raise if none answers."""

    async def search_provider(provider: Provider) -> SearchResult | FetchError:
        """Return the error in place of a result, so that the other providers are searched."""
        try:
            return await provider.search(question, limit)
        except FetchError as error:
            return error

    results = []
    answers = await asyncio.gather(*(search_provider(provider) for provider in sources.providers))
    for provider, answer in zip(sources.providers, answers, strict=True):
        if isinstance(answer, SearchResult):
            findings["notices"].extend(answer.notices)
            results.append(answer.hits)
            continue
        if isinstance(answer, AddressBlockedError):
            findings["blocked"].append(BlockedAddress(address=answer.address, reason=answer.reason))
        _record_notice(findings, provider.name, str(answer))
    if not results:
        reasons = "; ".join(f"{notice['provider']}: {notice['message']}" for notice in findings["notices"])
        raise RetrievalUnavailableError(
            f"No literature could be searched ({reasons}); check the network and the folder, or choose other "
            "providers, then resume the run."
        )
    return results


def _accept_hit(hit: Hit, sources: Sources, under_review: ReviewedPaper | None, findings: LiteratureResults) -> bool:
    """Return whether a hit may be opened; if it is blocked or the paper under review, record this in `findings`."""
    # Without extensions, too: the paper's literature is other publications.
    if under_review and is_same_study(hit, under_review):
        findings["blocked"].append(BlockedAddress(address=hit["address"], reason=OWN_PAPER_REASON))
        return False
    if sources.folder and hit["provider"] == sources.folder.name:
        return True
    # Many hits name a blocked publisher only by their DOI.
    names = [name.removeprefix("doi:") for name in hit["identifiers"] if name.startswith("doi:")]
    publishers = [f"https://doi.org/{name}" for name in names]
    for address in filter(None, (hit["address"], hit["pdf_address"], *publishers)):
        try:
            sources.web.fetcher.gate.check_address(address)
        except AddressBlockedError as error:
            findings["blocked"].append(BlockedAddress(address=error.address, reason=error.reason))
            return False
        except FetchError:
            continue  # another address may still work
    return True


async def _load_hit_document(hit: Hit, sources: Sources, findings: LiteratureResults) -> FoundDocument | None:
    """Return the document of a hit, or record in `findings` why it cannot be used and return None."""
    note = partial(_record_notice, findings, hit["provider"])
    try:
        if sources.folder and hit["provider"] == sources.folder.name:
            return as_found_document(hit, await sources.folder.load_hit(hit))
        return await fetch_hit_document(hit, sources.web, sources.read, note)
    except AddressBlockedError as error:
        findings["blocked"].append(BlockedAddress(address=error.address, reason=error.reason))
    except FetchError as error:
        note(str(error))
    return None


def build_sources(
    settings: LiteratureSettings,
    *,
    rank: PassageRanker,
    read: PaperReader = read_paper,
    gate: AddressGuard | None = None,
) -> Sources:
    """Build the providers that the settings name; the folder only if its path is set.

    By default the guard admits the public internet without blocked sites.

    Raises:
        SettingsError: A key or the contact cannot be in a header, or a function of the user's cannot be imported.
    """
    blocklist = DEFAULT_BLOCKLIST if settings.blocked_hosts is None else tuple(settings.blocked_hosts)
    contact = _validate_header_value(settings.contact or "", "`contact`")
    fetcher = Fetcher(
        gate or AddressGuard(blocklist), f"{PROJECT_NAME} (mailto:{contact})" if contact else PROJECT_NAME
    )
    searches = DownloadCache(locate_search_cache(), SEARCH_CACHE_MAX_AGE_S)
    web = WebClient(fetcher, searches, DownloadCache(resolve_state_folder() / "literature" / "files"))
    folder = None
    if settings.folder and "folder" in settings.providers:
        folder = FolderProvider(Path(settings.folder), read, rank)
    providers = list[Provider]()
    for name in dict.fromkeys(settings.providers):
        if name == "folder":
            providers += [folder] if folder else []
            continue
        if ":" in name:
            providers.append(OwnProvider(name, load_custom_object(name)))
            continue
        secrets = list[Secret]()
        for key in SERVICE_SPECS[name].keys:
            variable = getattr(settings, key.setting)
            value = _validate_header_value(os.environ.get(variable, ""), f"The environment variable {variable}")
            if value:
                secrets.append(Secret(key.place, key.name, value))
        providers.append(ServiceClient(name, SERVICE_SPECS[name], web, tuple(secrets), settings.contact or ""))
    return Sources(providers, web, read, folder)


def _validate_header_value(value: str, name: str) -> str:
    """Return a stripped value that a header can hold; else raise an error that does not quote it (it may be a key)."""
    plain = value.strip()
    if plain.isascii() and plain.isprintable():
        return plain
    raise SettingsError(f"{name} contains characters that no key or address has; set it again.")
