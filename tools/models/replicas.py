"""Several endpoints that serve one model: which one is asked, which one rests after a fault, and when it is back.

The one with the fewest requests under way is asked. A run stays with the endpoint that it asked first, whose cache has
what its prompts share, unless that one has clearly more to do. One that fails is taken out, and what it was asked goes
to another at once; after a while it is asked again, and is back when it answers.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar
from weakref import WeakKeyDictionary

from langgraph.config import get_config

from state.errors import ModelUnavailable, RequestFailed
from state.model_settings import ModelSettings

AHEAD = 4
"""How many requests more than the least busy endpoint that of a run may have before the run goes to another."""
LONGEST_REST_S = 60.0
_MOST_RUNS = 10_000

Result = TypeVar("Result")


@dataclass
class _Replicas:
    """How the endpoints stand."""

    under_way: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """In a row."""
    back_at: dict[str, float] = field(default_factory=dict)
    """Of those that rest: when one may be asked again."""
    of_run: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    """Which one a run asked last, of those that it may ask."""

    def choose(self, addresses: list[str], run: str) -> str:
        """The one to ask; of those that rest only where all do, and then the one that is back first."""
        now = time.monotonic()
        up = [each for each in addresses if self.back_at.get(each, 0) <= now]
        if not up:
            return min(addresses, key=lambda each: self.back_at[each])
        least = min(up, key=lambda each: self.under_way[each])
        key = (run, tuple(addresses))
        own = self.of_run.get(key)
        if not run or own not in up or self.under_way[own] > self.under_way[least] + AHEAD:
            self.of_run[key] = own = least
        while len(self.of_run) > _MOST_RUNS:
            del self.of_run[next(iter(self.of_run))]
        return own

    @contextmanager
    def asked(self, address: str) -> Iterator[None]:
        """While a request is under way."""
        self.under_way[address] += 1
        try:
            yield
        finally:
            self.under_way[address] -= 1

    def take_out(self, address: str, first_rest_s: float) -> None:
        """Let it rest, twice as long with each fault in a row."""
        rest_s = min(first_rest_s * 2 ** self.faults[address], LONGEST_REST_S)
        self.faults[address] += 1
        self.back_at[address] = time.monotonic() + rest_s

    def take_back(self, address: str) -> None:
        """It answers."""
        del self.faults[address]
        self.back_at.pop(address, None)


_replicas: WeakKeyDictionary[asyncio.AbstractEventLoop, _Replicas] = WeakKeyDictionary()


async def at_an_endpoint(
    settings: ModelSettings, work: Callable[[ModelSettings], Awaitable[Result]], *, run: str = ""
) -> Result:
    """Does work at one endpoint of a model, or at another where that one fails.

    Args:
        settings: Of the model, with all its endpoints.
        work: Asks the endpoint whose settings it is given.
        run: Which one asks; by default that of the graph that calls this, if it has a name.

    Raises:
        ModelUnavailable: All of them fail, as often as the settings say; it is that of the last one.
    """
    if len(settings.addresses) == 1:
        return await work(settings)
    replicas = _replicas.setdefault(asyncio.get_running_loop(), _Replicas())
    once = settings.model_copy(update={"retries": 0})
    attempt = 0
    while True:
        left, failures = list(settings.addresses), list[ModelUnavailable]()
        while left:
            address = replicas.choose(left, run or _thread())
            left.remove(address)
            try:
                with replicas.asked(address):
                    result = await work(once.at(address))
            except ModelUnavailable as failure:
                failures.append(failure)
                if not isinstance(failure, RequestFailed):  # it answers others
                    replicas.take_out(address, settings.retry_wait_s)
            else:
                replicas.take_back(address)
                return result
        if attempt == settings.retries or all(failure.kind != "endpoint_down" for failure in failures):
            raise failures[-1]
        await asyncio.sleep(min(settings.retry_wait_s * 2**attempt, LONGEST_REST_S))
        attempt += 1


def _thread() -> str:
    try:
        return str(get_config().get("configurable", {}).get("thread_id", ""))
    except RuntimeError:
        return ""
