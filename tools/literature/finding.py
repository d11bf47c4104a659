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

from state.errors import RetrievalUnavailable, SettingsError
from state.files import state_folder
from state.settings import LiteratureSettings
from tools.literature.fetching import Cache, Fetcher, Secret, searches_folder
from tools.literature.folder import Folder, Rank
from tools.literature.full_text import ReadPaper, as_found, open_hit, read_paper
from tools.literature.providers import CATALOGUES, Client, Key
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
from tools.literature.url_guard import DEFAULT_BLOCKLIST, AddressBlocked, FetchError, Gate
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


async def find_documents(
    question: str,
    sources: Sources,
    *,
    limit: int = 3,
    under_review: UnderReview | None = None,
) -> Findings:
    """The first `limit` documents on a question that can be fetched and read.

    The paper's pipeline (SWIF2T, Section 4.1), over several providers: what is blocked and, which is ours, the paper
    under review is left out and recorded; a provider, page or file that fails is recorded.

    Args:
        question: In plain words; it reaches the providers, nothing else does.
        sources: As `open_sources` makes them from the settings.
        limit: Documents that are wanted.
        under_review: The paper that must not be found.

    Raises:
        RetrievalUnavailable: No provider could be asked.
        StateError: The state folder cannot be written.
    """
    findings = Findings(found=[], blocked=[], notices=[])
    if not sources.providers:
        _note(findings, "folder", "No folder of papers is set; set `folder`, or name other providers.")
    elif search_words(question):
        results = await _search_all(question, sources, max(CANDIDATES, limit), findings)
        admitted = (hit for hit in merge(results) if _admit(hit, sources, under_review, findings))
        found = findings["found"]
        while batch := list(islice(admitted, limit - len(found))):  # as many at once as are still wanted
            for document in await asyncio.gather(*(_open(hit, sources, findings) for hit in batch)):
                if document and under_review and is_same_document(document["document"], under_review):
                    _block(findings, document["address"], OWN_PAPER)
                elif document:
                    found.append(document)
    return findings


def _block(findings: Findings, address: str, reason: str) -> None:
    findings["blocked"].append(Blocked(address=address, reason=reason))


def _note(findings: Findings, provider: str, message: str) -> None:
    findings["notices"].append(Notice(provider=provider, message=message))


async def _search_all(question: str, sources: Sources, limit: int, findings: Findings) -> list[list[Hit]]:
    """The hits of each provider that answers; what is told of the providers stands in their order."""
    answers = await asyncio.gather(*(_search(provider, question, limit) for provider in sources.providers))
    results = [answer for answer in answers if isinstance(answer, SearchResult)]
    for provider, answer in zip(sources.providers, answers, strict=True):
        if isinstance(answer, SearchResult):
            findings["notices"].extend(answer.notices)
            continue
        if isinstance(answer, AddressBlocked):
            _block(findings, answer.address, answer.reason)
        _note(findings, provider.name, str(answer))
    if not results:
        reasons = "; ".join(f"{notice['provider']}: {notice['message']}" for notice in findings["notices"])
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


def _admit(hit: Hit, sources: Sources, under_review: UnderReview | None, findings: Findings) -> bool:
    """Whether a hit may be opened: none of its addresses is blocked, and it is not the paper under review.

    That paper stays out without extensions, too: the literature is other publications, and it is none.
    """
    if under_review and is_same_study(hit, under_review):
        _block(findings, hit["address"], OWN_PAPER)
        return False
    if sources.folder and hit["provider"] == sources.folder.name:
        return True
    names = [name.removeprefix("doi:") for name in hit["identifiers"] if name.startswith("doi:")]
    publishers = [f"https://doi.org/{name}" for name in names]
    for address in filter(None, (hit["address"], hit["pdf_address"], *publishers)):
        try:
            sources.web.fetcher.gate.check(address)
        except AddressBlocked as error:
            _block(findings, error.address, error.reason)
            return False
        except FetchError:
            continue  # the other addresses may do
    return True


async def _open(hit: Hit, sources: Sources, findings: Findings) -> Found | None:
    note = partial(_note, findings, hit["provider"])
    try:
        if sources.folder and hit["provider"] == sources.folder.name:
            return as_found(hit, await sources.folder.load(hit))
        return await open_hit(hit, sources.web, sources.read, note)
    except AddressBlocked as error:
        _block(findings, error.address, error.reason)
    except FetchError as error:
        note(str(error))
    return None


SEARCHES_EXPIRE_S = 7 * 24 * 3600.0
PROJECT = "Draftroom"


def open_sources(
    settings: LiteratureSettings, *, rank: Rank, read: ReadPaper = read_paper, gate: Gate | None = None
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
    agent = f"{PROJECT} (mailto:{_plain(settings.contact, '`contact`')})" if settings.contact else PROJECT
    files = Cache(state_folder() / "literature" / "files")
    web = Web(Fetcher(gate or Gate(blocklist), agent), Cache(searches_folder(), SEARCHES_EXPIRE_S), files)
    folder = Folder(Path(settings.folder), read, rank) if settings.folder and "folder" in settings.providers else None
    providers = list[Provider]()
    for name in dict.fromkeys(settings.providers):
        if name != "folder":
            keys = CATALOGUES[name].keys
            secrets = (_secret(key, getattr(settings, key.setting)) for key in keys)
            told = tuple(secret for secret in secrets if secret.value)
            providers.append(Client(name, CATALOGUES[name], web, told, settings.contact or ""))
        elif folder:
            providers.append(folder)
    return Sources(providers, web, read, folder)


def _secret(key: Key, variable: str) -> Secret:
    return Secret(key.place, key.name, _plain(os.environ.get(variable, ""), f"The environment variable {variable}"))


def _plain(value: str, what: str) -> str:
    """A value that can stand in a header; a message must not quote it."""
    plain = value.strip()
    if plain.isascii() and plain.isprintable():
        return plain
    raise SettingsError(f"{what} holds characters that no key or address has; set it anew.")
