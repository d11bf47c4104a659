"""From the settings to the providers: nothing leaves the machine unless a web service is named in them."""

from __future__ import annotations

import os
from pathlib import Path

from state.errors import SettingsError
from state.files import state_folder
from state.settings import LiteratureProvider, LiteratureSettings
from tools.documents.reading import READER_VERSION, load_document, read_document_bytes
from tools.literature.arxiv import Arxiv
from tools.literature.crossref import Crossref
from tools.literature.fetching import Cache, Fetcher, searches_folder
from tools.literature.finding import Sources
from tools.literature.folder import Folder, FolderIndex, Rank
from tools.literature.full_text import Reader
from tools.literature.google import Google
from tools.literature.openalex import OpenAlex
from tools.literature.records import Provider
from tools.literature.semantic_scholar import SemanticScholar
from tools.literature.url_guard import DEFAULT_BLOCKLIST, Gate
from tools.literature.web import Web

SEARCHES_EXPIRE_S = 7 * 24 * 3600.0
PROJECT = "Draftroom"
PAPERS = Reader(read_document_bytes, load_document, READER_VERSION)


def open_sources(
    settings: LiteratureSettings, *, rank: Rank, reader: Reader = PAPERS, gate: Gate | None = None
) -> Sources:
    """The providers that the settings name; no folder among them if none is set.

    Args:
        settings: What the user chose.
        rank: Finds passages in the papers of the folder.
        reader: Makes documents of files and pages.
        gate: What may be asked; by default the public internet without the blocklist of the settings.

    Raises:
        SettingsError: A provider needs a key that is not in the environment.
    """
    web = _open_web(settings, gate)
    folder = _open_folder(settings, rank, reader)
    providers = [_open_provider(name, settings, web, folder) for name in dict.fromkeys(settings.providers)]
    return Sources([provider for provider in providers if provider], web, reader, folder)


def _open_web(settings: LiteratureSettings, gate: Gate | None) -> Web:
    blocklist = DEFAULT_BLOCKLIST if settings.blocked_hosts is None else tuple(settings.blocked_hosts)
    agent = f"{PROJECT} (mailto:{_plain(settings.contact, '`contact`')})" if settings.contact else PROJECT
    fetcher = Fetcher(gate or Gate(blocklist), agent)
    return Web(fetcher, Cache(searches_folder(), SEARCHES_EXPIRE_S), Cache(state_folder() / "literature" / "files"))


def _open_folder(settings: LiteratureSettings, rank: Rank, reader: Reader) -> Folder | None:
    if settings.folder is None or "folder" not in settings.providers:
        return None
    return Folder(FolderIndex(Path(settings.folder), reader, state_folder() / "literature" / "folder"), rank)


def _open_provider(
    name: LiteratureProvider, settings: LiteratureSettings, web: Web, folder: Folder | None
) -> Provider | None:
    contact = settings.contact or ""
    match name:
        case "folder":
            return folder
        case "arxiv":
            return Arxiv(web)
        case "semantic_scholar":
            return SemanticScholar(web, _key(settings.semantic_scholar_key_env))
        case "openalex":
            return OpenAlex(web, _key(settings.openalex_key_env), contact)
        case "crossref":
            return Crossref(web, contact)
        case "google":
            return Google(web, _needed(settings.google_key_env), _needed(settings.google_engine_env))


def _needed(variable: str) -> str:
    if key := _key(variable):
        return key
    raise SettingsError(
        f"The literature provider `google` needs the environment variable {variable}; set it, or choose another one."
    )


def _key(variable: str) -> str:
    return _plain(os.environ.get(variable, ""), f"The environment variable {variable}")


def _plain(value: str, what: str) -> str:
    """A value that can stand in a header; a message must not quote it."""
    plain = value.strip()
    if plain.isascii() and plain.isprintable():
        return plain
    raise SettingsError(f"{what} holds characters that no key or address has; set it anew.")
