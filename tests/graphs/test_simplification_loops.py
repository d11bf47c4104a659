"""What the society's loops do with the text, and what its guard makes of that, against the fake endpoint."""

from __future__ import annotations

import pytest

from nodes.simplification.simplifier import MOST_HARD_SENTENCES
from tests.fake_endpoint import FakeEndpoint
from tests.graphs.society import ABSTRACT, PART, SCHEMAS, WORDING, Society, run
from tests.graphs.support import steps
from tools.readability import hard_sentences


async def test_answers_reach_the_simplifier_and_the_glossary(fake_endpoint: FakeEndpoint) -> None:
    questions = {"questions": [{"words": "asthma", "question": f"What is word number {n}?"} for n in range(4)]}
    answers = {"answers": [{"question": 2, "term": "asthma", "answer": "ANSWER-3: swollen airways."}]}
    text = {"fits": ["first sentence"], "paragraphs": ["The study had 1840 adults with asthma, swollen airways."]}
    fake_endpoint.answer = Society(Questions=[questions], Answers=[answers], ReasonedSimplification=[text])
    result = await run(fake_endpoint, loops=["layperson"], entries=1)
    assert "ANSWER-3" in fake_endpoint.chat_requests[-1].text
    assert [entry["term"] for entry in result["glossary"]] == ["asthma"]
    assert result["simplified"] == text["paragraphs"][0]
    (change,) = result["all_changes"]
    assert (change["loop"], change["agent"], change["kind"]) == ("layperson", "simplifier", "rewrite")
    assert "word number 1" in change["because"]


async def test_the_layperson_never_sees_the_source_and_has_no_memory(fake_endpoint: FakeEndpoint) -> None:
    new = {"fits": ["all"], "paragraphs": ["The study looked at adults with asthma."]}
    fake_endpoint.answer = Society(ReasonedSimplification=[new])
    await run(fake_endpoint, loops=["layperson"], entries=2)
    second = [request.text for request in fake_endpoint.chat_requests if request.schema_name == "Questions"][1]
    assert "budesonide" not in second
    assert "What you remember" not in second


async def test_agents_with_a_memory_remember_in_words(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society()
    result = await run(fake_endpoint, entries=2)
    assert {memory["agent"] for memory in result["memories"]} == {
        "medical_expert",
        "simplifier",
        "language_clarifier",
        "redundancy_checker",
    }
    second = [request.text for request in fake_endpoint.chat_requests if request.schema_name == "Wordings"][-1]
    assert f'I suggested "{WORDING["original"]}"' in second


async def test_an_accepted_wording_enters_the_text_and_nothing_else_changes(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society()
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1)
    assert result["simplified"] == ABSTRACT.replace(WORDING["original"], WORDING["replacement"])
    (change,) = result["all_changes"]
    assert (change["kind"], change["because"]) == ("substitution", "It is shorter.")


async def test_rejected_wordings_go_back_until_the_rounds_are_used_up(fake_endpoint: FakeEndpoint) -> None:
    rejected = {"verdicts": [{"number": 1, "reason": "REASON-4 against it.", "accept": False}]}
    fake_endpoint.answer = Society(Wordings=[{"suggestions": [WORDING]}], WordingVerdicts=[rejected])
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1, revision_rounds=3)
    assert steps(fake_endpoint) == ["Wordings", "WordingVerdicts"] * 3
    assert "REASON-4" in fake_endpoint.chat_requests[2].text
    verdicts = [item["verdict"] for item in result["history"][0]["suggestions"]]
    assert verdicts == ["rejected", "rejected", "dropped"]
    assert result["simplified"] == ABSTRACT


@pytest.mark.parametrize(
    ("original", "replacement", "reason"),
    [
        ("words that are not there", "other words", "does not contain"),
        ("did not reduce mortality", "reduced deaths", "would lose"),
        ("400 mcg", "a dose", "would lose"),
        ("chronic asthma", "chronic asthma since 1994", "does not say"),
    ],
)
async def test_code_rejects_a_wording_that_cannot_be_right(
    fake_endpoint: FakeEndpoint, original: str, replacement: str, reason: str
) -> None:
    bad = {"suggestions": [{"original": original, "meaning": "a test", "replacement": replacement}]}
    fake_endpoint.answer = Society(Wordings=[bad, {"suggestions": []}])
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1)
    (suggestion,) = result["history"][0]["suggestions"]
    assert (suggestion["verdict"], suggestion["judge"]) == ("rejected", "guard")
    assert reason in suggestion["reason"]
    assert "WordingVerdicts" not in steps(fake_endpoint), "the simplifier is not asked about it"
    assert result["simplified"] == ABSTRACT


async def test_a_wording_that_changes_nothing_is_neither_judged_nor_revised(fake_endpoint: FakeEndpoint) -> None:
    idle = {"suggestions": [{"original": "placebo", "meaning": "a test", "replacement": "Placebo"}]}
    fake_endpoint.answer = Society(Wordings=[idle])
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1)
    assert steps(fake_endpoint) == ["Wordings"]
    assert result["history"][0]["suggestions"] == []


async def test_only_what_the_expert_validated_is_removed(fake_endpoint: FakeEndpoint) -> None:
    other = {"quote": "overall", "reason": "It says nothing."}
    verdicts = [
        {"number": 1, "justification": "It is empty.", "remove": True},
        {"number": 2, "justification": "It matters.", "remove": False},
    ]
    fake_endpoint.answer = Society(
        Redundancies=[{"redundancies": [PART, other]}], RemovalVerdicts=[{"verdicts": verdicts}]
    )
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1)
    assert result["simplified"] == ABSTRACT.replace("In actual fact, the", "The")
    assert [part["verdict"] for part in result["history"][0]["redundancies"]] == ["removed", "kept"]


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("the overall quality of the evidence", "more than 5 words"),
        ("not in the text", "does not contain"),
        ("of", "times"),
        ("did not reduce", "would lose"),
    ],
)
async def test_code_keeps_a_quote_that_breaks_a_rule(fake_endpoint: FakeEndpoint, quote: str, reason: str) -> None:
    fake_endpoint.answer = Society(Redundancies=[{"redundancies": [{"quote": quote, "reason": "superfluous"}]}])
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1)
    (part,) = result["history"][0]["redundancies"]
    assert (part["verdict"], part["judge"]) == ("kept", "guard")
    assert reason in part["justification"]
    assert steps(fake_endpoint) == ["Redundancies"], "the expert is not asked about it"
    assert result["simplified"] == ABSTRACT


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        ("People breathed in 250 mcg of fluticasone. They did considerably better.", True),
        ("People breathed in fluticasone. They did considerably better.", False),
        ("People breathed in 250 mcg of fluticasone or 5 mg of prednisolone. They did considerably better.", False),
    ],
    ids=["easier", "loses the dose", "adds a drug"],
)
async def test_a_hard_sentence_that_was_copied_is_rewritten_by_itself_if_that_is_safe(
    fake_endpoint: FakeEndpoint, new: str, kept: bool
) -> None:
    old = "Inhalation of fluticasone 250 mcg demonstrated considerable therapeutic superiority."
    abstract = f"{ABSTRACT} {old}"
    hardest = hard_sentences(abstract, at_most=MOST_HARD_SENTENCES)
    copied = {"fits": ["all"], "paragraphs": [abstract]}
    fake_endpoint.answer = Society(
        ReasonedSimplification=[copied],
        RewrittenSentences=[{"rewrites": [{"number": hardest.index(old) + 1, "point": "a test", "rewritten": new}]}],
    )
    result = await run(fake_endpoint, abstract, loops=["layperson"], entries=1)
    assert f"{hardest.index(old) + 1}. {old}" in fake_endpoint.chat_requests[-1].text
    assert result["simplified"] == (abstract.replace(old, new) if kept else abstract)
    assert [change["after"] for change in result["all_changes"]] == ([new] if kept else [])


async def test_a_lost_detail_is_sent_back_once_and_restored(fake_endpoint: FakeEndpoint) -> None:
    lossy = {"fits": ["all"], "paragraphs": [ABSTRACT.replace("400 mcg twice daily", "twice daily")]}
    repair = {
        "point": 1,
        "sentence": 2,
        "rewritten": "Inhaled budesonide 400 mcg was compared with placebo for 24 weeks.",
    }
    fake_endpoint.answer = Society(ReasonedSimplification=[lossy], Repairs=[{"repairs": [repair]}])
    result = await run(fake_endpoint, loops=["layperson"], entries=1, restore="everything")
    assert steps(fake_endpoint) == [*SCHEMAS["layperson"], "RewrittenSentences", "Repairs"]
    assert '"400 mcg" from: Inhaled budesonide' in fake_endpoint.chat_requests[-1].text
    assert "400 mcg" in result["simplified"]
    assert result["lost"] == []
    assert [item["text"] for item in result["history"][0]["sent_back"]] == ["400 mcg"]
    assert result["all_changes"][-1]["kind"] == "restoration"


async def test_a_repair_that_does_not_help_is_left_out_and_the_loss_reported(fake_endpoint: FakeEndpoint) -> None:
    lossy = {"fits": ["all"], "paragraphs": [ABSTRACT.replace("400 mcg twice daily", "twice daily")]}
    worse = {"point": 1, "sentence": 2, "rewritten": "Some treatment was compared with another one."}
    fake_endpoint.answer = Society(ReasonedSimplification=[lossy], Repairs=[{"repairs": [worse]}])
    result = await run(fake_endpoint, loops=["layperson"], entries=1, restore="everything")
    assert result["simplified"] == lossy["paragraphs"][0]
    assert [item["text"] for item in result["lost"]] == ["400 mcg"]
    assert result["versions"][-1]["lost"] == result["lost"]


async def test_comments_of_the_expert_are_followed_if_it_is_asked_to_check(fake_endpoint: FakeEndpoint) -> None:
    rewritten = {"fits": ["all"], "paragraphs": [ABSTRACT.replace("chronic asthma", "asthma attacks")]}
    repair = {"point": 1, "sentence": 1, "rewritten": "We included 12 trials with 1840 adults who had chronic asthma."}
    fake_endpoint.answer = Society(
        ReasonedSimplification=[rewritten],
        AccuracyCheck=[{"comments": ["COMMENT-8: it was chronic asthma."]}],
        Repairs=[{"repairs": [repair]}],
    )
    result = await run(fake_endpoint, loops=["layperson"], entries=1, accuracy_check=True)
    assert steps(fake_endpoint)[-2:] == ["AccuracyCheck", "Repairs"]
    assert "COMMENT-8" in fake_endpoint.chat_requests[-1].text
    assert result["simplified"] == ABSTRACT
    assert result["all_changes"][-1]["because"] == "COMMENT-8: it was chronic asthma."


async def test_a_text_about_something_else_is_returned_with_a_warning(fake_endpoint: FakeEndpoint) -> None:
    recipe = {"fits": ["all"], "paragraphs": ["This is how to bake a pie. Mix it and let it be."]}
    fake_endpoint.answer = Society(ReasonedSimplification=[recipe])
    (warning,) = (await run(fake_endpoint, loops=["layperson"], entries=1))["warnings"]
    assert "hardly about its source" in warning


async def test_a_text_about_the_abstract_has_no_warning(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society()
    assert (await run(fake_endpoint, loops=["language_clarifier"], entries=1))["warnings"] == []
