"""Fixtures: sites on loopback, and the way to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from state.documents import Document
from state.errors import InputError
from tests.tools.literature.site import Site
from tests.tools.retrieval.papers import paper
from tools.literature.providers import SERVICE_SPECS, ServiceClient
from tools.literature.url_guard import AddressGuard
from tools.literature.web import DownloadCache, Fetcher, RateLimiter, Secret, WebClient

LOOPBACK = frozenset({"127.0.0.1"})


@dataclass
class Clock:
    """Time that passes only when somebody sleeps."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def resolving(*addresses: str) -> Callable[[str, int], Awaitable[list[str]]]:
    """A resolver that tells these addresses for every name."""

    async def resolve(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolve


def open_gate() -> AddressGuard:
    """Every name leads to the sites of the tests."""
    return AddressGuard(resolver=resolving("127.0.0.1"), loopback_for_tests=LOOPBACK)


def client(name: str, web: WebClient, site: Site, *secrets: Secret, contact: str = "") -> ServiceClient:
    """The client of a service, for which a site stands."""
    catalogue = SERVICE_SPECS[name]
    here = catalogue.model_copy(update={"url": site.url(urlsplit(catalogue.url).path)})
    return ServiceClient(name, here, web, secrets, contact)


def document(text: str, title: str = "A study", abstract: str = "", digest: str = "") -> Document:
    found = paper(*filter(None, text.split("\n\n")), section="", title=title)
    return {**found, "text": text, "abstract": abstract, "sha256": digest or found["sha256"]}


@dataclass
class Library:
    """A simple reader of papers, which remembers what it was given."""

    read_names: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)

    def read(self, data: bytes, name: str, source: str) -> Document:
        self.read_names.append(name)
        self.sources.append(source)
        if b"broken" in data:
            raise InputError(f"{name} is broken; save it again.", kind="broken_pdf")
        text = data.decode()
        return document(text, title=text.partition("\n")[0], digest=sha256(data).hexdigest())

    def __hash__(self) -> int:
        return id(self)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def private(site: Site) -> Iterator[Site]:
    """A machine of a private network: the same port of another loopback address."""
    site = Site("127.0.0.2", site.port)
    yield site
    site.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def web(tmp_path: Path, clock: Clock) -> WebClient:
    fetcher = Fetcher(open_gate(), "Draftroom (mailto:me@example.org)")
    searches = DownloadCache(tmp_path / "searches", 3600)
    return WebClient(fetcher, searches, DownloadCache(tmp_path / "files"), RateLimiter(clock, clock.sleep))
