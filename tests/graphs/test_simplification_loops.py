"""What the society's loops do with the text, and what its guard makes of that, against the fake endpoint."""

from __future__ import annotations

import pytest

from tests.fake_endpoint import FakeEndpoint, Text
from tests.support.newsroom import steps
from tests.support.society import ABSTRACT, BY_CODE, PART, WORDING, Society, run


async def test_answers_reach_the_simplifier_and_the_glossary(fake_endpoint: FakeEndpoint) -> None:
    questions = {"questions": [f"What is word number {n}?" for n in range(4)]}
    answers = {"answers": [{"question": 2, "about": "asthma", "answer": "ANSWER-3: swollen airways."}]}
    text = {"fits": ["first sentence"], "paragraphs": ["The study had 1840 adults with asthma, swollen airways."]}
    fake_endpoint.answer = Society(Questions=[questions], Answers=[answers], ReasonedSimplification=[text])
    result = await run(fake_endpoint, loops=["layperson"], entries=1)
    assert "ANSWER-3" in fake_endpoint.chat_requests[2].text
    assert [entry["term"] for entry in result["glossary"]] == ["asthma"]
    assert result["simplified"] == text["paragraphs"][0]
    (change,) = result["all_changes"]
    assert (change["loop"], change["agent"], change["kind"]) == ("layperson", "simplifier", "rewrite")
    assert "word number 1" in change["because"]


async def test_an_accepted_wording_enters_the_text_and_nothing_else_changes(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society()
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1, extensions=BY_CODE)
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


async def test_code_rejects_a_wording_for_what_the_text_does_not_have(fake_endpoint: FakeEndpoint) -> None:
    bad = {"suggestions": [{"original": "words that are not there", "replacement": "other words"}]}
    fake_endpoint.answer = Society(Wordings=[bad, {"suggestions": []}])
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1, extensions=BY_CODE)
    (suggestion,) = result["history"][0]["suggestions"]
    assert (suggestion["verdict"], suggestion["judge"]) == ("rejected", "guard")
    assert "does not contain" in suggestion["reason"]
    assert "WordingVerdicts" not in steps(fake_endpoint), "the simplifier is not asked about it"
    assert result["simplified"] == ABSTRACT


async def test_only_what_the_expert_validated_is_removed(fake_endpoint: FakeEndpoint) -> None:
    other = {"quote": "overall", "reason": "It says nothing."}
    verdicts = [
        {"number": 1, "justification": "It is empty.", "remove": True},
        {"number": 2, "justification": "It matters.", "remove": False},
    ]
    fake_endpoint.answer = Society(
        Redundancies=[{"redundancies": [PART, other]}], RemovalVerdicts=[{"verdicts": verdicts}]
    )
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1, extensions=BY_CODE)
    assert result["simplified"] == ABSTRACT.replace("In actual fact, the", "The")
    assert [part["verdict"] for part in result["history"][0]["redundancies"]] == ["removed", "kept"]


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("not in the text", "does not contain"),
        ("of", "times"),
    ],
)
async def test_code_keeps_a_quote_that_stands_nowhere_or_twice(
    fake_endpoint: FakeEndpoint, quote: str, reason: str
) -> None:
    fake_endpoint.answer = Society(Redundancies=[{"redundancies": [{"quote": quote, "reason": "superfluous"}]}])
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1, extensions=BY_CODE)
    (part,) = result["history"][0]["redundancies"]
    assert (part["verdict"], part["judge"]) == ("kept", "guard")
    assert reason in part["justification"]
    assert steps(fake_endpoint) == ["Redundancies"], "the expert is not asked about it"
    assert result["simplified"] == ABSTRACT


async def test_a_loss_is_reported(fake_endpoint: FakeEndpoint) -> None:
    lossy = {"fits": ["all"], "paragraphs": [ABSTRACT.replace("400 mcg twice daily", "twice daily")]}
    fake_endpoint.answer = Society(ReasonedSimplification=[lossy])
    result = await run(fake_endpoint, loops=["layperson"], entries=1)
    assert [item["text"] for item in result["lost"]] == ["400 mcg"]
    assert result["versions"][-1]["lost"] == result["lost"]


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
    abstract = f"{old} It helped."
    fake_endpoint.answer = Society(
        ReasonedSimplification=[{"fits": ["all"], "paragraphs": [abstract]}], EasySentence=[{"easy": new}]
    )
    result = await run(
        fake_endpoint, abstract, loops=["layperson"], entries=1, accuracy_check=False, extensions=["rewrite_copied"]
    )
    assert f"# The hard sentence\n\n{old}\n" in fake_endpoint.chat_requests[-1].text
    assert result["simplified"] == (abstract.replace(old, new) if kept else abstract)
    assert [change["after"] for change in result["all_changes"]] == ([new] if kept else [])


async def test_the_simplifier_writes_the_text_with_accepted_wordings_of_all_rounds(
    fake_endpoint: FakeEndpoint,
) -> None:
    other = {"original": "placebo", "replacement": "a dummy drug"}
    better = {"original": "placebo", "replacement": "a drug without effect"}
    first = [
        {"number": 1, "reason": "It is shorter.", "accept": True},
        {"number": 2, "reason": "Too rude.", "accept": False},
    ]
    text = ABSTRACT.replace("placebo", "a drug without effect").replace("It was subsequently determined that", "Later")
    fake_endpoint.answer = Society(
        Wordings=[{"suggestions": [WORDING, other]}, {"suggestions": [better]}],
        WordingVerdicts=[
            {"verdicts": first},
            {"verdicts": [{"number": 1, "reason": "It is plain.", "accept": True}]},
        ],
        LatestSimplification=[{"paragraphs": [text]}],
    )
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1)
    assert steps(fake_endpoint) == ["Wordings", "WordingVerdicts"] * 2 + ["LatestSimplification", "AccuracyCheck"]
    entering = fake_endpoint.chat_requests[-2].text
    assert '"placebo" -> "a drug without effect"' in entering
    assert WORDING["replacement"] in entering
    assert result["simplified"] == text
    assert [(change["kind"], change["agent"], change["because"]) for change in result["all_changes"]] == [
        ("substitution", "simplifier", '"placebo" -> "a drug without effect": It is plain.'),
        (
            "substitution",
            "simplifier",
            f'"{WORDING["original"]}" -> "{WORDING["replacement"]}": It is shorter.',
        ),
    ]


async def test_what_was_accepted_before_an_agent_failed_enters_the_text(fake_endpoint: FakeEndpoint) -> None:
    other = {"original": "placebo", "replacement": "a dummy drug"}
    verdicts = [{"number": 1, "reason": "Good.", "accept": True}, {"number": 2, "reason": "Bad.", "accept": False}]
    fake_endpoint.answer = Society(
        Wordings=[{"suggestions": [WORDING, other]}, Text("I would rather not.")],
        WordingVerdicts=[{"verdicts": verdicts}],
    )
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=2, extensions=BY_CODE)
    assert result["history"][0]["problem"].startswith("language_clarifier")
    assert "Later, attacks" in result["versions"][1]["text"]


async def test_a_removal_is_mended_by_the_simplifier(fake_endpoint: FakeEndpoint) -> None:
    mended = ABSTRACT.replace("In actual fact, the", "The")
    fake_endpoint.answer = Society(LatestSimplification=[{"paragraphs": [mended]}])
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1)
    assert '1. "In actual fact,": It says nothing.' in fake_endpoint.chat_requests[-2].text
    assert [part["verdict"] for part in result["history"][0]["redundancies"]] == ["removed"]
    assert result["simplified"] == mended
    (change,) = result["all_changes"]
    assert (change["kind"], change["because"]) == ("removal", '"In actual fact,": It says nothing.')


async def test_what_the_simplifier_failed_to_leave_out_is_not_called_removed(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(LatestSimplification=[Text("I would rather not.")])
    result = await run(fake_endpoint, loops=["redundancy_checker", "layperson"], entries=1)
    (exchange,) = (each for each in result["history"] if each["loop"] == "redundancy_checker")
    assert exchange["problem"].startswith("simplifier")
    assert [part["verdict"] for part in exchange["redundancies"]] == ["validated"]
    told = [memory for memory in result["memories"] if memory["entry"] == exchange["entry"]]
    assert {memory["agent"] for memory in told} == {"redundancy_checker", "medical_expert"}
    assert not any("removed" in memory["text"] for memory in told)


async def test_what_the_new_text_still_has_is_not_called_removed(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(LatestSimplification=[{"paragraphs": [ABSTRACT]}])
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1)
    assert [part["verdict"] for part in result["history"][0]["redundancies"]] == ["validated"]
    assert not any("I left out" in memory["text"] for memory in result["memories"])


async def test_what_the_text_never_had_is_not_called_removed(fake_endpoint: FakeEndpoint) -> None:
    absent = {"quote": "words that are not there", "reason": "They say nothing."}
    fake_endpoint.answer = Society(
        Redundancies=[{"redundancies": [absent, PART]}],
        RemovalVerdicts=[
            {"verdicts": [{"number": number, "justification": "It is empty.", "remove": True} for number in (1, 2)]}
        ],
        LatestSimplification=[{"paragraphs": [ABSTRACT.replace("In actual fact, the", "The")]}],
    )
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1)
    never, left_out = result["history"][0]["redundancies"]
    assert (never["verdict"], never["justification"], never["judge"]) == (
        "kept",
        "The text does not contain these words.",
        "guard",
    )
    assert left_out["verdict"] == "removed"
    told = [memory["text"] for memory in result["memories"] if "I left out" in memory["text"]]
    assert told == ['I left out "In actual fact,", for it is redundant: It says nothing.']


async def test_a_text_about_something_else_is_returned_with_a_warning(fake_endpoint: FakeEndpoint) -> None:
    recipe = {"fits": ["all"], "paragraphs": ["This is how to bake a pie. Mix it and let it be."]}
    fake_endpoint.answer = Society(ReasonedSimplification=[recipe])
    (warning,) = (await run(fake_endpoint, loops=["layperson"], entries=1))["warnings"]
    assert "hardly about its source" in warning


async def test_a_text_about_the_abstract_has_no_warning(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society()
    assert (await run(fake_endpoint, loops=["language_clarifier"], entries=1, extensions=BY_CODE))["warnings"] == []
