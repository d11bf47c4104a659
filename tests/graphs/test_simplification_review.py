"""The medical expert's review of each rewritten text, and how it is corrected until the expert finds it accurate."""

from __future__ import annotations

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import steps
from tests.support.society import ABSTRACT, STEPS, Society, latest, run

COMMENT = "COMMENT-8: it was chronic asthma."
ACCURATE = "The medical expert stated that my text was accurate."
WRONG = latest(ABSTRACT.replace("chronic asthma", "asthma attacks"))


@pytest.mark.parametrize("rounds", [1, 2])
async def test_they_have_so_many_rounds_to_agree(fake_endpoint: FakeEndpoint, rounds: int) -> None:
    fake_endpoint.answer = Society(rewrite_text=[WRONG], AccuracyCheck=[{"comments": [COMMENT]}])
    result = await run(fake_endpoint, loops=["layperson"], entries=1, revision_rounds=rounds)
    assert steps(fake_endpoint)[3:] == ["AccuracyCheck", "correct_text"] * rounds + ["AccuracyCheck"]
    assert fake_endpoint.chat_requests[-1].text.count(COMMENT) == rounds, "also the last text is reviewed"
    assert not result["history"][0]["accurate"]


@pytest.mark.parametrize("loop", STEPS)
async def test_only_texts_of_the_layperson_loop_are_reviewed_and_a_run_may_do_without(
    fake_endpoint: FakeEndpoint, loop: str
) -> None:
    fake_endpoint.answer = Society()
    await run(fake_endpoint, loops=[loop], entries=1, accuracy_check=loop != "layperson")
    assert steps(fake_endpoint) == STEPS[loop][:3]


async def test_a_text_is_corrected_as_the_expert_says(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(
        rewrite_text=[WRONG],
        correct_text=[latest(ABSTRACT)],
        AccuracyCheck=[{"comments": [COMMENT]}, {"comments": []}],
    )
    result = await run(fake_endpoint, loops=["layperson"], entries=1, revision_rounds=1)
    assert steps(fake_endpoint)[3:] == ["AccuracyCheck", "correct_text", "AccuracyCheck"]
    correcting, second_review = (request.text for request in fake_endpoint.chat_requests[-2:])
    assert COMMENT in correcting
    assert COMMENT in second_review, "the expert knows what it said"
    correction = result["all_changes"][-1]
    assert (correction["kind"], correction["because"]) == ("correction", COMMENT)
    (exchange,) = result["history"]
    assert (exchange["comments"], exchange["accurate"]) == ([COMMENT], True)
    assert result["simplified"] == ABSTRACT
    told = [memory["text"] for memory in result["memories"] if memory["agent"] == "simplifier"]
    assert told[-2:] == [f"The medical expert commented on my text: {COMMENT}", ACCURATE], "the newest it remembers"


@pytest.mark.parametrize("extensions", ["none", "lost_details"])
async def test_the_expert_is_shown_what_a_check_misses_with_that_extension(
    fake_endpoint: FakeEndpoint, extensions: str
) -> None:
    kept = ABSTRACT.replace("400 mcg twice daily", "twice daily").replace("for 24 weeks", "for a while")
    fake_endpoint.answer = Society(rewrite_text=[latest(kept)])
    result = await run(fake_endpoint, loops=["layperson"], entries=1, extensions=extensions)
    review = fake_endpoint.chat_requests[-1].text
    assert ('1. "400 mcg", "24 weeks" in: Inhaled budesonide 400 mcg twice daily' in review) == (extensions != "none")
    assert review.count("Inhaled budesonide 400 mcg") == 1 + (extensions != "none"), "each sentence is shown once"
    assert [detail["text"] for detail in result["lost"]] == ["400 mcg", "24 weeks"], "reported whatever the extensions"
