"""The page in Chromium, on its own server, with the fake endpoint: every flow as a person goes through it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect

from tests.page.client import MOSSES, SEEDLINGS, begin, begin_simplification, go, to_its_end
from tests.studio.server import StudioServer
from tests.support.browser import PHONE, WIDE, NewPage, unfold_all

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def reviewed(page: httpx.Client) -> str:
    return str(to_its_end(page, begin(page, "review", SEEDLINGS, section="Methods"))["record"]["id"])


def test_a_paper_is_dropped_watched_read_and_edited(start_page: Page):
    start_page.get_by_role("radio", name="Explain").check()
    start_page.locator("input[type=file]").set_input_files(MOSSES)
    start_page.get_by_role("button", name=re.compile("^Explain")).click()
    start_page.get_by_role("heading", name=re.compile("^Desiccation tolerance")).wait_for()
    article = start_page.get_by_role("region", name="Article")
    article.wait_for()
    start_page.get_by_role("button", name="Edit").first.click()
    start_page.get_by_role("textbox").last.fill("# Moss\n\nIt grew on 99 roofs.")
    start_page.get_by_role("button", name=re.compile("Save|look again", re.IGNORECASE)).first.click()
    article.get_by_text("It grew on").wait_for()
    start_page.get_by_text("Not supported:").wait_for()
    start_page.get_by_role("checkbox", name="Show what changed").uncheck()
    expect(article.locator("mark", has_text="99")).to_have_count(1)  # which the paper does not say


def test_comments_are_decided_by_keyboard_and_stay_decided(start_page: Page, reviewed: str, page: httpx.Client):
    go(start_page, reviewed)
    start_page.locator("article, aside").first.wait_for()
    start_page.keyboard.press("j")
    start_page.keyboard.press("a")
    pressed = start_page.locator("[aria-pressed=true]", has_text=re.compile("Accept|Dismiss"))
    expect(pressed).to_have_count(1)
    start_page.keyboard.press("j")
    with start_page.expect_response(
        lambda answer: answer.request.method == "PUT"
    ):  # shown at once, kept a moment later
        start_page.keyboard.press("d")
    expect(pressed).to_have_count(2)
    decisions = page.get(f"/runs/{reviewed}").json()["decisions"]
    assert sorted(item["decision"] for item in decisions.values()) == ["accepted", "dismissed"]
    start_page.reload()
    start_page.locator("article, aside").first.wait_for()
    expect(start_page.locator("[aria-pressed=true]", has_text=re.compile("Accept|Dismiss"))).to_have_count(2)


def test_a_run_is_deleted_after_a_question(start_page: Page, page: httpx.Client):
    doomed = to_its_end(page, begin(page, "explain", rounds=0))["record"]["id"]
    start_page.reload()
    start_page.get_by_role("button", name="Delete").first.click()
    start_page.locator("dialog button.danger").click()
    expect(start_page.locator(f"a[href$='{doomed}']")).to_have_count(0)
    assert doomed not in {run["id"] for run in page.get("/runs").json()["runs"]}


@pytest.mark.skipif(not AXE.exists(), reason="axe comes with the packages of web/: make test-web")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_no_view_has_a_barrier(
    server: StudioServer, new_page: NewPage, runs_shown: dict[str, str], size: tuple[int, int], scheme: str
):
    found = {}
    for name, address in runs_shown.items():
        shown = new_page(size, scheme)
        # By the browser's debugger, past the page's policy, which lets no foreign script in.
        shown.context.new_cdp_session(shown).send("Page.setBypassCSP", {"enabled": True})
        shown.goto(f"{server.url}/page/{address}")
        shown.locator("main h1").wait_for()
        shown.wait_for_load_state("networkidle")
        unfold_all(shown)
        shown.add_script_tag(path=AXE)
        result = shown.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})")
        found[name] = [
            (violation["id"], node["target"]) for violation in result["violations"] for node in violation["nodes"]
        ]
    assert found == {name: [] for name in runs_shown}


@pytest.fixture(scope="module")
def runs_shown(page: httpx.Client, reviewed: str) -> dict[str, str]:
    """Addresses of the views."""
    begun = {
        "question": begin(page, "explain", pause=True),
        "explain": begin(page, "explain"),
        "simplify": begin_simplification(page),
    }
    runs = {"review": reviewed, **{name: to_its_end(page, each)["record"]["id"] for name, each in begun.items()}}
    return {"start": "", "check": "#/check", **{name: f"#/run/{run}" for name, run in runs.items()}}
