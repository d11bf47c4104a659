"""Control access to the server: only its own page, and LangGraph Studio if enabled, may send requests.

A foreign page in the same browser can send requests to this machine; the `Origin` header reveals it. With DNS
rebinding its origin can match the server's; the `Host` header reveals that.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# `draftroom open` and `draftroom studio` set it to an `AccessPolicy` in JSON. Without it, as where LangGraph's server
# is deployed behind its own authentication, nothing is refused and there is no page.
ACCESS_VARIABLE = "_DRAFTROOM_ACCESS"

STUDIO_ORIGIN = "https://smith.langchain.com"
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
TOKEN_COOKIE = "draftroom_token"  # noqa: S105 - a name
IN_PROCESS_ROOT = "/noauth"  # root path of the server's requests to itself; no socket leads there
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


@dataclass(frozen=True)
class AccessPolicy:
    """Rules of who may send requests to the server."""

    hosts: Sequence[str]
    """Accepted values of the `Host` header; empty accepts any, for a server with a token."""
    origins: Sequence[str] = ()
    """Origins of other pages that may send requests."""
    token: str = ""
    """Token that a browser must send to a server on a network; empty for none."""

    @classmethod
    def from_address(cls, host: str, port: int, origins: Sequence[str] = ()) -> Self:
        """Create the policy of a server: accepted host names on loopback, a random token on a network."""
        if host not in LOOPBACK_HOSTS:
            return cls((), origins, secrets.token_urlsafe(16))
        return cls([f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")], origins)

    def build_page_url(self, host: str, port: int) -> str:
        """Return the address of the page, including the token."""
        return f"http://{host}:{port}/page/" + (f"?token={self.token}" if self.token else "")


class AccessMiddleware:
    """ASGI middleware that refuses foreign requests and adds security headers to the responses of the page."""

    def __init__(self, app: ASGIApp, access: AccessPolicy) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal or with the redirect that sets the token's cookie."""
        if scope["type"] not in ("http", "websocket") or scope.get("root_path") == IN_PROCESS_ROOT:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._check_host_and_origin(headers) or self._check_token(scope)
        if refusal:
            await refusal(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            """Send a message; the start of a response of the page gets the headers."""
            if message["type"] == "http.response.start" and scope["path"].startswith("/page"):
                answer = MutableHeaders(scope=message)
                for name, value in PAGE_HEADERS.items():
                    answer.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _check_host_and_origin(self, headers: Headers) -> Response | None:
        """Return a refusal for a foreign host or origin, or None."""
        host, origin = headers.get("host", ""), headers.get("origin")
        # 1. The host name, against DNS rebinding.
        if self._access.hosts and host not in self._access.hosts:
            return build_refusal_response(
                f"This server is not {host[:100]!r}; use the address that `draftroom open` has printed."
            )
        # 2. The origin, which browsers send with requests of other sites.
        if origin is not None and origin not in (f"http://{host}", f"https://{host}", *self._access.origins):
            return build_refusal_response(f"Pages of {origin[:100]!r} may not talk to this server.")
        return None

    def _check_token(self, scope: Scope) -> Response | None:
        """Return None, a refusal without the token, or a redirect that moves it from the address to a cookie."""
        token, connection = self._access.token, HTTPConnection(scope)
        cookie, given = connection.cookies.get(TOKEN_COOKIE, ""), connection.query_params.get("token", "")
        if not token or secrets.compare_digest(cookie.encode(), token.encode()):
            return None
        if not secrets.compare_digest(given.encode(), token.encode()):
            return build_refusal_response(
                "This server asks for a token; use the whole address that `draftroom open` has printed.", 401
            )
        address = connection.url.remove_query_params("token")
        redirect = RedirectResponse(f"{address.path}?{address.query}".rstrip("?"), status_code=303)
        redirect.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict")
        return redirect


def build_refusal_response(message: str, status: int = 403) -> JSONResponse:
    """Return a JSON error response of the kind `refused`, in the format of all errors of the page."""
    return JSONResponse({"error": {"kind": "refused", "message": message}}, status)
