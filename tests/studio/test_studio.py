"""The graphs behind LangGraph's own server, driven as Studio and the SDK do; its threads are runs of the command."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient

from draftroom.exit_codes import EXIT_CODES
from nodes.shared import FROZEN_SETTINGS
from tests.draftroom.conftest import PAPER, Command
from tests.fake_endpoint import FakeEndpoint, fill
from tests.studio.server import REPOSITORY, STUDIO, StudioServer, variables
from tests.support import review_room
from tests.support.keys import KEY, files_with, quote_the_key, was_sent
from tests.support.killing import wait_until

PAGE = REPOSITORY / "docs" / "how_to" / "studio.md"
GRAPH = "science_journalism"
SERVED = {"science_journalism", "medical_simplification", "focused_feedback", "number_check"}
ADVICE = "Say what a moss is before you say how fast it grows."

Client = SyncLangGraphClient


@pytest.fixture
def thread(client: Client) -> str:
    return client.threads.create()["thread_id"]


def run(client: Client, thread: str, **arguments: Any) -> dict[str, Any]:
    result = client.runs.wait(thread, GRAPH, **arguments)
    assert isinstance(result, dict)
    return result


def before(client: Client, thread: str, node: str) -> dict[str, Any]:
    """The newest checkpoint at which `node` came next."""
    return next(dict(state) for state in client.threads.get_history(thread, limit=50) if state["next"] == [node])


@pytest.mark.parametrize("system", sorted(SERVED))
def test_the_form_explains_itself(client: Client, system: str):
    (assistant,) = client.assistants.search(graph_id=system)
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    for schema in (schemas["input_schema"], schemas["output_schema"], schemas["context_schema"]):
        assert schema is not None
        assert schema["description"]
        assert [name for name, field in schema["properties"].items() if not field.get("description")] == []
    assert len(schemas["input_schema"]["required"]) == 1  # type: ignore[index]


def test_a_fork_goes_another_way(client: Client, thread: str, endpoint: FakeEndpoint):
    first = run(client, thread, input={"paper": PAPER}, context={"rounds": 1})
    fork = before(client, thread, "revise_draft")
    review = {"round": 0, "text": ADVICE, "origin": "person"}
    client.threads.update_state(
        thread, {"reviews": [review]}, as_node="advise", checkpoint_id=fork["checkpoint"]["checkpoint_id"]
    )
    state = client.threads.get_state(thread)
    assert state["next"] == ["revise_draft"]
    assert len(state["values"]["reviews"]) == 2  # type: ignore[call-overload]
    second = run(client, thread, input=None)
    assert ADVICE in endpoint.chat_requests[-1].text
    assert second["drafts"][0] == first["drafts"][0]
    assert second["drafts"][1] != first["drafts"][1]
    ends = [state["values"]["drafts"] for state in client.threads.get_history(thread, limit=50) if not state["next"]]  # type: ignore[call-overload]
    assert ends == [second["drafts"], first["drafts"]]


def test_a_key_goes_to_its_endpoint_and_is_left_nowhere(
    server: StudioServer, client: Client, thread: str, endpoint: FakeEndpoint, home: Path
):
    result = run(client, thread, input={"paper": PAPER})
    endpoint.answer = quote_the_key
    try:
        refused = run(client, thread, input={"paper": PAPER}, raise_error=False)
    finally:
        endpoint.answer = fill
    said = f"{result} {refused} {client.threads.get_history(thread)}"
    assert result["article"].startswith("# ")
    assert refused["__error__"]["error"] == "ModelUnavailableError"
    assert was_sent(endpoint)
    assert "ModelUnavailableError" in server.output
    assert KEY not in said
    assert KEY not in server.output
    assert files_with(KEY, home) == []


@pytest.mark.parametrize("context", [{"rouds": 3}, {"resolved": {}}])
def test_a_key_that_a_context_does_not_have(client: Client, thread: str, context: dict[str, Any]):
    result = run(client, thread, input={"paper": PAPER}, context=context, raise_error=False)
    assert result["__error__"]["error"] == "SettingsError"
    assert f"`{next(iter(context))}`" in result["__error__"]["message"]


@pytest.mark.parametrize("settings", ["", "all", {"models": {}}])
def test_frozen_settings_of_a_client_are_refused(client: Client, thread: str, settings: Any):
    config: Any = {"configurable": {FROZEN_SETTINGS: settings}}
    result = run(client, thread, input={"paper": PAPER}, config=config, raise_error=False)
    assert result["__error__"]["message"].startswith("Give settings as the `context` of a run")


def ask_mcp(server: StudioServer, method: str, **params: Any) -> dict[str, Any]:
    """What `/mcp` answers, as an MCP client asks it."""
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    answer = httpx.post(f"{server.url}/mcp", json=message, headers=headers, timeout=60).json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    return dict(answer["result"])


def call_tool(server: StudioServer, name: str, **arguments: Any) -> tuple[str, bool]:
    """The text of a tool's result, and whether it is an error."""
    result = ask_mcp(server, "tools/call", name=name, arguments=arguments)
    (content,) = result["content"]
    assert content["type"] == "text"
    return content["text"], result["isError"]


def test_mcp_lists_the_systems(server: StudioServer):
    tools = {tool["name"]: tool for tool in ask_mcp(server, "tools/list")["tools"]}
    assert tools.keys() == SERVED
    assert tools[GRAPH]["description"].startswith("Turn a scientific paper into an article")
    assert tools["medical_simplification"]["inputSchema"]["required"] == ["abstract"]


def test_mcp_returns_what_a_person_reads(server: StudioServer, client: Client, endpoint: FakeEndpoint):
    article, failed = call_tool(server, GRAPH, paper=PAPER)
    (newest, *_) = client.threads.search(limit=1)
    assert not failed
    assert article.startswith(newest["values"]["article"])  # type: ignore[index]
    assert "## Readability" in article
    assert "base_url" not in article
    plain, failed = call_tool(server, "medical_simplification", abstract=PAPER)
    assert not failed
    assert "## Details of the source that the text has lost or changed" in plain
    endpoint.answer = review_room.Room()
    try:
        review, failed = call_tool(server, "focused_feedback", paper=review_room.PAPER, text=review_room.CLAIM)
    finally:
        endpoint.answer = fill
    assert not failed
    assert review_room.REVIEW["suggestion"] in review
    assert call_tool(server, "number_check", paper=PAPER)[1] is False
    asked = len(endpoint.requests)
    assert call_tool(server, GRAPH, paper="missing.pdf") == ("There is no file missing.pdf; check its name.", True)
    assert len(endpoint.requests) == asked


def test_other_pages_in_the_browser_cannot_read_along(server: StudioServer):
    def allowed(origin: str) -> str | None:
        headers = httpx.get(f"{server.url}/info", headers={"Origin": origin}).headers
        return headers.get("access-control-allow-origin")

    assert allowed("https://smith.langchain.com") == "https://smith.langchain.com"
    assert allowed("https://example.org") is None


def test_how_to_open_it_is_told(server: StudioServer):
    assert f"https://smith.langchain.com/studio/?baseUrl={server.url}" in server.output.splitlines()[0]
    assert f"get_client(url='{server.url}')" in server.output.splitlines()[0]


def test_a_client_cannot_name_code_that_is_not_allowed_at_the_server(client: Client, thread: str):
    paper = {"paper": review_room.PAPER, "text": review_room.CLAIM}
    context = {"retriever": "lab:make"}
    refused: Any = client.runs.wait(thread, "focused_feedback", input=paper, context=context, raise_error=False)
    assert "not allowed (lab:make)" in refused["__error__"]["message"]


def test_a_client_gets_no_key_at_an_address_of_its_own(client: Client, thread: str):
    with FakeEndpoint() as hers:
        context: dict[str, Any] = {"models": {"default": {"base_url": hers.base_url}}}
        result = run(client, thread, input={"paper": PAPER}, context=context)
        assert result["article"].startswith("# ")
        assert {request.headers["authorization"] for request in hers.requests} == {"Bearer none"}
        assert {model["api_key_env"] for model in result["settings"]["models"].values()} == {""}
        asked = len(hers.requests)
        for more in ({"api_key_env": "OTHER_API_KEY"}, {"provider": "openai", "model": "large"}):
            context["models"]["default"] |= more
            refused = run(client, thread, input={"paper": PAPER}, context=context, raise_error=False)
            assert "This server sends keys only as its own settings do" in refused["__error__"]["message"]
        chosen = {"embedding": {"base_url": hers.base_url, "api_key_env": "OTHER_API_KEY"}}
        paper = {"paper": review_room.PAPER, "text": review_room.CLAIM}
        review: Any = client.runs.wait(None, "focused_feedback", input=paper, context=chosen, raise_error=False)
        assert "This server sends keys only as its own settings do" in review["__error__"]["message"]
        assert len(hers.requests) == asked


# A run of the command is a thread of the server, and a thread of the server a run of the command


@pytest.fixture
def draftroom(endpoint: FakeEndpoint, home: Path) -> Command:
    (home / "moss.md").write_text(PAPER, encoding="utf-8")
    return Command(home, endpoint, {"OPENAI_API_KEY": KEY})


def listed(draftroom: Command, thread: str) -> dict[str, Any]:
    """The run of a thread, as `draftroom runs` has it."""
    (found,) = [each for each in json.loads(draftroom("runs", "--json").stdout) if each["thread"] == thread]
    return dict(found)


def test_a_killed_run_of_the_command_is_continued_by_the_sdk(
    client: Client, draftroom: Command, endpoint: FakeEndpoint, home: Path
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
    client: Client, draftroom: Command, endpoint: FakeEndpoint, home: Path, tmp_path: Path
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


def test_a_pause_is_answered_on_either_side(client: Client, draftroom: Command, endpoint: FakeEndpoint):
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
    server: StudioServer, client: Client, draftroom: Command, capsys: pytest.CaptureFixture[str]
):
    for earlier in client.threads.search(limit=100):
        client.threads.delete(earlier["thread_id"])
    draftroom("explain", draftroom.home / "moss.md", "--pause")
    (code,) = re.findall(
        r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8").partition("## One state")[2], re.DOTALL
    )
    exec(code.replace("http://127.0.0.1:2024", server.url).replace("my-model", "small"), {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("# ")
    assert listed(draftroom, draftroom.records()[-1]["thread"])["status"] == "done"


def test_a_thread_with_a_state_of_no_run_breaks_no_other_run(client: Client, draftroom: Command):
    poisoned, sound = (client.threads.create(graph_id=GRAPH)["thread_id"] for _ in range(2))
    client.threads.update_state(poisoned, {"settings": {"journalism": {}}}, as_node="initialise")
    run(client, sound, input={"paper": PAPER})
    assert (listed(draftroom, sound)["status"], listed(draftroom, sound)["failures"]) == ("done", [])
    told = draftroom("runs")
    assert f"{poisoned} has the state of no run" in " ".join(told.stderr.split())
    assert told.exit_code == draftroom("resume", sound).exit_code == 0
