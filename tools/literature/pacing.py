"""Politeness: one request at a time to each service and a pause between two, for the whole process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple
from weakref import WeakKeyDictionary

Locks = dict[str, asyncio.Lock]


class Service(NamedTuple):
    """Whom requests go to."""

    name: str
    interval_s: float
    """Seconds from the beginning of one request to that of the next."""


class Pace:
    """Hands out turns.

    Args:
        clock: Seconds of a clock that never goes back.
        sleep: Waits so many seconds.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self.sleep = sleep
        self._next: dict[str, float] = {}
        self._guard = threading.Lock()  # several event loops of a process share the turns
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, Locks] = WeakKeyDictionary()

    @asynccontextmanager
    async def turn(self, service: Service) -> AsyncIterator[None]:
        """Wait for a turn, and keep the others of this event loop waiting until it is over."""
        locks = self._locks.setdefault(asyncio.get_running_loop(), {})
        async with locks.setdefault(service.name, asyncio.Lock()):
            wait = self._reserve(service)
            if wait > 0:
                await self.sleep(wait)
            yield

    def postpone(self, service: Service, seconds: float) -> None:
        """Give no turn before so many seconds have passed: the service asked for it."""
        with self._guard:
            self._next[service.name] = max(self._next.get(service.name, 0.0), self._clock() + seconds)

    def _reserve(self, service: Service) -> float:
        """Seconds until the next free moment, which is taken with it."""
        with self._guard:
            now = self._clock()
            moment = max(now, self._next.get(service.name, now))
            self._next[service.name] = moment + service.interval_s
            return moment - now


PACE = Pace()
"""That of this process."""
