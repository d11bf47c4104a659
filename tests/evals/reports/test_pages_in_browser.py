"""The pages in Chromium: on a phone and on a desk, in the light and in the dark.

These tests need Chromium; `pytest -m browser` runs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evals.reports.report import write_reports
from evals.run import RunFolder
from tests.support.browser import PHONE, WIDE, NewPage, scrolls_sideways, unfold_all
from tests.support.tea_task import run, sample, tea

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports of a run with long words, wide tables and a failure."""
    folder = tmp_path_factory.mktemp("run")
    samples = [sample("x" * 200), *(sample(f"s{number}", source=f"{'y' * 150} {tea(90)}") for number in range(3))]
    texts = {"plain": [[f"{tea(60)} {'z' * 150}", f"# Tea\n\n{tea(50)}\n\n```\n{'c' * 300}\n```"]] * 4}
    errors = {("s2", "clever"): "model_output: " + "e" * 250}
    write_reports(run(folder, {**texts, "clever": [[tea(20)]] * 3}, samples=samples, errors=errors), RunFolder(folder))
    return folder / "report.html"


@pytest.fixture(params=[(PHONE, "light"), (PHONE, "dark"), (WIDE, "light")], ids=["phone", "phone, dark", "desk"])
def page(report: Path, new_page: NewPage, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The report, which must not say anything on the console."""
    page = new_page(*request.param)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda made: asked.append(made.url))
    page.goto(report.as_uri())
    yield page
    assert said == []
    assert {url.split(":")[0] for url in asked} == {"file"}


def test_the_report_fits(page: Page) -> None:
    unfold_all(page)
    assert not scrolls_sideways(page)
    assert page.locator("figure svg").first.is_visible()


def test_every_sample_can_be_reached_and_read(page: Page) -> None:
    page.locator("#samples + ol a").first.click()
    for place in range(1, 5):
        assert page.get_by_text(f"{place} of 4, worst first").is_visible()
        unfold_all(page)
        assert not scrolls_sideways(page)
        if place < 4:
            page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name="The report").click()
    assert page.get_by_role("heading", name="In short").is_visible()
