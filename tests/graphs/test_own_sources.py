"""A retriever and a literature provider of the user's own, in a review: as docs/how_to/own_retriever.md shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.errors import SettingsError
from tests.fake_endpoint import FakeEndpoint
from tests.support.review_room import LITERATURE_QUESTION, PAPER_QUESTION, REVIEW, Room, plan, prompts, review
from tests.test_documents import FENCE, TEXTS

SHOWN = FENCE.findall(TEXTS["docs/how_to/own_retriever.md"])
(MODULE,) = (code for _, language, code in SHOWN if language == "python")
SHOWN_SETTINGS = [code for _, language, code in SHOWN if language == "toml"]
BROKEN = """
import os

def make_retriever(segments):
    raise LookupError("no index today for " + os.environ["LAB_KEY"])

def find_publications(question, number):
    return [{"title": "Of tea", "year": os.environ["LAB_KEY"]}]
"""


@pytest.fixture
def lab(own_state: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module and the settings of the page."""
    (own_state / "lab.py").write_text(MODULE, encoding="utf-8")
    (own_state / "broken_lab.py").write_text(BROKEN, encoding="utf-8")
    (own_state / "own.toml").write_text(SHOWN_SETTINGS[0], encoding="utf-8")
    monkeypatch.setenv("DRAFTROOM_CONFIG", str(own_state / "own.toml"))
    monkeypatch.syspath_prepend(own_state)
    return own_state


async def test_questions_are_answered_from_what_the_users_code_finds(fake_endpoint: FakeEndpoint, lab: Path) -> None:
    fake_endpoint.answer = Room(ProposedPlan=[plan(PAPER_QUESTION, literature=LITERATURE_QUESTION)])
    found = await review(fake_endpoint)
    of_paper, of_literature = found["evidence"]
    assert of_paper["section"] in {"Abstract", "Methods", "Results"}
    assert (of_literature["title"], of_literature["quote"]) == (
        "Caffeine slows the growth of roots",
        "Caffeine in the soil slowed the growth of cress roots in four",
    )
    assert "/v1/embeddings" not in {request.path for request in fake_endpoint.requests}


async def test_papers_are_embedded_by_the_users_class(fake_endpoint: FakeEndpoint, lab: Path) -> None:
    (lab / "own.toml").write_text(SHOWN_SETTINGS[1], encoding="utf-8")
    fake_endpoint.answer = Room()
    chosen = {"embedding": {"use": "lab:Hashes", "model": "mine"}, "retrieval": "dense"}
    assert (await review(fake_endpoint, **chosen))["evidence"]
    assert "/v1/embeddings" not in {request.path for request in fake_endpoint.requests}


async def test_code_that_fails_leaves_its_questions_open_and_is_named_without_keys(
    fake_endpoint: FakeEndpoint, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", "s3cret")
    settings = (lab / "own.toml").read_text(encoding="utf-8").replace('"lab:', '"broken_lab:')
    (lab / "own.toml").write_text(settings.replace(', "folder"', ""), encoding="utf-8")
    fake_endpoint.answer = Room(
        ProposedPlan=[plan(PAPER_QUESTION, literature=LITERATURE_QUESTION)], Review=[{**REVIEW, "evidence": []}]
    )
    found = await review(fake_endpoint)
    retriever, literature = (record["note"] for record in found["log"])
    assert retriever.startswith("The retriever broken_lab:make_retriever failed (LookupError: no index today for …)")
    assert "broken_lab:find_publications: the function failed (ValidationError: 1 validation error" in literature
    assert "s3cret" not in str(found)
    assert found["outcome"] == "comment"
    assert prompts(fake_endpoint, "PassageAnswer") == []


async def test_code_that_is_not_there_ends_the_run_before_a_model_is_asked(
    fake_endpoint: FakeEndpoint, lab: Path
) -> None:
    settings = (lab / "own.toml").read_text(encoding="utf-8").replace("find_publications", "find_publication")
    (lab / "own.toml").write_text(settings, encoding="utf-8")
    with pytest.raises(SettingsError, match="The code lab:find_publication cannot be imported"):
        await review(fake_endpoint)
    assert fake_endpoint.requests == []
