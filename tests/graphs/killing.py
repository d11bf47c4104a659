"""Kills a run after each of its model calls in turn, resumes it, and compares it with one that nobody killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import StateGraph

from tests.fake_endpoint import Answer, FakeEndpoint, RecordedRequest
from tests.support.processes import Child


@dataclass(frozen=True)
class Killed:
    """A command whose process is killed, and what its models answer."""

    command: list[str]
    builder: StateGraph[Any, Any, Any, Any]
    paper: str
    answer: Callable[[], Answer]
    calls: list[str]
    """What it asks for when nobody kills it, by schema name."""
    name: str = "paper.txt"
    """Of the paper's file."""
    at_once: int = 1
    """Most calls that are under way together."""


def kill_after_each_call(system: Killed, tmp_path: Path) -> None:
    """Check that each resumed run repeats no finished call and ends as the uninterrupted one does."""
    (tmp_path / system.name).write_text(system.paper, encoding="utf-8")
    arguments = [*system.command, str(tmp_path / system.name), "--quiet"]
    with FakeEndpoint(answer=system.answer()) as endpoint:
        assert command(endpoint, tmp_path / "whole", *arguments).wait(120) == 0
        assert [request.schema_name for request in endpoint.chat_requests] == system.calls
    expected = final_state(tmp_path / "whole", system.builder)

    for finished in range(len(system.calls)):
        home = tmp_path / f"killed-after-{finished}"
        with FakeEndpoint(answer=system.answer()) as endpoint:
            endpoint.hold_after(finished)
            process = command(endpoint, home, *arguments)
            endpoint.wait_for_requests(finished + 1, timeout_s=60)
            wait_until(lambda kept=finished, home=home: answers_in_checkpoint(home) == kept)
            os.kill(process.pid, signal.SIGKILL)
            process.wait(30)
            endpoint.release()
            assert command(endpoint, home, "resume", "last").wait(120) == 0
            assert asked_once(endpoint.chat_requests, system.at_once) == Counter(system.calls)
        assert final_state(home, system.builder) == expected


def is_first_try(request: RecordedRequest) -> bool:
    return "could not be used" not in request.text


def command(endpoint: FakeEndpoint, home: Path, *arguments: str) -> Child:
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    environment = {
        **unmeasured,  # coverage would make these many short processes slow, and other tests cover the same lines
        "DRAFTROOM_HOME": str(home),
        "DRAFTROOM_MODELS__DEFAULT__BASE_URL": endpoint.base_url,
        "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
        "DRAFTROOM_MODELS__READER__MODEL": "small",
        "DRAFTROOM_FEEDBACK__EMBEDDING__BASE_URL": endpoint.base_url,
        "DRAFTROOM_FEEDBACK__EMBEDDING__MODEL": "large",
    }
    return Child(list(arguments), env=environment, cwd=Path.cwd(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def asked_once(requests: list[RecordedRequest], at_once: int) -> Counter[str]:
    """Count the answered calls by agent, having checked that no request was answered twice."""
    answered = [request for request in requests if request.finished]
    bodies = Counter(request.text for request in answered)
    assert set(bodies.values()) == {1}
    assert len(requests) <= len(answered) + at_once, "only the calls in flight may have been asked for again"
    return Counter(str(request.schema_name) for request in answered)


def answers_in_checkpoint(home: Path) -> int:
    database = home / "state" / "checkpoints.sqlite"
    if not database.exists():
        return 0
    with sqlite3.connect(database) as connection:
        (count,) = connection.execute("SELECT count(*) FROM writes WHERE channel = '__return__'").fetchone()
    connection.close()
    return int(count)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for another process to reach a state, at most ten seconds."""
    never = Event()
    assert any(condition() or never.wait(0.01) for _ in range(1000))


def final_state(home: Path, builder: StateGraph[Any, Any, Any, Any]) -> dict[str, Any]:
    async def read() -> dict[str, Any]:
        async with AsyncSqliteSaver.from_conn_string(str(home / "state" / "checkpoints.sqlite")) as saver:
            (thread,) = {checkpoint.config["configurable"]["thread_id"] async for checkpoint in saver.alist(None)}
            snapshot = await builder.compile(checkpointer=saver).aget_state({"configurable": {"thread_id": thread}})
            return dict(snapshot.values)

    return comparable(asyncio.run(read()))


def comparable(values: Mapping[str, Any]) -> dict[str, Any]:
    """A state without what two runs may differ in: times, places, and the order of calls that were made together."""
    calls = [{key: value for key, value in call.items() if key != "seconds"} for call in values["calls"]]
    calls.sort(key=repr)
    stored = {name: without_path(values[name]) for name in ("source", "document") if name in values}
    paths = dict.fromkeys({"paper", "abstract"} & set(values), "")
    return {**values, **paths, **stored, "calls": calls, "settings": without_ports(values["settings"])}


def without_ports(settings: dict[str, Any]) -> dict[str, Any]:
    tables = {name: dict(table) for name, table in settings.items() if name != "models"}
    for table in tables.values():
        table.pop("embedding", None)
    return tables


def without_path(paper: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in paper.items() if key != "path"}
