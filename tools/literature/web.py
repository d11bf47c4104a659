"""Request services and files of the web: guarded, cached, politely, and again only where that helps.

Every redirect is checked, time and size are limited, and keys stay with their own site. Answers and files are cached
on disk, so that no server is asked the same question twice. Requests to one service go one at a time with a pause
between two, for the whole process.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import aclosing
from dataclasses import dataclass, field
from email.utils import mktime_tz, parsedate_tz
from functools import cache, partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar
from weakref import WeakKeyDictionary
from xml.etree.ElementTree import ParseError

import httpx2
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from state.files import delete_state_files, resolve_state_folder, save_state_file
from tools.literature.url_guard import AddressGuard, FetchError, ServerFaultError

MAX_HOPS = 5
CONNECT_TIMEOUT_S = 10.0
LONGEST_WAIT_S = 30.0  # a server that asks for more is not asked again
TRANSIENT_STATUSES = {408, 425, 429}
PDF = "application/pdf"
DOCUMENT_TYPES = frozenset({PDF, "application/x-pdf", "text/html", "application/xhtml+xml", "text/plain"})
JSON_TYPES = frozenset({"application/json"})
FEED_TYPES = frozenset({"application/atom+xml", "application/xml", "text/xml"})
_UNSPECIFIED_TYPES = {"", "application/octet-stream", "binary/octet-stream"}
# The authorities that the system trusts, which are read once.
_load_system_certificates = cache(partial(httpx2.create_ssl_context, trust_env=False))


@dataclass(frozen=True)
class Secret:
    """Key of a service, sent to the first host only and shown in no address, message or file."""

    place: Literal["header", "query"]
    name: str
    value: str = field(repr=False)


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
                        raise FetchError(url, "redirects to an invalid web address") from None
                    for secret in secrets:
                        if secret.name in target.params:  # the server has copied the key
                            target = target.copy_remove_param(secret.name)
                    url = self.gate.check_address(target)
        except TimeoutError:
            reason = f"sent no complete answer within {self.seconds:g} s"
            raise ServerFaultError(first, reason, passing=True) from None
        raise FetchError(first, f"redirects more than {MAX_HOPS} times")

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
                raise ServerFaultError(url, reason, passing=True) from None
        raise ServerFaultError(url, f"cannot be reached ({name})", passing=True)

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
            passing = (status in TRANSIENT_STATUSES or status >= 500) and (wait or 0.0) <= LONGEST_WAIT_S
            raise ServerFaultError(url, reason, passing=passing, retry_after_s=wait)
        # 2. The content type. Some servers send PDF files as plain bytes; the first bytes of the file settle it below.
        content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_unspecified = content_type in _UNSPECIFIED_TYPES
        if content_type not in accept and not (is_unspecified and PDF in accept):
            raise FetchError(url, f"has a type that is not supported ({content_type[:80]})")
        # 3. The content, up to the limit.
        data = bytearray()
        async for piece in response.aiter_bytes():  # decompressed in pieces of 1 MiB at most
            data += piece
            if len(data) > self.max_bytes:
                raise FetchError(url, f"is larger than {self.max_bytes / 1e6:g} MB")
        if is_unspecified and not data.startswith(b"%PDF-"):
            raise FetchError(url, "is of a type that the server does not name")
        return Download(str(url), PDF if is_unspecified else content_type, bytes(data))


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
    delete_state_files(locate_search_cache(), "*")


@dataclass(frozen=True)
class DownloadCache:
    """Downloads on disk, one file each: a line of JSON with address and content type, then the bytes. Calls block."""

    folder: Path  # created when it is first needed
    max_age_s: float = math.inf  # of an entry that is still used

    def load_entry(self, key: str) -> Download | None:
        """Return the download stored under a key; None if it is missing, damaged or too old."""
        path = self._locate_entry(key)
        try:
            if time.time() - path.stat().st_mtime >= self.max_age_s:
                return None
            head, _, data = path.read_bytes().partition(b"\n")
            address, content_type = json.loads(head)
        except (OSError, ValueError, TypeError):
            return None
        return Download(str(address), str(content_type), data)

    def store_entry(self, key: str, download: Download) -> None:
        """Write a download to the file of its key, atomically.

        Raises:
            StateError: The state folder cannot be written, or the disk is full.
        """
        head = json.dumps([download.address, download.content_type]).encode()
        save_state_file(self._locate_entry(key), head + b"\n" + download.data)

    def _locate_entry(self, key: str) -> Path:
        return self.folder / hashlib.sha256(key.encode()).hexdigest()


class Service(NamedTuple):
    """Named tuple of a service and its rate limit."""

    name: str
    interval_s: float
    """Seconds between the starts of two requests."""


class RateLimiter:
    """Rate limits of all services of a process; `clock` must never go back."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._clock = clock
        self.sleep = sleep
        self._next = defaultdict[str, float](float)
        self._guard = threading.Lock()  # several event loops of a process share the pauses
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = WeakKeyDictionary()

    def get_lock(self, service: Service) -> asyncio.Lock:
        """Return the lock that lets one task of this event loop at a time request a service."""
        return self._locks.setdefault(asyncio.get_running_loop(), {}).setdefault(service.name, asyncio.Lock())

    def delay_next_request(self, service: Service, seconds: float) -> None:
        """Delay the next request to a service, also of another question, as long as it asks for, up to a limit."""
        with self._guard:
            asked = self._clock() + min(seconds, LONGEST_WAIT_S)
            self._next[service.name] = max(self._next[service.name], asked)

    async def wait_for_turn(self, service: Service) -> None:
        """Wait until the pause since the last request to a service is over."""
        with self._guard:
            now = self._clock()
            moment = max(now, self._next[service.name])
            self._next[service.name] = moment + service.interval_s
        if moment > now:
            await self.sleep(moment - now)


RATE_LIMITER = RateLimiter()  # of this process
T = TypeVar("T")
FIRST_WAIT_S = 1.0
# One request every three seconds on one connection (Terms of Use for arXiv APIs); files are fetched from there, too.
ARXIV = Service("arxiv", 3.0)
FILE_INTERVAL_S = 1.0


@dataclass(frozen=True)
class WebClient:
    """Client that requests services and files with a cache, the rate limit and retries."""

    fetcher: Fetcher
    searches: DownloadCache  # answers of services
    files: DownloadCache  # papers and pages
    pace: RateLimiter = RATE_LIMITER
    tries: int = 3

    async def query_service(
        self,
        service: Service,
        address: str,
        params: Mapping[str, str],
        *,
        accept: AbstractSet[str],
        read: Callable[[bytes], T],
        secrets: Sequence[Secret] = (),
    ) -> T:
        """Return the answer of a service, parsed by `read`, from the cache or else from the web.

        The parameters have no keys, because they are stored. `read` raises ValueError, or ParseError of
        XML, for an answer that it cannot parse, which is then not cached.

        Raises:
            FetchError: There is no valid answer.
            StateError: The answer cannot be stored.
        """
        url = str(httpx2.URL(address).copy_merge_params(params))
        cached = await asyncio.to_thread(self.searches.load_entry, url)
        download = cached or await self._fetch_with_retries(service, url, accept, secrets)
        try:
            value = read(download.data)
        except (ValueError, ParseError):
            raise ServerFaultError(address, "sent an answer that is not in the format of its service") from None
        if cached is None:
            await asyncio.to_thread(self.searches.store_entry, url, download)
        return value

    async def fetch_file(self, address: str) -> Download:
        """Return a paper or a page from the cache, or else fetch it and store it there.

        Raises:
            FetchError: The file cannot or may not be fetched.
            StateError: The file cannot be stored.
        """
        url = str(self.fetcher.gate.check_address(address))
        cached = await asyncio.to_thread(self.files.load_entry, url)
        if cached is not None:
            self.fetcher.gate.check_address(cached.address)  # the blocklist may have changed since
            return cached
        host = httpx2.URL(url).host
        service = ARXIV if host.endswith("arxiv.org") else Service(host, FILE_INTERVAL_S)
        download = await self._fetch_with_retries(service, url, DOCUMENT_TYPES, ())
        await asyncio.to_thread(self.files.store_entry, url, download)
        return download

    async def _fetch_with_retries(
        self, service: Service, url: str, accept: AbstractSet[str], secrets: Sequence[Secret]
    ) -> Download:
        """Fetch an address in turn with other requests to its service, and again after faults that may pass."""

        async def fetch_in_turn() -> Download:
            await self.pace.wait_for_turn(service)
            try:
                return await self.fetcher.fetch(url, accept=accept, secrets=secrets)
            except ServerFaultError as error:
                self.pace.delay_next_request(service, error.retry_after_s or 0.0)
                raise

        def compute_delay(attempt: RetryCallState) -> float:
            # What the service asks for, else a delay that doubles with each attempt.
            requested = getattr(attempt.outcome and attempt.outcome.exception(), "retry_after_s", None)
            return requested if requested is not None else FIRST_WAIT_S * 2.0 ** (attempt.attempt_number - 1)

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, ServerFaultError) and error.passing),
            wait=compute_delay,
            stop=stop_after_attempt(self.tries),
            sleep=self.pace.sleep,
            reraise=True,
        )
        async with self.pace.get_lock(service):  # requests of other tasks wait between the attempts, too
            return await retrying(fetch_in_turn)
