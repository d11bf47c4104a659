"""Who may talk to the page's server; runs that are begun, followed, answered, stopped and changed from the page."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client
from starlette.testclient import TestClient

from draftroom.page.access import STUDIO_ORIGIN, AccessPolicy
from draftroom.page.app import build_page_app
from tests.draftroom.conftest import Command
from tests.fake_endpoint import FakeEndpoint
from tests.page.client import MOSSES, SEEDLINGS, begin, look, problem, to_its_end
from tests.studio.server import StudioServer

FLAWED = (
    "Cress that was given tea grew taller than a hand in 20% (8 of 32) of the pots, and nobody touched any of them. "
    * 2
)


def test_what_can_be_done_is_told_with_the_models_that_answer(page: httpx.Client):
    told = page.get("/start").json()
    assert [system["verb"] for system in told["systems"]] == ["explain", "simplify", "review"]
    assert [endpoint["answers"] for endpoint in told["endpoints"]] == [True]
    rounds = told["systems"][0]["settings"]["properties"]["rounds"]
    assert (rounds["default"], rounds["minimum"]) == (1, 0)


def test_an_article_from_the_file_to_an_edited_draft(page: httpx.Client):
    run = to_its_end(page, begin(page, "explain"))
    assert run["status"] == run["record"]["status"] == "done"
    assert run["source"]["title"].startswith("Desiccation tolerance")
    assert run["result"]["article"] == run["result"]["drafts"][-1]["text"] or run["result"]["selected_round"] == 0
    one = f"/runs/{run['record']['id']}"
    looked_at = page.put(f"{one}/article", json={"text": "# Moss\n\nIt grew on 99 roofs."}).json()
    assert [fact["text"] for fact in looked_at["unsupported"]] == ["99"]
    exported = page.get(f"{one}/export", params={"format": ".md"})
    assert "99 roofs" in exported.text
    assert "attachment" in exported.headers["content-disposition"]
    assert look(page, run["record"]["id"])["result"]["selected_because"] == "edited by a person"


def test_a_computation_that_is_dismissed_leaves_the_export(page: httpx.Client, home: Path):
    flawed = home / "tea.md"
    flawed.write_text(f"# Tea\n\n## Results\n\n{FLAWED}", encoding="utf-8")
    run = to_its_end(page, begin(page, "review", flawed, extensions=["computed_checks"]))
    found, one = run["result"]["computed"][0]["id"], f"/runs/{run['record']['id']}"
    assert "## Computed" in page.get(f"{one}/export", params={"format": ".md"}).text
    assert page.put(f"{one}/decisions/{found}", json={"decision": "dismissed"}).status_code == 200
    assert "## Computed" not in page.get(f"{one}/export", params={"format": ".md"}).text


def test_a_run_that_pauses_is_answered_in_place(page: httpx.Client, endpoint: FakeEndpoint):
    paused = to_its_end(page, begin(page, "explain", pause=True))
    assert paused["status"] == "paused"
    assert paused["question"]["items"]
    one = f"/runs/{paused['record']['id']}"
    assert "waits for an answer" in problem(page.post(f"{one}/resume", json={}))
    for wrong in ({"items": [" "]}, {"items": "Say it."}, {"item": ["Say it."]}, "Say it."):
        assert "nothing in the answer" in problem(page.post(f"{one}/resume", json={"answer": wrong}))
    resumed = page.post(f"{one}/resume", json={"answer": {"items": ["Say what a moss is."]}}).json()
    run = to_its_end(page, {"id": paused["record"]["id"], **resumed})
    assert run["status"] == "done"
    assert "Say what a moss is." in json.dumps(run["result"]["reviews"])
    assert "is done" in problem(page.post(f"{one}/resume", json={}))


def test_runs_of_the_terminal_and_of_the_page_are_one_list(page: httpx.Client, endpoint: FakeEndpoint, home: Path):
    begun = to_its_end(page, begin(page, "explain"))["record"]["id"]
    command = Command(home, endpoint)
    assert begun in command("runs").stdout
    assert command("show", begun).exit_code == 0
    assert command("explain", str(MOSSES), "--rounds", "0").exit_code == 0
    newest = page.get("/runs").json()["runs"][0]
    assert newest["name"] == "mosses.md"
    assert newest["id"] > begun
    assert page.delete(f"/runs/{newest['id']}").status_code == 200
    assert newest["id"] not in command("runs").stdout
    with get_sync_client(url=str(page.base_url).removesuffix("/page/api/"), api_key=None) as sdk:
        thread, paper = look(page, begun)["thread"], {"paper": str(SEEDLINGS)}
        for place in (thread, sdk.threads.create()["thread_id"]):  # begun anew there, and begun
            result = sdk.runs.wait(place, "science_journalism", input=paper, context={"rounds": 0})
            assert result["settings"]["journalism"]["rounds"] == 0  # type: ignore[call-overload]
    listed = {run["id"]: run["name"] for run in page.get("/runs").json()["runs"]}
    assert [name for run, name in listed.items() if run >= begun] == [SEEDLINGS.name, SEEDLINGS.name]


def test_a_check_with_a_model_is_not_listed_and_a_baseline_not_resumed(
    page: httpx.Client, endpoint: FakeEndpoint, home: Path
):
    command = Command(home, endpoint)
    command("review", SEEDLINGS, "--section", "Methods", "--variant", "single", "--quiet")
    (alone,) = (run["id"] for run in page.get("/runs").json()["runs"] if run["system"] == "single_model")
    assert f"`draftroom resume {alone}`" in problem(page.post(f"/runs/{alone}/resume", json={}))
    command("check", SEEDLINGS, "--model", "large", "--quiet")
    assert "number_check" in {record["system"] for record in command.records()}
    assert "number_check" not in {run["system"] for run in page.get("/runs").json()["runs"]}


def test_a_check_needs_no_model(page: httpx.Client, endpoint: FakeEndpoint):
    asked = len(endpoint.requests)
    found = page.post("/check", data={"text": f"# Tea\n\n## Results\n\n{FLAWED}"}).json()
    assert [finding["kind"] for finding in found["findings"]] == ["percentage"]
    assert found["findings"][0]["paragraph"] in {paragraph["id"] for paragraph in found["source"]["paragraphs"]}
    assert (found["read"]["reference"], found["unread"], found["references_looked_up"]) == (0, [], False)
    assert len(endpoint.requests) == asked


# Who is let in, and with what


@pytest.mark.parametrize("path", ["/page/", "/page/api/runs", "/threads/search", "/info"])
@pytest.mark.parametrize(
    "header", [{"host": "papers.example:80"}, {"origin": "http://papers.example"}, {"origin": "null"}], ids=str
)
def test_a_stranger_is_refused_everywhere(server: StudioServer, path: str, header: dict[str, str]):
    answer = httpx.request("POST" if "search" in path else "GET", f"{server.url}{path}", headers=header)
    assert answer.status_code == 403
    assert "papers.example" in problem(answer) or "null" in problem(answer)


def test_studio_is_no_origin_of_the_page(server: StudioServer):
    assert httpx.get(f"{server.url}/page/api/runs", headers={"origin": STUDIO_ORIGIN}).status_code == 403


def test_studio_is_admitted_where_it_was_asked_for_and_nobody_else():
    access = AccessPolicy.from_address("127.0.0.1", 2024, [STUDIO_ORIGIN])
    client = TestClient(build_page_app(access), base_url="http://127.0.0.1:2024")
    assert client.get("/page/api/runs", headers={"origin": STUDIO_ORIGIN}).status_code == 200
    assert client.get("/page/api/runs", headers={"origin": "http://papers.example"}).status_code == 403
    assert client.get("/page/api/runs", headers={"host": "papers.example:2024"}).status_code == 403


def test_every_answer_of_the_page_has_a_strict_policy(server: StudioServer):
    for path in ("/page/", "/page/api/start", "/page/api/runs"):
        headers = httpx.get(f"{server.url}{path}").headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_opened_to_a_network_it_asks_for_its_token():
    access = AccessPolicy.from_address("0.0.0.0", 2024)
    client = TestClient(build_page_app(access), base_url="http://192.0.2.7:2024")
    assert client.get("/page/api/runs").status_code == 401
    assert client.get("/page/api/runs?token=guessed").status_code == 401
    assert client.get(f"/page/api/runs?token={access.token}").status_code == 200  # after a redirect, by its cookie
    assert client.get("/page/api/runs").status_code == 200
    assert client.get("/page/api/runs", headers={"origin": "http://papers.example"}).status_code == 403
    assert access.token in access.build_page_url("192.0.2.7", 2024)


def test_without_the_command_there_is_no_page():
    assert TestClient(build_page_app(None)).get("/page/api/runs").status_code == 404


@pytest.mark.parametrize(
    ("form", "file", "status", "words"),
    [
        ({"verb": "explain"}, ("empty.md", b" "), 422, "empty"),
        ({"verb": "explain"}, ("paper.md", b"MZ\x90\x00\x03\x00\x00\x00\xff\xff"), 415, "paper.md"),
        ({"verb": "explain"}, ("paper.pdf", b"%PDF-1.7 nothing"), 422, "paper.pdf"),
        ({"verb": "destroy"}, ("moss.md", b"Moss."), 422, "destroy"),
        ({"verb": "explain", "settings": "[]"}, ("moss.md", b"Moss."), 422, "settings"),
        ({"verb": "explain", "settings": '{"rounds": -4}'}, ("moss.md", b"Moss."), 422, "rounds"),
        ({"verb": "explain", "settings": '{"max_pages": 9}'}, ("moss.md", b"Moss."), 422, "max_pages"),
        ({"verb": "explain", "settings": '{"preset": "/etc/passwd"}'}, ("moss.md", b"Moss."), 422, "preset"),
        ({"verb": "review", "section": "Nowhere"}, ("moss.md", MOSSES.read_bytes()), 422, "Nowhere"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence_and_begins_no_run(
    page: httpx.Client, form: dict[str, str], file: tuple[str, bytes], status: int, words: str
):
    before = len(page.get("/runs").json()["runs"])
    answer = page.post("/runs", data=form, files={"file": file})
    assert answer.status_code == status
    assert words in problem(answer)
    assert len(page.get("/runs").json()["runs"]) == before


def test_a_file_that_is_too_large_is_refused_before_it_is_read(page: httpx.Client):
    connection = HTTPConnection(page.base_url.host, page.base_url.port)
    connection.putrequest("POST", "/page/api/runs")
    connection.putheader("content-length", str(10**9))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_a_hostile_name_is_no_path(page: httpx.Client):
    form = {"verb": "explain", "settings": json.dumps({"rounds": 0})}
    begun = page.post("/runs", data=form, files={"file": ("../../<b>x\n.md", b"# Moss\n\nWater decides how it grows.")})
    assert "/" not in to_its_end(page, begun.json())["record"]["input"]["name"]
