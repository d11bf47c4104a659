"""One download: every hop of it checked, nothing endless, and no secret beyond the site that it is for.

Answers of services and fetched files are kept on disk, so that nobody is asked the same thing twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import ssl
import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import httpx2

from state.files import make_storage_error, resolve_state_folder, write_atomically
from tools.literature.url_guard import AddressGuard, FetchError, ServerFaultError, format_address

MAX_HOPS = 5
CONNECT_TIMEOUT_S = 10.0
TRANSIENT_STATUSES = {408, 425, 429}
PDF = "application/pdf"
DOCUMENT_TYPES = frozenset({PDF, "application/x-pdf", "text/html", "application/xhtml+xml", "text/plain"})
JSON_TYPES = frozenset({"application/json"})
FEED_TYPES = frozenset({"application/atom+xml", "application/xml", "text/xml"})
_UNSPECIFIED_TYPES = {"", "application/octet-stream", "binary/octet-stream"}


class Secret(NamedTuple):
    """A key of a service; it is sent to the first host only and stands in no address, message or file."""

    place: Literal["header", "query"]
    name: str
    value: str

    def __repr__(self) -> str:
        return f"Secret({self.place!r}, {self.name!r}, ...)"


class Download(NamedTuple):
    """What was fetched, decoded from its transfer encoding."""

    address: str
    """Where it was in the end."""
    content_type: str
    """Such as text/html."""
    data: bytes


class _Redirect(NamedTuple):
    location: str


@dataclass(frozen=True)
class Fetcher:
    """Fetches addresses that pass the gate; proxies and anything else in the environment are left alone.

    Args:
        gate: What may be asked.
        user_agent: How to identify ourselves.
        max_bytes: Longest answer, counted after it is decompressed.
        seconds: Longest time for all of a download, redirects included.
        certificates: Whom to trust; the system's authorities by default.
    """

    gate: AddressGuard
    user_agent: str
    max_bytes: int = 25_000_000
    seconds: float = 60.0
    certificates: ssl.SSLContext | None = None

    async def fetch(self, address: str, *, accept: AbstractSet[str], secrets: Sequence[Secret] = ()) -> Download:
        """Fetch an address.

        Args:
            address: Where; http is turned into https.
            accept: Content types that are wanted.
            secrets: The keys of the service.

        Raises:
            AddressBlocked: It, or where it redirects to, is on the blocklist.
            FetchError: It, or where it redirects to, may not be asked, or the answer is too large or of another type.
            ServerFault: There is no proper answer.
        """
        first = url = self.gate.check_address(address)
        try:
            async with asyncio.timeout(self.seconds):
                for _ in range(MAX_HOPS + 1):
                    answer = await self._request_first_reachable(
                        url, accept, secrets if url.origin == first.origin else ()
                    )
                    if isinstance(answer, Download):
                        return answer
                    url = self.gate.check_address(_resolve_redirect(url, answer.location, secrets))
        except TimeoutError:
            reason = f"did not answer in whole within {self.seconds:g} s"
            raise ServerFaultError(format_address(first), reason, passing=True) from None
        raise FetchError(format_address(first), f"redirects more than {MAX_HOPS} times")

    async def _request_first_reachable(
        self, url: httpx2.URL, accept: AbstractSet[str], secrets: Sequence[Secret]
    ) -> Download | _Redirect:
        """Ask the first address of the host that answers."""
        name = "ConnectError"
        for ip in await self.gate.resolve_addresses(url):
            try:
                return await self._request_from_ip(ip, url, accept, secrets)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                name = type(error).__name__
            except httpx2.HTTPError as error:  # its message may quote a header
                reason = f"broke off or answered in no proper way ({type(error).__name__})"
                raise ServerFaultError(format_address(url), reason, passing=True) from None
        raise ServerFaultError(format_address(url), f"cannot be reached ({name})", passing=True)

    async def _request_from_ip(
        self, ip: str, url: httpx2.URL, accept: AbstractSet[str], secrets: Sequence[Secret]
    ) -> Download | _Redirect:
        """Connect to the very IP address that was checked, while certificate and Host header are the name's."""
        headers = {
            "Host": url.netloc.decode("ascii"),
            "User-Agent": self.user_agent,
            "Accept": ", ".join(sorted(accept)),
            "Accept-Encoding": "gzip",
        }
        target = url.copy_with(host=ip)
        headers |= {secret.name: secret.value for secret in secrets if secret.place == "header"}
        params = {secret.name: secret.value for secret in secrets if secret.place == "query"}
        if params:
            target = target.copy_merge_params(params)
        extensions = {
            "sni_hostname": url.raw_host.decode("ascii").rstrip("."),
            "timeout": {"connect": min(self.seconds, CONNECT_TIMEOUT_S)},
        }
        trusted = self.certificates
        if trusted is None:
            trusted = await asyncio.to_thread(_load_system_certificates)
        # No client: it would log addresses with the keys in them, and follow the environment, cookies and redirects.
        async with httpx2.AsyncHTTPTransport(verify=trusted, trust_env=False) as transport:
            request = httpx2.Request("GET", target, headers=headers, extensions=extensions)
            async with aclosing(await transport.handle_async_request(request)) as response:
                return await self._read_response(url, response, accept)

    async def _read_response(
        self, url: httpx2.URL, response: httpx2.Response, accept: AbstractSet[str]
    ) -> Download | _Redirect:
        if response.has_redirect_location:
            return _Redirect(response.headers["location"])
        status = response.status_code
        if status != httpx2.codes.OK:
            wait = parse_retry_after(response.headers.get("retry-after", ""))
            reason = f"answered with status {status}{f' and asks to wait {wait:.0f} s' if wait else ''}"
            passing = status in TRANSIENT_STATUSES or status >= 500
            raise ServerFaultError(format_address(url), reason, passing=passing, retry_after_s=wait)
        told = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if told not in accept and not (told in _UNSPECIFIED_TYPES and PDF in accept):
            raise FetchError(format_address(url), f"is of a type that is not read ({told[:80]})")
        data = bytearray()
        async for piece in response.aiter_bytes():  # decompressed in pieces of 1 MiB at most
            data += piece
            if len(data) > self.max_bytes:
                raise FetchError(format_address(url), f"is larger than {self.max_bytes / 1e6:g} MB")
        if told in _UNSPECIFIED_TYPES and not data.startswith(b"%PDF-"):
            raise FetchError(format_address(url), "is of a type that the server does not tell")
        return Download(format_address(url), PDF if told in _UNSPECIFIED_TYPES else told, bytes(data))


@cache
def _load_system_certificates() -> ssl.SSLContext:
    return httpx2.create_ssl_context(trust_env=False)


def _resolve_redirect(url: httpx2.URL, location: str, secrets: Sequence[Secret]) -> httpx2.URL:
    """Where a redirect leads; a key that the server sends back is taken out again."""
    try:
        target = url.join(location)
    except httpx2.InvalidURL:
        raise FetchError(format_address(url), "redirects to what is no web address") from None
    for secret in secrets:
        if secret.name in target.params:
            target = target.copy_remove_param(secret.name)
    return target


def parse_retry_after(value: str) -> float | None:
    """Seconds to wait (RFC 9110, Retry-After: seconds or a date); None if it says neither."""
    date = parsedate_tz(value)
    if date:
        return max(0.0, mktime_tz(date) - time.time())
    return float(value) if value.isascii() and value.isdecimal() else None


def locate_search_cache() -> Path:
    """Where the answers of services lie: their addresses hold the queries, and these may quote the draft."""
    return resolve_state_folder() / "literature" / "searches"


def delete_cached_searches() -> None:
    """Forget all answers of services.

    Raises:
        StateError: The state folder cannot be written.
    """
    try:
        for path in locate_search_cache().glob("*"):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise make_storage_error(error, locate_search_cache()) from error


@dataclass(frozen=True)
class DownloadCache:
    """Downloads by key, one file each: a line of JSON about it, then its bytes. Blocks, so it is called in a thread.

    Args:
        folder: Where; made when it is first needed.
        max_age_s: Age from which an entry counts no more; None keeps it for good.
        clock: Seconds since 1970.
    """

    folder: Path
    max_age_s: float | None = None
    clock: Callable[[], float] = time.time

    def load_entry(self, key: str) -> Download | None:
        """What was stored under a key, unless it is gone, damaged or too old."""
        try:
            head, _, data = self._locate_entry(key).read_bytes().partition(b"\n")
            about = json.loads(head)
            stored = float(about["stored_at"])
            download = Download(str(about["address"]), str(about["content_type"]), data)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        fresh = self.max_age_s is None or 0 <= self.clock() - stored < self.max_age_s
        return download if fresh else None

    def store_entry(self, key: str, download: Download) -> None:
        """Keep a download, written whole or not at all.

        Raises:
            StateError: The state folder cannot be written, or the disk is full.
        """
        address, content_type, data = download
        about = {"address": address, "content_type": content_type, "stored_at": self.clock()}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._locate_entry(key), json.dumps(about).encode() + b"\n" + data)
        except OSError as error:
            raise make_storage_error(error, self.folder) from error

    def _locate_entry(self, key: str) -> Path:
        return self.folder / hashlib.sha256(key.encode()).hexdigest()
