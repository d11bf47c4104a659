"""The local page in Chromium: by keyboard and pointer, on a phone, in the dark, and with hostile texts.

These tests need Chromium; `pytest -m browser` runs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evals.human.answers import read_answers
from evals.human.items import ComparisonItem, comparisons
from evals.human.judgements import CRITERIA, judgements
from evals.human.server import AnnotationServer
from tests.support.browser import PHONE, WIDE, NewPage, box, contrast, luminance, scrolls_sideways
from tests.support.raters import candidates

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

LONG = "Tea was given to six trays, and water to six others; see “Methods”. " * 12
HOSTILE = "</p></section><script>alert(1)</script><img src=x onerror=alert(2)>" + "unbreakable" * 40
TEXTS = [
    each.model_copy(update={"text": f"{each.text} {HOSTILE if each.system == 'Umber' else ''}", "paragraph": LONG})
    for each in candidates(("specimen-1",), ("Vermilion-9B", "Cobalt", "Umber"))
]
SHEETS, KEY = comparisons(TEXTS, seed=2)
Show = Callable[..., "Page"]


@pytest.fixture(autouse=True)
def no_blocking_calls() -> None:
    """The event loop beside which these tests read answers is Playwright's; nothing of ours runs in it."""


@pytest.fixture
def sheets() -> Sequence[ComparisonItem]:
    return SHEETS


@pytest.fixture
def show(server: AnnotationServer, new_page: NewPage) -> Show:
    """Opens the page in a window of some size, as nobody yet or as a rater."""

    def open_page(size: tuple[int, int] = WIDE, scheme: str = "light", rater: str = "") -> Page:
        page = new_page(size, scheme)
        page.goto(server.address(rater))
        return page

    return open_page


def heading(page: Page) -> str:
    return page.get_by_role("heading", level=1).inner_text()


def button(page: Page, criterion: str, option: str) -> Locator:
    return page.get_by_role("group", name=criterion).get_by_role("button", name=option)


def press(page: Page, criterion: str, option: str) -> None:
    with page.expect_navigation():
        button(page, criterion, option).click()


def answer_all(page: Page, option: str) -> None:
    for question in CRITERIA:
        press(page, question.title, option)


def follow(page: Page, link: str) -> None:
    with page.expect_navigation():
        page.get_by_role("link", name=link).click()


def test_a_rater_works_through_all_comparisons_and_comes_back(show: Show, store: Path) -> None:
    page = show()
    page.get_by_label("Your name").fill("Ada")
    with page.expect_navigation():
        page.get_by_role("button", name="Begin, or go on").click()
    for place in range(1, len(SHEETS) + 1):
        assert heading(page) == f"Comparison {place} of {len(SHEETS)}"
        answer_all(page, "The second is better")
    assert heading(page) == "All 3 comparisons are answered"
    found = judgements(read_answers(store), KEY)
    assert len(found) == 9
    assert {each.answer for each in found} == {"second"}
    follow(page, "Back to the start")
    follow(page, "Ada")
    assert heading(page) == "All 3 comparisons are answered"


def test_the_keyboard_alone_will_do(show: Show, store: Path) -> None:
    page = show()
    page.get_by_label("Your name").focus()
    page.keyboard.type("Ada")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for question in CRITERIA:
        first = button(page, question.title, "The first is better")
        for _ in range(12):
            page.keyboard.press("Tab")
            if first.evaluate("element => element === document.activeElement"):
                break
        page.keyboard.press("Tab")
        with page.expect_navigation():
            page.keyboard.press("Space")
    assert heading(page) == "Comparison 2 of 3"
    assert [(each.question, each.value) for each in read_answers(store)] == [
        (question.name, "tie") for question in CRITERIA
    ]


def test_after_an_answer_the_next_question_is_in_view(show: Show) -> None:
    from playwright.sync_api import expect  # noqa: PLC0415 - needed by these tests only

    page = show(PHONE, rater="Ada")
    following = page.get_by_role("group", name="Reading comprehension")
    expect(following).not_to_be_in_viewport()
    press(page, "Specificity and actionability", "No difference")
    expect(following).to_be_in_viewport()


def test_the_chosen_answer_is_told_to_everybody(show: Show) -> None:
    page = show(rater="Ada")
    press(page, "Overall helpfulness", "The first is better")
    chosen = button(page, "Overall helpfulness", "The first is better")
    other = button(page, "Overall helpfulness", "The second is better")
    assert chosen.get_attribute("aria-pressed") == "true"
    assert other.get_attribute("aria-pressed") == "false"
    marks = [each.evaluate("element => getComputedStyle(element, '::before').content") for each in (chosen, other)]
    assert "\u2713" in marks[0], "not by colour alone"
    assert marks[1] == "none"


def test_an_answer_can_be_changed_later(show: Show, store: Path) -> None:
    page = show(rater="Ada")
    answer_all(page, "The first is better")
    follow(page, "Previous")
    assert heading(page) == "Comparison 1 of 3"
    press(page, "Overall helpfulness", "No difference")
    assert heading(page) == "Comparison 1 of 3"
    newest = {each.criterion: each.answer for each in judgements(read_answers(store), KEY)}
    assert newest == {"specificity": "first", "comprehension": "first", "helpfulness": "tie"}


def test_on_a_wide_screen_the_comments_stand_side_by_side(show: Show) -> None:
    page = show(rater="Ada")
    first, second = (box(page.get_by_role("region", name=name)) for name in ("First comment", "Second comment"))
    assert first["top"] == pytest.approx(second["top"], abs=1)
    assert first["right"] <= second["left"]
    assert not scrolls_sideways(page)


def test_on_a_phone_everything_fits_and_can_be_pressed(show: Show) -> None:
    page = show(PHONE, rater="Ada")
    for place in range(1, len(SHEETS) + 1):
        assert not scrolls_sideways(page)
        first, second = (box(page.get_by_role("region", name=name)) for name in ("First comment", "Second comment"))
        assert first["bottom"] <= second["top"]
        buttons = [box(each) for each in page.get_by_role("button").all()]
        assert all(each["bottom"] - each["top"] >= 44 for each in buttons)
        if place < len(SHEETS):
            follow(page, "Next")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_can_be_read_by_day_and_by_night(show: Show, scheme: str) -> None:
    page = show(scheme=scheme, rater="Ada")
    press(page, "Overall helpfulness", "No difference")
    page.evaluate("document.activeElement.blur()")
    assert (luminance(colours(page, "body")["ground"]) < 0.05) == (scheme == "dark")
    for selector in ("body", ".meta", "button[aria-pressed=true]", "button[aria-pressed=false]", ".comments .text"):
        found = colours(page, selector)
        assert contrast(found["ink"], found["ground"]) > 4.5, f"WCAG 2.2, 1.4.3: {selector}"


def test_hostile_texts_are_only_text(show: Show) -> None:
    page = show(rater="Ada")
    problems: list[Any] = []
    requests: list[str] = []
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    seen = []
    for place in range(1, len(SHEETS) + 1):
        page.goto(re.sub(r"n=\d+", f"n={place}", page.url))
        seen.append(page.get_by_text("<script>alert(1)</script>").count())
        assert page.locator("script, img").count() == 0
    assert sum(seen) == 2, "it is shown in the two comparisons that it belongs to"
    assert problems == []
    assert all(url.startswith(page.url.split("compare")[0]) for url in requests)


def colours(page: Page, selector: str) -> dict[str, Any]:
    """Colours of a text and of what it stands on, as red, green and blue from 0 to 255."""
    return page.evaluate(
        """selector => {
          const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
          const numbers = colour => {
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const element = document.querySelector(selector);
          let ground = element;
          while (getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
          const [ink, paper] = [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor];
          return {ink: numbers(ink), ground: numbers(paper)};
        }""",
        selector,
    )
