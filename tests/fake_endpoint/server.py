"""The HTTP server: threads, connections, and closing all of them."""

from __future__ import annotations

import json
import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.fake_endpoint.exchange import Exchange
from tests.fake_endpoint.gates import Gates
from tests.fake_endpoint.request_log import RequestLog

Handle = Callable[[Exchange], None]


class Handler(BaseHTTPRequestHandler):
    """Reads and records the requests of one connection and passes them on to be answered."""

    protocol_version = "HTTP/1.1"
    server_version = "FakeEndpoint"
    disable_nagle_algorithm = True  # headers and body are two writes, which would wait for each other

    def __init__(self, handle: Handle, log: RequestLog, gates: Gates, *connection: Any) -> None:
        self._handle = handle
        self._log = log
        self._gates = gates
        super().__init__(*connection)

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = _json_object(self.rfile.read(int(headers.get("content-length", 0))))
        release = self._gates.next_release()  # before anyone can know of the request, and release it
        request = self._log.add(self.command, self.path.partition("?")[0], headers, body)
        self._handle(Exchange(request, self._gates, release, self))

    def log_message(self, *_: Any) -> None:
        """Say nothing: tests read the recorded requests."""


class Server(socketserver.ThreadingTCPServer):
    """Listens on loopback, one thread per connection.

    Not `http.server.ThreadingHTTPServer`, which looks up the host's name when it starts.
    """

    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, port: int, handle: Handle, log: RequestLog, gates: Gates) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), partial(Handler, handle, log, gates))
        self._closing = False
        self._accepting = threading.Thread(target=self._accept, name="fake-endpoint")
        self._accepting.start()

    def close(self) -> None:
        """Stop listening, end all connections and wait for their threads."""
        self._closing = True
        with suppress(OSError):  # the last connection, which ends the wait for one
            socket.create_connection(("127.0.0.1", self.server_address[1])).close()
        self._accepting.join()
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def _accept(self) -> None:
        # Not `serve_forever`, which wakes now and then to see whether it should end, and is waited for when it should.
        while True:
            request, address = self.get_request()
            if self._closing:
                request.close()
                return
            self.process_request(request, address)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        # Closed without the base class's shutdown, which would turn a connection reset into a normal end.
        with self._lock:
            self._connections.discard(request)
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # clients may vanish; anything else is a fault of ours
            super().handle_error(request, client_address)


def _json_object(data: bytes) -> dict[str, Any]:
    # Anything but an object lacks every field, and is refused for that.
    try:
        value = json.loads(data or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
