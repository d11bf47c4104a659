"""Articles and plain texts on the page: beside their source, over their versions, and as a person changes them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect

from tests.page.client import begin, begin_simplification, go, look, to_its_end
from tests.support.browser import PHONE, box

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ABSTRACT = (
    "Inhaled steroids may cause pneumonia. We treated 24 adults with budesonide 400 mcg twice daily for three months. "
    "Two adults had pneumonia. The risk was not raised."
)
SIMPLE = "Inhaled steroids may cause pneumonia. We treated adults with budesonide twice daily for three months."


@pytest.fixture(scope="module")
def explained(page: httpx.Client) -> str:
    return str(to_its_end(page, begin(page, "explain", rounds=2))["record"]["id"])


@pytest.fixture(scope="module")
def simplified(page: httpx.Client) -> str:
    run = str(to_its_end(page, begin_simplification(page, ABSTRACT))["record"]["id"])
    assert page.put(f"/runs/{run}/text", json={"text": SIMPLE}).status_code == 200
    return run


def test_the_slider_goes_over_the_drafts_with_changes_advice_notes_and_curve(
    start_page: Page, page: httpx.Client, explained: str
):
    go(start_page, explained)
    result = look(page, explained)["result"]
    slider = start_page.get_by_role("slider", name="Draft")
    slider.focus()
    start_page.keyboard.press("Home")
    expect(start_page.get_by_text("The first draft, before any advice.")).to_be_visible()
    start_page.keyboard.press("ArrowRight")
    expect(start_page.get_by_role("heading", name="What led to draft 1")).to_be_visible()
    advice = next(review["text"] for review in result["reviews"] if review["round"] == 0)
    expect(start_page.locator("main")).to_contain_text(advice.split("\n")[0])
    start_page.get_by_role("checkbox", name="Show what changed").check()
    article = start_page.get_by_role("region", name="Article")
    assert article.locator("ins").count()
    assert article.locator("del").count()
    expect(start_page.get_by_role("heading", name=re.compile("The reader’s notes"))).to_be_visible()
    start_page.get_by_text("The numbers").click()
    rows = start_page.locator(".curve tbody tr")
    expect(rows).to_have_count(len(result["assessments"]))
    tops = sorted(box(text)["top"] for text in start_page.locator(".curve .measure text").all())
    assert all(below - above >= 10 for above, below in pairwise(tops)), "labels overlap"


def test_source_and_article_stand_side_by_side_and_below_one_another_on_a_phone(start_page: Page, explained: str):
    go(start_page, explained)
    article, source = (start_page.get_by_role("region", name=name) for name in ("Article", "Source"))
    article.wait_for()
    assert box(article)["right"] <= box(source)["left"]
    start_page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert box(article)["bottom"] <= box(source)["top"]


def test_a_lost_sentence_is_put_back(start_page: Page, page: httpx.Client, simplified: str):
    go(start_page, simplified)
    row = start_page.locator(".pair", has_text="Two adults had pneumonia.")
    expect(row).to_contain_text("Left out")
    with start_page.expect_response(re.compile("/text$")):
        row.get_by_role("button", name="Put it back").click()
    expect(row).not_to_contain_text("Left out")
    lossy = start_page.locator(".pair", has_text="budesonide 400 mcg")
    expect(lossy.locator("mark").first).to_be_visible()
    result = look(page, simplified)["result"]
    assert "Two adults had pneumonia." in result["simplified"]


def test_each_change_tells_its_loop_its_question_and_its_reason(start_page: Page, page: httpx.Client, simplified: str):
    go(start_page, simplified)
    start_page.locator(".pair").first.wait_for()
    changes = look(page, simplified)["result"]["all_changes"]
    assert changes
    for summary in start_page.locator("summary", has_text="change").all():
        summary.click()
    told = start_page.locator(".change")
    expect(told.first).to_contain_text("loop, entry 1, by the")
    assert told.count() == len(changes), "each stands once"
    for change in changes:
        expect(told.filter(has_text=change["because"]).first).to_be_visible()
