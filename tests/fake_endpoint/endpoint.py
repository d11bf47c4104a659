"""The endpoint as tests use it: open it, read what it was asked, hold its answers back, close it."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from tests.fake_endpoint.api import Api
from tests.fake_endpoint.gates import Gates
from tests.fake_endpoint.request_log import RecordedRequest, RequestLog
from tests.fake_endpoint.server import Server


@dataclass(eq=False)
class FakeEndpoint(Api):
    """A real HTTP server on loopback that speaks the OpenAI API; see `Api` for what can be chosen.

    Use it as a context manager. Closing it wakes and disconnects every request that still waits.

    Args:
        port: Port to listen on; 0 takes any free one.
    """

    port: int = 0

    def __post_init__(self) -> None:
        self._log = RequestLog()
        self._gates = Gates()
        self._server: Server | None = None

    def __enter__(self) -> Self:
        self._server = Server(self.port, self.handle, self._log, self._gates)
        self.port = self._server.server_address[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving; may be called more than once."""
        server, self._server = self._server, None
        if server:
            self._gates.close()
            server.close()

    @property
    def base_url(self) -> str:
        """Address for clients of the OpenAI API."""
        return f"{self.root_url}/v1"

    @property
    def root_url(self) -> str:
        """Address of the server itself, where /health and /tokenize are."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def requests(self) -> list[RecordedRequest]:
        """All requests so far, in the order of arrival."""
        return self._log.all()

    @property
    def chat_requests(self) -> list[RecordedRequest]:
        """The chat requests so far, in the order of arrival."""
        return self._log.chats()

    def wait_for_requests(self, count: int, timeout_s: float = 10.0) -> list[RecordedRequest]:
        """Wait until `count` chat requests have arrived, answered or not, and return them.

        Raises:
            TimeoutError: If they did not arrive within `timeout_s` seconds.
        """
        return self._log.wait_for_chats(count, timeout_s)

    def hold_after(self, count: int) -> None:
        """Answer the first `count` chat requests, counted from the start, and hold every later one unanswered."""
        self._gates.hold_after(count)

    def release(self) -> None:
        """Answer the held requests whose clients still wait, and hold no more."""
        self._gates.release()
