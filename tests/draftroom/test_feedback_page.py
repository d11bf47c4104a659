"""The page of a review in Chromium: where comments stand, what the filter hides, and how it reads on other media.

These tests need Chromium; `pytest -m browser` runs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pypdf import PdfReader

from draftroom.rendering.feedback import RENDERING
from tests.draftroom.feedback_values import finished, record
from tests.support.browser import PHONE, WIDE, NewPage, box, contrast, luminance, scrolls_sideways, unfold_all

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

TABLET = (1000, 800)
LINE = 40
"""A line of the paper and the raised edge of a comment, in pixels, rounded up: where a quote begins a line, its comment
belongs to the end of the line before. Whether one does depends on the fonts of the machine."""
GAP = 25
"""Between two comments at most, if the upper one has pushed the lower one down."""
Show = Callable[..., "Page"]


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a finished run."""
    folder = tmp_path_factory.mktemp("review")
    values = finished(folder)
    path = folder / "review.html"
    path.write_text(str(RENDERING.formats[".html"](record(values), values)), encoding="utf-8")
    return path


@pytest.fixture
def show(review: Path, new_page: NewPage, tmp_path: Path) -> Show:
    """Opens the page in a window of some size, and leaves a picture of it."""

    def open_page(size: tuple[int, int] = WIDE, scheme: str = "light") -> Page:
        page = new_page(size, scheme)
        page.goto(review.as_uri())
        page.screenshot(path=tmp_path / f"{size[0]}-{scheme}.png", full_page=True)
        return page

    return open_page


def shown(page: Page, selector: str) -> list[Locator]:
    return [element for element in page.locator(selector).all() if element.is_visible()]


def check_margin(page: Page) -> None:
    """Comments start at their quotes, or below the comment before; none lies on another, or on the text."""
    notes = shown(page, ".note.beside")
    assert len(notes) == 5
    before = float("-inf")  # the window may be scrolled down
    for note in notes:
        place, mark = box(note), box(note.locator("xpath=following-sibling::mark[1]"))
        pushed_down = place["top"] - before < GAP
        assert place["top"] >= before, "comments overlap"
        assert place["top"] > mark["top"] - LINE, "a comment stands above its quote"
        assert place["top"] < mark["top"] + LINE or pushed_down, "a comment is far below its quote without need"
        assert place["left"] > box(page.locator(".paragraph").first)["right"], "a comment lies on the text"
        assert place["right"] <= page.viewport_size["width"]
        before = place["bottom"]
    assert box(page.locator("details.folded").first)["top"] > before, "the margin runs into what follows"
    assert not shown(page, ".note.below")


def background(page: Page, selector: str) -> str:
    return str(page.locator(selector).first.evaluate("element => getComputedStyle(element).backgroundColor"))


@pytest.mark.parametrize("size", [WIDE, TABLET, (1900, 1000)])
def test_comments_stand_at_their_quotes(show: Show, size: tuple[int, int]):
    page = show(size)
    check_margin(page)
    assert not scrolls_sideways(page)


def test_comments_do_not_overlap_when_they_grow(show: Show):
    page = show()
    unfold_all(page)
    assert page.get_by_text("The paper says itself that plots were measured again.").first.is_visible()
    check_margin(page)


def test_on_a_phone_comments_stand_below_the_paragraph(show: Show):
    page = show(PHONE)
    notes = shown(page, ".note.below")
    assert len(notes) == 5
    assert not shown(page, ".note.beside")
    for note in notes:
        place, paragraph = box(note), box(note.locator("xpath=preceding-sibling::div[1]"))
        assert 0 <= place["top"] - paragraph["bottom"] < LINE
        assert place["left"] >= 0
        assert place["right"] <= PHONE[0]
    assert not scrolls_sideways(page)


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_filter_hides_comments_of_a_type_and_their_marks(show: Show, size: tuple[int, int]):
    page = show(size)
    marked, label = background(page, "mark.replicability"), page.get_by_label("Replicability (1)")
    label.uncheck()
    assert not shown(page, ".note.replicability")
    assert background(page, "mark.replicability") == "rgba(0, 0, 0, 0)"
    assert page.locator("mark.replicability").is_visible(), "the words of the paper stay"
    assert len(shown(page, ".note")) == 4
    assert background(page, "mark.substance") != "rgba(0, 0, 0, 0)"
    label.check()
    assert len(shown(page, ".note")) == 5
    assert background(page, "mark.replicability") == marked


def test_the_keyboard_reaches_the_filter_and_the_evidence(show: Show):
    page = show()
    evidence = page.locator(".note.beside.replicability details").first
    reached = []
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.innerText"))
        if reached[-1] == "show-substance":
            page.keyboard.press("Space")
        if evidence.evaluate("element => element.firstElementChild === document.activeElement"):
            page.keyboard.press("Enter")
            break
    assert not shown(page, ".note.substance"), f"Tab has reached {reached}"
    assert evidence.get_by_text("this paper, Methods, page 1").is_visible(), f"Tab has reached {reached}"


def test_the_index_leads_to_the_words(show: Show):
    page = show()
    page.get_by_text("Comments by rank").click()
    page.get_by_role("link", name=re.compile("Substance")).click()
    mark, bar = box(page.locator("mark.substance")), box(page.locator(".filters"))
    assert bar["bottom"] <= mark["top"] < WIDE[1], "the mark is in the window, and the filter does not cover it"


def test_the_dark_page_is_dark_and_its_marks_can_be_read(show: Show):
    light, dark = (colours(show(scheme=scheme)) for scheme in ("light", "dark"))
    assert luminance(dark["page"]) < 0.05
    assert luminance(light["page"]) > 0.8
    for found in (light, dark):
        for mark in found["marks"]:
            assert contrast(found["ink"], mark) > 4.5, "WCAG 2.2, 1.4.3"


def test_the_page_asks_for_nothing_and_runs_nothing(show: Show):
    page = show()
    requests: list[str] = []
    problems: list[Any] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: problems.append(message.text))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.reload()
    unfold_all(page)
    assert [url.split(":")[0] for url in requests] == ["file"]
    assert problems == []


def test_the_print_has_the_evidence_and_no_controls(show: Show):
    text = "".join(page.extract_text() for page in PdfReader(BytesIO(show().pdf())).pages)
    words = " ".join(text.split())
    assert "Moss and rain" in words
    assert words.count("Nobody else could water the plots in the same way.") == 1
    assert "Replicability (1)" not in words


def colours(page: Page) -> dict[str, Any]:
    """Colours as a person sees them, marks laid over the page, as red, green and blue from 0 to 255."""
    return page.evaluate(
        """() => {
          const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
          const style = element => getComputedStyle(element);
          const seen = (...layers) => {
            layers.forEach(layer => { canvas.fillStyle = layer; canvas.fillRect(0, 0, 1, 1); });
            return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
          };
          const paper = style(document.body).backgroundColor;
          const marks = [...document.querySelectorAll("mark")].map(mark => seen(paper, style(mark).backgroundColor));
          return {page: seen(paper), ink: seen(style(document.body).color), marks};
        }"""
    )
