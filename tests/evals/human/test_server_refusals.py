"""The local page over HTTP: whom and what it refuses, and what it says then."""

from __future__ import annotations

from contextlib import closing
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from evals.human.answers import Answer
from evals.human.server import AnnotationServer
from evals.human.sheets import comparisons
from evals.human.store import AnswerStore, read_answers
from state.errors import BadInput, SettingsError, StateError
from tests.evals.human.serving import SHEETS, Rater, number, running
from tests.evals.human.values import candidates

HOSTILE = """</p><script>alert(1)</script><img src=x onerror=alert(2)>'"{{ rater }}&amp;"""


@pytest.mark.parametrize("name", ["", "   ", pytest.param("x" * 61, id="long"), pytest.param("Ada\x00", id="control")])
def test_a_name_is_needed(ada: Rater, store: Path, name: str) -> None:
    ada.name = name
    for page in (ada.go_on(), ada.answer(SHEETS[0], "helpfulness", "tie")):
        assert page.status_code == 400
        assert "Please give a name" in page.text
    assert read_answers(store) == []


def test_hostile_texts_are_escaped(store: Path) -> None:
    fields = {"paragraph": HOSTILE, "first": f"{HOSTILE}1", "second": f"{HOSTILE}2"}
    with running([SHEETS[0].model_copy(update=fields)], AnswerStore(store)) as server, Rater(server) as ada:
        page = ada.go_on()
    assert "<script" not in page.text
    assert "<img" not in page.text
    assert all(text in unescape(page.text) for text in fields.values())


def test_the_browser_is_told_to_run_nothing_and_to_tell_nobody(ada: Rater) -> None:
    headers = ada.go_on().headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/", "/compare", "/wrong/answer", "//", "/ü/", "{token}"])
def test_without_the_token_nothing_is_shown_or_stored(
    server: AnnotationServer, store: Path, method: str, path: str
) -> None:
    path = path.format(token=server.prefix.rstrip("/"))
    address = urlsplit(server.address())
    form = {"rater": "Ada", "item": SHEETS[0].item, "helpfulness": "tie"}
    url = f"http://{address.netloc}{path}"
    reply = httpx.request(method, url, data=form if method == "POST" else None, trust_env=False)
    assert reply.status_code == 403
    assert "whole address" in reply.text
    assert read_answers(store) == []


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "[::1]:80"])
def test_another_host_name_is_refused(server: AnnotationServer, store: Path, host: str) -> None:
    form = {"rater": "Ada", "item": SHEETS[0].item, "helpfulness": "tie"}
    headers = {"Host": host}
    assert httpx.get(server.address(), headers=headers, trust_env=False).status_code == 403
    assert httpx.post(f"{server.address()}answer", data=form, headers=headers, trust_env=False).status_code == 403
    assert read_answers(store) == []


def test_localhost_is_this_machine_too(server: AnnotationServer) -> None:
    headers = {"Host": f"localhost:{server.server_port}"}
    assert httpx.get(server.address(), headers=headers, trust_env=False).status_code == 200


def test_it_listens_on_loopback_only(server: AnnotationServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"


def test_every_start_has_a_token_of_its_own(tmp_path: Path) -> None:
    prefixes = set()
    for place in range(3):
        with AnnotationServer(SHEETS, AnswerStore(tmp_path / str(place))) as server:
            prefixes.add(server.prefix)
    assert len(prefixes) == 3
    assert all(len(prefix) >= 22 for prefix in prefixes)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"item": "unknown", "helpfulness": "tie"}, "out of date"),
        ({"helpfulness": "tie"}, "out of date"),
        ({"item": SHEETS[0].item}, "held no answer"),
        ({"item": SHEETS[0].item, "helpfulness": "third"}, "held no answer"),
        ({"item": SHEETS[0].item, "taste": "tie"}, "held no answer"),
    ],
)
def test_a_form_that_is_none_of_ours_is_refused(
    server: AnnotationServer, store: Path, form: dict[str, str], message: str
) -> None:
    reply = httpx.post(f"{server.address()}answer", data={"rater": "Ada", **form}, trust_env=False)
    assert reply.status_code == 400
    assert message in reply.text
    assert read_answers(store) == []


@pytest.mark.parametrize("length", ["x", "-5", pytest.param("9" * 5000, id="long")])
def test_a_form_without_a_proper_length_is_an_empty_one(server: AnnotationServer, length: str) -> None:
    with closing(HTTPConnection("127.0.0.1", server.server_port)) as connection:  # httpx would not send these
        connection.request("POST", f"{server.prefix}answer", headers={"Content-Length": length})
        reply = connection.getresponse()
        assert reply.status == 400
        assert b"Please give a name" in reply.read()


@pytest.mark.parametrize("place", ["0", "19", "-1", "x", "", "²", pytest.param("9" * 5000, id="long")])
def test_there_are_no_other_comparisons(ada: Rater, place: str) -> None:
    page = ada.look("compare", rater="Ada", n=place)
    if place:
        assert page.status_code == 400
        assert "the comparisons 1 to 18" in page.text
    else:
        assert number(page) == 1, "an empty number is none"


@pytest.mark.parametrize(("method", "page"), [("GET", "answer"), ("POST", "compare"), ("POST", ""), ("GET", "else")])
def test_there_are_no_other_pages(server: AnnotationServer, method: str, page: str) -> None:
    assert httpx.request(method, f"{server.address()}{page}", trust_env=False).status_code == 404


class FullDisk(AnswerStore):
    def add(self, answer: Answer) -> None:
        raise StateError("There is no room left.")


def test_a_rater_is_told_that_an_answer_was_not_saved(store: Path) -> None:
    with running(SHEETS, FullDisk(store)) as server, Rater(server) as ada:
        reply = ada.answer(SHEETS[0], "helpfulness", "tie")
        assert reply.status_code == 500
        assert "There is no room left." in reply.text


def test_a_file_of_answers_that_was_damaged_is_named(ada: Rater, store: Path) -> None:
    store.write_text("{}\n", encoding="utf-8")
    reply = ada.go_on()
    assert reply.status_code == 400
    assert "Line 1 of" in reply.text


def test_a_rater_may_be_named_at_the_start(server: AnnotationServer) -> None:
    page = httpx.get(server.address("Ada & Bob"), follow_redirects=True, trust_env=False)
    assert number(page) == 1
    assert "Ada &amp; Bob" in page.text


def test_a_port_that_is_taken_is_named(server: AnnotationServer, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=f"Port {server.server_port} cannot be used"):
        AnnotationServer(SHEETS, AnswerStore(tmp_path / "other.jsonl"), port=server.server_port)


def test_answers_to_other_comparisons_are_not_mixed_up(ada: Rater, store: Path) -> None:
    ada.finish(SHEETS[0])
    others, _ = comparisons(candidates(), seed=6)
    with pytest.raises(BadInput, match="holds answers to other comparisons"):
        AnnotationServer(others, AnswerStore(store))


def test_there_must_be_something_to_compare(store: Path) -> None:
    with pytest.raises(BadInput, match="nothing to compare"):
        AnnotationServer([], AnswerStore(store))
