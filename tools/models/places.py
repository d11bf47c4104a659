"""Places at an endpoint: who may send a request now, and who waits.

Of many jobs that share an endpoint, the one that began first goes first. So jobs end one after the other, each as soon
as it can, and there are always some that have been read and wait for a place. If all had their turns alike, all would
end at the same time, and the endpoint would have nothing to do while the next ones are read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from weakref import WeakKeyDictionary

from state.model_settings import ModelSettings

job_order: ContextVar[int] = ContextVar("job_order", default=0)
"""Of the job that asks: which of many it is. Requests of one job, or of none, go in the order in which they ask."""


class _Places:
    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._asked = count()

    async def take(self) -> None:
        """Wait for a place."""
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (job_order.get(), next(self._asked), place))
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # it was given one at the same moment
                self.give_back()
            raise

    def give_back(self) -> None:
        """Give the place to whoever comes next of those that still wait."""
        while self._waiting:
            *_, place = heappop(self._waiting)
            if not place.done():
                place.set_result(None)
                return
        self._free += 1


_places: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Places]] = WeakKeyDictionary()


@asynccontextmanager
async def place_for(settings: ModelSettings) -> AsyncIterator[None]:
    """To be held during a request: an endpoint that is asked everything at once may answer nothing in time."""
    known = _places.setdefault(asyncio.get_running_loop(), {})
    places = known.setdefault(settings.base_url, _Places(settings.concurrency))
    await places.take()
    try:
        yield
    finally:
        places.give_back()
