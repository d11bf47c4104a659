"""The local page over HTTP: what it shows and stores, that raters go on where they stopped, and what it refuses."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from evals.human.answers import AnswerStore, RaterAnswer, read_answers
from evals.human.items import comparisons
from evals.human.judgements import CRITERIA, GUIDELINES, judgements
from evals.human.server import AnnotationServer
from state.errors import BadInput, SettingsError, StateError
from tests.support.annotation_page import KEY, NAMES, SHEETS, Rater, number, pressed, running
from tests.support.raters import LINK, SAMPLES, SYSTEMS, candidates


def test_the_start_has_the_guidelines(ada: Rater) -> None:
    page = ada.look()
    assert page.status_code == 200
    assert all(paragraph in unescape(page.text) for paragraph in GUIDELINES)
    assert "18 comparisons with 54 questions" in page.text


def test_a_comparison_is_shown_with_its_questions_and_the_paper(ada: Rater) -> None:
    page = ada.look("compare", rater="Ada", n=3)
    assert number(page) == 3
    text = unescape(page.text)
    sheet = SHEETS[2]
    assert text.index(sheet.paragraph) < text.index(sheet.first) < text.index(sheet.second)
    assert f'<a href="{LINK}" target="_blank" rel="noopener noreferrer">' in text
    assert all(question.title in text and question.text in text for question in CRITERIA)
    assert pressed(page) == {}


def test_without_a_link_the_page_has_the_paper_itself(store: Path) -> None:
    paper = "# Cress\n\nIs <b>tea</b> any good?"
    sheets = [SHEETS[0], SHEETS[1].model_copy(update={"link": "", "paper": paper})]
    with running(sheets, AnswerStore(store)) as server, Rater(server) as ada:
        page = unescape(ada.look("compare", rater="Ada", n=2).text)
        assert '<a href="paper?n=2" target="_blank" rel="noopener noreferrer">' in page
        opened = ada.look("paper", n=2)
        assert "<b>" not in opened.text
        assert paper in unescape(opened.text)
        assert ada.look("paper").status_code == ada.look("paper", n=3).status_code == 400


def test_nothing_on_any_page_names_a_system_or_a_sample(ada: Rater) -> None:
    seen = [ada.look().text, *(ada.finish(sheet).text for sheet in SHEETS), ada.look("compare", rater="Ada", n=1).text]
    assert [name for name in (*SYSTEMS, *SAMPLES) if any(name in page for page in seen)] == []


def test_an_answer_is_stored_at_once_and_names_no_system(ada: Rater, store: Path) -> None:
    page = ada.answer(SHEETS[0], "comprehension", "second")
    (stored,) = read_answers(store)
    assert (stored.item, stored.question, stored.rater, stored.value) == (
        SHEETS[0].item,
        "comprehension",
        "Ada",
        "second",
    )
    assert pressed(page) == {"comprehension": "second"}
    assert page.url.fragment == "specificity", "the first question that is open"
    assert "1 of 54 questions answered" in page.text
    assert all(name not in store.read_text(encoding="utf-8") for name in (*SYSTEMS, *SAMPLES))


def test_the_last_answer_leads_to_the_next_comparison(ada: Rater) -> None:
    assert number(ada.finish(SHEETS[0])) == 2
    ada.finish(SHEETS[2])
    assert number(ada.finish(SHEETS[1])) == 4, "the third is done"


def test_a_rater_can_go_back_and_change_an_answer(ada: Rater, store: Path) -> None:
    ada.finish(SHEETS[0], "first")
    back = ada.look("compare", rater="Ada", n=1)
    assert pressed(back) == dict.fromkeys(NAMES, "first")
    changed = ada.answer(SHEETS[0], "helpfulness", "tie")
    assert number(changed) == 1, "who has gone back stays there"
    assert changed.url.fragment == "helpfulness"
    assert pressed(changed)["helpfulness"] == "tie"
    newest = {each.criterion: each.answer for each in judgements(read_answers(store), KEY)}
    assert newest == {"specificity": "first", "comprehension": "first", "helpfulness": "tie"}


def test_pages_lead_back_and_forth(ada: Rater) -> None:
    for place, neighbours in ((1, [2]), (2, [1, 3]), (18, [17])):
        page = unescape(ada.look("compare", rater="Ada", n=place).text)
        assert [int(found) for found in re.findall(r'href="compare\?rater=Ada&n=(\d+)"', page)] == neighbours


def test_a_rater_goes_on_where_she_stopped_after_a_restart(store: Path) -> None:
    with running(SHEETS, AnswerStore(store)) as server, Rater(server) as ada:
        ada.finish(SHEETS[0])
        ada.answer(SHEETS[1], "helpfulness", "first")
    with running(SHEETS, AnswerStore(store)) as server, Rater(server) as ada:
        page = ada.go_on()
        assert number(page) == 2
        assert pressed(page) == {"helpfulness": "first"}
        assert "Ada</a>" in ada.look().text
        assert "4 of 54" in ada.look().text


def test_the_end_says_so_and_leaves_the_way_back(ada: Rater) -> None:
    last = [ada.finish(sheet) for sheet in SHEETS][-1]
    assert "All 18 comparisons are answered" in last.text
    assert "All 18 comparisons are answered" in ada.go_on().text
    assert number(ada.look("compare", rater="Ada", n=18)) == 18


def test_raters_do_not_see_each_others_answers(server: AnnotationServer, ada: Rater) -> None:
    ada.finish(SHEETS[0], "first")
    with Rater(server, "Bob") as bob:
        assert number(bob.go_on()) == 1
        assert pressed(bob.go_on()) == {}


def test_many_raters_at_once_lose_nothing(server: AnnotationServer, store: Path) -> None:
    values = ("first", "tie", "second")
    names = [f"Rater {place}" for place in range(6)]

    def judge(place: int) -> None:
        with Rater(server, names[place]) as rater:
            for sheet in SHEETS[:4]:
                rater.finish(sheet, values[place % 3])

    with ThreadPoolExecutor(len(names)) as raters:
        list(raters.map(judge, range(len(names))))
    found = judgements(read_answers(store), KEY)
    assert len(found) == len(names) * 4 * len(NAMES)
    assert {(each.rater, each.answer) for each in found} == {
        (name, values[place % 3]) for place, name in enumerate(names)
    }


def test_a_name_is_tidied_and_escaped(ada: Rater, store: Path) -> None:
    ada.name = "  <b>Ada</b>   L. "
    page = ada.answer(SHEETS[0], "helpfulness", "tie")
    assert read_answers(store)[0].rater == "<b>Ada</b> L."
    assert "<b>" not in page.text
    assert "<b>" not in ada.look().text


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
    def add(self, answer: RaterAnswer) -> None:
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
