"""Ctrl-C and SIGTERM: the first signal stops work at its next safe point, the second one at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from langgraph.runtime import RunControl

STOPPING_MESSAGE = "Stopping after the call in progress; press Ctrl-C again to stop now."


async def run_until_stopped(
    work: Coroutine[Any, Any, None], control: RunControl, on_message: Callable[[str], None]
) -> bool:
    """Wait for work that Ctrl-C or SIGTERM may stop, and return whether a second signal cancelled it.

    The first signal asks `control` for a drain, at which the work ends early; the second one cancels the work.
    """
    task = asyncio.create_task(work)
    loop = asyncio.get_running_loop()

    def stop_work() -> None:
        """Ask the work to drain at the first signal, and cancel it at the second."""
        if control.drain_requested:
            task.cancel()
        else:
            control.request_drain()
            on_message(STOPPING_MESSAGE)

    # A handler interrupts Python between any two instructions, so the loop stops the work.
    with install_signal_handler(lambda _number, _frame: loop.call_soon_threadsafe(stop_work)):
        try:
            await task
        except asyncio.CancelledError:
            if not task.cancelled():  # the caller was cancelled, not the work
                raise
            return True
    return False


@contextmanager
def install_signal_handler(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM with `handler` in the context, and with the earlier handlers after it."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
