"""What is computed about a paragraph is shown, whatever the model does."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphs.baselines import chain_of_verification, single_model
from graphs.focused_feedback import builder, graph
from nodes.feedback.computed_checks import NO_CONTRADICTION
from state.errors import ModelUnavailableError
from tests.fake_endpoint import FakeEndpoint, Json, Status, Text
from tests.support.newsroom import steps
from tests.support.review_room import (
    CLAIM,
    METHODS,
    PAPER,
    PAPER_QUESTION,
    REVIEW,
    Room,
    context,
    every_execution,
    plan,
    prompts,
)

SHARE = "Cress grew in 20% (8 of 32) of the pots."
TEST = "The plants differed, t(38) = 1.20, p = .034."
FLAWED = PAPER.replace(CLAIM, f"{CLAIM} {SHARE} {TEST}").replace(METHODS, f"{METHODS} We lost 30% (12 of 20) of them.")
OF_RESULTS = ["20% (8 of 32", "t(38) = 1.20, p = .034"]
WORDS = {"f1": "Eight of 32 pots are 25.0%; correct the share or the count."}
NONSENSE = Text("I would rather not.")
DEAD = Status(500, "The engine died.")


async def results(endpoint: FakeEndpoint, reviewed: Any = graph, **choices: Any) -> dict[str, Any]:
    """Review the paragraph with two of the paper's three flaws."""
    chosen = context(endpoint, **choices)
    result: dict[str, Any] = await reviewed.ainvoke({"paper": FLAWED, "paragraphs": ["p3"]}, context=chosen)
    return result


def shown(result: dict[str, Any], field: str = "quote") -> list[str]:
    return [found[field] for found in result["computed"] if found["shown"]]


@pytest.mark.parametrize("agent", ["PassageAnswer", "Review"])
async def test_one_agent_that_fails_takes_no_finding_back(fake_endpoint: FakeEndpoint, agent: str) -> None:
    room = Room()
    fake_endpoint.answer = lambda request: NONSENSE if request.schema_name == agent else room(request)
    chosen = context(fake_endpoint, min_words=20, extensions="all")
    chosen["models"]["default"]["retries"] = 1
    assert shown(await graph.ainvoke({"paper": FLAWED, "paragraphs": ["p3"]}, context=chosen)) == OF_RESULTS


async def test_findings_are_in_the_state_of_a_run_whose_endpoint_is_dead(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "dead"}}
    fake_endpoint.answer = lambda _: DEAD
    with pytest.raises(ModelUnavailableError):
        await checkpointed.ainvoke({"paper": FLAWED}, config, context=context(fake_endpoint))
    state = await checkpointed.aget_state(config)
    assert shown(state.values) == ["30% (12 of 20", *OF_RESULTS], "of the whole paper, for nothing was named"


async def test_what_the_number_reader_has_read_is_computed_and_what_is_dropped_is_told(
    fake_endpoint: FakeEndpoint,
) -> None:
    told = {"kind": "number told twice", "name": "pots", "remarks": []}
    twice = [{"role": "told", "number": number} for number in ("8", "9")]
    entries = [
        {**told, "quote": f"{SHARE} … we saw 9 such pots", "numbers": twice},
        {**told, "quote": "such pots grew in rows", "numbers": twice},
    ]
    paper, room = FLAWED.replace(TEST, f"{TEST} Of these we saw 9 such pots."), Room()
    fake_endpoint.answer = lambda request: (
        Json({"entries": entries}) if request.schema_name == "NumbersRead" else room(request)
    )
    chosen = context(fake_endpoint, extensions="computed_checks,read_numbers")
    result = await graph.ainvoke({"paper": paper, "paragraphs": ["p3"]}, context=chosen)
    assert [request.schema_name for request in fake_endpoint.chat_requests].count("NumbersRead") == 1
    assert "pots: 8 in one place and 9 in the other" in shown(result, "computation")
    assert set(OF_RESULTS) <= set(shown(result))
    assert "the quote does not stand in the passage" in result["document"]["warnings"][-1]


async def test_a_part_of_a_paragraph_has_its_own_findings_only(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    result = await graph.ainvoke({"paper": FLAWED, "text": SHARE}, context=context(fake_endpoint))
    assert shown(result) == OF_RESULTS[:1]
    foreign = await graph.ainvoke({"paper": PAPER, "text": TEST}, context=context(fake_endpoint))
    assert shown(foreign) == OF_RESULTS[1:], "a text that is no paragraph of the paper is checked, too"


async def test_the_reviewer_words_findings_beside_its_comment(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(Review=[{**REVIEW, "evidence": ["f2"], "computed": WORDS}])
    result = await results(fake_endpoint)
    assert "8 of 32 is 25.0%" in prompts(fake_endpoint, "Review")[0]
    assert shown(result, "wording") == [WORDS["f1"], ""]
    (comment,) = result["comments"]
    assert comment["review"] == REVIEW["review"]
    assert [item["source"] for item in comment["evidence"]] == ["computed"]


async def test_words_that_add_a_number_or_say_nothing_of_the_computation_are_left_out(
    fake_endpoint: FakeEndpoint,
) -> None:
    beside = {"f1": "The authors do not say how cress grew.", "f2": "The p-value should be 0.236 to 0.239."}
    invented = {"f1": "It should be 47%, as in 15 of 32 pots."}
    fake_endpoint.answer = Room(Review=[{**REVIEW, "computed": words} for words in (beside, invented)])
    assert shown(await results(fake_endpoint), "wording") == ["", beside["f2"]]
    result = await results(fake_endpoint)
    assert shown(result, "wording") == ["", ""]
    assert any("f1" in note and "47%" in note for note in result["reviews"][0]["notes"])


async def test_what_the_verifier_says_of_a_comment_changes_no_finding(fake_endpoint: FakeEndpoint) -> None:
    worded = {"f1": "The share should be 25.0%."}
    missing = {**REVIEW, "review": "A correct share is missing.", "evidence": ["f1"], "computed": worded}
    fake_endpoint.answer = Room(Review=[missing], AbsenceTest=[{"missing": "it", "quote": METHODS, "given": True}])
    result = await results(fake_endpoint)
    assert "AbsenceTest" in steps(fake_endpoint), "citing a computation spares a comment no test"
    assert result["comments"][0]["verification"]["verdict"] == "softened"
    assert shown(result, "wording") == [worded["f1"], ""]


@every_execution
@pytest.mark.parametrize(
    ("paper", "told", "elsewhere"), [(FLAWED, "12 of 20 is 60.0%", ["p2"]), (PAPER, NO_CONTRADICTION, [])]
)
async def test_a_plan_can_ask_what_was_computed_elsewhere(
    fake_endpoint: FakeEndpoint, execution: str, paper: str, told: str, elsewhere: list[str]
) -> None:
    checks = {"action": "ask_checks", "question": "Do the shares fit their counts?"}
    fake_endpoint.answer = Room(ProposedPlan=[{"reasoning": "", "steps": [checks, *plan(PAPER_QUESTION)["steps"]]}])
    chosen = context(fake_endpoint, execution=execution)
    result = await graph.ainvoke({"paper": paper, "paragraphs": ["p3"]}, context=chosen)
    (found,) = (item for item in result["reviews"][0]["evidence"] if item["id"] == "e1")
    assert told in found["answer"]
    assert "8 of 32" not in found["answer"], "what is about the paragraph itself is evidence anyway"
    assert told in prompts(fake_endpoint, "Review")[0]
    assert [each["paragraph"] for each in result["computed"] if not each["shown"]] == elsewhere


async def test_without_the_extension_nothing_is_computed_and_nobody_hears_of_it(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    result = await results(fake_endpoint, extensions="none")
    assert result["computed"] == []
    told = ("was computed", "Computed findings", "ask_checks")
    assert not any(words in request.text for request in fake_endpoint.chat_requests for words in told)


@pytest.mark.parametrize("baseline", [single_model, chain_of_verification], ids=["single model", "verification"])
async def test_the_baselines_take_the_extension_as_well(fake_endpoint: FakeEndpoint, baseline: Any) -> None:
    fake_endpoint.answer = Room(
        VerificationQuestions=[{"questions": ["Is tea a fertiliser for cress?"]}],
        Review=[{**REVIEW, "evidence": [], "computed": WORDS}],
    )
    result = await results(fake_endpoint, baseline)
    assert shown(result) == OF_RESULTS
    assert shown(result, "wording") == [WORDS["f1"], ""]
