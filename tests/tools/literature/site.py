"""Sites of the tests: HTTP servers on loopback that record every connection and every request."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Asked(NamedTuple):
    """A request as it came."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True)
class Answer:
    """What a path answers with."""

    body: bytes | str = b""
    type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    """Say nothing more after the body, and keep the connection."""


def json_answer(value: Any, **more: Any) -> Answer:
    return Answer(json.dumps(value), "application/json; charset=utf-8", **more)


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": location})


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append(Asked(parts.path, query, headers))
        answer = self.server.next_answer(parts.path)
        body = answer.body.encode() if isinstance(answer.body, str) else answer.body
        self.send_response(answer.status)
        if answer.type:
            self.send_header("Content-Type", answer.type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if not answer.hangs:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if answer.hangs:
            self.server.closing.wait(30)

    def log_message(self, *_: Any) -> None:
        """Tests read the recorded requests."""


class Site(ThreadingTCPServer):
    """Answers each path with what was put there; the answers of a list one after the other, the last one for good."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        super().__init__((host, port), _Handler)
        self.pages: dict[str, Answer | list[Answer]] = {}
        self.asked: list[Asked] = []
        self.connections = 0
        self.closing = threading.Event()
        self.tls = tls
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, path: str = "", host: str = "papers.example") -> str:
        return f"http://{host}:{self.port}{path}"

    def next_answer(self, path: str) -> Answer:
        answer = self.pages.get(path, Answer(status=404))
        if isinstance(answer, list):
            return answer.pop(0) if len(answer) > 1 else answer[0]
        return answer

    def get_request(self) -> Any:
        connection, address = super().get_request()
        self.connections += 1
        return (self.tls.wrap_socket(connection, server_side=True) if self.tls else connection), address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away before the end are what many tests are about."""

    def close(self) -> None:
        self.closing.set()
        self.shutdown()
        self._thread.join()
        self.server_close()
