"""What the endpoint can answer: completions of every kind, and every kind of failure."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Protocol

from tests.fake_endpoint.completion import Completion, ReasoningField, Text, send_completion
from tests.fake_endpoint.exchange import Exchange
from tests.fake_endpoint.request_log import RecordedRequest

_PROXY_PAGE = (
    "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in to the network.</body></html>"
)


class Reply(Protocol):
    """A way to answer a request."""

    def send(self, exchange: Exchange) -> None:
        """Answer the request of `exchange`, or fail to in the way this reply stands for."""


Answer = Callable[[RecordedRequest], Reply]
"""Decides how a chat request is answered."""


class Json(Text):
    """Answers with `value` as JSON text."""

    def __init__(self, value: Any) -> None:
        super().__init__(json.dumps(value, ensure_ascii=False))


class Truncated(Text):
    """Answers with text that ended at the token limit."""

    def __init__(self, content: str) -> None:
        super().__init__(content, finish_reason="length")


class Reasoning(Text):
    """Answers as a reasoning model does: inside `<think>` tags, or in a separate `field` where one is named."""

    def __init__(self, thought: str, content: str, field: ReasoningField | None = None) -> None:
        if field is None:
            super().__init__(f"<think>\n{thought}\n</think>\n\n{content}")
        else:
            super().__init__(content, reasoning=thought, reasoning_field=field)


@dataclass(frozen=True)
class Choices:
    """Answers a request for `n` answers with different ones, from the first again if there are too few."""

    texts: Sequence[Text]

    def send(self, exchange: Exchange) -> None:
        send_completion(exchange, [self.texts[index % len(self.texts)] for index in range(exchange.answers)])


@dataclass(frozen=True)
class Status:
    """Refuses with an HTTP status and vLLM's error body."""

    code: int
    message: str = "The fake endpoint was told to fail."
    headers: Mapping[str, str] = field(default_factory=dict)
    param: str | None = None

    def send(self, exchange: Exchange) -> None:
        kind = HTTPStatus(self.code).phrase
        error = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        exchange.send_json(self.code, {"error": error}, self.headers)


@dataclass(frozen=True)
class NotJson:
    """Answers with a page, as a proxy does that stands between client and server."""

    body: str = _PROXY_PAGE
    code: int = 200

    def send(self, exchange: Exchange) -> None:
        exchange.send(self.code, self.body.encode(), "text/html; charset=utf-8")


@dataclass(frozen=True)
class Hold:
    """Answers with `then` once `event` is set; the endpoint sets it when it closes."""

    event: threading.Event
    then: Reply

    def send(self, exchange: Exchange) -> None:
        exchange.gates.wait(self.event)
        self.then.send(exchange)


@dataclass(frozen=True)
class Hang:
    """Accepts the request and does not answer until `FakeEndpoint.release`."""

    def send(self, exchange: Exchange) -> None:
        exchange.gates.wait(exchange.release)


@dataclass(frozen=True)
class CutStream:
    """Closes the connection in the middle of the answer, before any finish reason.

    Args:
        content: What the whole answer would have been.
        after_chunks: How many tokens still arrive.
        unfinished: End the HTTP message properly, which a client can tell from a whole answer only by the missing
            finish reason; otherwise the connection breaks.
    """

    content: str
    after_chunks: int = 1
    unfinished: bool = False

    def send(self, exchange: Exchange) -> None:
        chunks = list(Completion(exchange, [Text(self.content)]).chunks())
        beginning = chunks[: 1 + self.after_chunks]  # the first one carries the role
        exchange.send_events(beginning, "unfinished" if self.unfinished else "cut")


@dataclass(frozen=True)
class NoChoice:
    """Streams a properly ended answer without any choice in it."""

    def send(self, exchange: Exchange) -> None:
        (beginning, *_) = Completion(exchange, [Text("")]).chunks()
        exchange.send_events([{**beginning, "choices": []}])


@dataclass(frozen=True)
class Drop:
    """Resets the connection without an answer."""

    def send(self, exchange: Exchange) -> None:
        exchange.reset()
