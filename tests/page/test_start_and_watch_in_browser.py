"""Giving a paper on the page and watching the agents: who is at work, what they write, stop, resume, come back."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect

from tests.fake_endpoint import FakeEndpoint
from tests.page.client import SEEDLINGS, begin, go, settled
from tests.page.conftest import outspoken
from tests.page.test_killed_server import ANSWERED, page_of
from tests.studio.server import OPEN, StudioServer, variables
from tests.support.browser import WIDE, NewPage
from tests.support.processes import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

WITH_BIBLIOGRAPHY = """# <script>alert(1)</script> Moss

Moss grows <img src=x onerror=alert(2)> in 12 gardens. Water, and not warmth, decides how fast a moss grows there.

## References

1. <script>alert(3)</script> Doe, J. (2020). <img src=x onerror=alert(4)> Mosses. Journal of <b>Moss</b>, 3.
"""
DROP = """([name, text]) => {
  const given = new DataTransfer();
  given.items.add(new File([text], name));
  const drop = new DragEvent("drop", {dataTransfer: given, bubbles: true, cancelable: true});
  document.querySelector(".give").dispatchEvent(drop);
}"""


@pytest.fixture
def held(endpoint: FakeEndpoint) -> Iterator[FakeEndpoint]:
    """The endpoint, which answers one more request and holds the later ones until it is released."""
    endpoint.hold_after(len(endpoint.chat_requests) + 1)
    yield endpoint
    endpoint.release()


def run_shown(shown: Page) -> str:
    """The id of the run that the address names."""
    shown.wait_for_url(re.compile("#/run/"))
    return shown.url.rpartition("/")[2]


def test_a_pasted_text_is_simplified_with_settings_of_the_form(start_page: Page, page: httpx.Client):
    start_page.get_by_role("radio", name="Simplify").check()
    start_page.get_by_label("Or paste the text").fill("We treated 24 adults with budesonide 400 mcg for three months.")
    start_page.get_by_text("Settings", exact=True).click()
    start_page.get_by_role("spinbutton", name="Entries").fill("1")
    expect(start_page.get_by_text("Settings (1 changed)")).to_be_visible()
    start_page.get_by_role("button", name="Simplify this paper").click()
    run = settled(page, run_shown(start_page))
    assert run["record"]["input"]["name"] == "pasted text"
    assert {exchange["entry"] for exchange in run["result"]["history"]} == {1, 2, 3}, "three loops, each entered once"


def test_a_dropped_file_with_a_hostile_name_is_taken_and_all_of_it_is_text(start_page: Page, page: httpx.Client):
    said: list[str] = []
    start_page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    start_page.get_by_role("radio", name="Explain").check()
    start_page.evaluate(DROP, ["<img src=x onerror=alert(5)>.md", WITH_BIBLIOGRAPHY])
    expect(start_page.get_by_text("<img src=x onerror=alert(5)>.md")).to_be_visible()
    start_page.get_by_role("button", name="Explain this paper").click()
    run = run_shown(start_page)
    assert settled(page, run)["status"] == "done"
    start_page.get_by_role("button", name="Result").click()
    expect(start_page.get_by_role("region", name="Source")).to_contain_text("in 12 gardens")
    start_page.get_by_role("link", name="Draftroom").click()
    expect(start_page.get_by_role("link", name=re.compile(re.escape("onerror=alert(5)")))).to_be_visible()
    assert said == []
    assert start_page.locator("main img, main script").count() == 0


def test_agents_are_watched_and_a_run_is_stopped_and_resumed(start_page: Page, page: httpx.Client, held: FakeEndpoint):
    run = begin(page, "explain")["id"]
    go(start_page, run)
    figure = start_page.locator("svg.figure")
    expect(figure).to_have_attribute("aria-label", "Explain: at work: Reader")
    expect(start_page.get_by_role("article").filter(has_text="Draft 0")).to_be_visible()
    costs = start_page.get_by_role("table", name="Tokens and time by role")
    expect(costs.get_by_role("row", name=re.compile("^Journalist 1"))).to_be_visible()
    start_page.get_by_role("button", name="Stop").click()
    expect(start_page.get_by_text("No answered call is asked again.")).to_be_visible()
    held.release()
    assert settled(page, run)["status"] == "stopped"
    start_page.get_by_role("link", name="Start").click()
    with start_page.expect_response(re.compile("/resume$")):
        start_page.get_by_role("button", name=re.compile("^Resume")).first.click()
    assert settled(page, run)["status"] == "done"


def test_a_run_goes_on_when_its_page_is_closed(
    server: StudioServer, page: httpx.Client, new_page: NewPage, held: FakeEndpoint
):
    run = begin(page, "explain")["id"]
    watching = new_page(WIDE)
    watching.goto(f"{server.url}/page/#/run/{run}")
    watching.locator(".saying.now").first.wait_for()
    watching.close()
    held.release()
    assert settled(page, run)["status"] == "done"


def test_a_silent_model_server_is_said_with_what_to_do(new_page: NewPage, tmp_path: Path):
    with StudioServer(OPEN, variables(tmp_path, f"http://127.0.0.1:{free_port()}/v1"), tmp_path) as server:
        shown = new_page(WIDE)
        shown.goto(f"{server.url}/page/")
        models = shown.get_by_role("region", name="Models")
        expect(models.get_by_text("does not answer", exact=False).first).to_be_visible()
        expect(models.get_by_text("draftroom models up", exact=True)).to_be_visible()
        shown.get_by_role("radio", name="Check").check()
        paper = tmp_path / "moss.md"
        paper.write_text("# Moss\n\n## Results\n\nThe pots differed, t(38) = 1.20, p = .034.\n", encoding="utf-8")
        shown.locator("input[type=file]").set_input_files(paper)
        shown.get_by_role("button", name="Check this paper").click()
        expect(shown.locator("article.note")).to_contain_text("t(38) = 1.20")


def test_a_killed_server_is_started_again_and_the_page_reloaded(new_page: NewPage, tmp_path: Path):
    with FakeEndpoint() as endpoint:
        endpoint.answer = outspoken
        environment, port = variables(tmp_path, endpoint.base_url), free_port()
        with StudioServer(OPEN, environment, tmp_path, port) as server, page_of(server) as page:
            shown = new_page(WIDE)
            endpoint.hold_after(ANSWERED)
            killed = begin(page, "review", SEEDLINGS, section="Abstract", execution="sequential", plans=1)["id"]
            endpoint.wait_for_requests(ANSWERED + 1)
            shown.goto(f"{server.url}/page/#/run/{killed}")
            shown.locator(".saying.now").first.wait_for()
            os.killpg(server.process.pid, signal.SIGKILL)
        expect(shown.get_by_role("alert")).to_contain_text("no finished work is lost")
        endpoint.release()
        with StudioServer(OPEN, environment, tmp_path, port) as server, page_of(server) as page:
            with shown.expect_response(re.compile("/resume$")):  # nobody presses anything
                shown.reload()
            assert settled(page, killed)["status"] == "done"


def test_opened_to_a_network_the_printed_address_lets_a_browser_in(
    new_page: NewPage, endpoint: FakeEndpoint, tmp_path: Path
):
    command = [*OPEN, "--host", "0.0.0.0"]
    with StudioServer(command, variables(tmp_path, endpoint.base_url), tmp_path) as server:
        (printed,) = set(re.findall(r"http://\S+/page/\?token=[\w-]+", server.output))
        token = printed.partition("?token=")[2]
        stranger = new_page(WIDE)
        stranger.goto(f"{server.url}/page/")
        expect(stranger.get_by_text("asks for a token")).to_be_visible()
        shown = new_page(WIDE)
        shown.goto(f"{server.url}/page/?token={token}")
        expect(shown.get_by_role("heading", name="What shall we work on?")).to_be_visible()
        assert token not in shown.url
        # Nothing has been run yet, so there are examples: what came of them, and their papers.
        with shown.expect_popup() as opened:
            shown.get_by_role("link", name="See the result of seedlings", exact=True).click()
        expect(opened.value.get_by_role("heading", name=re.compile("^Feedback on: Spent tea leaves"))).to_be_visible()
        shown.get_by_role("button", name="Take mosses.md").first.click()
        expect(shown.get_by_role("radio", name="Explain")).to_be_checked()
        shown.get_by_role("button", name="Explain this paper").click()
        shown.get_by_role("heading", name=re.compile("^Desiccation tolerance")).wait_for()
