"""Plans are put in the order of their scores, and never in one that damaged weights give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nodes.feedback.planner import plan_in_words, rank_plans
from state.errors import SettingsError
from state.feedback import Plan, Step
from tests.tools.tiny_bert import write_reranker
from tools.reranking.plan_reranker import PlanReranker

WORDS = ["the", "yield", "rose", "why", "how", "did", "it", "investigator", "reviewer", "answer", "from", "paper"]
WORDS += ["write", "review", "1", "2", ":", ".", "?"]
PARAGRAPH = "the yield rose ."


def plan(number: int, question: str) -> Plan:
    steps = [
        Step(id="s1", action="ask_paper", question=question, origin="planner"),
        Step(id="s2", action="write_review", question="", origin="planner"),
    ]
    return Plan(number=number, steps=steps, repairs=[], score=None)


PLANS = [plan(number, text) for number, text in enumerate(["why did it?", "how?", "why the yield?"], start=1)]


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return write_reranker(tmp_path / "weights", WORDS)


def state(weights: Path) -> Any:
    settings = {"feedback": {"reranker": str(weights)}}
    return {"plans": PLANS, "target": {"text": PARAGRAPH, "number": 1}, "settings": settings}


@pytest.fixture
def expected(weights: Path) -> list[float]:
    return PlanReranker.load(weights).score(PARAGRAPH, [plan_in_words(each) for each in PLANS])


async def test_the_plan_with_the_highest_score_is_followed_and_every_score_is_kept(
    weights: Path, expected: list[float]
) -> None:
    update = await rank_plans(state(weights))

    assert {each["number"]: each["score"] for each in update["plans"]} == pytest.approx(
        dict(enumerate(expected, start=1))
    )
    found = [each["score"] for each in update["plans"]]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 3
    assert update["remaining"] == update["plans"][0]["steps"]
    assert [each["score"] for each in PLANS] == [None] * 3, "the state is not changed in place"


@pytest.mark.parametrize("damage", [lambda data: data[:-1] + b"x", lambda _: b""])
async def test_damaged_weights_rank_nothing(weights: Path, damage: Any) -> None:
    file = weights / "weights.safetensors"
    file.write_bytes(damage(file.read_bytes()))

    with pytest.raises(SettingsError, match="is damaged"):
        await rank_plans(state(weights))


async def test_weights_that_were_deleted_are_missed(weights: Path) -> None:
    (weights / "weights.safetensors").unlink()

    with pytest.raises(SettingsError, match="no plan re-ranker"):
        await rank_plans(state(weights))
