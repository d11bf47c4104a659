"""Find literature on a question: search the providers, block addresses that must not be read, and fetch the first hits.

Nothing leaves the machine unless a web service is named in the settings.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from state.documents import Document
from state.errors import InputError, RetrievalUnavailableError, SettingsError
from state.files import resolve_state_folder
from state.settings import LiteratureSettings
from tools.configuration import load_custom_object
from tools.documents.reading import load_document, read_document_bytes
from tools.documents.structure import Block, DocumentParts, build_document_from_parts
from tools.literature.folder import FolderProvider, PaperReader, PassageRanker
from tools.literature.providers import SERVICE_SPECS, OwnProvider, ServiceClient
from tools.literature.records import (
    FoundDocument,
    Hit,
    LiteratureResults,
    Provider,
    ReviewedPaper,
    SearchResult,
    extract_search_words,
    is_same_document,
    is_same_study,
    merge_hits,
)
from tools.literature.url_guard import DEFAULT_BLOCKLIST, AddressBlockedError, AddressGuard, FetchError
from tools.literature.web import DownloadCache, Fetcher, Secret, WebClient, locate_search_cache

CANDIDATES_PER_PROVIDER = 10  # hits per provider: more than are wanted, because some cannot be fetched
OWN_PAPER_REASON = "is the paper under review"
SEARCH_CACHE_MAX_AGE_S = 7 * 24 * 3600.0
PROJECT_NAME = "Draftroom"
MIN_FULL_TEXT_CHARACTERS = 500  # a page with less, or with less than the abstract, is a cookie notice or a landing page
_SUFFIXES = {"application/pdf": ".pdf", "application/x-pdf": ".pdf", "text/plain": ".txt"}


@dataclass(frozen=True)
class Sources:
    """Providers to search, and the means to fetch their hits."""

    providers: Sequence[Provider]  # in the order in which they are searched
    web: WebClient
    read: PaperReader


async def find_documents(
    question: str, sources: Sources, *, limit: int = 3, under_review: ReviewedPaper | None = None
) -> LiteratureResults:
    """Search the providers, and return the first `limit` documents on a question that can be fetched and read.

    The paper's pipeline (SWIF2T, Section 4.1) over several providers. Blocked pages are left out with a note, and so
    is the paper under review (an extension). A provider, page or file that fails gives a note, too. Nothing but the
    question is sent to the providers.

    Raises:
        RetrievalUnavailableError: No provider could be searched.
        StateError: The state folder cannot be written.
    """
    found, notes = list[FoundDocument](), list[str]()
    if not sources.providers:
        notes.append("Literature, folder: No folder of papers is set; set `folder`, or name other providers.")
    elif extract_search_words(question):
        results = await _search_providers(question, sources, max(CANDIDATES_PER_PROVIDER, limit), notes)
        admitted = (hit for hit in merge_hits(results) if _accept_hit(hit, sources, under_review, notes))
        while batch := list(islice(admitted, limit - len(found))):  # fetch as many at once as are still wanted
            documents = await asyncio.gather(*(_load_hit(hit, sources, under_review, notes) for hit in batch))
            found += filter(None, documents)
    return LiteratureResults(found, notes)


async def _search_providers(question: str, sources: Sources, limit: int, notes: list[str]) -> list[list[Hit]]:
    """Return the hits of each provider that answers, and note failures; raise if none answers."""
    results, failures = list[list[Hit]](), list[str]()
    searches = (provider.search(question, limit) for provider in sources.providers)
    answers = await asyncio.gather(*searches, return_exceptions=True)  # so that one failure does not end the others
    for provider, answer in zip(sources.providers, answers, strict=True):
        if isinstance(answer, SearchResult):
            notes += [f"Literature, {provider.name}: {note}" for note in answer.notes]
            results.append(answer.hits)
        elif isinstance(answer, FetchError):
            notes.append(_describe_failure(answer, provider.name))
            failures.append(f"{provider.name}: {answer}")
        else:
            raise answer
    if not results:
        raise RetrievalUnavailableError(
            f"No literature could be searched ({'; '.join(failures)}); check the network and the folder, or choose "
            "other providers, then resume the run."
        )
    return results


def _describe_failure(error: FetchError | InputError, provider: str) -> str:
    """Return the note that an address was blocked, or that it or a provider gave nothing."""
    if isinstance(error, AddressBlockedError):
        return f"{error.address} was left out: it {error.reason}."
    return f"Literature, {provider}: {error}"


def _accept_hit(hit: Hit, sources: Sources, under_review: ReviewedPaper | None, notes: list[str]) -> bool:
    """Return whether a hit may be opened, or note that it is blocked or the paper under review."""
    # Without extensions, too: the paper's literature is other publications.
    if under_review and is_same_study(hit, under_review):
        notes.append(_describe_failure(AddressBlockedError(hit.address, OWN_PAPER_REASON), hit.provider))
        return False
    if hit.provider == FolderProvider.name:
        return True
    # Many hits name a blocked publisher only by their DOI.
    names = [name.removeprefix("doi:") for name in hit.identifiers if name.startswith("doi:")]
    for address in filter(None, (hit.address, hit.pdf_address, *(f"https://doi.org/{name}" for name in names))):
        try:
            sources.web.fetcher.gate.check_address(address)
        except AddressBlockedError as error:
            notes.append(_describe_failure(error, hit.provider))
            return False
        except FetchError:
            continue  # another address may still work
    return True


async def _load_hit(
    hit: Hit, sources: Sources, under_review: ReviewedPaper | None, notes: list[str]
) -> FoundDocument | None:
    """Return a hit's full text, else its abstract; None if there is neither, or if it is the paper under review."""
    folders = (provider for provider in sources.providers if isinstance(provider, FolderProvider))
    folder = next(folders, None) if hit.provider == FolderProvider.name else None
    # The PDF is tried first, then the landing page.
    for address in dict.fromkeys(filter(None, [hit.pdf_address, hit.address])):
        try:
            fetching = folder.load_hit(hit) if folder else _fetch_full_text(address, len(hit.abstract), sources)
            document = await fetching
            # A hit with a wrong title shows only now that it is the paper under review.
            if under_review and is_same_document(document, under_review):
                raise AddressBlockedError(hit.address or hit.pdf_address, OWN_PAPER_REASON)
            break
        except (FetchError, InputError) as error:
            notes.append(_describe_failure(error, hit.provider))
            if isinstance(error, AddressBlockedError):  # nothing of a hit that leads to a blocked site is used
                return None
    else:
        if folder or not hit.abstract:
            return None
        parts = DocumentParts(hit.title, [Block("heading", "Abstract"), Block("paragraph", hit.abstract)])
        sha256 = hashlib.sha256(hit.abstract.encode()).hexdigest()
        document = build_document_from_parts(parts, sha256=sha256, document_format="text")
    title, address = hit.title or document["title"], hit.address or hit.pdf_address
    return FoundDocument(document=document, title=title, address=address)


async def _fetch_full_text(address: str, abstract_length: int, sources: Sources) -> Document:
    """Fetch and read the paper at an address.

    Raises:
        FetchError: There is none, or a text that is shorter than the abstract.
        InputError: The file cannot be read.
    """
    download = await sources.web.fetch_file(address)
    # The reader chooses the format by the suffix, and many addresses have none, or that of a script.
    name = PurePosixPath(unquote(urlsplit(download.address).path)).name
    suffix = _SUFFIXES.get(download.content_type, ".html")
    if not name.lower().endswith(suffix):
        name = f"{name or 'page'}{suffix}"
    document = await asyncio.to_thread(sources.read, download.data, name, download.address)
    if sum(len(each["text"]) for each in document["paragraphs"]) < max(MIN_FULL_TEXT_CHARACTERS, abstract_length):
        raise FetchError(download.address, "holds no full text")
    return document


def read_paper(data: bytes, name: str, source: str) -> Document:
    """Read a paper from its bytes as `PaperReader` describes; equal contents are read once and stored."""
    return load_document(read_document_bytes(data, name=name, source=source))


def build_sources(settings: LiteratureSettings, *, rank: PassageRanker, gate: AddressGuard | None = None) -> Sources:
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
    providers = list[Provider]()
    for name in dict.fromkeys(settings.providers):
        if name == "folder":
            if settings.folder:
                providers.append(FolderProvider(Path(settings.folder).expanduser().absolute(), read_paper, rank))
            continue
        if ":" in name:
            providers.append(OwnProvider(name, load_custom_object(name)))
            continue
        secrets = list[Secret]()
        for setting, (place, key) in SERVICE_SPECS[name].keys.items():
            variable = getattr(settings, setting)
            value = _validate_header_value(os.environ.get(variable, ""), f"The environment variable {variable}")
            if value:
                secrets.append(Secret(place, key, value))
        providers.append(ServiceClient(name, SERVICE_SPECS[name], web, tuple(secrets), settings.contact or ""))
    return Sources(providers, web, read_paper)


def _validate_header_value(value: str, name: str) -> str:
    """Return a stripped value that a header can hold; else raise an error that does not quote it (it may be a key)."""
    plain = value.strip()
    if plain.isascii() and plain.isprintable():
        return plain
    raise SettingsError(f"{name} contains characters that no key or address has; set it again.")
