"""Results of the systems for clients of the Model Context Protocol (MCP), at the server's address `/mcp`.

LangGraph's server lists the graphs as tools, but answers a call with the Python form of a graph's whole output, and an
error with the name of its class. Here a call is answered with the text that a person gets.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from draftroom.rendering.markdown import render_blocks
from draftroom.systems import SYSTEMS, find_system
from runs.record import RunInput, build_run_record

# Headers of a client that its request to the server's other routes has as well: whoever may not run a graph there, may
# not call a tool. The others describe the body.
FORWARDED_HEADERS = ("authorization", "cookie", "host", "origin", "x-api-key")


class ToolCallMiddleware:
    """ASGI middleware that answers the calls of tools at `/mcp`, and passes all other requests on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call of one of the systems; pass any other request on, with the body that was read."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != "/mcp":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        if response := await answer_tool_call(request, body):
            await response(scope, receive, send)
            return
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            """Return the body once more, then whatever follows it."""
            return unread.pop() if unread else await receive()

        await self._app(scope, receive_again, send)


async def answer_tool_call(request: Request, body: bytes) -> Response | None:
    """Run the system that a message calls as a tool, and return the response; None for any other message."""
    try:
        message = json.loads(body)
        name, arguments = message["params"]["name"], message["params"].get("arguments") or {}
        if message["method"] != "tools/call" or name not in SYSTEMS or "id" not in message:
            return None
    except (ValueError, TypeError, KeyError):
        return None
    # Through the server's own route, so that its rules for access hold, and the run has a thread that can be resumed.
    headers = {name: value for name, value in request.headers.items() if name in FORWARDED_HEADERS}
    thread = str(uuid4())
    run = {"assistant_id": name, "input": arguments, "if_not_exists": "create", "durability": "sync"}
    address, transport = str(request.base_url), httpx.ASGITransport(request.app)
    # No time limit, because a run takes minutes.
    async with httpx.AsyncClient(transport=transport, base_url=address, headers=headers, timeout=None) as server:  # noqa: S113
        answer = await server.post(f"/threads/{thread}/runs/wait", json=run)
    if not answer.is_success:
        return Response(answer.content, answer.status_code, media_type="application/json")
    text, failed = await asyncio.to_thread(render_tool_result, name, answer.json(), thread)
    result = {"content": [{"type": "text", "text": text}], "isError": failed}
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result})


def render_tool_result(name: str, values: Mapping[str, Any], thread: str) -> tuple[str, bool]:
    """Return the result of a system's run on a thread as Markdown text, and whether it is an error instead; blocks."""
    if "__error__" in values:
        return str(values["__error__"]["message"]), True
    if "__interrupt__" in values:
        return f"The run waits for a person: answer in Studio, thread {thread}, or set `pause` to false.", True
    paper = values.get("source") or values["document"]
    found = RunInput(name=paper["title"], path="", paper=paper)
    record = build_run_record(name, found, values["settings"], "memory")
    document = find_system(name).rendering.build_document(record, values)
    return render_blocks([*document.result, *document.remarks]), False
