"""A paper explained on the page in Chromium, by a real model: dropped, watched word by word, read."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.live.command import SETTINGS
from tests.live.test_llama_cpp import profile  # noqa: F401 - a fixture
from tests.studio.server import OPEN, StudioServer, variables
from tests.support.browser import WIDE, NewPage

EXAMPLES = [Path(__file__).parents[2] / "examples" / name for name in ("mosses.md", "seedlings.md", "yoga.md")]
"""A model of 135M may give no usable article, which is a failed run; of one paper, it gives the same one each time."""
PATIENCE_MS = 600_000

REMEMBER_WORDS = """() => {
  window.wordsSoFar = "";
  new MutationObserver(() => {
    window.wordsSoFar = document.querySelector(".words-so-far")?.textContent || window.wordsSoFar;
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
"""A small model is quick: its words may have come and gone before somebody outside the page looks."""


@pytest.fixture(params=["vllm", "llama.cpp"])
def model(request: pytest.FixtureRequest) -> dict[str, str]:
    """Variables that name a real server and its model."""
    if request.param == "vllm":
        base_url, name = request.getfixturevalue("embedded_endpoint"), "smollm2-135m-instruct"
    else:
        (server,) = request.getfixturevalue("profile").servers
        base_url, name = server.base_url, server.served_model_name
    return {"base_url": base_url, "DRAFTROOM_CONFIG": str(SETTINGS), "DRAFTROOM_MODELS__DEFAULT__MODEL": name}


def test_a_paper_is_dropped_watched_and_read(model: dict[str, str], new_page: NewPage, tmp_path: Path) -> None:
    environment = variables(tmp_path, **model)
    with StudioServer(OPEN, environment, tmp_path) as server:
        shown = new_page(WIDE)
        shown.goto(f"{server.url}/page/")
        expect(shown.get_by_role("region", name="Models")).to_contain_text("answers")
        shown.evaluate(REMEMBER_WORDS)
        for paper in EXAMPLES:
            begin_on_the_page(shown, paper)
            article, failed = shown.get_by_role("region", name="Article"), shown.locator(".of-run .state.failed")
            expect(article.or_(failed)).to_be_visible(timeout=PATIENCE_MS)
            if article.is_visible():
                break
            shown.get_by_role("link", name="Start").click()
        assert shown.evaluate("wordsSoFar"), "words of an agent at work, before its answer was whole"
        expect(article).to_contain_text("Chosen because")  # how much such a model writes is its own affair
        shown.get_by_role("button", name="How it is made").click()
        journalist = shown.get_by_role("row", name="Journalist")
        assert int(journalist.locator("td").nth(1).inner_text().replace(",", "")) > 100, "tokens that it has read"


def begin_on_the_page(shown: Page, paper: Path) -> None:
    shown.get_by_role("radio", name="Explain").check()
    shown.locator("input[type=file]").set_input_files(paper)
    shown.get_by_role("button", name="Explain this paper").click()
