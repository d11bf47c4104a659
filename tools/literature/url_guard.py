"""Which addresses may be asked: https on port 443, not on the blocklist, and in the public internet only.

A name is resolved once, all its addresses are checked, and the connection goes to one of those that were checked, so
that a name that is later told to be another address (DNS rebinding) leads nowhere.

Sites on the blocklist are never asked: a review of the very paper must not be retrieved (SWIF2T, Section 4.1). An
entry is a host, which stands for its subdomains too, or a host with the beginning of a path. Where reviews stand on the
same pages as the papers (PeerJ, F1000Research, eLife), the whole site is blocked; and because hits often bear only a
DOI, so are the DOIs that lead there.
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
    """Nothing was fetched: the address may not be asked, or what it gave is too large or no document.

    Args:
        address: What was asked for, without secrets.
        reason: What happened, to be read after the address.
    """

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(f"{address.partition('?')[0]} {reason}")
        self.address = address
        self.reason = reason


class AddressBlockedError(FetchError):
    """The address is on the blocklist; no request was sent to it."""


class ServerFaultError(FetchError):
    """The server could not be reached, or gave no answer that can be used.

    Args:
        address: What was asked for, without secrets.
        reason: What happened, to be read after the address.
        passing: Whether the same request may succeed a little later.
        retry_after_s: Seconds that the server asks to wait.
    """

    def __init__(self, address: str, reason: str, *, passing: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(address, reason)
        self.passing = passing
        self.retry_after_s = retry_after_s


_BLOCKLIST_LINES = Path(__file__).with_name("blocklist.txt").read_text(encoding="utf-8").splitlines()
DEFAULT_BLOCKLIST = tuple(line for line in _BLOCKLIST_LINES if line and not line.startswith("#"))


def find_blocking_entry(url: httpx2.URL, blocklist: Iterable[str]) -> str | None:
    """The entry that keeps an address out; None if there is none."""
    host = url.raw_host.decode("ascii").rstrip(".").lower()
    path = normpath("/" + unquote(url.path).lower().lstrip("/"))
    for entry in blocklist:
        site, _, beginning = entry.strip().lower().partition("/")
        here = host == site or host.endswith(f".{site}")
        if here and site and f"{path}/".startswith(f"/{beginning}".rstrip("/") + "/"):
            return entry
    return None


HostResolver = Callable[[str, int], Awaitable[list[str]]]
"""Host and port to IP addresses, best first; an OSError if there are none."""

_HOST = re.compile(r"[a-z0-9._:-]+", re.IGNORECASE)
_NAT64 = IPv6Network("64:ff9b::/96")


async def resolve_host(host: str, port: int) -> list[str]:
    """Ask the system, which also knows the numeric ways to write an address."""
    answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def is_public(address: str) -> bool:
    """Whether an IP address belongs to a single machine of the public internet."""
    try:
        ip = _unwrap_embedded_ipv4(ip_address(address))
    except ValueError:
        return False
    special = ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback or ip.is_link_local
    return ip.is_global and not special and not (isinstance(ip, IPv6Address) and ip.is_site_local)


@dataclass(frozen=True)
class AddressGuard:
    """What stands before every request, and before every hop of a redirect.

    Args:
        blocklist: Entries as in `blocklist.txt`.
        resolver: Turns names into IP addresses.
        loopback_for_tests: Loopback addresses that count as public, and may be asked by http and on any port. For
            tests only: no setting and no environment variable leads here.
    """

    blocklist: tuple[str, ...] = DEFAULT_BLOCKLIST
    resolver: HostResolver = resolve_host
    loopback_for_tests: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not all(ip_address(address).is_loopback for address in self.loopback_for_tests):
            raise ValueError("loopback_for_tests opens loopback addresses only")

    def check_address(self, address: str | httpx2.URL) -> httpx2.URL:
        """The address as it is to be asked: http becomes https, and the fragment goes.

        Raises:
            AddressBlocked: It is on the blocklist.
            FetchError: It is not of the kind that is ever asked.
        """
        try:
            url = httpx2.URL(address).copy_with(fragment=None)
        except (httpx2.InvalidURL, ValueError, TypeError):
            raise FetchError(str(address)[:200], "is no web address") from None
        if url.scheme == "http" and not self.loopback_for_tests:
            url = url.copy_with(scheme="https")
        if problem := self._find_address_problem(url):
            raise FetchError(format_address(url), problem)
        if entry := find_blocking_entry(url, self.blocklist):
            raise AddressBlockedError(format_address(url), f"is on the blocklist ({entry})")
        return url

    async def resolve_addresses(self, url: httpx2.URL) -> list[str]:
        """The IP addresses of a checked address, each of them public.

        Raises:
            FetchError: One of them is not, so the name cannot be trusted.
            ServerFault: The name has no address.
        """
        host = url.raw_host.decode("ascii")
        try:
            addresses = await self.resolver(host, url.port or 443)
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise ServerFaultError(format_address(url), "has a host that cannot be found")
        if not all(address in self.loopback_for_tests or is_public(address) for address in addresses):
            raise FetchError(format_address(url), "leads to an address that is not in the public internet")
        return addresses

    def _find_address_problem(self, url: httpx2.URL) -> str:
        if url.scheme != "https" and not (url.scheme == "http" and self.loopback_for_tests):
            return "is not asked: only https is"
        if url.userinfo:
            return "is not asked: it holds a user name or password"
        if not _HOST.fullmatch(url.raw_host.decode("ascii")):
            return "is not asked: it has no proper host"
        if url.port not in (None, 443) and not self.loopback_for_tests:
            return "is not asked: only port 443 is"
        return ""


def format_address(url: httpx2.URL) -> str:
    """An address for messages, without a user name or password."""
    return str(url.copy_with(username=None, password=None)) if url.userinfo else str(url)


def _unwrap_embedded_ipv4(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    teredo = ip.teredo[1] if ip.teredo else None
    return ip.ipv4_mapped or ip.sixtofour or teredo or ip
