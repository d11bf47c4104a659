"""Who may talk to the server: this machine's own page, and Studio where it was asked for; nobody else's.

A page of a stranger, open in the same browser, can send requests to this machine: its origin tells. A name that its
owner lets point to this machine makes the stranger's page look like ours: the host name tells (DNS rebinding).
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Self
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS_VARIABLE = "_DRAFTROOM_ACCESS"
"""Of the server's process: an `AccessPolicy` in JSON, set by `draftroom open` and `draftroom studio`. Without it, as
where LangGraph's server is deployed behind an authentication of its own, nothing is refused and there is no page."""

STUDIO_ORIGIN = "https://smith.langchain.com"


@dataclass(frozen=True)
class AccessPolicy:
    """Who may talk to the server."""

    hosts: Sequence[str]
    """Names and ports under which it may be addressed; empty for any, where a token guards it."""
    origins: Sequence[str] = ()
    """Whose pages may talk to it, besides its own."""
    token: str = ""
    """What a browser must know where the server is opened to a network."""
    browser: str = ""
    """Address that is opened in a browser of this machine when the server answers; empty for none."""

    @classmethod
    def from_address(cls, host: str, port: int, origins: Sequence[str] = ()) -> Self:
        """A server on this machine knows its names; one that a network reaches gets a token instead."""
        if host not in LOOPBACK_HOSTS:
            return cls((), origins, secrets.token_urlsafe(16))
        return cls([f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")], origins)

    def build_page_url(self, host: str, port: int) -> str:
        """Address of the page, with all that a browser needs."""
        return f"http://{host}:{port}/page/" + (f"?token={self.token}" if self.token else "")

    @classmethod
    def from_environment(cls) -> Self | None:
        """As it was started, if by the command."""
        given = os.environ.get(ACCESS_VARIABLE)
        return cls(**json.loads(given)) if given else None

    def as_json(self) -> str:
        """For the variable."""
        return json.dumps(asdict(self))


LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
TOKEN_COOKIE = "draftroom_token"  # noqa: S105 - a name
IN_PROCESS_ROOT = "/noauth"
"""Root of requests that the server makes to itself; no socket leads there."""

PAGE_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class AccessMiddleware:
    """Refuses requests that come from elsewhere, and puts a strict policy on every answer of the page.

    Args:
        app: What is behind it: our part and LangGraph's.
        access: Who may.
    """

    def __init__(self, app: ASGIApp, access: AccessPolicy) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] not in ("http", "websocket") or scope.get("root_path") == IN_PROCESS_ROOT:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._check_host_and_origin(headers) or self._check_token(scope, headers)
        if refusal:
            await refusal(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["path"].startswith("/page"):
                answer = MutableHeaders(scope=message)
                for name, value in PAGE_HEADERS.items():
                    answer.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _check_host_and_origin(self, headers: Headers) -> Response | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._access.hosts and host not in self._access.hosts:
            return build_refusal_response(
                f"This server is not {host[:100]!r}; use the address that `draftroom open` has printed."
            )
        if origin is not None and origin not in (f"http://{host}", f"https://{host}", *self._access.origins):
            return build_refusal_response(f"Pages of {origin[:100]!r} may not talk to this server.")
        return None

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        """Once in the address, then in a cookie that no script can read."""
        token = self._access.token
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(TOKEN_COOKIE)
        except CookieError:
            cookie = None
        if not token or (cookie and _is_same_token(cookie.value, token)):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if not _is_same_token(next(iter(query.pop("token", [])), ""), token):
            return build_refusal_response(
                "This server asks for a token; use the whole address that `draftroom open` has printed.", 401
            )
        again = RedirectResponse(f"{scope['path']}?{urlencode(query, doseq=True)}".rstrip("?"), status_code=303)
        again.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict")
        return again


def build_refusal_response(message: str, status: int = 403) -> JSONResponse:
    """An answer with what is wrong, as all errors of the page."""
    return JSONResponse({"error": {"kind": "refused", "message": message}}, status)


def _is_same_token(given: str, expected: str) -> bool:
    return secrets.compare_digest(given.encode(), expected.encode())
