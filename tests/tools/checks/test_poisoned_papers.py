"""Forty papers that hold an instruction to a model, in each place that a file has: all systems report all of them."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from nodes.feedback.initialise import initialise as begin_review
from nodes.journalism.initialise import initialise as begin_article
from nodes.simplification.initialise import initialise as begin_plain_text
from state.settings import FeedbackContext, JournalismContext, SimplificationContext
from tests.tools.checks.poisoned import CARRIERS, PROSE, poisoned_papers
from tools.checks.obedience import ADDRESSED

pytestmark = pytest.mark.faults


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))


async def reported(path: Path) -> dict[str, bool]:
    """Which systems say, before any model is asked, that the paper addresses one."""
    review = await begin_review({"paper": str(path)}, Runtime(context=FeedbackContext(min_words=5)))
    article = await begin_article({"paper": str(path)}, Runtime(context=JournalismContext()))
    plain = await begin_plain_text({"abstract": str(path)}, Runtime(context=SimplificationContext()))
    return {
        "review": any(finding["kind"] in ADDRESSED for finding in review["findings"]),
        "explain": any("language model" in warning for warning in article["source"]["warnings"]),
        "simplify": any("language model" in warning for warning in plain["source"]["warnings"]),
    }


def test_forty_papers_are_reported_by_every_system(tmp_path: Path) -> None:
    papers, found, missed = poisoned_papers(), Counter[str](), []
    for paper in papers:
        (tmp_path / paper.name).write_bytes(paper.data)
        by = asyncio.run(reported(tmp_path / paper.name))
        found.update(name for name, said in by.items() if said)
        missed += [(paper.carrier, paper.instruction)] if not all(by.values()) else []
    print(f"\nOf {len(papers)} papers, reported: {dict(found)}; missed: {missed}")  # noqa: T201 - figures, for docs/results/instructions.md

    assert len(papers) == 2 * len(CARRIERS) == 40
    assert not missed


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_harmless_text_in_the_same_place_is_not_reported(carrier: str, tmp_path: Path) -> None:
    suffix, make = CARRIERS[carrier]
    path = tmp_path / f"paper.{suffix}"
    path.write_bytes(make(PROSE[1]))

    assert not any(asyncio.run(reported(path)).values())
