"""A run of the command is a thread of the server, and a thread of the server a run of the command."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import SyncLangGraphClient

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import PAPER, Command
from tests.fake_endpoint import FakeEndpoint
from tests.studio.server import REPOSITORY, STUDIO, StudioServer, variables
from tests.studio.test_studio import ADVICE, GRAPH, run
from tests.support.keys import KEY
from tests.support.killing import wait_until

PAGE = REPOSITORY / "docs" / "how_to" / "studio.md"


@pytest.fixture
def draftroom(endpoint: FakeEndpoint, home: Path) -> Command:
    (home / "moss.md").write_text(PAPER, encoding="utf-8")
    return Command(home, endpoint, {"OPENAI_API_KEY": KEY})


def listed(draftroom: Command, thread: str) -> dict[str, Any]:
    """The run of a thread, as `draftroom runs` has it."""
    (found,) = [each for each in json.loads(draftroom("runs", "--json").stdout) if each["thread"] == thread]
    return dict(found)


def test_a_killed_run_of_the_command_is_continued_by_the_sdk(
    client: SyncLangGraphClient, draftroom: Command, endpoint: FakeEndpoint, home: Path
):
    asked = len(endpoint.chat_requests)
    endpoint.hold_after(asked + 2)
    with draftroom.start("explain", home / "moss.md", "--quiet") as process:
        endpoint.wait_for_requests(asked + 3, timeout_s=60)
        wait_until(lambda: draftroom.records()[-1]["results"].get("drafts") != [])
        begun = draftroom.records()[-1]
        refused = run(client, begun["thread"], input=None, raise_error=False)
        assert "driven by another process" in refused["__error__"]["message"]
        process.kill()
    endpoint.release()
    (thread,) = client.threads.search(metadata={"run": begun["id"], "graph_id": GRAPH})
    assert client.threads.get_state(thread["thread_id"])["values"]["drafts"]  # type: ignore[call-overload]
    result = run(client, thread["thread_id"], input=None)
    assert len(endpoint.chat_requests) == asked + 5, "only the call under way is made again"
    ended = listed(draftroom, begun["thread"])
    assert (ended["id"], ended["status"], ended["input"]["name"]) == (begun["id"], "done", "moss.md")
    assert result["article"] in draftroom("resume", begun["id"]).stdout


def test_a_thread_of_a_killed_server_is_ended_by_the_command(
    client: SyncLangGraphClient, draftroom: Command, endpoint: FakeEndpoint, home: Path, tmp_path: Path
):
    asked = len(endpoint.chat_requests)
    endpoint.hold_after(asked + 2)
    environment = variables(home, endpoint.base_url, OPENAI_API_KEY=KEY)
    with StudioServer(STUDIO, environment, tmp_path) as killed, killed.client() as sdk:
        thread = sdk.threads.create()["thread_id"]
        sdk.runs.create(thread, GRAPH, input={"paper": str(home / "moss.md")}, durability="sync")
        endpoint.wait_for_requests(asked + 3)
        assert listed(draftroom, thread)["status"] == "running"
        assert draftroom("resume", thread).exit_code == EXIT_CODES["run_busy"]
        os.killpg(killed.process.pid, signal.SIGKILL)
    endpoint.release()
    begun = listed(draftroom, thread)
    assert (begun["status"], begun["system"], begun["input"]["name"]) == ("interrupted", GRAPH, "moss.md")
    assert "First draft" in draftroom("show", begun["id"]).stdout
    assert draftroom("resume", begun["id"], "--model", "small").exit_code == 0
    assert [request.body["model"] for request in endpoint.chat_requests[asked + 3 :]] == ["small", "small"]
    ended = listed(draftroom, thread)
    assert (ended["id"], ended["status"], set(ended["models"].values())) == (begun["id"], "done", {"small"})
    assert client.threads.get_state(thread)["values"]["article"]  # type: ignore[call-overload]


def test_a_pause_is_answered_on_either_side(client: SyncLangGraphClient, draftroom: Command, endpoint: FakeEndpoint):
    draftroom("explain", draftroom.home / "moss.md", "--rounds", "2", "--pause")
    paused, asked = draftroom.records()[-1], len(endpoint.chat_requests)
    thread = paused["thread"]
    assert client.threads.get_state(thread)["interrupts"][0]["value"]["advice"]
    answer = {"resume": {"advice": [ADVICE]}}
    refused = run(client, thread, command=answer, context={"rounds": 3, "pause": True}, raise_error=False)
    assert "keeps journalism.rounds = 2;" in refused["__error__"]["message"]
    assert len(endpoint.chat_requests) == asked
    assert listed(draftroom, thread)["failures"][-1]["kind"] == "bad_settings"
    given = {"rounds": 2, "models": {"default": {"model": "small"}}, "limits": {"terms": 20}}
    run(client, thread, input=None, context=given)
    assert {request.body["model"] for request in endpoint.chat_requests[asked:]} == {"small"}
    assert listed(draftroom, thread)["status"] == "paused"
    assert draftroom("resume", paused["id"], "--accept").exit_code == 0
    result: Any = client.threads.get_state(thread)["values"]
    assert [review["origin"] for review in result["reviews"]] == ["editor", "person", "editor"]
    assert listed(draftroom, thread)["status"] == "done"


def test_the_page_of_documents_goes_on_with_what_is_not_finished(
    server: StudioServer, draftroom: Command, capsys: pytest.CaptureFixture[str]
):
    draftroom("explain", draftroom.home / "moss.md", "--pause")
    (code,) = re.findall(
        r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8").partition("## One state")[2], re.DOTALL
    )
    exec(code.replace("http://127.0.0.1:2024", server.url).replace("my-model", "small"), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("# ")
    assert listed(draftroom, draftroom.records()[-1]["thread"])["status"] == "done"


def test_a_thread_with_a_state_of_no_run_breaks_no_other_run(client: SyncLangGraphClient, draftroom: Command):
    poisoned, sound = (client.threads.create(graph_id=GRAPH)["thread_id"] for _ in range(2))
    client.threads.update_state(poisoned, {"settings": {"journalism": {}}}, as_node="initialise")
    run(client, sound, input={"paper": PAPER})
    assert (listed(draftroom, sound)["status"], listed(draftroom, sound)["failures"]) == ("done", [])
    told = draftroom("runs")
    assert f"{poisoned} has the state of no run" in " ".join(told.stderr.split())
    assert told.exit_code == draftroom("resume", sound).exit_code == 0
