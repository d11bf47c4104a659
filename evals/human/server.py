"""Serves the comparisons on this machine, for teams without a Label Studio.

It listens on loopback only. Other pages in the same browser could still send it requests, so its address holds a random
token that they cannot know, and a request by another host name than ours, as after DNS rebinding, is refused.
"""

from __future__ import annotations

import secrets
import socketserver
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode

from evals.human.pages import Pages, Reply, problem
from evals.human.sheets import Comparison
from evals.human.store import AnswerStore
from state.errors import SettingsError

_LOOPBACK = "127.0.0.1"
_LARGEST_FORM = 65_536  # bytes
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # it would tell the token to the site of a paper
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",  # going back shows the answers as they are now
}


class AnnotationServer(ThreadingHTTPServer):
    """The page; `serve_forever` runs it, and leaving it as a context manager closes it.

    Args:
        comparisons: In the order in which they are shown.
        store: Where answers go; raters that are in it go on where they stopped.
        port: To listen on; 0 takes any that is free.

    Raises:
        BadInput: There is nothing to compare, or the store cannot be read or holds answers to something else.
        SettingsError: The port is in use.
    """

    def __init__(self, comparisons: Sequence[Comparison], store: AnswerStore, *, port: int = 0) -> None:
        self.pages = Pages(comparisons, store)
        self.prefix = f"/{secrets.token_urlsafe(16)}/"
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except OSError as error:
            raise SettingsError(f"Port {port} cannot be used ({error.strerror}); choose another.") from error

    def server_bind(self) -> None:
        """Without looking up the name of this machine, as `HTTPServer` does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = _LOOPBACK, self.server_address[1]

    @property
    def hosts(self) -> set[str]:
        """Names that a browser may know the page by."""
        return {f"{name}:{self.server_port}" for name in (_LOOPBACK, "localhost")}

    def address(self, rater: str = "") -> str:
        """What to open in a browser.

        Args:
            rater: Go on as this rater at once; empty: begin with the guidelines.
        """
        page = f"compare?{urlencode({'rater': rater})}" if rater else ""
        return f"http://{_LOOPBACK}:{self.server_port}{self.prefix}{page}"


class _Handler(BaseHTTPRequestHandler):
    server: AnnotationServer
    server_version = "Draftroom"
    sys_version = ""
    timeout = 30  # seconds for a request to arrive

    def do_GET(self) -> None:
        self._send(self._reply(self.path.partition("?")[2]))

    def do_POST(self) -> None:
        form = self.rfile.read(_size(self.headers.get("Content-Length", "")))
        self._send(self._reply(form.decode(errors="replace")))

    def _reply(self, fields: str) -> Reply:
        path, prefix = self.path.partition("?")[0], self.server.prefix
        ours = secrets.compare_digest(path[: len(prefix)].encode(), prefix.encode())
        if not ours or self.headers.get("Host") not in self.server.hosts:
            return problem(HTTPStatus.FORBIDDEN, "Open the page by the whole address that was printed at the start.")
        return self.server.pages.reply(self.command, path[len(prefix) :], dict(parse_qsl(fields)))

    def _send(self, reply: Reply) -> None:
        body = reply.page.encode()
        headers = {**_HEADERS, "Content-Length": str(len(body))}
        if reply.location:
            headers["Location"] = reply.location
        with suppress(ConnectionError):  # the browser has gone elsewhere
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing: addresses hold the token."""


def _size(length: str) -> int:
    """How much of a form to read."""
    try:
        return min(max(int(length), 0), _LARGEST_FORM)
    except ValueError:
        return 0
