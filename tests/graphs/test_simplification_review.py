"""The medical expert's review of each rewritten text, and how it is corrected until the expert finds it accurate."""

from __future__ import annotations

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import steps
from tests.support.society import ABSTRACT, SCHEMAS, WORDING, Society, run

COMMENT = "COMMENT-8: it was chronic asthma."
ACCURATE = "The medical expert stated that my text was accurate."
WRONG = {"fits": ["all"], "paragraphs": [ABSTRACT.replace("chronic asthma", "asthma attacks")]}


async def test_the_expert_and_the_simplifier_agree_on_the_rewritten_text(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(
        ReasonedSimplification=[WRONG],
        AccuracyCheck=[{"comments": [COMMENT]}, {"comments": []}],
        LatestSimplification=[{"paragraphs": [ABSTRACT]}],
    )
    result = await run(fake_endpoint, loops=["layperson"], entries=1)
    assert steps(fake_endpoint)[-3:] == ["AccuracyCheck", "LatestSimplification", "AccuracyCheck"]
    correcting, second_review = (request.text for request in fake_endpoint.chat_requests[-2:])
    assert COMMENT in correcting
    assert COMMENT in second_review, "the expert knows what it said"
    assert result["simplified"] == ABSTRACT
    (exchange,) = result["history"]
    assert (exchange["comments"], exchange["accurate"]) == ([COMMENT], True)
    remembered = [memory["text"] for memory in result["memories"] if memory["agent"] == "simplifier"]
    assert remembered[-1] == ACCURATE
    assert [(change["kind"], change["because"]) for change in result["all_changes"]][-1] == ("correction", COMMENT)


@pytest.mark.parametrize("rounds", [1, 2])
async def test_they_have_so_many_rounds_to_agree(fake_endpoint: FakeEndpoint, rounds: int) -> None:
    fake_endpoint.answer = Society(ReasonedSimplification=[WRONG], AccuracyCheck=[{"comments": [COMMENT]}])
    result = await run(fake_endpoint, loops=["layperson"], entries=1, revision_rounds=rounds)
    assert steps(fake_endpoint)[3:] == ["AccuracyCheck", "LatestSimplification"] * rounds + ["AccuracyCheck"]
    assert fake_endpoint.chat_requests[-1].text.count(COMMENT) == rounds, "also the last text is reviewed"
    assert not result["history"][0]["accurate"]


@pytest.mark.parametrize("loop", SCHEMAS)
async def test_a_run_may_do_without_the_review(fake_endpoint: FakeEndpoint, loop: str) -> None:
    fake_endpoint.answer = Society()
    await run(fake_endpoint, loops=[loop], entries=1, accuracy_check=False)
    assert steps(fake_endpoint) == SCHEMAS[loop][:3]


@pytest.mark.parametrize("loop", ["language_clarifier", "redundancy_checker"])
async def test_what_entered_or_left_the_text_is_reviewed_and_corrected(fake_endpoint: FakeEndpoint, loop: str) -> None:
    fake_endpoint.answer = Society(
        LatestSimplification=[{"paragraphs": WRONG["paragraphs"]}, {"paragraphs": [ABSTRACT]}],
        AccuracyCheck=[{"comments": [COMMENT]}, {"comments": []}],
    )
    result = await run(fake_endpoint, loops=[loop], entries=1, revision_rounds=1)
    assert steps(fake_endpoint) == [*SCHEMAS[loop], "LatestSimplification", "AccuracyCheck"]
    review, correcting = (request.text for request in fake_endpoint.chat_requests[3:5])
    assert "asthma attacks" in review
    assert COMMENT in correcting
    (exchange,) = result["history"]
    assert (exchange["comments"], exchange["accurate"]) == ([COMMENT], True)
    assert result["simplified"] == ABSTRACT
    told = [memory["text"] for memory in result["memories"] if memory["agent"] == "simplifier"]
    assert told[-2:] == [f"The medical expert commented on my text: {COMMENT}", ACCURATE], "the newest it remembers"


async def test_the_rounds_of_wordings_leave_as_many_for_the_review(fake_endpoint: FakeEndpoint) -> None:
    rejected = {"number": 1, "reason": "It is longer.", "accept": False}
    accepted = {**rejected, "accept": True}
    fake_endpoint.answer = Society(
        Wordings=[{"suggestions": [WORDING]}],
        WordingVerdicts=[{"verdicts": [rejected]}, {"verdicts": [accepted]}],
        AccuracyCheck=[{"comments": [COMMENT]}],
    )
    await run(fake_endpoint, loops=["language_clarifier"], entries=1, revision_rounds=2)
    reviews = ["LatestSimplification", "AccuracyCheck"] * 3
    assert steps(fake_endpoint) == ["Wordings", "WordingVerdicts"] * 2 + reviews


@pytest.mark.parametrize("extensions", ["none", "lost_details"])
async def test_the_expert_is_shown_what_a_check_misses_with_that_extension(
    fake_endpoint: FakeEndpoint, extensions: str
) -> None:
    kept = ABSTRACT.replace("400 mcg twice daily", "twice daily").replace("for 24 weeks", "for a while")
    fake_endpoint.answer = Society(ReasonedSimplification=[{"fits": ["all"], "paragraphs": [kept]}])
    result = await run(fake_endpoint, loops=["layperson"], entries=1, extensions=extensions)
    review = fake_endpoint.chat_requests[-1].text
    assert ('1. "400 mcg", "24 weeks" in: Inhaled budesonide 400 mcg twice daily' in review) == (extensions != "none")
    assert review.count("Inhaled budesonide 400 mcg") == 1 + (extensions != "none"), "each sentence is shown once"
    assert [detail["text"] for detail in result["lost"]] == ["400 mcg", "24 weeks"], "reported whatever the extensions"
