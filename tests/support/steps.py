"""Which step of an agent a request belongs to, as the fake endpoint sees it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.fake_endpoint import FakeEndpoint, RecordedRequest

NODES = Path(__file__).parents[2] / "nodes"
_TASK = re.compile(r"^# Your task\n\n([^{\n]+)", re.MULTILINE)


def step_of(request: RecordedRequest) -> str:
    """Return the name of the schema that is asked for; where prose is, that of the prompt, by how its task begins."""
    if request.schema_name:
        return request.schema_name
    return next((name for beginning, name in _tasks().items() if beginning in request.text), "")


@cache
def _tasks() -> dict[str, str]:
    """The first words of each prompt's task, and its name; a longer beginning comes before one that begins it."""
    prompts = {path.stem: _TASK.search(path.read_text(encoding="utf-8")) for path in NODES.glob("*/prompts/[a-z]*.md")}
    tasks = {match[1].strip(): name for name, match in prompts.items() if match}
    return dict(sorted(tasks.items(), key=lambda task: -len(task[0])))


def asks(step: str) -> Callable[[RecordedRequest], bool]:
    """Return a condition of `When`: that a request belongs to a step."""
    return lambda request: step_of(request) == step


def asked_for(endpoint: FakeEndpoint, step: str) -> list[RecordedRequest]:
    """Return the requests of a step, in order."""
    return [request for request in endpoint.chat_requests if step_of(request) == step]


def list_headings(request: RecordedRequest) -> list[str]:
    """Return the headings of a prompt's parts."""
    return re.findall(r"^# (.+)$", request.text, re.MULTILINE)


def make_words(number: int, start: str) -> str:
    """Make up a text of so many words."""
    return " ".join([start, *(f"word{count}" for count in range(number - 2)), "end."])
