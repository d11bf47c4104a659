"""What the society's loops do with the text, and what its guard makes of that, against the fake endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_endpoint import FakeEndpoint, Text
from tests.support.newsroom import steps
from tests.support.society import ABSTRACT, BY_CODE, PART, WORDING, Society, latest, run
from tests.support.steps import step_of


async def test_answers_reach_the_simplifier_and_the_glossary(fake_endpoint: FakeEndpoint) -> None:
    questions = {"questions": [f"What is word number {n}?" for n in range(4)]}
    answers = {"answers": [{"question": 2, "about": "asthma", "answer": "ANSWER-3: swollen airways."}]}
    text = "The study had 1840 adults with asthma, swollen airways."
    fake_endpoint.answer = Society(Questions=[questions], Answers=[answers], rewrite_text=[latest(text, "It fits.")])
    result = await run(fake_endpoint, loops=["layperson"], entries=1)
    assert "ANSWER-3" in fake_endpoint.chat_requests[2].text
    assert [entry["term"] for entry in result["glossary"]] == ["asthma"]
    assert (result["simplified"], result["history"][0]["reasoning"]) == (text, ["It fits."])
    (change,) = result["all_changes"]
    assert (change["loop"], change["agent"], change["kind"]) == ("layperson", "simplifier", "rewrite")
    assert "word number 1" in change["because"]


async def test_rejected_wordings_go_back_until_the_rounds_are_used_up(fake_endpoint: FakeEndpoint) -> None:
    rejected = {"verdicts": [{"number": 1, "reason": "REASON-4 against it.", "accept": False}]}
    fake_endpoint.answer = Society(Wordings=[{"suggestions": [WORDING]}], WordingVerdicts=[rejected])
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1, revision_rounds=3)
    assert steps(fake_endpoint) == ["Wordings", "WordingVerdicts"] * 3
    assert "REASON-4" in fake_endpoint.chat_requests[2].text
    verdicts = [item["verdict"] for item in result["history"][0]["suggestions"]]
    assert verdicts == ["rejected", "rejected", "dropped"]
    assert result["simplified"] == ABSTRACT


@pytest.mark.parametrize("by_sentence", [False, True])
async def test_the_simplifier_is_asked_for_the_wordings_that_the_text_does_not_have(
    fake_endpoint: FakeEndpoint, by_sentence: bool
) -> None:
    other = {"original": "Treatment did NOT reduce mortality", "replacement": "As many died"}
    verdicts = [{"number": number, "reason": "It is shorter.", "accept": True} for number in (1, 2)]
    applied = ABSTRACT.replace(WORDING["original"], WORDING["replacement"])
    entered = applied.replace("Treatment did not reduce mortality", "As many died")
    fake_endpoint.answer = Society(
        Wordings=[{"suggestions": [WORDING, other]}],
        WordingVerdicts=[{"verdicts": verdicts}],
        enter_wordings=[latest(entered)],
    )
    extensions = [*BY_CODE, "sentence_by_sentence"] if by_sentence else BY_CODE
    result = await run(fake_endpoint, loops=["language_clarifier"], entries=1, extensions=extensions)
    assert result["simplified"] == (applied if by_sentence else entered)
    verdict = "dropped" if by_sentence else "accepted"
    assert [item["verdict"] for item in result["history"][0]["suggestions"]] == ["accepted", verdict]
    if not by_sentence:
        asked = fake_endpoint.chat_requests[-1].text
        assert applied in asked
        assert asked.split("# The accepted wordings")[1].count(" -> ") == 1


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


@pytest.mark.parametrize("by_sentence", [False, True])
@pytest.mark.parametrize("quote", ["not in the text", "of"], ids=["nowhere", "twice"])
async def test_the_simplifier_is_asked_to_take_out_what_the_text_does_not_have_once(
    fake_endpoint: FakeEndpoint, quote: str, by_sentence: bool
) -> None:
    fake_endpoint.answer = Society(
        Redundancies=[{"redundancies": [{"quote": quote, "reason": "superfluous"}]}],
        leave_out_redundancies=[latest(ABSTRACT)],
    )
    extensions = [*BY_CODE, "sentence_by_sentence"] if by_sentence else BY_CODE
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1, extensions=extensions)
    assert (steps(fake_endpoint)[-1] == "leave_out_redundancies") != by_sentence
    assert result["simplified"] == ABSTRACT


@pytest.mark.parametrize(
    ("answer", "is_text"),
    [
        (f"# Reasoning\n\n- It fits.\n\n**Latest Simplification**\n\n{ABSTRACT}", True),
        (f"## Reasoning:\n1. It fits.\n## The new text\n{ABSTRACT}", True),
        (ABSTRACT, True),
        ("# Reasoning\n\n- It fits.", False),
        (f"# Latest Simplification\n\nA layperson asked about the newest version of the text. {ABSTRACT}", True),
        (f"A layperson asked about the newest version of the text, and the medical expert answered. {ABSTRACT}", False),
    ],
    ids=["bold title", "another title", "no title", "no text", "words like its prompt's", "a sentence of its prompt"],
)
async def test_what_is_taken_as_the_text(fake_endpoint: FakeEndpoint, answer: str, is_text: bool) -> None:
    good = ABSTRACT.replace("In actual fact, the", "The")
    fake_endpoint.answer = Society(rewrite_text=[Text(answer), latest(good)])
    result = await run(fake_endpoint, loops=["layperson"], entries=1, accuracy_check=False)
    assert result["simplified"].endswith(ABSTRACT if is_text else good)
    assert "#" not in result["simplified"]
    assert "It fits" not in result["simplified"]
    assert steps(fake_endpoint).count("rewrite_text") == 2 - is_text


HARD = "Inhalation of fluticasone 250 mcg demonstrated considerable superiority versus placebo inhalation."
EASY = "People who breathed in fluticasone 250 mcg did better than people who breathed in placebo."
LIKED = "Participants subsequently demonstrated considerable satisfaction with inhalation therapy at home."


@pytest.mark.parametrize(
    ("old", "new", "is_kept"),
    [
        (HARD, EASY, True),
        (HARD, EASY.replace("250 mcg ", ""), False),
        (HARD, EASY.replace("placebo", "placebo or prednisolone"), False),
        (HARD, EASY.replace("better", "no better"), False),
        (LIKED, "Participants subsequently sang a song.", False),
    ],
    ids=["easier", "loses the dose", "adds a drug", "turns it round", "is about something else"],
)
async def test_a_sentence_is_replaced_if_the_easier_one_says_the_same(
    fake_endpoint: FakeEndpoint, old: str, new: str, is_kept: bool
) -> None:
    abstract = f"{old} It helped."
    fake_endpoint.answer = Society(rewrite_sentences=[Text(new)])
    choices: dict[str, Any] = {"loops": ["layperson"], "entries": 1, "accuracy_check": False}
    result = await run(fake_endpoint, abstract, **choices, extensions=["sentence_by_sentence"])
    (asked,) = [request.text for request in fake_endpoint.chat_requests if step_of(request) == "rewrite_sentences"]
    assert asked.index("# The answers of the medical expert") < asked.index(f"# The hard sentence\n\n{old}\n")
    assert result["simplified"] == (abstract.replace(old, new) if is_kept else abstract)
    assert [change["after"] for change in result["all_changes"]] == ([new] if is_kept else [])


async def test_of_the_versions_the_one_that_lost_least_is_returned_and_never_the_source(
    fake_endpoint: FakeEndpoint,
) -> None:
    lossy = ABSTRACT.replace("400 mcg twice daily", "twice daily")
    fake_endpoint.answer = Society(
        AgentChoice=[{"reason": "So.", "agent": agent} for agent in ("redundancy_checker", "language_clarifier")],
        Redundancies=[{"redundancies": []}],
        rewrite_text=[latest(lossy)],
    )
    result = await run(fake_endpoint, entries=1, extensions=BY_CODE)
    unchanged, kept, last = result["versions"][1:]
    assert (unchanged["text"], result["selected_version"], result["simplified"]) == (ABSTRACT, 2, kept["text"])
    assert (result["lost"], [detail["text"] for detail in last["lost"]]) == ([], ["400 mcg"])


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


async def test_what_the_simplifier_failed_to_leave_out_is_not_called_removed(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(leave_out_redundancies=[Text("# Latest Simplification")])
    result = await run(fake_endpoint, loops=["redundancy_checker", "layperson"], entries=1)
    (exchange,) = (each for each in result["history"] if each["loop"] == "redundancy_checker")
    assert exchange["problem"].startswith("simplifier")
    assert [part["verdict"] for part in exchange["redundancies"]] == ["validated"]
    told = [memory for memory in result["memories"] if memory["entry"] == exchange["entry"]]
    assert {memory["agent"] for memory in told} == {"redundancy_checker", "medical_expert"}
    assert not any("removed" in memory["text"] for memory in told)


async def test_what_the_new_text_still_has_is_not_called_removed(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(leave_out_redundancies=[latest(ABSTRACT)])
    result = await run(fake_endpoint, loops=["redundancy_checker"], entries=1)
    assert [part["verdict"] for part in result["history"][0]["redundancies"]] == ["validated"]
    assert not any("I left out" in memory["text"] for memory in result["memories"])


async def test_a_text_about_something_else_is_returned_with_a_warning(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(rewrite_text=[latest("This is how to bake a pie. Mix it and let it be.")])
    lost, subject = (await run(fake_endpoint, loops=["layperson"], entries=1))["warnings"]
    assert "it has lost" in lost
    assert "hardly about its source" in subject
