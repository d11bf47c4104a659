"""What the endpoint was asked, in the order of arrival."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.fake_endpoint.tokens import message_text

CHAT_PATH = "/v1/chat/completions"


@dataclass(eq=False)
class RecordedRequest:
    """One request as it arrived."""

    sequence: int
    """Position among all requests, from 0."""
    chat_number: int | None
    """Position among the chat requests, from 1; None for any other request."""
    method: str
    path: str
    """Without the query."""
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    """The parsed JSON; empty where there was none."""
    finished: bool = field(default=False)
    """The whole answer was written to the socket. A client that was killed may still not have read it."""

    @property
    def model(self) -> str:
        """Name of the model asked for, empty if the request named none."""
        return str(self.body.get("model") or "")

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat messages."""
        return list(self.body.get("messages") or [])

    @property
    def text(self) -> str:
        """The text of all messages, one below the other."""
        return "\n".join(message_text(message) for message in self.messages)

    @property
    def n(self) -> int:
        """Number of answers asked for."""
        return int(self.body.get("n") or 1)

    @property
    def schema(self) -> dict[str, Any] | None:
        """JSON schema that the answer must keep to."""
        response_format = self.body.get("response_format") or {}
        return (response_format.get("json_schema") or {}).get("schema")

    @property
    def schema_name(self) -> str | None:
        """Name that the request gives its schema, or else the schema's title."""
        named = (self.body.get("response_format") or {}).get("json_schema") or {}
        return named.get("name") or (self.schema or {}).get("title")


class RequestLog:
    """The recorded requests; any thread may add, read or wait."""

    def __init__(self) -> None:
        self._requests: list[RecordedRequest] = []
        self._chats: list[RecordedRequest] = []
        self._arrival = threading.Condition()

    def add(self, method: str, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> RecordedRequest:
        """Record a request and wake whoever waits for it."""
        is_chat = (method, path) == ("POST", CHAT_PATH)
        with self._arrival:
            number = len(self._chats) + 1 if is_chat else None
            request = RecordedRequest(len(self._requests), number, method, path, dict(headers), body)
            self._requests.append(request)
            if is_chat:
                self._chats.append(request)
            self._arrival.notify_all()
        return request

    def all(self) -> list[RecordedRequest]:
        """A copy of the list of all requests."""
        with self._arrival:
            return list(self._requests)

    def chats(self) -> list[RecordedRequest]:
        """A copy of the list of chat requests."""
        with self._arrival:
            return list(self._chats)

    def wait_for_chats(self, count: int, timeout_s: float) -> list[RecordedRequest]:
        """Wait until `count` chat requests have arrived, answered or not, and return them.

        Raises:
            TimeoutError: If they did not arrive within `timeout_s` seconds.
        """
        with self._arrival:
            if not self._arrival.wait_for(lambda: len(self._chats) >= count, timeout_s):
                raise TimeoutError(f"Only {len(self._chats)} of {count} chat requests arrived within {timeout_s} s.")
            return list(self._chats)
