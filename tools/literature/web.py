"""Request services and files politely: with a cache, a rate limit, and retries only where they help.

The rate limit is one request at a time to each service with a pause between two requests, for the whole process.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import httpx2
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from tools.literature.fetching import DOCUMENT_TYPES, Download, DownloadCache, Fetcher, Secret
from tools.literature.url_guard import ServerFaultError


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
        self._next: dict[str, float] = {}
        self._guard = threading.Lock()  # several event loops of a process share the turns
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]] = WeakKeyDictionary()

    @asynccontextmanager
    async def acquire_turn(self, service: Service) -> AsyncIterator[None]:
        """Wait for a turn, and hold up other requests to the service until the `with` block ends."""
        locks = self._locks.setdefault(asyncio.get_running_loop(), {})
        async with locks.setdefault(service.name, asyncio.Lock()):
            with self._guard:
                now = self._clock()
                moment = max(now, self._next.get(service.name, now))
                self._next[service.name] = moment + service.interval_s
            if moment > now:
                await self.sleep(moment - now)
            yield

    def delay_next_request(self, service: Service, seconds: float) -> None:
        """Delay the next request to a service by the seconds that it asked for."""
        with self._guard:
            self._next[service.name] = max(self._next.get(service.name, 0.0), self._clock() + seconds)


RATE_LIMITER = RateLimiter()  # of this process
T = TypeVar("T")
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
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

        The parameters have no keys, because they are stored. `read` raises ValueError for an answer that it cannot
        parse, which is then not cached.

        Raises:
            FetchError: There is no valid answer.
            StateError: The answer cannot be stored.
        """
        url = str(httpx2.URL(address).copy_merge_params(params))
        cached = await asyncio.to_thread(self.searches.load_entry, url)
        download = cached or await self._fetch_with_retries(service, url, accept, secrets)
        try:
            value = read(download.data)
        except ValueError:
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
            """Fetch the address once, within a turn; a fault delays the next request as the server asks."""
            async with self.pace.acquire_turn(service):
                try:
                    return await self.fetcher.fetch(url, accept=accept, secrets=secrets)
                except ServerFaultError as fault:
                    # Requests of other tasks must wait as long, too.
                    self.pace.delay_next_request(service, min(fault.retry_after_s or 0.0, LONGEST_WAIT_S))
                    raise

        def is_transient(error: BaseException) -> bool:
            """Return whether a fault may pass, and within the longest wait."""
            if not isinstance(error, ServerFaultError):
                return False
            return error.passing and (error.retry_after_s or 0.0) <= LONGEST_WAIT_S

        def compute_delay(attempt: RetryCallState) -> float:
            # What the service asks for, else a delay that doubles with each attempt.
            fault = attempt.outcome.exception() if attempt.outcome else None
            requested = fault.retry_after_s if isinstance(fault, ServerFaultError) else None
            return requested if requested is not None else FIRST_WAIT_S * 2.0 ** (attempt.attempt_number - 1)

        retrying = AsyncRetrying(
            retry=retry_if_exception(is_transient),
            wait=compute_delay,
            stop=stop_after_attempt(self.tries),
            sleep=self.pace.sleep,
            reraise=True,
        )
        return await retrying(fetch_in_turn)
