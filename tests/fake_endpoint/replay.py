"""Answers recorded from a real endpoint, one JSON line each.

A recording is found again by who asked and what was asked, not by its place in the run, so that parallel calls and
resumed runs get the answers that belong to them.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx

from tests.fake_endpoint.completion import Text
from tests.fake_endpoint.replies import Choices, NotJson, Reply, Status
from tests.fake_endpoint.request_log import CHAT_PATH, RecordedRequest
from tests.fake_endpoint.tokens import message_text


class Replay:
    """Answers from a file that `Record` wrote.

    A request that was recorded several times gets those answers in turn, then the last of them again. One that was
    never recorded is refused, with a message that says so.

    Args:
        path: The recordings.
    """

    def __init__(self, path: Path) -> None:
        self._replies: dict[str, list[Reply]] = defaultdict(list)
        self._lock = threading.Lock()
        for line in path.read_text(encoding="utf-8").splitlines():
            recording = json.loads(line)
            texts = [Text(usage=recording["usage"], **choice) for choice in recording["choices"]]
            self._replies[recording["key"]].append(Choices(texts))

    def __call__(self, request: RecordedRequest) -> Reply:
        with self._lock:
            left = self._replies.get(request_key(request))
            if not left:
                return Status(400, f"Nothing is recorded for this request of {caller(request)}; record it again.")
            return left.pop(0) if len(left) > 1 else left[0]


class Record:
    """Passes requests on to a real endpoint and keeps its answers; failures are passed back but not kept.

    Args:
        path: Where to append the recordings, without keys or headers.
        upstream_base_url: Address of the real endpoint, ending in /v1.
        timeout_s: Longest wait for an answer.
    """

    def __init__(self, path: Path, upstream_base_url: str, timeout_s: float = 600) -> None:
        self._path = path
        self._url = upstream_base_url.removesuffix("/").removesuffix("/v1") + CHAT_PATH
        self._timeout_s = timeout_s
        self._lock = threading.Lock()

    def __call__(self, request: RecordedRequest) -> Reply:
        body = {name: value for name, value in request.body.items() if name not in {"stream", "stream_options"}}
        headers = {name: value for name, value in request.headers.items() if name == "authorization"}
        answer = httpx.post(self._url, json=body, headers=headers, timeout=self._timeout_s, trust_env=False)
        if answer.is_error:
            return NotJson(answer.text, answer.status_code)
        recording = _recording(request, answer.json())
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(recording, ensure_ascii=False) + "\n")
        return Choices([Text(usage=recording["usage"], **choice) for choice in recording["choices"]])


def caller(request: RecordedRequest) -> str:
    """Who asks: the model and the schema asked for, and the request's `user` if it names one."""
    parts = [request.model, request.schema_name or "text", request.body.get("user")]
    return "/".join(part for part in parts if part)


def request_key(request: RecordedRequest) -> str:
    """Hash of the caller and the messages; differences in white space do not matter."""
    return hashlib.sha256(json.dumps([caller(request), _normalised(request)]).encode()).hexdigest()


def _normalised(request: RecordedRequest) -> list[list[str]]:
    return [[message["role"], " ".join(message_text(message).split())] for message in request.messages]


def _recording(request: RecordedRequest, answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": request_key(request),
        "caller": caller(request),
        "messages": request.messages,
        "choices": [_choice(choice) for choice in answer["choices"]],
        "usage": answer.get("usage"),
    }


def _choice(choice: dict[str, Any]) -> dict[str, Any]:
    message = choice["message"]
    reasoning = message.get("reasoning") or message.get("reasoning_content")
    kept = {"content": message.get("content") or "", "finish_reason": choice["finish_reason"]}
    return kept | ({"reasoning": reasoning} if reasoning else {})
