"""A review on the page, from its margin to its files and to the next version of the draft."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docx
import httpx
import pytest
from playwright.sync_api import expect
from pylatexenc.latexwalker import LatexWalker
from pypdf import PdfReader

from tests.draftroom.test_annotated_pdf import DIVIDED, OVER_PAGES
from tests.draftroom.test_annotated_sources import written_comments
from tests.draftroom.typeset_draft import typeset
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Reply
from tests.page.client import begin, go, settled, to_its_end
from tests.support.review_room import CLAIM, METHODS, NOT_NEEDED, REVIEW, SOUND, Room, as_asked

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

QUOTE = str(REVIEW["quote"])
COUNT = (
    r"Of the seedlings 12 of 24 (40\%) had grown taller than a hand after three weeks. Nobody touched them, and the "
    "trays were never moved from the places on the sill that they had been given at the beginning of the trial."
)
RAISED = {
    OVER_PAGES: ("Replicability", "Which summers count as average is not defined, so nobody could sort them again."),
    DIVIDED: ("Substance", "Replacing broken stems hides how many were lost, which is a result of its own."),
    "Nobody touched them": ("Meaningful Comparison", "Other growers turn their trays; say how that would compare."),
}
LATEX = rf"""\documentclass{{article}}
\title{{Cold tea and the growth of cress}}
\begin{{document}}
\maketitle
\section{{Methods}}
{METHODS}

\section{{Results}}
{CLAIM}

{COUNT}
\end{{document}}
"""


def suspected(paragraph: str, severity: str) -> dict[str, str]:
    told = {"problem": "No control is named.", "settled_by": "A tray with water.", "label": "Substance"}
    return {"quote": paragraph[:40], "severity": severity, **told}


class Referee(Room):
    """Agents that quote words of each paragraph that they comment on, and are content with the methods of the cress."""

    def __call__(self, request: RecordedRequest) -> Reply:
        if request.schema_name == "RaisedSuspicions":
            return Json(
                {
                    "assessment": "It claims a cause.",
                    "suspicions": [suspected(CLAIM, "high"), suspected(METHODS, "low")],
                }
            )
        paragraph = request.text.partition("# The paragraph\n\n")[2]
        if request.schema_name == "Review" and paragraph.startswith(METHODS[:40]):
            return Json(NOT_NEEDED)
        if request.schema_name == "Weaknesses" and paragraph.startswith(METHODS[:40]):
            return Json(SOUND)
        for quote, (label, said) in RAISED.items():
            if request.schema_name == "Review" and quote in paragraph.split("\n\n")[0]:
                answer = {**REVIEW, "quote": quote, "label": label, "review": said}
                return Json(as_asked(answer, request))
        return super().__call__(request)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as endpoint:
        endpoint.answer = Referee()
        yield endpoint


@pytest.fixture(scope="module")
def drafts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same kinds of files as people have: LaTeX, and a PDF with a paragraph over the end of a page."""
    folder = tmp_path_factory.mktemp("drafts")
    (folder / "cress.tex").write_text(LATEX, encoding="utf-8")
    (folder / "moss.pdf").write_bytes(typeset()[0])
    return folder


def reviewed(page: httpx.Client, paper: Path, **settings: Any) -> str:
    return str(to_its_end(page, begin(page, "review", paper, plans=1, **settings))["record"]["id"])


@pytest.fixture(scope="module")
def cress(page: httpx.Client, drafts: Path) -> str:
    return reviewed(page, drafts / "cress.tex")


@pytest.fixture(scope="module")
def moss(page: httpx.Client, drafts: Path) -> str:
    return reviewed(page, drafts / "moss.pdf")


def card(shown: Page, words: str) -> Locator:
    return shown.locator("article.note", has_text=words)


def decisions(page: httpx.Client, run: str) -> dict[str, dict[str, str]]:
    return dict(page.get(f"/runs/{run}").json()["decisions"])


def test_a_comment_is_accepted_edited_and_answered_by_mouse(start_page: Page, page: httpx.Client, cress: str):
    go(start_page, cress)
    note = card(start_page, QUOTE)
    note.get_by_role("button", name="Accept").click()
    note.get_by_role("button", name="Edit").click()
    note.get_by_label("Comment").fill("Six trays show no cause.")
    note.get_by_role("button", name="Save").click()
    note.get_by_role("button", name="Answer").click()
    note.get_by_label(re.compile("Your answer")).fill("We speak of an observation now.")
    with start_page.expect_response(lambda response: "We speak of" in (response.request.post_data or "")):
        note.get_by_role("button", name="Save").click()
    start_page.reload()
    expect(note.get_by_text("Six trays show no cause.")).to_be_visible()
    expect(note.get_by_text("We speak of an observation now.")).to_be_visible()
    expect(note.get_by_role("button", name="Accept")).to_have_attribute("aria-pressed", "true")
    (decided,) = decisions(page, cress).values()
    assert (decided["decision"], decided["review"]) == ("accepted", "Six trays show no cause.")


def test_a_comment_is_edited_and_answered_by_keyboard_alone(start_page: Page, page: httpx.Client, moss: str):
    go(start_page, moss)
    start_page.locator("article.note").first.wait_for()
    for key, words in (("e", "Say how often."), ("r", "Thrice.")):
        start_page.keyboard.press("j" if key == "e" else "Shift")
        start_page.keyboard.press(key)
        start_page.keyboard.press("Control+a")
        start_page.keyboard.type(words)
        for _ in range(2 if key == "e" else 1):  # past the suggestion, to the button
            start_page.keyboard.press("Tab")
        start_page.keyboard.press("Enter")
        expect(start_page.locator("article.note.current")).to_contain_text(words)
    start_page.keyboard.press("e")
    start_page.keyboard.type("Not this.")
    start_page.keyboard.press("Escape")
    expect(start_page.locator("article.note.current")).not_to_contain_text("Not this.")
    start_page.keyboard.press("?")
    start_page.get_by_label("Use these keys").press("Space")
    start_page.keyboard.press("Escape")
    start_page.keyboard.press("a")
    (decided,) = decisions(page, moss).values()
    assert decided == {
        "decision": "open",
        "review": "Say how often.",
        "suggestion": REVIEW["suggestion"],
        "reply": "Thrice.",
    }


def test_notes_are_filtered_by_type_and_severity_with_computed_ones_among_them(start_page: Page, cress: str):
    go(start_page, cress)
    notes = start_page.locator("article.note")
    computed = notes.filter(has=start_page.get_by_text(re.compile("^Computed ·")))
    expect(computed).to_contain_text("12 of 24 (40%")
    severity = computed.get_by_text(re.compile("^Computed ·")).inner_text().split(" · ")[1]
    everything = notes.count()
    assert everything >= 2
    start_page.get_by_label("Type").select_option("Empirical and Theoretical Soundness")
    expect(computed).to_have_count(0)
    start_page.get_by_role("button", name="Show all").click()
    start_page.get_by_label("Verdict or severity").select_option(severity.lower())
    expect(notes).to_have_count(1)
    expect(start_page.get_by_text(f"1 of {everything} shown")).to_be_visible()


def test_a_screened_review_opens_at_its_gravest_note_beside_a_panel_of_notes_and_suspicions(
    start_page: Page, page: httpx.Client, drafts: Path
):
    start_page.set_viewport_size({"width": 1300, "height": 500})
    go(start_page, reviewed(page, drafts / "cress.tex", every_paragraph=False))
    panel, current = start_page.get_by_role("navigation", name="Notes"), start_page.locator("article.note.current")
    listed = panel.locator("button.computed, button[class^=type-]")
    expect(current).to_be_in_viewport()
    expect(listed).to_have_count(start_page.locator("article.note").count())
    expect(listed.first).to_have_attribute("aria-current", "true")
    panel.get_by_text("suspicion").click()
    expect(panel).to_contain_text("No control is named.")
    panel.get_by_role("button", name="Show it in the paper").last.click()
    expect(start_page.locator(".words p:has(.passage)")).to_contain_text(METHODS[:40])
    expect(start_page.locator("mark.passage").first).to_be_in_viewport()
    expect(panel).to_be_in_viewport()


def test_evidence_unfolds_and_leads_to_its_passage(start_page: Page, cress: str):
    go(start_page, cress)
    note = card(start_page, QUOTE)
    note.get_by_text("Evidence (1)").click()
    quoted = note.locator(".evidence blockquote").inner_text()
    note.get_by_role("button", name="Show it in the paper").click()
    expect(start_page.locator("mark.passage").first).to_be_in_viewport()
    assert "".join(start_page.locator(".words p:has(.passage)").all_inner_texts()).find(quoted[:30]) >= 0


def test_words_are_marked_on_the_pages_of_a_pdf_also_over_the_end_of_a_page(start_page: Page, moss: str):
    go(start_page, moss)
    start_page.set_viewport_size({"width": 1300, "height": 2600})
    marks = start_page.locator(".page-row .marks .type-1")
    expect(start_page.locator(".page-row")).to_have_count(2)
    for sheet in start_page.locator(".page-row").all():
        expect(sheet.locator(".marks .type-1").first).to_be_attached()
        expect(sheet.locator(".textLayer span").first).to_be_attached()
    under = marks.evaluate_all(WORDS_UNDER)
    assert " ".join(under).split() == OVER_PAGES.split()
    divided = start_page.locator(".marks .type-5").evaluate_all(WORDS_UNDER)
    assert "".join(divided).replace(" ", "").replace("-", "") == DIVIDED.replace(" ", "")


WORDS_UNDER = """marks => marks.map(mark => {
  const box = mark.getBoundingClientRect(), found = [];
  const texts = document.createTreeWalker(mark.closest(".page").querySelector(".textLayer"), NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const word of text.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const {left, right, top, bottom} = range.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      if (x > box.left && x < box.right && y > box.top && y < box.bottom) found.push(word[0]);
    }
  return found.join(" ");
})"""
"""The words of the text layer whose middle lies under each mark."""


def taken_out(shown: Page, label: str) -> bytes:
    shown.get_by_text("Export").click()
    with shown.expect_download() as download:
        shown.get_by_role("link", name=label).click()
    shown.get_by_text("Export").click()
    return Path(download.value.path()).read_bytes()


def test_a_review_leaves_with_the_page_in_every_format(start_page: Page, cress: str, moss: str):
    go(start_page, cress)
    tex = taken_out(start_page, "LaTeX").decode()
    assert r"\todo" in tex
    LatexWalker(tex).get_latex_nodes()
    word = taken_out(start_page, "Word")
    assert QUOTE in written_comments(word)
    assert any(METHODS[:40] in paragraph.text for paragraph in docx.Document(BytesIO(word)).paragraphs)
    assert json.loads(taken_out(start_page, "JSON, with everything"))["comments"]
    markdown = taken_out(start_page, "Markdown").decode()
    assert "Six trays show no cause." in markdown
    assert "We speak of an observation now." in markdown
    assert "Cold tea" in taken_out(start_page, "Web page, one file").decode()
    go(start_page, moss)
    pdf = PdfReader(BytesIO(taken_out(start_page, "PDF with the comments in it")))
    assert sum(len(sheet.get("/Annots", [])) for sheet in pdf.pages) >= 2


def test_the_questions_of_a_plan_are_edited_in_place(
    start_page: Page, page: httpx.Client, drafts: Path, endpoint: FakeEndpoint
):
    asked = begin(page, "review", drafts / "cress.tex", section="Methods", plans=1, pause=True)
    paused = to_its_end(page, asked)["record"]["id"]
    go(start_page, paused)
    expect(start_page.get_by_role("heading", name="Which questions shall be asked?")).to_be_visible()
    start_page.get_by_role("textbox", name="Line 1").fill("paper: Who measured the height?")
    with start_page.expect_response(re.compile("/resume$")):
        start_page.get_by_role("button", name="Go on with these").click()
    assert settled(page, paused)["status"] == "done"
    assert any(
        "Who measured the height?" in request.text
        for request in endpoint.chat_requests
        if request.schema_name == "PassageAnswer"
    )


def test_the_next_version_is_given_on_the_page(
    start_page: Page, page: httpx.Client, cress: str, endpoint: FakeEndpoint
):
    go(start_page, cress)
    asked = len(endpoint.chat_requests)
    start_page.get_by_text("The next version").click()
    revised = LATEX.replace("three weeks.\n", "five weeks.\n").replace(COUNT, "")
    start_page.get_by_label("Choose a file").set_input_files(
        {
            "name": "cress.tex",
            "mimeType": "text/x-tex",
            "buffer": revised.replace("gardeners should", "gardeners may").encode(),
        }
    )
    start_page.get_by_text("Settings", exact=True).click()
    start_page.get_by_role("spinbutton", name="Plans").fill("1")
    start_page.get_by_role("button", name="Review what changed").click()
    start_page.get_by_role("button", name="Result").click()
    earlier = start_page.locator(".earlier")
    expect(earlier.get_by_role("heading", name=re.compile("on the version before"))).to_contain_text("1 gone")
    still_open = earlier.locator("li", has_text=QUOTE)
    expect(still_open).to_contain_text("Still open")
    still_open.get_by_text("What changed in its paragraph").click()
    expect(still_open.locator("ins")).to_have_text("may")
    expect(still_open.locator("del")).to_have_text("should")
    texts = {request.text.partition("# The paragraph\n\n")[2][:40] for request in endpoint.chat_requests[asked:]} - {""}
    assert CLAIM[:40] in texts
    second = start_page.url.rpartition("/")[2]
    paragraphs = {review["paragraph"] for review in page.get(f"/runs/{second}").json()["result"]["reviews"]}
    assert len(paragraphs) == 2, "the methods and the claim have changed"


def test_a_version_without_changes_is_refused_in_place(start_page: Page, drafts: Path, cress: str):
    go(start_page, cress)
    start_page.get_by_text("The next version").click()
    start_page.get_by_label("Choose a file").set_input_files(drafts / "cress.tex")
    start_page.get_by_role("button", name="Review what changed").click()
    expect(start_page.get_by_role("alert")).to_contain_text("No paragraph that is worth a review has changed")
