"""Who may talk to the page's server, and what it does with hostile uploads."""

from __future__ import annotations

import json
from http.client import HTTPConnection

import httpx
import pytest
from starlette.testclient import TestClient

from draftroom.page.access import STUDIO_ORIGIN, AccessPolicy
from draftroom.page.app import build_page_app
from tests.page.client import MOSSES, problem, to_its_end
from tests.studio.server import StudioServer

HOSTILE = """# <script>alert(1)</script> Moss

Moss grows <img src=x onerror=alert(2)> in 12 gardens. Water, and not warmth, decides how fast a moss grows there.
"""


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
    for path in ("/page/api/start", "/page/api/runs", "/page/no-such-file.js"):
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


def test_a_hostile_name_and_markup_stay_text(page: httpx.Client):
    form = {"verb": "explain", "settings": json.dumps({"rounds": 0})}
    begun = page.post("/runs", data=form, files={"file": ("../../<b>x\n.md", HOSTILE.encode())})
    assert begun.status_code == 201, begun.text
    run = to_its_end(page, begun.json())
    assert "/" not in run["record"]["input"]["name"]
    exported = page.get(f"/runs/{run['record']['id']}/export", params={"format": ".html"})
    assert exported.headers["content-disposition"].startswith("attachment")
    assert "<script>alert" not in exported.text
    assert "onerror=alert" not in exported.text.replace("&lt;img src=x onerror=alert", "")
