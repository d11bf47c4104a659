"""A server that is killed, or stopped, while it drives a run, and one that is started in its place."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.fake_endpoint import FakeEndpoint
from tests.page.client import SEEDLINGS, begin, look, problem, to_its_end
from tests.page.conftest import outspoken
from tests.studio.server import OPEN, StudioServer, variables

ANSWERED = 2
"""By each server before it ends."""


def test_neither_a_killed_server_nor_a_stopped_one_loses_an_answer_or_a_decision(tmp_path: Path):
    with FakeEndpoint() as endpoint:
        endpoint.answer = outspoken
        environment = variables(tmp_path, endpoint.base_url, DRAFTROOM_FEEDBACK__RETRIEVAL="bm25")  # without Chroma
        with StudioServer(OPEN, environment, tmp_path) as server, page_of(server) as page:
            earlier = to_its_end(page, begin(page, "review", SEEDLINGS, section="Abstract"))
            comment = earlier["result"]["comments"][0]["id"]
            one = f"/runs/{earlier['record']['id']}"
            assert page.put(f"{one}/decisions/{comment}", json={"decision": "dismissed"}).status_code == 200
            assert "no comment" in problem(page.put(f"{one}/decisions/c-p99", json={"decision": "accepted"}))
            assert "decision" in problem(page.put(f"{one}/decisions/{comment}", json={"decision": "perhaps"}))
            asked = hold(endpoint)
            run = begin(page, "explain", rounds=2, extensions=[])["id"]
            answered = end(server, signal.SIGKILL, endpoint, asked)
        with StudioServer(OPEN, environment, tmp_path) as server, page_of(server) as page:
            assert look(page, run)["status"] == "interrupted"
            assert look(page, earlier["record"]["id"])["decisions"] == {comment: {"decision": "dismissed"}}
            asked = hold(endpoint)
            page.post(f"/runs/{run}/resume", json={})
            answered += end(server, signal.SIGINT, endpoint, asked)
        with StudioServer(OPEN, environment, tmp_path) as server, page_of(server) as page:
            assert look(page, run)["status"] == "stopped"
            asked = len(endpoint.chat_requests)
            ended = to_its_end(page, {"id": run, **page.post(f"/runs/{run}/resume", json={}).json()})
        assert ended["status"] == "done"
        assert ended["record"]["resumed"] == 2
        assert len(ended["result"]["calls"]) == sum(part["calls"] for part in ended["record"]["usage"])
        answered += [request.body["messages"] for request in endpoint.chat_requests[asked:]]
        assert all(answered.count(messages) == 1 for messages in answered)


def hold(endpoint: FakeEndpoint) -> int:
    """Have the endpoint answer a few requests more and then no other; how many it was asked before."""
    asked = len(endpoint.chat_requests)
    endpoint.hold_after(asked + ANSWERED)
    return asked


def test_the_address_is_all_that_is_printed_also_where_the_usual_port_is_taken(tmp_path: Path):
    environment = variables(tmp_path, "http://127.0.0.1:9/v1")
    with socket.socket() as other:
        with suppress(OSError):  # whoever has the port already does as well
            other.bind(("127.0.0.1", 2024))
            other.listen()
        process = subprocess.Popen(OPEN, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        assert process.stderr
        with process, process.stderr as printed:
            line = printed.readline()
            told = re.fullmatch(r"The page is at (\S+:(\d+)/page/) until Ctrl-C \(log: (\S+)\)\.\n", line)
            assert told, line
            assert told[2] != "2024"
            assert httpx.get(told[1]).status_code == 200
            process.terminate()
            assert printed.read() == ""
    assert process.returncode == 0
    assert "Shutting down" in Path(told[3]).read_text(encoding="utf-8")


def end(server: StudioServer, how: signal.Signals, endpoint: FakeEndpoint, asked: int) -> list[Any]:
    """End a server that waits for an answer; what it was answered."""
    endpoint.wait_for_requests(asked + ANSWERED + 1)
    os.killpg(server.process.pid, how)
    server.process.wait()
    endpoint.release()
    return [request.body["messages"] for request in endpoint.chat_requests[asked : asked + ANSWERED]]


def page_of(server: StudioServer) -> httpx.Client:
    """A browser's way to the server's page."""
    return httpx.Client(base_url=f"{server.url}/page/api", timeout=30)
