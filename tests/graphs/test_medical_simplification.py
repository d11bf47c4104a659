"""The society's loops, selector, stop rules and guard, against the fake endpoint."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from graphs.medical_simplification import LOOPS, builder, graph
from nodes.simplification.simplifier import MOST_HARD_SENTENCES
from state.errors import BadInput, ModelOutputError, SettingsError
from state.simplification import SimplificationOutput
from tests.fake_endpoint import FakeEndpoint, Text, fill
from tests.graphs.society import ABSTRACT, PART, SCHEMAS, WORDING, Chaos, Society, context, entries, run
from tests.graphs.support import steps
from tools.readability import hard_sentences
from tools.text_edits import occurrences, remove, substitute

CHOICE = "AgentChoice"
FAILS = [Text("I would rather not.")]


def without_choices(endpoint: FakeEndpoint) -> list[str]:
    return [step for step in steps(endpoint) if step != CHOICE]


@pytest.mark.parametrize("loop", LOOPS)
async def test_each_loop_asks_its_agents_in_the_papers_order(fake_endpoint: FakeEndpoint, loop: str) -> None:
    fake_endpoint.answer = Society()
    result = await run(fake_endpoint, loops=[loop], entries=1)
    assert steps(fake_endpoint) == SCHEMAS[loop]
    assert [exchange["loop"] for exchange in result["history"]] == [loop]
    assert result["stop_reason"] == "entries used up"


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(
    "loops", [list(part) for size in (1, 2, 3) for part in itertools.combinations(LOOPS, size)], ids="+".join
)
async def test_the_run_ends_after_exactly_n_entries_into_each_loop(
    fake_endpoint: FakeEndpoint, loops: list[str], count: int
) -> None:
    result = await run(fake_endpoint, loops=loops, entries=count)
    assert entries(result) == Counter(dict.fromkeys(loops, count))
    assert [version["number"] for version in result["versions"]] == list(range(count * len(loops) + 1))
    assert result["stop_reason"] == "entries used up"


async def test_the_selector_may_choose_only_among_leads_with_entries_left(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(AgentChoice=[{"reason": "It must be so.", "agent": "layperson"}])
    result = await run(fake_endpoint, entries=1)
    asked = [request for request in fake_endpoint.chat_requests if request.schema_name == CHOICE]
    allowed = [request.schema["properties"]["agent"]["enum"] for request in asked if request.schema]
    assert allowed[0] == ["layperson", "language_clarifier", "redundancy_checker"]
    assert set(map(tuple, allowed[1:])) == {("language_clarifier", "redundancy_checker")}
    assert entries(result) == Counter(dict.fromkeys(LOOPS, 1)), "though the model insisted on the layperson"
    assert "first of them acts" in result["history"][1]["chosen_because"]
    assert len(asked) == 3, "once, then twice in vain; with one lead left nobody needs to be asked"
    assert sum(call["role"] == "agent_selector" for call in result["calls"]) == 3


async def test_the_selector_reads_the_whole_conversation(fake_endpoint: FakeEndpoint) -> None:
    society = Society(AgentChoice=[{"reason": "Terms first.", "agent": "language_clarifier"}])
    fake_endpoint.answer = society
    await run(fake_endpoint, entries=2)
    choices = [request.text for request in fake_endpoint.chat_requests if request.schema_name == CHOICE]
    assert "Nothing has been said yet." in choices[0]
    assert f'"{WORDING["original"]}" -> "{WORDING["replacement"]}": accepted' in choices[1]


async def test_a_history_that_outgrows_the_context_is_summarised_oldest_first(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(HistorySummary=[{"summary": "SUMMARY-5 of what the agents did so far."}])
    models = {"agent_selector": {"context_length": 1200, "max_tokens": 128}}
    chosen = context(fake_endpoint, entries=4, loops=["layperson", "language_clarifier"])
    chosen["models"] = {**chosen["models"], **models}
    result = await graph.ainvoke({"abstract": ABSTRACT}, context=chosen)
    assert "HistorySummary" in steps(fake_endpoint)
    last = [request.text for request in fake_endpoint.chat_requests if request.schema_name == CHOICE][-1]
    assert "SUMMARY-5" in last
    assert not any(call["trims"] for call in result["calls"] if call["step"] == "select_agent")


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


async def test_adaptive_lets_the_selector_end_only_after_a_loop_without_change(fake_endpoint: FakeEndpoint) -> None:
    none = {"redundancies": []}
    choices = [
        {"reason": "Words first.", "agent": "redundancy_checker"},
        {"reason": "All is plain now.", "agent": "done"},
    ]
    fake_endpoint.answer = Society(Redundancies=[none], AgentChoice=choices)
    result = await run(fake_endpoint, stop="adaptive")
    asked = [request for request in fake_endpoint.chat_requests if request.schema_name == CHOICE]
    assert ["done" in request.schema["properties"]["agent"]["enum"] for request in asked if request.schema] == [
        False,
        True,
    ]
    assert result["stop_reason"] == "nothing more to change"
    assert entries(result) == {"redundancy_checker": 1}


async def test_adaptive_stops_once_target_and_length_are_reached(fake_endpoint: FakeEndpoint) -> None:
    easy = {"fits": ["all"], "paragraphs": ["The drug helped. It was safe. We are glad that it was so."]}
    fake_endpoint.answer = Society(ReasonedSimplification=[easy])
    choices: dict[str, Any] = {"loops": ["layperson"], "entries": 3, "target_grade": 6, "max_words": 40}
    result = await run(fake_endpoint, stop="adaptive", **choices)
    assert result["stop_reason"] == "target reached"
    assert len(result["history"]) == 1
    assert "school grade 6" in fake_endpoint.chat_requests[-1].text
    assert "At most 40 words" in fake_endpoint.chat_requests[-1].text
    fixed = await run(fake_endpoint, stop="fixed", **choices)
    assert len(fixed["history"]) == 3


async def test_the_single_model_rewrites_once(fake_endpoint: FakeEndpoint) -> None:
    result = await run(fake_endpoint, variant="single", restore="everything")
    assert steps(fake_endpoint) == ["LatestSimplification"]
    assert [version["loop"] for version in result["versions"]] == ["", "single"]
    assert (result["history"], result["stop_reason"]) == ([], "single rewrite")


async def test_an_agent_that_talks_nonsense_ends_its_loop_and_not_the_run(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(Questions=FAILS)
    result = await run(fake_endpoint, entries=1)
    problems = {exchange["loop"]: bool(exchange["problem"]) for exchange in result["history"]}
    assert problems == {"layperson": True, "language_clarifier": False, "redundancy_checker": False}
    assert without_choices(fake_endpoint).count("Questions") == 2
    assert sum(call["role"] == "layperson" for call in result["calls"]) == 2, "nonsense costs tokens, too"


async def test_nonsense_from_everyone_is_never_shown_as_a_result(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = lambda _: Text("I would rather not.")
    with pytest.raises(ModelOutputError, match="No loop came to its end"):
        await run(fake_endpoint, entries=1)


async def test_bad_input_and_settings_are_refused_before_any_call(fake_endpoint: FakeEndpoint) -> None:
    with pytest.raises(BadInput):
        await run(fake_endpoint, abstract="  ")
    with pytest.raises(SettingsError, match="each loop once"):
        await run(fake_endpoint, loops=["layperson", "layperson"])
    assert fake_endpoint.chat_requests == []


async def test_a_thread_that_is_given_a_new_abstract_starts_afresh(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "twice"}}
    chosen = context(fake_endpoint, loops=["layperson"], entries=1)
    first = await checkpointed.ainvoke({"abstract": ABSTRACT}, config, context=chosen)
    second = await checkpointed.ainvoke({"abstract": ABSTRACT}, config, context=chosen)
    for name in ("versions", "history", "memories", "all_changes", "calls"):
        assert len(second[name]) == len(first[name])  # type: ignore[literal-required]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(min_value=0, max_value=10**6))
def test_whatever_the_models_answer_each_loop_keeps_its_cap_and_its_rules(seed: int) -> None:
    with FakeEndpoint(answer=Chaos(seed)) as endpoint:
        try:
            result = asyncio.run(run(endpoint, entries=2, revision_rounds=2))
        except ModelOutputError:  # every loop met nonsense, which is no result
            return
    assert entries(result) == Counter(dict.fromkeys(LOOPS, 2))
    for exchange in result["history"]:
        before, after = (result["versions"][exchange["entry"] - step]["text"] for step in (1, 0))
        check_wordings(result, exchange, before, after)
        check_removals(exchange, before, after)


def test_of_overlapping_removals_only_the_first_is_made() -> None:
    parts = [{"quote": quote, "reason": "It is empty."} for quote in ("It is worth", "worth noting that")]
    verdicts = [{"number": number, "justification": "It says nothing.", "remove": True} for number in (1, 2)]
    society = Society(Redundancies=[{"redundancies": parts}], RemovalVerdicts=[{"verdicts": verdicts}])
    text = f"It is worth noting that this was a trial. {ABSTRACT}"
    with FakeEndpoint(answer=society) as endpoint:
        result = asyncio.run(run(endpoint, text, loops=["redundancy_checker"], entries=1))
    (exchange,) = result["history"]
    assert [part["verdict"] for part in exchange["redundancies"]] == ["removed", "kept"]
    assert exchange["redundancies"][1]["justification"] == "The text does not contain these words."
    assert [change["before"] for change in result["all_changes"]] == ["It is worth"]


def check_wordings(result: SimplificationOutput, exchange: Any, before: str, after: str) -> None:
    """Accepted wordings are all that the language clarifier's loop changes."""
    rounds = Counter(item["round"] for item in exchange["suggestions"])
    assert max(rounds, default=0) <= 2
    for item in exchange["suggestions"]:
        if item["verdict"] != "accepted":
            assert item["replacement"] not in after
    if exchange["loop"] == "language_clarifier":
        for change in result["all_changes"]:
            if change["entry"] == exchange["entry"]:
                before = substitute(before, change["before"], change["after"])
        assert after == before


def check_removals(exchange: Any, before: str, after: str) -> None:
    """Validated quotes of at most five words are all that the redundancy checker's loop removes."""
    if exchange["loop"] != "redundancy_checker":
        return
    for part in exchange["redundancies"]:
        if part["verdict"] == "removed" and not exchange["problem"]:
            assert len(part["quote"].split()) <= 5
            assert occurrences(before, part["quote"])
            before = remove(before, part["quote"])
    assert after == before


def test_the_default_answers_of_the_fake_endpoint_are_usable() -> None:
    with FakeEndpoint(answer=fill) as endpoint:
        assert asyncio.run(run(endpoint))["simplified"]
