"""Ctrl-C and SIGTERM: the first one stops a run at its next safe point, the second one at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from langgraph.runtime import RunControl

GENTLE = "Stopping after the call in progress; press Ctrl-C again to stop now."
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals(control: RunControl, task: asyncio.Task[None], say: Callable[[str], None]) -> Iterator[None]:
    """While this is open, the first signal drains the run of `control`, and the second cancels `task`."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if control.drain_requested:
            task.cancel()
        else:
            control.request_drain()
            say(GENTLE)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)

    with handled(on_signal):
        yield


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle both signals with `handler` for a while."""
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
