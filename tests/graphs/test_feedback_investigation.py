"""The controller decides what is asked, and the investigator answers only from passages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.graphs.review_room import (
    LITERATURE_QUESTION,
    METHODS,
    NONSENSE,
    PAPER_QUESTION,
    REVIEW,
    Room,
    asked,
    decision,
    every_execution,
    folder_of_literature,
    plan,
    prompts,
    review,
    ruling,
    run,
)


@every_execution
async def test_a_skipped_question_is_not_asked_and_a_replaced_one_is_asked_anew(
    fake_endpoint: FakeEndpoint, execution: str, own_state: Path
) -> None:
    replaced = "Does caffeine slow the growth of lettuce roots?"
    questions = ["What was the water like?"]
    planned = plan(*questions, literature=LITERATURE_QUESTION)
    planned["steps"].insert(-1, {"about": "tea", "action": "ask_literature", "question": "What is green tea made of?"})
    fake_endpoint.answer = Room(
        ProposedPlan=[planned],
        StepDecision=[decision("execute"), decision("skip"), decision("replace", replaced), decision("execute")],
        WaveDecision=[ruling(("skip", ""), ("replace", replaced))],
    )
    found = await review(fake_endpoint, execution=execution, literature=folder_of_literature(own_state))
    assert set(asked(fake_endpoint)) == {*questions, replaced}
    decisions = {record["step"]["question"]: record["decision"] for record in found["log"]}
    assert decisions == {questions[0]: "execute", LITERATURE_QUESTION: "skip", replaced: "replace"}


@every_execution
async def test_the_remaining_steps_are_rewritten_as_often_as_allowed(
    fake_endpoint: FakeEndpoint, execution: str
) -> None:
    new = [{"action": "ask_paper", "question": f"Which tray number {number} was it?"} for number in range(1, 9)]
    rewrites = [decision("rewrite", steps=[step]) for step in new]
    fake_endpoint.answer = Room(
        StepDecision=[decision("execute"), *rewrites] if execution == "sequential" else rewrites,
        WaveDecision=[ruling(("execute", ""), steps=[step]) for step in new],
    )
    found = await review(fake_endpoint, execution=execution, max_rewrites=2)
    assert found["rewrites"] == 2
    allowed = [
        "rewrite" in str(request.schema)
        for request in fake_endpoint.chat_requests
        if request.schema_name in {"StepDecision", "WaveDecision"}
    ]
    assert allowed.count(True) == len(allowed) or not allowed[-1], "once they are used up, it is no choice any more"
    assert found["outcome"] == "comment", "the plan ends in a review"


async def test_a_controller_that_talks_nonsense_follows_the_plan_on_record(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(StepDecision=NONSENSE)
    found = await review(fake_endpoint, execution="sequential")
    assert asked(fake_endpoint) == [PAPER_QUESTION]
    assert any("so the plan was followed" in note for note in found["notes"])
    assert found["outcome"] == "comment"


async def test_the_review_can_be_neither_skipped_nor_replaced(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(StepDecision=[decision("execute"), decision("skip")])
    found = await review(fake_endpoint, execution="sequential")
    last = [request for request in fake_endpoint.chat_requests if request.schema_name == "StepDecision"][-1]
    assert last.schema
    assert last.schema["properties"]["decision"]["enum"] == ["execute", "rewrite"]
    assert found["outcome"] == "comment"


@pytest.mark.parametrize(
    "answer",
    [
        {"quote": "", "passage": 0, "answer": "I don't know."},
        {"quote": "We raised 24 seedlings", "passage": 1, "answer": "I do not know that."},
        {"quote": "We raised a hundred seedlings", "passage": 1, "answer": "A hundred."},
        {"quote": "raised 24", "passage": 1, "answer": "24."},
    ],
    ids=["says so", "says so beside a quote", "a quote that is not there", "too short a quote"],
)
@every_execution
async def test_an_unanswered_question_never_reaches_the_reviewer(
    fake_endpoint: FakeEndpoint, execution: str, answer: dict[str, Any]
) -> None:
    fake_endpoint.answer = Room(PassageAnswer=[answer], Review=[{**REVIEW, "evidence": []}])
    found = await review(fake_endpoint, execution=execution)
    assert [record["outcome"] for record in found["log"]] == ["unanswered"]
    assert found["log"][0]["note"]
    assert found["evidence"] == []
    for schema in ("Weaknesses", "Review"):
        (prompt,) = prompts(fake_endpoint, schema)
        assert PAPER_QUESTION not in prompt
        assert answer["answer"] not in prompt


async def test_the_literature_may_hold_no_answer(fake_endpoint: FakeEndpoint, own_state: Path) -> None:
    fake_endpoint.answer = Room(
        ProposedPlan=[plan(literature=LITERATURE_QUESTION)],
        PassageAnswer=[{"quote": "", "passage": 0, "answer": "I don't know."}],
        Review=[{**REVIEW, "evidence": []}],
    )
    found = await review(fake_endpoint, literature=folder_of_literature(own_state))
    assert [record["outcome"] for record in found["log"]] == ["unanswered"]


async def test_a_folder_of_literature_that_is_gone_leaves_the_question_open(
    fake_endpoint: FakeEndpoint, own_state: Path
) -> None:
    fake_endpoint.answer = Room(
        ProposedPlan=[plan(literature=LITERATURE_QUESTION)], Review=[{**REVIEW, "evidence": []}]
    )
    found = await review(fake_endpoint, literature={"folder": str(own_state / "gone")})
    assert found["outcome"] == "comment"
    assert "folder" in found["log"][0]["note"]


async def test_a_paper_is_embedded_once_whatever_the_number_of_questions(fake_endpoint: FakeEndpoint) -> None:
    def embedded() -> int:
        inputs = [request.body["input"] for request in fake_endpoint.requests if request.path == "/v1/embeddings"]
        return sum(METHODS[:40] in str(texts) for texts in inputs)

    fake_endpoint.answer = Room(ProposedPlan=[plan("What was the water like?", "How tall?", "Who has measured it?")])
    await run(fake_endpoint)
    await run(fake_endpoint)
    assert embedded() == 1
