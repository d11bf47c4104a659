"""Where requests wait unanswered: until released, until a test's event is set, or until the endpoint closes."""

from __future__ import annotations

import threading


class EndpointClosedError(ConnectionError):
    """The endpoint closed while a request was waiting; its connection ends without an answer."""


class Gates:
    """Holds the threads of unanswered requests and lets them go, so that closing never leaves one behind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._release = threading.Event()
        self._waited_on: set[threading.Event] = set()
        self._answered_chats: int | None = None

    def hold_after(self, count: int) -> None:
        """Hold every chat request after the first `count`, until `release`."""
        with self._lock:
            self._answered_chats = count

    def release(self) -> None:
        """Let all held requests go, and hold no more."""
        with self._lock:
            self._answered_chats = None
            opened, self._release = self._release, threading.Event()
        opened.set()

    def admit(self, chat_number: int) -> None:
        """Return at once, or after `release` if this chat request is one to hold."""
        with self._lock:
            held = self._answered_chats is not None and chat_number > self._answered_chats
            release = self._release
        if held:
            self.wait(release)

    def next_release(self) -> threading.Event:
        """The event that the next `release` sets."""
        with self._lock:
            return self._release

    def wait(self, event: threading.Event) -> None:
        """Wait for `event`; closing the endpoint sets it.

        Raises:
            EndpointClosedError: If the endpoint closed instead.
        """
        with self._lock:
            self._waited_on.add(event)
        if not self._closing.is_set():
            event.wait()
        if self._closing.is_set():
            raise EndpointClosedError

    def pause(self, seconds: float) -> None:
        """Wait for `seconds`, or raise `EndpointClosedError` as soon as the endpoint closes."""
        if seconds and self._closing.wait(seconds):
            raise EndpointClosedError

    def close(self) -> None:
        """Wake all who wait, now and from now on."""
        self._closing.set()
        with self._lock:
            for event in self._waited_on:
                event.set()
