"""The controller decides what is asked, and the investigator answers only from passages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graphs.focused_feedback import builder
from state.feedback import ParagraphReview
from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import steps
from tests.support.review_room import (
    CLAIM,
    LITERATURE_QUESTION,
    METHODS,
    NONSENSE,
    PAPER,
    PAPER_QUESTION,
    REVIEW,
    Room,
    asked,
    context,
    decision,
    every_execution,
    folder_of_literature,
    plan,
    prompts,
    review,
    ruling,
    run,
)


async def test_a_skipped_question_is_not_asked_and_a_replaced_one_is_asked_anew(
    fake_endpoint: FakeEndpoint, own_state: Path
) -> None:
    replaced = "Does caffeine slow the growth of lettuce roots?"
    questions = ["What was the water like?"]
    planned = plan(*questions, literature=LITERATURE_QUESTION)
    planned["steps"].insert(-1, {"action": "ask_literature", "question": "What is green tea made of?"})
    fake_endpoint.answer = Room(
        ProposedPlan=[planned], WaveDecision=[ruling(("skip", ""), ("ask_literature", replaced))]
    )
    found = await review(fake_endpoint, execution="parallel", literature=folder_of_literature(own_state))
    assert set(asked(fake_endpoint)) == {*questions, replaced}
    decisions = {record["step"]["question"]: record["decision"] for record in found["log"]}
    assert decisions == {questions[0]: "execute", LITERATURE_QUESTION: "skip", replaced: "execute"}
    origins = {record["step"]["question"]: record["step"]["origin"] for record in found["log"]}
    assert (origins[questions[0]], origins[replaced]) == ("planner", "controller")


@every_execution
async def test_the_remaining_steps_are_rewritten_as_often_as_allowed(
    fake_endpoint: FakeEndpoint, execution: str
) -> None:
    new = [{"action": "ask_paper", "question": f"Which tray number {number} was it?"} for number in range(1, 9)]
    rewrites = [decision("rewrite", steps=[step]) for step in new]
    fake_endpoint.answer = Room(
        StepDecision=[decision("ask_paper"), *rewrites] if execution == "sequential" else rewrites,
        PassageAnswer=[{"quote": "", "passage": 0, "answer": "I don't know."}],
        WaveDecision=[ruling(("ask_paper", ""), steps=[step]) for step in new],
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


DONT_KNOW = [
    "I don't know.",
    "“I don't know.”",
    "Unknown",
    "I do not know. The passages do not say it.",
    "I don't know; none of the passages mention the sample size.",
    "I don't know, because the passages do not mention it.",
    "Not stated in the paper.",
    "Not specified in the provided passages.",
    "The passages hold no answer.",
    " ",
]
KNOWS_SOME = [
    "The tea is not specified beyond being green, but the number of trays is six.",
    "I don't know the exact height, but it was measured with a ruler.",
    "The light is not mentioned, and each tray stood on one window sill.",
    "It is not known to cause harm in humans.",
    "Not available to the public.",
    "Not given to children under 12.",
    "Unknown variants were excluded from the analysis.",
    "Not specified in the protocol; the authors used 5 mg.",
    "I don't know. The paper used 5 mg.",
    "I don't know. The paper mentions 5 mg.",
    "The paper does not report the dose.",
]


async def answered(endpoint: FakeEndpoint, answers: list[str], **choices: Any) -> ParagraphReview:
    """What came of as many questions as the investigator has answers."""
    planned = plan(*(f"Which seedlings were in tray {number}?" for number in range(len(answers))))
    endpoint.answer = Room(
        ProposedPlan=[planned],
        PassageAnswer=[{"quote": "We raised 24 seedlings", "passage": 1, "answer": answer} for answer in answers],
        PlainAnswer=[{"answer": answer} for answer in answers],
        Review=[{**REVIEW, "evidence": []}],
    )
    return await review(endpoint, max_questions=len(answers), **choices)


with_and_without_extensions = pytest.mark.parametrize("extensions", ["none", "default"])


@every_execution
@with_and_without_extensions
async def test_unanswered_questions_never_reach_the_reviewer(
    fake_endpoint: FakeEndpoint, execution: str, extensions: str
) -> None:
    answers = DONT_KNOW[:1] if execution == "sequential" else DONT_KNOW
    found = await answered(fake_endpoint, answers, execution=execution, extensions=extensions)
    assert [record["outcome"] for record in found["log"]] == ["unanswered"] * len(answers)
    assert all(record["note"] for record in found["log"])
    assert found["evidence"] == []
    (prompt,) = prompts(fake_endpoint, "Review")
    assert "in tray" not in prompt
    assert "I don't know" not in prompt


@with_and_without_extensions
async def test_an_answer_that_does_not_know_everything_is_one(fake_endpoint: FakeEndpoint, extensions: str) -> None:
    found = await answered(fake_endpoint, KNOWS_SOME, execution="parallel", extensions=extensions)
    assert sorted(item["answer"] for item in found["evidence"]) == sorted(KNOWS_SOME)


@pytest.mark.parametrize("quote", ["24", "24 seedlings", "raised 24 seedlings of garden cress"])
async def test_a_short_quote_counts(fake_endpoint: FakeEndpoint, quote: str) -> None:
    fake_endpoint.answer = Room(PassageAnswer=[{"quote": quote, "passage": 1, "answer": "There were 24."}])
    found = await review(fake_endpoint)
    (evidence,) = found["evidence"]
    assert evidence["quote"] == quote
    assert steps(fake_endpoint).count("PassageAnswer") == 1


async def test_a_quote_that_is_nearly_right_becomes_the_sentence_that_it_means(fake_endpoint: FakeEndpoint) -> None:
    nearly = {"quote": "We raised 24 seedlings of cress in six trays", "passage": 1, "answer": "24."}
    fake_endpoint.answer = Room(PassageAnswer=[nearly])
    (found,) = (await run(fake_endpoint))["reviews"]
    sentence = "We raised 24 seedlings of garden cress in six trays on one window sill"
    assert [(item["answer"], item["quote"]) for item in found["evidence"]] == [("24.", sentence)]


async def test_an_answer_that_quotes_other_words_stands_without_a_quote(fake_endpoint: FakeEndpoint) -> None:
    wrong = {"quote": "We raised a hundred seedlings", "passage": 1, "answer": "Some dozens of seedlings."}
    fake_endpoint.answer = Room(PassageAnswer=[wrong])
    (found,) = (await run(fake_endpoint))["reviews"]
    assert [(item["answer"], item["quote"]) for item in found["evidence"]] == [(wrong["answer"], "")]
    assert found["log"][0]["outcome"] == "answered"
    assert "without a quote" in found["log"][0]["note"]
    assert wrong["answer"] in prompts(fake_endpoint, "Review")[0]
    assert steps(fake_endpoint).count("PassageAnswer") == 1


async def test_words_of_the_paragraph_under_review_are_no_quote_but_the_answer_counts(
    fake_endpoint: FakeEndpoint,
) -> None:
    itself = {"quote": "watered with cold tea grew taller", "passage": 1, "answer": "They grew taller with cold tea."}
    fake_endpoint.answer = Room(PassageAnswer=[itself])
    found = await review(fake_endpoint)
    assert [(item["answer"], item["quote"]) for item in found["evidence"]] == [(itself["answer"], "")]
    assert found["log"][0]["note"] == "it quoted the paragraph under review itself, so it stands without a quote"
    assert steps(fake_endpoint).count("PassageAnswer") == 1


async def test_a_quote_that_a_passage_shares_with_the_paragraph_under_review_counts(
    fake_endpoint: FakeEndpoint,
) -> None:
    shared = {"quote": "after three weeks", "passage": 1, "answer": "After three weeks."}
    paper = PAPER.replace(METHODS, f"{METHODS} They were cut after three weeks.")
    fake_endpoint.answer = Room(PassageAnswer=[shared])
    ((found,),) = ((await run(fake_endpoint, paper))["reviews"],)
    assert [item["quote"] for item in found["evidence"]] == ["after three weeks"]


async def test_rewriting_is_offered_for_the_questions_as_a_whole(fake_endpoint: FakeEndpoint, own_state: Path) -> None:
    planned = plan("What was the water like?", literature=LITERATURE_QUESTION)
    folder = folder_of_literature(own_state)
    for rewrites in (0, 1):
        fake_endpoint.answer = Room(ProposedPlan=[planned])
        await review(fake_endpoint, literature=folder, max_rewrites=rewrites)
        (request,) = [each for each in fake_endpoint.chat_requests if each.schema_name == "WaveDecision"][rewrites:]
        assert "`rewrite`" not in request.text, "it is no action of one question, and the schema has it as none"
        assert ("`steps`" in request.text) == ("steps" in (request.schema or {})["properties"]) == bool(rewrites)


async def test_without_literature_a_question_to_it_is_on_record_as_unanswered(fake_endpoint: FakeEndpoint) -> None:
    paused = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    fake_endpoint.answer = Room(Review=[{**REVIEW, "evidence": []}])
    chosen = context(fake_endpoint, pause=True, extensions="none")
    await paused.ainvoke({"paper": PAPER, "text": CLAIM}, config, context=chosen)
    own = {"advice": [f"literature: {LITERATURE_QUESTION}"]}
    result = await paused.ainvoke(Command(resume=own), config, context=chosen)
    (found,) = result["reviews"]
    (record,) = found["log"]
    assert (record["outcome"], record["note"]) == ("unanswered", "no literature is set up")
