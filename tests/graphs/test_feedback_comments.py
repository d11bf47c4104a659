"""What is noticed becomes a comment that quotes the paragraph, and no comment goes unchecked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import steps
from tests.support.review_room import CLAIM, MISSING, NOT_NEEDED, PAPER, REVIEW, SOUND, Room, prompts, review, run


async def test_nothing_worth_raising_is_an_answer(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(Weaknesses=[SOUND])
    found = await review(fake_endpoint, extensions=["detect"])
    assert found["outcome"] == "nothing worth raising"
    assert found["comment"] is None
    assert "Review" not in steps(fake_endpoint)


async def test_the_paragraph_is_assessed_before_weaknesses_are_listed(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    await review(fake_endpoint, extensions=["detect"])
    (detector,) = (request for request in fake_endpoint.chat_requests if request.schema_name == "Weaknesses")
    assert list(detector.schema["properties"]) == ["assessment", "weaknesses"]


async def test_weaknesses_that_quote_nothing_of_the_paragraph_leave_it_to_the_reviewer(
    fake_endpoint: FakeEndpoint,
) -> None:
    noticed = {"quote": "words from nowhere at all", "problem": "They are not there.", "label": "Substance"}
    fake_endpoint.answer = Room(Weaknesses=[{**SOUND, "weaknesses": [noticed]}])
    found = await review(fake_endpoint, extensions=["detect"])
    assert found["candidates"] == []
    assert found["outcome"] == "comment"
    assert any("quote nothing of the paragraph" in note for note in found["notes"])
    assert "They are not there." not in prompts(fake_endpoint, "Review")[0]


async def test_the_reviewer_may_find_nothing_worth_raising_either(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(Review=[NOT_NEEDED])
    found = await review(fake_endpoint)
    assert found["outcome"] == "nothing worth raising"
    assert found["problem"] == REVIEW["reasoning"]
    assert steps(fake_endpoint).count("Review") == 1, "an empty quote is no mistake where there is no comment"


async def test_other_words_than_the_paragraphs_are_sent_back_and_a_comment_stands_without_them(
    fake_endpoint: FakeEndpoint,
) -> None:
    wrong = {**REVIEW, "quote": "Coffee makes any plant thrive"}
    fake_endpoint.answer = Room(Review=[wrong, REVIEW, wrong])
    mended = await review(fake_endpoint)
    assert prompts(fake_endpoint, "Review")[1].count("are not in the paragraph; copy some exactly") == 1
    assert mended["comment"]
    assert mended["comment"]["quote"] in CLAIM
    found = await review(fake_endpoint)
    assert len(prompts(fake_endpoint, "Review")) == 4
    assert found["outcome"] == "comment"
    assert found["comment"]
    assert (found["comment"]["quote"], found["comment"]["start"]) == ("", 0)
    assert (found["comment"]["review"], found["comment"]["suggestion"]) == (REVIEW["review"], REVIEW["suggestion"])
    assert "The comment quoted no words of the paragraph, so it stands without a quote." in found["notes"]


async def test_a_quote_in_other_words_becomes_the_sentence_that_it_means(fake_endpoint: FakeEndpoint) -> None:
    loose = "the seedlings watered with cold tea grew taller than the others"
    fake_endpoint.answer = Room(Review=[{**REVIEW, "quote": loose}])
    found = await review(fake_endpoint)
    assert found["comment"]
    assert found["comment"]["quote"] == CLAIM.split(".")[0]


async def test_the_investigator_is_not_shown_the_paragraph_where_it_fills_a_passage(
    fake_endpoint: FakeEndpoint,
) -> None:
    long = f"{CLAIM} How many seedlings were watered with cold tea did not matter. {CLAIM}"
    fake_endpoint.answer = Room()
    await run(
        fake_endpoint, PAPER.replace(CLAIM, long), long, segment_characters=200, segment_overlap=0, retrieval="bm25"
    )
    (shown,) = prompts(fake_endpoint, "PassageAnswer")
    assert "did not matter" not in shown
    assert "24 seedlings of garden cress" in shown


async def test_the_type_of_a_noticed_weakness_stands_apart_from_it(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room()
    await review(fake_endpoint, extensions=["detect"])
    (shown,) = prompts(fake_endpoint, "Review")
    assert "problem: The conclusion goes beyond six trays on one window sill.\n" in shown
    assert "label: Empirical and Theoretical Soundness\n" in shown


async def test_evidence_that_does_not_exist_cannot_be_cited(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(Review=[{**REVIEW, "evidence": ["e9"]}, REVIEW])
    found = await review(fake_endpoint)
    first, second = (request for request in fake_endpoint.chat_requests if request.schema_name == "Review")
    assert first.schema
    assert first.schema["properties"]["evidence"]["items"]["const"] == "e1"
    assert "could not be used" in second.text
    assert found["comment"]
    assert [item["id"] for item in found["comment"]["evidence"]] == ["e1"]


@pytest.mark.parametrize(
    ("test", "outcome", "verdict"),
    [
        ({"missing": "the number", "quote": "We raised 24 seedlings", "given": True}, "comment", "softened"),
        ({"missing": "the number", "quote": "seen in every tray", "given": True}, "comment", "softened"),
        ({"missing": "the number", "quote": "We raised 900 seedlings", "given": True}, "comment", "kept"),
        ({"missing": "the number", "quote": "", "given": True}, "comment", "kept"),
        ({"missing": "the number", "quote": "We raised 24 seedlings", "given": False}, "comment", "kept"),
    ],
    ids=["given elsewhere", "given here", "invented", "without words", "not given"],
)
async def test_a_claim_that_something_is_missing_is_tested_against_the_paper(
    fake_endpoint: FakeEndpoint, test: dict[str, Any], outcome: str, verdict: str
) -> None:
    fake_endpoint.answer = Room(Review=[MISSING], AbsenceTest=[test])
    result = await run(fake_endpoint)
    (found,) = result["reviews"]
    assert found["outcome"] == outcome
    assert found["comment"]
    verification = found["comment"]["verification"]
    assert verification["verdict"] == verdict
    assert len(result["comments"]) == (outcome == "comment")
    if verdict == "softened":
        where = "“Methods”" if "24" in test["quote"] else "The paragraph itself"
        assert where in verification["notes"][-1]
        assert test["quote"] in verification["notes"][-1]


async def test_a_comment_that_claims_no_absence_costs_no_test(fake_endpoint: FakeEndpoint) -> None:
    positive = {**REVIEW, "review": "Six trays on one window sill differ in light as well as in water."}
    fake_endpoint.answer = Room(Review=[positive])
    await run(fake_endpoint)
    assert "AbsenceTest" not in steps(fake_endpoint)


async def test_a_number_that_nobody_has_given_is_told(fake_endpoint: FakeEndpoint) -> None:
    invented = {**REVIEW, "review": "The effect was seen in 75% of the 480 seedlings, which tea alone may explain."}
    fake_endpoint.answer = Room(Review=[invented])
    found = await review(fake_endpoint)
    assert found["comment"]
    (note,) = found["comment"]["verification"]["notes"]
    assert "75%" in note
    assert "480" in note
