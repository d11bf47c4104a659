"""From the settings to the providers: nothing leaves the machine unless a web service is named in them."""

from __future__ import annotations

import os
from pathlib import Path

from state.errors import SettingsError
from state.files import state_folder
from state.settings import LiteratureSettings
from tools.literature.fetching import Cache, Fetcher, Secret, searches_folder
from tools.literature.finding import Sources
from tools.literature.folder import Folder, Rank
from tools.literature.full_text import ReadPaper, read_paper
from tools.literature.providers import CATALOGUES, Client, Key
from tools.literature.records import Provider
from tools.literature.url_guard import DEFAULT_BLOCKLIST, Gate
from tools.literature.web import Web

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
