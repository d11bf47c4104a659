"""Download single files: every redirect is checked, time and size are limited, and keys stay with their own site.

Answers of services and fetched files are cached on disk, so that no server is asked the same question twice.
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
from functools import cache, partial
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
# The authorities that the system trusts, which are read once.
_load_system_certificates = cache(partial(httpx2.create_ssl_context, trust_env=False))


class Secret(NamedTuple):
    """Named tuple of the key of a service, sent to the first host only and shown in no address, message or file."""

    place: Literal["header", "query"]
    name: str
    value: str

    def __repr__(self) -> str:
        return f"Secret({self.place!r}, {self.name!r}, ...)"


class Download(NamedTuple):
    """Named tuple of a fetched file, decoded from its transfer encoding."""

    address: str
    """Address after all redirects."""
    content_type: str
    """Media type, for example text/html."""
    data: bytes


@dataclass(frozen=True)
class Fetcher:
    """Fetches addresses that the guard allows; proxy settings and the rest of the environment are ignored."""

    gate: AddressGuard
    user_agent: str
    max_bytes: int = 25_000_000  # of an answer, after decompression
    seconds: float = 60.0  # of a whole download, redirects included
    certificates: ssl.SSLContext | None = None  # those of the system by default

    async def fetch(self, address: str, *, accept: AbstractSet[str], secrets: Sequence[Secret] = ()) -> Download:
        """Fetch an address over https, also if it is http, and return the file with its address after redirects.

        Raises:
            AddressBlockedError: The address, or one that it redirects to, is on the blocklist.
            FetchError: One of these addresses may not be requested, or the answer is too large or of another type.
            ServerFaultError: There is no valid answer.
        """
        first = url = self.gate.check_address(address)
        try:
            async with asyncio.timeout(self.seconds):
                for _ in range(MAX_HOPS + 1):
                    # A redirect to another site must not take the keys along.
                    allowed = secrets if url.origin == first.origin else ()
                    answer = await self._request_first_reachable(url, accept, allowed)
                    if isinstance(answer, Download):
                        return answer
                    try:
                        target = url.join(answer)
                    except httpx2.InvalidURL:
                        raise FetchError(format_address(url), "redirects to an invalid web address") from None
                    for secret in secrets:
                        if secret.name in target.params:  # the server has copied the key
                            target = target.copy_remove_param(secret.name)
                    url = self.gate.check_address(target)
        except TimeoutError:
            reason = f"sent no complete answer within {self.seconds:g} s"
            raise ServerFaultError(format_address(first), reason, passing=True) from None
        raise FetchError(format_address(first), f"redirects more than {MAX_HOPS} times")

    async def _request_first_reachable(
        self, url: httpx2.URL, accept: AbstractSet[str], secrets: Sequence[Secret]
    ) -> Download | str:
        """Return the file at a URL, or the location of its redirect, from the first IP address that answers."""
        name = "ConnectError"
        for ip in await self.gate.resolve_addresses(url):
            try:
                return await self._request_from_ip(ip, url, accept, secrets)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                name = type(error).__name__
            except httpx2.HTTPError as error:  # its message may quote a header
                reason = f"broke off or sent an invalid answer ({type(error).__name__})"
                raise ServerFaultError(format_address(url), reason, passing=True) from None
        raise ServerFaultError(format_address(url), f"cannot be reached ({name})", passing=True)

    async def _request_from_ip(
        self, ip: str, url: httpx2.URL, accept: AbstractSet[str], secrets: Sequence[Secret]
    ) -> Download | str:
        """Return file or redirect location from a checked IP address; certificate and Host are the host name's."""
        headers = {
            "Host": url.netloc.decode("ascii"),
            "User-Agent": self.user_agent,
            "Accept": ", ".join(sorted(accept)),
            "Accept-Encoding": "gzip",
        }
        headers |= {secret.name: secret.value for secret in secrets if secret.place == "header"}
        target = url.copy_with(host=ip)
        if params := {secret.name: secret.value for secret in secrets if secret.place == "query"}:
            target = target.copy_merge_params(params)
        extensions = {
            "sni_hostname": url.raw_host.decode("ascii").rstrip("."),
            "timeout": {"connect": min(self.seconds, CONNECT_TIMEOUT_S)},
        }
        trusted = self.certificates
        if trusted is None:
            trusted = await asyncio.to_thread(_load_system_certificates)  # reading them blocks
        # A bare transport, because a client would log addresses with their keys, and use cookies and the environment.
        async with httpx2.AsyncHTTPTransport(verify=trusted, trust_env=False) as transport:
            request = httpx2.Request("GET", target, headers=headers, extensions=extensions)
            async with aclosing(await transport.handle_async_request(request)) as response:
                return await self._read_response(url, response, accept)

    async def _read_response(
        self, url: httpx2.URL, response: httpx2.Response, accept: AbstractSet[str]
    ) -> Download | str:
        """Return the file of an answer, or the location of its redirect; raise if status, type or size is refused."""
        # 1. Redirects and error statuses.
        if response.has_redirect_location:
            return str(response.headers["location"])
        status = response.status_code
        if status != httpx2.codes.OK:
            wait = parse_retry_after(response.headers.get("retry-after", ""))
            reason = f"answered with status {status}{f' and asks to wait {wait:.0f} s' if wait else ''}"
            passing = status in TRANSIENT_STATUSES or status >= 500
            raise ServerFaultError(format_address(url), reason, passing=passing, retry_after_s=wait)
        # 2. The content type. Some servers send PDF files as plain bytes; the first bytes of the file settle it below.
        content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_unspecified = content_type in _UNSPECIFIED_TYPES
        if content_type not in accept and not (is_unspecified and PDF in accept):
            raise FetchError(format_address(url), f"has a type that is not supported ({content_type[:80]})")
        # 3. The content, up to the limit.
        data = bytearray()
        async for piece in response.aiter_bytes():  # decompressed in pieces of 1 MiB at most
            data += piece
            if len(data) > self.max_bytes:
                raise FetchError(format_address(url), f"is larger than {self.max_bytes / 1e6:g} MB")
        if is_unspecified and not data.startswith(b"%PDF-"):
            raise FetchError(format_address(url), "is of a type that the server does not name")
        return Download(format_address(url), PDF if is_unspecified else content_type, bytes(data))


def parse_retry_after(value: str) -> float | None:
    """Parse a Retry-After header (RFC 9110: seconds or a date) to seconds from now; None if it is neither."""
    date = parsedate_tz(value)
    if date:
        return max(0.0, mktime_tz(date) - time.time())
    return float(value) if value.isascii() and value.isdecimal() else None


def locate_search_cache() -> Path:
    """Return the folder of cached answers; their addresses hold queries, which may quote the draft."""
    return resolve_state_folder() / "literature" / "searches"


def delete_cached_searches() -> None:
    """Delete all cached answers of services.

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
    """Downloads on disk, one file each: a line of JSON with their origin, then their bytes. Calls block."""

    folder: Path  # created when it is first needed
    max_age_s: float | None = None  # of an entry that is still used; None keeps it for good
    clock: Callable[[], float] = time.time

    def load_entry(self, key: str) -> Download | None:
        """Return the download stored under a key; None if it is missing, damaged or too old."""
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
        """Write a download to the file of its key, atomically.

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
