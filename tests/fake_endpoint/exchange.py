"""One request and the ways to answer it over HTTP, proper and improper ones."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal

from tests.fake_endpoint.gates import Gates
from tests.fake_endpoint.request_log import RecordedRequest

Ending = Literal["done", "unfinished", "cut"]
_NO_HEADERS: Mapping[str, str] = {}


class ClientGoneError(ConnectionError):
    """The client closed the connection before it was answered."""


@dataclass(frozen=True)
class Room:
    """What a request takes of the context, in tokens."""

    prompt: int
    answer: int
    """The most that an answer may have."""


class Exchange:
    """A request that waits for its answer.

    Args:
        request: What was asked.
        gates: Where the request may be held.
        release: Set by the first release after the request arrived.
        http: The handler of the connection.
    """

    def __init__(
        self, request: RecordedRequest, gates: Gates, release: threading.Event, http: BaseHTTPRequestHandler
    ) -> None:
        self.request = request
        self.gates = gates
        self.release = release
        self.room = Room(prompt=0, answer=0)
        self.answers = 1
        """How many answers to give."""
        self.generation_s = 0.0
        """How long a stream takes."""
        self.stream_interval = 1
        """How many tokens an event of a stream has."""
        self._http = http

    def expect_client(self) -> None:
        """Make sure that somebody still waits for the answer.

        Raises:
            ClientGoneError: If the client closed the connection.
        """
        # Without a look at the socket, the first write to a client that was killed would seem to succeed.
        try:
            left = not self._http.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        if left:
            raise ClientGoneError

    def send(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str] = _NO_HEADERS) -> None:
        """Answer with `body`."""
        self._start(status, {"Content-Type": content_type, "Content-Length": str(len(body)), **headers})
        self._write_last(body)

    def send_json(self, status: int, value: Any, headers: Mapping[str, str] = _NO_HEADERS) -> None:
        """Answer with `value` as JSON."""
        self.send(status, json.dumps(value).encode(), "application/json", headers)

    def send_events(self, events: Iterable[Any], ending: Ending = "done") -> None:
        """Stream `events` as JSON, evenly over `generation_s`.

        Args:
            events: One value per server-sent event.
            ending: `done` is what a server does; `unfinished` ends the HTTP message properly but without `[DONE]`, as
                a proxy does that lost its server; `cut` closes the connection in the middle of the message.
        """
        self._start(200, {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked"})
        chunks = [_http_chunk(json.dumps(event)) for event in events]
        rest = self._write_slowly(chunks) if self.generation_s else b"".join(chunks)
        if ending == "done":
            self._write_last(rest + _http_chunk("[DONE]") + b"0\r\n\r\n")
            return
        self._http.wfile.write(rest + (b"0\r\n\r\n" if ending == "unfinished" else b""))
        # A connection whose message was whole stays open: closed unannounced, the next request might still take it.
        self._http.close_connection = ending == "cut"

    def reset(self) -> None:
        """Reset the connection without an answer."""
        no_linger = struct.pack("ii", 1, 0)
        self._http.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_linger)
        self._http.close_connection = True

    def _start(self, status: int, headers: Mapping[str, str]) -> None:
        self.expect_client()
        self._http.send_response(status)
        for name, value in headers.items():
            self._http.send_header(name, value)
        self._http.end_headers()

    def _write_slowly(self, chunks: list[bytes]) -> bytes:
        """Write `chunks` one by one, as a model generates them, but for the last, which is left to write."""
        for chunk in chunks[:-1]:
            self._http.wfile.write(chunk)
            self.gates.pause(self.generation_s / len(chunks))
        return b"".join(chunks[-1:])

    def _write_last(self, data: bytes) -> None:
        # Marked before it is written: whoever has read the whole answer must find its request finished.
        self.request.finished = True
        try:
            self._http.wfile.write(data)
        except OSError:
            self.request.finished = False
            raise


def _http_chunk(data: str) -> bytes:
    event = f"data: {data}\n\n".encode()
    return b"%x\r\n%b\r\n" % (len(event), event)
