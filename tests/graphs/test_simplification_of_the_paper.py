"""`--preset paper` is SoMS: who is asked, in which order, with what in the prompt, and sampled how.

All of it is read from what reached the endpoint.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from graphs.medical_simplification import graph
from nodes.simplification.agent import PROMPTS
from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import steps
from tests.support.society import ABSTRACT, Society, latest
from tests.support.steps import asked_for, list_headings, step_of

MODEL = "qwen1.5-7b-chat"
LEADS = ["layperson", "language_clarifier", "redundancy_checker", "layperson", "language_clarifier"]
QUESTIONS = [
    "Explain placebo.",
    "I do not understand OR 0.72.",
    "What are the main takeaways?",
    "What are the risks of budesonide?",
]
TAKEAWAYS = "ANSWER: fewer attacks, as many deaths."
COMMENT = "COMMENT: it did not reduce mortality."
ENTRIES = [
    ["AgentChoice", "Questions", "Answers", "rewrite_text", "AccuracyCheck", "correct_text", "AccuracyCheck"],
    ["AgentChoice", "Wordings", "WordingVerdicts", "Wordings", "WordingVerdicts", "enter_wordings"],
    ["AgentChoice", "Redundancies", "RemovalVerdicts", "leave_out_redundancies"],
    ["AgentChoice", "Questions", "Answers", "rewrite_text", "AccuracyCheck"],
    ["AgentChoice", "Wordings"],
    ["Redundancies"],  # with one lead left there is nothing to choose
]
BOTH_TEXTS = ["The original abstract", "The newest version of the text"]
ORIGINAL = ["The original abstract", "The newest version of the text is the original abstract"]
ROLE = ["Your role", "Your task", "Rules"]


AGENTS = {
    "Questions": "layperson",
    "Answers": "medical_expert",
    "AccuracyCheck": "medical_expert",
    "RemovalVerdicts": "medical_expert",
    "rewrite_text": "simplifier",
    "correct_text": "simplifier",
    "enter_wordings": "simplifier",
    "leave_out_redundancies": "simplifier",
    "WordingVerdicts": "simplifier",
    "Wordings": "language_clarifier",
    "Redundancies": "redundancy_checker",
}
"""Who answers with what."""


def version(number: int) -> str:
    """The text as it was written for the `number`th time; it ends in mid-sentence, which would call an extension up."""
    return f"VERSION-{number}: as a matter of fact, the drug led to amelioration. And so"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeEndpoint]:
    society = Society(
        AgentChoice=[{"reason": f"REASON-{number}", "agent": lead} for number, lead in enumerate(LEADS)],
        Questions=[{"questions": QUESTIONS}],
        Answers=[{"answers": [{"question": 3, "about": "the main takeaways", "answer": TAKEAWAYS}]}],
        rewrite_text=[latest(version(1), "FIT-1"), latest(version(5), "FIT-2")],
        correct_text=[latest(version(2))],
        enter_wordings=[latest(version(3))],
        leave_out_redundancies=[latest("VERSION-4: the drug led to less. And so")],
        AccuracyCheck=[{"comments": [COMMENT]}, {"comments": []}],
        Wordings=[
            {
                "suggestions": [
                    {"original": "amelioration", "replacement": "less illness"},
                    {"original": "the drug", "replacement": "the stuff"},
                ]
            },
            {"suggestions": [{"original": "the drug", "replacement": "the medicine"}]},
            {"suggestions": []},
        ],
        WordingVerdicts=[
            {
                "verdicts": [
                    {"number": 1, "reason": "It is plain.", "accept": True},
                    {"number": 2, "reason": "It is vague.", "accept": False},
                ]
            },
            {"verdicts": [{"number": 1, "reason": "It is exact.", "accept": True}]},
        ],
        Redundancies=[
            {"redundancies": [{"quote": "as a matter of fact", "reason": "It is empty."}]},
            {"redundancies": []},
        ],
    )
    with FakeEndpoint(models={MODEL: 32_768}, answer=society) as opened:
        yield opened


@pytest.fixture(scope="module", autouse=True)
def result(endpoint: FakeEndpoint, run_once: Callable[[Awaitable[Any]], Any]) -> dict[str, Any]:
    """One run, of which every test here reads what it asked the endpoint for."""
    context: Any = {"preset": "paper", "models": {"default": {"base_url": endpoint.base_url, "retry_wait_s": 0}}}
    return dict(run_once(graph.ainvoke({"abstract": ABSTRACT}, context=context)))


def role_of(agent: str) -> str:
    return (PROMPTS / f"_{agent}.md").read_text(encoding="utf-8").strip()


def test_who_is_asked_and_in_which_order(endpoint: FakeEndpoint, result: dict[str, Any]) -> None:
    assert steps(endpoint) == [step for entry in ENTRIES for step in entry]
    assert {request.model for request in endpoint.chat_requests} == {MODEL}
    chosen = result["settings"]["simplification"]
    assert (chosen["extensions"], chosen["entries"], chosen["stop"], chosen["revision_rounds"]) == ([], 2, "fixed", 3)
    assert [exchange["loop"] for exchange in result["history"]] == [*LEADS, "redundancy_checker"]
    assert (result["simplified"], result["selected_version"]) == (version(5), 6), "the last, as it was written"
    assert any("gpt-3.5-turbo-1106" in each for each in result["not_as_published"])
    assert any("invitation" in each for each in result["not_as_published"])
    assert all(not call["reask"] and not call["cuts"] for call in result["calls"])


def test_nothing_of_another_paper_is_sent_along(endpoint: FakeEndpoint) -> None:
    sampling = {"top_p", "temperature", "frequency_penalty", "repetition_penalty", "presence_penalty", "seed"}
    assert not any(sampling & set(request.body) for request in endpoint.chat_requests)


def test_each_agent_is_told_its_role_and_nothing_of_ours(endpoint: FakeEndpoint) -> None:
    asked = [request for request in endpoint.chat_requests if step_of(request) != "AgentChoice"]
    assert {step_of(request) for request in asked} == set(AGENTS)
    for request in asked:
        assert role_of(AGENTS[step_of(request)]) in request.text
        assert not re.search(r"readability measure|check by computer|school grade|words in all", request.text)
        if step_of(request).islower():
            assert request.schema is None, "a text is no JSON"
            assert "the entire text" in request.text
            assert "`# Latest Simplification`" in request.text


def test_the_selector_knows_every_role_and_all_that_was_said(endpoint: FakeEndpoint) -> None:
    asked = asked_for(endpoint, "AgentChoice")
    for request in asked:
        for agent in ("layperson", "language_clarifier", "redundancy_checker", "medical_expert", "simplifier"):
            assert role_of(agent) in request.text
        assert "first" not in request.text.split("# Who may act")[1], "no order is suggested"
    last = asked[-1].text
    said = [*QUESTIONS, TAKEAWAYS, "FIT-1", "FIT-2", COMMENT, "the rewritten text is accurate", "less illness"]
    for part in [*said, "the stuff", "It is vague.", "the medicine", "as a matter of fact", "It is empty."]:
        assert part in last
    assert re.findall(r"VERSION-\d", last) == ["VERSION-5"], "the newest version"
    assert "`layperson`" not in last.split("# Who may act")[1], "it has no entries left"


def test_the_layperson_has_the_text_alone_and_may_ask_for_the_main_takeaways(endpoint: FakeEndpoint) -> None:
    first, second = asked_for(endpoint, "Questions")
    for request in (first, second):
        assert list_headings(request) == ["The text", *ROLE, "Kinds of questions", "Output"]
        assert role_of("layperson") in request.text
        assert "At least four questions" in request.text
        assert "main takeaways" in request.text
    assert ABSTRACT in first.text
    assert ABSTRACT not in second.text
    assert "ANSWER" not in second.text, "it remembers nothing"


def test_the_expert_answers_what_was_asked(endpoint: FakeEndpoint) -> None:
    first, second = asked_for(endpoint, "Answers")
    assert list_headings(first) == [*ORIGINAL, *ROLE, "The questions", "Output"]
    assert list_headings(second) == [*BOTH_TEXTS, *ROLE, "What you remember, newest first", "The questions", "Output"]
    for request in (first, second):
        assert ABSTRACT in request.text
        assert all(question in request.text for question in QUESTIONS)
    assert TAKEAWAYS in second.text
    assert COMMENT in second.text


def test_the_simplifier_reasons_and_rewrites_the_original_from_its_memory(endpoint: FakeEndpoint) -> None:
    first, second = asked_for(endpoint, "rewrite_text")
    parts = ["Your role", "Your task", "Steps", "Rules"]
    assert list_headings(first) == [*ORIGINAL, *parts, "The clarifications", "Output"]
    assert list_headings(second) == [
        *BOTH_TEXTS,
        *parts,
        "What you remember, newest first",
        "The clarifications",
        "Output",
    ]
    output = first.text.split("# Output")[1]
    assert 0 < output.index("`# Reasoning`") < output.index("`# Latest Simplification`"), "first the reasoning"
    assert f"1. {QUESTIONS[2]} the main takeaways: {TAKEAWAYS}" in first.text
    assert ABSTRACT in second.text
    assert "VERSION-4" in second.text
    for part in (
        f"The medical expert said: the main takeaways: {TAKEAWAYS}",
        f"The medical expert commented on my text: {COMMENT}",
        'I accepted the wording "amelioration" -> "less illness"',
        'I rejected the wording "the drug" -> "the stuff"',
        'I accepted the wording "the drug" -> "the medicine"',
        'I left out "as a matter of fact"',
    ):
        assert part in second.text


def test_the_expert_reviews_each_text_of_the_laypersons_loop_and_the_simplifier_corrects_it(
    endpoint: FakeEndpoint,
) -> None:
    reviews = asked_for(endpoint, "AccuracyCheck")
    assert [re.findall(r"VERSION-\d", each.text)[0] for each in reviews] == ["VERSION-1", "VERSION-2", "VERSION-5"]
    first, second, _ = reviews
    (correcting,) = asked_for(endpoint, "correct_text")
    assert list_headings(first) == [*BOTH_TEXTS, *ROLE, "Output"]
    assert [re.findall(r"VERSION-\d", each.text) for each in (first, correcting, second)] == [
        ["VERSION-1"],
        ["VERSION-1"],
        ["VERSION-2"],
    ]
    assert list_headings(correcting) == [
        *BOTH_TEXTS,
        *ROLE,
        "What you remember, newest first",
        "The comments",
        "Output",
    ]
    assert TAKEAWAYS in correcting.text, "it remembers what was clarified in this entry"
    assert f"1. {COMMENT}" in correcting.text
    assert COMMENT in second.text


def test_wordings_go_back_and_forth_until_all_are_accepted_and_then_enter_the_text(
    endpoint: FakeEndpoint,
) -> None:
    proposing, revising, _ = asked_for(endpoint, "Wordings")
    judging = asked_for(endpoint, "WordingVerdicts")
    (entering,) = asked_for(endpoint, "enter_wordings")
    memory = "What you remember, newest first"
    assert list_headings(proposing) == ["The text", *ROLE, memory, "Output"]
    assert list_headings(revising) == ["The text", *ROLE, memory, "The rejected suggestions", "Output"]
    assert "It is vague." in revising.text
    assert "amelioration" not in revising.text.split("# The rejected suggestions")[1]
    for request in judging:
        assert list_headings(request)[:2] == BOTH_TEXTS
        assert "What you remember, newest first" in list_headings(request)
    assert '"amelioration" -> "less illness"' in entering.text
    assert '"the drug" -> "the medicine"' in entering.text
    assert "the stuff" not in entering.text


def test_only_validated_parts_are_taken_out_and_the_simplifier_mends_the_text(endpoint: FakeEndpoint) -> None:
    quoting, _ = asked_for(endpoint, "Redundancies")
    (validating,) = asked_for(endpoint, "RemovalVerdicts")
    (removing,) = asked_for(endpoint, "leave_out_redundancies")
    assert list_headings(quoting) == ["The text", *ROLE, "What you remember, newest first", "Output"]
    assert "at most five words" in quoting.text
    assert list_headings(validating)[:2] == list_headings(removing)[:2] == BOTH_TEXTS
    assert '1. "as a matter of fact" (It is empty.)' in validating.text
    assert '1. "as a matter of fact": It is empty.' in removing.text
    assert "grammatical" in removing.text
