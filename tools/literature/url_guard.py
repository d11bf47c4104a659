"""Decide which addresses may be requested: https on port 443 in the public internet, and not on the blocklist.

A host name is resolved once, all its IP addresses are checked, and the connection goes to one of these. So a name that
is later resolved to another address (DNS rebinding) leads nowhere.

Sites on the blocklist are never asked: a review of the very paper must not be retrieved (SWIF2T, Section 4.1). An
entry is a host, which includes its subdomains, or a host with the beginning of a path. Where reviews and papers share
pages (PeerJ, F1000Research, eLife), the whole site is blocked. Its DOIs are blocked, too, because many hits have only a
DOI.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from posixpath import normpath
from urllib.parse import unquote

import httpx2


class FetchError(Exception):
    """An address, file or provider gave nothing; subclasses tell blocked addresses and faults of servers.

    `address` has no secrets, and `reason` is worded to follow it.
    """

    def __init__(self, address: httpx2.URL | str, reason: str) -> None:
        self.address = str(address)
        super().__init__(f"{self.address.partition('?')[0]} {reason}")
        self.reason = reason


class AddressBlockedError(FetchError):
    """The address is on the blocklist; no request was sent to it."""


class ServerFaultError(FetchError):
    """The server could not be reached, or sent no valid answer; if `passing`, a later request may succeed."""

    def __init__(
        self, address: httpx2.URL | str, reason: str, *, passing: bool = False, retry_after_s: float | None = None
    ) -> None:
        super().__init__(address, reason)
        self.passing = passing
        self.retry_after_s = retry_after_s  # as the server asks


_BLOCKLIST_LINES = Path(__file__).with_name("blocklist.txt").read_text(encoding="utf-8").splitlines()
DEFAULT_BLOCKLIST = tuple(line for line in _BLOCKLIST_LINES if line and not line.startswith("#"))


def find_blocking_entry(url: httpx2.URL, blocklist: Iterable[str]) -> str | None:
    """Return the blocklist entry that matches an address; None if there is none.

    The address may be in any spelling of its host and path. The entries are as in `blocklist.txt`: a host, or a host
    with the beginning of a path.
    """
    host = url.raw_host.decode("ascii").rstrip(".").lower()
    # Normalized, so that /x/../forum or %66orum does not pass for another path.
    path = normpath("/" + unquote(url.path).lower().lstrip("/"))
    for entry in blocklist:
        site, _, beginning = entry.strip().lower().partition("/")
        is_host = host == site or host.endswith(f".{site}")
        if is_host and site and f"{path}/".startswith(f"/{beginning}".rstrip("/") + "/"):
            return entry
    return None


# Turns host and port into IP addresses, best first; raises OSError if there are none.
HostResolver = Callable[[str, int], Awaitable[list[str]]]
_HOST = re.compile(r"[a-z0-9._:-]+", re.IGNORECASE)
_NAT64 = IPv6Network("64:ff9b::/96")


async def resolve_host(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host in the order of the system, each once; numeric forms are accepted, too.

    Raises:
        OSError: The host has no address.
    """
    answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def is_public(address: str) -> bool:
    """Return whether an IP address belongs to a single machine of the public internet."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        # IPv4 addresses within IPv6 ones could be private; only networks without IPv4 need them.
        if ip not in _NAT64:
            return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_site_local or ip.sixtofour)
        ip = IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


@dataclass(frozen=True)
class AddressGuard:
    """Rules for addresses, checked before every request and every redirect."""

    blocklist: tuple[str, ...] = DEFAULT_BLOCKLIST
    resolver: HostResolver = resolve_host
    # Loopback addresses that count as public, by http and on any port. No setting or environment variable sets it.
    loopback_for_tests: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not all(ip_address(address).is_loopback for address in self.loopback_for_tests):
            raise ValueError("loopback_for_tests opens loopback addresses only")

    def check_address(self, address: str | httpx2.URL) -> httpx2.URL:
        """Return an address as it may be requested (https, no fragment); raise `FetchError` if blocked or not allowed.

        Raises:
            AddressBlockedError: The address is on the blocklist.
            FetchError: An address of this kind is never requested.
        """
        try:
            url = httpx2.URL(address).copy_with(fragment=None)
        except (httpx2.InvalidURL, ValueError, TypeError):
            raise FetchError(str(address)[:200], "is not a valid web address") from None
        if url.scheme == "http" and not self.loopback_for_tests:
            url = url.copy_with(scheme="https")
        problems = {
            "only https is": url.scheme != "https" and not (url.scheme == "http" and self.loopback_for_tests),
            "it holds a user name or password": bool(url.userinfo),
            "it has no proper host": not _HOST.fullmatch(url.raw_host.decode("ascii")),
            "only port 443 is": url.port not in (None, 443) and not self.loopback_for_tests,
        }
        if problem := next((each for each, applies in problems.items() if applies), ""):
            public = url.copy_with(username=None, password=None) if url.userinfo else url
            raise FetchError(public, f"is not asked: {problem}")
        if entry := find_blocking_entry(url, self.blocklist):
            raise AddressBlockedError(url, f"is on the blocklist ({entry})")
        return url

    async def resolve_addresses(self, url: httpx2.URL) -> list[str]:
        """Return the IP addresses of a checked address; raise `FetchError` if it has none or one is not public.

        Raises:
            FetchError: One of them is not public, so the name cannot be trusted.
            ServerFaultError: The name has no address.
        """
        host = url.raw_host.decode("ascii")
        try:
            addresses = await self.resolver(host, url.port or 443)
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise ServerFaultError(url, "has a host that cannot be found")
        if not all(address in self.loopback_for_tests or is_public(address) for address in addresses):
            raise FetchError(url, "leads to an address that is not in the public internet")
        return addresses
