"""Focused feedback goes its whole way: from the plan, which a person may edit, to the comment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from graphs.focused_feedback import graph
from state.errors import SettingsError
from state.feedback import FeedbackOutput
from state.settings import FeedbackContext
from tests.fake_endpoint import Choices, FakeEndpoint, Json
from tests.support.newsroom import steps
from tests.support.review_room import (
    CLAIM,
    LITERATURE_QUESTION,
    NONSENSE,
    PAPER,
    PAPER_QUESTION,
    REVIEW,
    Room,
    asked,
    context,
    every_execution,
    folder_of_literature,
    plan,
    review,
    run,
)


@every_execution
async def test_a_comment_quotes_the_paragraph_and_cites_its_evidence(
    fake_endpoint: FakeEndpoint, execution: str
) -> None:
    fake_endpoint.answer = Room()
    result = await run(fake_endpoint, execution=execution)
    assert set(result) == set(FeedbackOutput.__annotations__)
    (comment,) = result["comments"]
    assert comment["quote"] == "Tea therefore makes seedlings grow"
    assert CLAIM[comment["start"] :].startswith(comment["quote"])
    assert [item["question"] for item in comment["evidence"]] == [PAPER_QUESTION]
    assert comment["evidence"][0]["quote"] in PAPER
    assert comment["section"] == "Results"
    assert len(result["calls"]) == len(fake_endpoint.chat_requests)


@every_execution
async def test_all_that_is_planned_is_asked_the_paper_first_and_the_review_comes_last(
    fake_endpoint: FakeEndpoint, execution: str, own_state: Path
) -> None:
    questions = ["What was the water like?", "How tall were the seedlings?"]
    fake_endpoint.answer = Room(ProposedPlan=[plan(*questions, literature=LITERATURE_QUESTION)])
    found = await review(fake_endpoint, execution=execution, literature=folder_of_literature(own_state))
    assert [record["step"]["question"] for record in found["log"]] == [*questions, LITERATURE_QUESTION]
    assert set(asked(fake_endpoint)) == {*questions, LITERATURE_QUESTION}
    assert [item["source"] for item in found["evidence"]] == ["paper", "paper", "literature"]
    assert found["evidence"][2]["address"].endswith("caffeine.md")
    assert found["evidence"][2]["title"] == "Caffeine slows the growth of roots"
    assert steps(fake_endpoint)[-1] == "Review"


async def test_independent_questions_are_under_way_together(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(ProposedPlan=[plan("What was the water like?", "How tall were the seedlings?")])
    fake_endpoint.hold_after(1)
    running = asyncio.create_task(run(fake_endpoint, execution="parallel"))
    held = await asyncio.to_thread(fake_endpoint.wait_for_requests, 3)
    assert [request.schema_name for request in held[1:]] == ["PassageAnswer", "PassageAnswer"]
    fake_endpoint.release()
    await running


async def test_the_controller_looks_after_every_step_or_after_every_wave(
    fake_endpoint: FakeEndpoint, own_state: Path
) -> None:
    chosen = {"literature": folder_of_literature(own_state), "max_rewrites": 1}
    planned = plan("What was the water like?", "How tall were the seedlings?", literature=LITERATURE_QUESTION)
    counts = {}
    for execution in ("sequential", "parallel"):
        fake_endpoint.answer = Room(ProposedPlan=[planned])
        before = len(fake_endpoint.chat_requests)
        await run(fake_endpoint, execution=execution, **chosen)
        names = steps(fake_endpoint)[before:]
        counts[execution] = (names.count("StepDecision"), names.count("WaveDecision"))
    assert counts == {"sequential": (4, 0), "parallel": (0, 1)}, "in turn, the review is decided on, too"


async def test_several_plans_are_sampled_in_one_request(fake_endpoint: FakeEndpoint) -> None:
    replies = [Json(plan("What was the water like?")), *NONSENSE, Json(plan("How tall were the seedlings?"))]
    fake_endpoint.answer = Room(ProposedPlan=[Choices(replies)])
    chosen = context(fake_endpoint, plans=3, rerank=False)
    chosen["models"]["planner"] = {"temperature": 0, "top_p": 0.2}
    (found,) = (await graph.ainvoke({"paper": PAPER, "text": CLAIM}, context=chosen))["reviews"]
    (request,) = [request for request in fake_endpoint.chat_requests if request.schema_name == "ProposedPlan"]
    assert request.n == 3
    sampling = {name: request.body[name] for name in ("temperature", "top_p")}
    assert sampling == {"temperature": 0.9, "top_p": 0.2}, "warm, however cold the role is set"
    assert [plan["number"] for plan in found["plans"]] == [1, 2]
    assert "2 of 3 plans could be used." in found["notes"]
    assert asked(fake_endpoint) == ["What was the water like?"], "the first usable plan is followed"


@pytest.mark.parametrize(("own", "sent"), [({}, 0.7), ({"temperature": 0.2}, 0.7), ({"temperature": 1.2}, 1.2)])
async def test_plans_are_never_sampled_colder_than_the_planner_is_set(
    fake_endpoint: FakeEndpoint, own: dict[str, float], sent: float
) -> None:
    fake_endpoint.answer = Room(ProposedPlan=[Choices([Json(plan(PAPER_QUESTION))])])
    chosen = context(fake_endpoint, plans=2, rerank=False, plan_temperature=0.7)
    chosen["models"]["planner"] = own
    await graph.ainvoke({"paper": PAPER, "text": CLAIM}, context=chosen)
    body = fake_endpoint.chat_requests[0].body
    assert (body["temperature"], body.get("top_p")) == (sent, None)
    with pytest.raises(SettingsError, match=r"`plan_temperature`: input should be greater than or equal to 0\.6"):
        FeedbackContext(plan_temperature=0.5)


async def test_without_literature_nobody_may_plan_to_look_there(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(ProposedPlan=[plan(PAPER_QUESTION)])
    await run(fake_endpoint)
    (request,) = [request for request in fake_endpoint.chat_requests if request.schema_name == "ProposedPlan"]
    assert "ask_literature" not in request.text
    assert request.schema
    assert "ask_literature" not in str(request.schema)


async def test_a_plan_is_followed_as_it_was_written(fake_endpoint: FakeEndpoint, own_state: Path) -> None:
    questions = ["How tall were they, and how was that measured?", "Why?", "Why?"]
    proposal = {
        "reasoning": "",
        "steps": [
            {"action": "write_review", "question": ""},
            {"action": "ask_literature", "question": "What did the authors of this paper say above?"},
            *({"action": "ask_paper", "question": question} for question in questions),
        ],
    }
    fake_endpoint.answer = Room(ProposedPlan=[proposal])
    found = await review(fake_endpoint, execution="sequential", literature=folder_of_literature(own_state))
    assert asked(fake_endpoint) == [proposal["steps"][1]["question"], *questions]
    (followed,) = found["plans"]
    assert followed["steps"][-1]["action"] == "write_review"
    assert followed["repairs"] == ["The review was made the last step, and the only one."]


async def test_questions_beyond_the_most_are_left_out_on_record(fake_endpoint: FakeEndpoint) -> None:
    questions = [f"Which tray was number {number}?" for number in range(1, 9)]
    fake_endpoint.answer = Room(ProposedPlan=[plan(*questions)])
    found = await review(fake_endpoint, max_questions=3, extensions="none")
    assert [record["step"]["question"] for record in found["log"]] == questions[:3]
    assert found["plans"][0]["repairs"] == ["Questions beyond the first 3 were left out."]


@pytest.mark.parametrize("extensions", ["none", "all"])
async def test_a_plan_that_asks_nothing_leaves_the_review(fake_endpoint: FakeEndpoint, extensions: str) -> None:
    fake_endpoint.answer = Room(ProposedPlan=[plan("")], Review=[{**REVIEW, "evidence": []}])
    found = await review(fake_endpoint, extensions=extensions)
    assert found["log"] == []
    assert found["outcome"] == "comment"
