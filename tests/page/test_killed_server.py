"""A server that is killed, or stopped, while it drives a review, and one that is started in its place."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import httpx
import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.page.client import SEEDLINGS, begin, look, to_its_end
from tests.page.conftest import outspoken
from tests.studio.server import OPEN, StudioServer, variables

ANSWERED = 3


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_server_that_ends_loses_no_answer_and_no_decision(tmp_path: Path, end: signal.Signals):
    with FakeEndpoint() as endpoint:
        endpoint.answer = outspoken
        environment = variables(tmp_path, endpoint.base_url)
        with StudioServer(OPEN, environment, tmp_path) as server, page_of(server) as page:
            earlier = to_its_end(page, begin(page, "review", SEEDLINGS, section="Results"))
            comment = earlier["result"]["comments"][0]["id"]
            one = f"/runs/{earlier['record']['id']}"
            assert page.put(f"{one}/decisions/{comment}", json={"decision": "dismissed"}).status_code == 200
            asked = len(endpoint.chat_requests)
            endpoint.hold_after(asked + ANSWERED)
            killed = begin(page, "review", SEEDLINGS, section="Abstract", execution="sequential", plans=1)["id"]
            endpoint.wait_for_requests(asked + ANSWERED + 1)
            os.killpg(server.process.pid, end)
            server.process.wait()
        endpoint.release()
        answered = [request.body["messages"] for request in endpoint.chat_requests[asked : asked + ANSWERED]]
        before = len(endpoint.chat_requests)
        with StudioServer(OPEN, environment, tmp_path) as server, page_of(server) as page:
            assert look(page, killed)["status"] == "interrupted"
            assert look(page, earlier["record"]["id"])["decisions"] == {comment: {"decision": "dismissed"}}
            resumed = page.post(f"/runs/{killed}/resume", json={}).json()
            run = to_its_end(page, {"id": killed, **resumed})
        assert run["status"] == "done"
        assert run["record"]["resumed"] == 1
        assert len(run["result"]["calls"]) == sum(part["calls"] for part in run["record"]["usage"])
        asked_again = [request.body["messages"] for request in endpoint.chat_requests[before:]]
        assert not [messages for messages in answered if messages in asked_again]


def page_of(server: StudioServer) -> httpx.Client:
    """A browser's way to the server's page."""
    return httpx.Client(base_url=f"{server.url}/page/api", timeout=30)
