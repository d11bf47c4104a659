"""The local page over HTTP: what it shows and stores, and that raters go on where they stopped."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

from evals.human.judgements import judgements
from evals.human.questions import CRITERIA, GUIDELINES
from evals.human.server import AnnotationServer
from evals.human.store import AnswerStore, read_answers
from tests.evals.human.serving import KEY, NAMES, SHEETS, Rater, number, pressed, running
from tests.evals.human.values import LINK, SAMPLES, SYSTEMS


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
