"""The order of the society's loops, its selector and its stop rules, against the fake endpoint."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from graphs.medical_simplification import LOOPS, builder, graph
from state.errors import ModelOutputError, NoUsableResultError, RequestFailedError
from state.simplification import SimplificationOutput
from tests.fake_endpoint import FakeEndpoint, Script, Status, Text, When
from tests.support.newsroom import steps
from tests.support.society import ABSTRACT, BY_CODE, Chaos, Society, context, entries, latest, run
from tests.support.steps import step_of
from tools.models.client import HARMLESS_PROMPT
from tools.models.fitting import REASK_TOKENS
from tools.text import find_occurrences, remove_verbatim, replace_verbatim

CHOICE = "AgentChoice"
FAILS = [Text("I would rather not.")]


@pytest.mark.parametrize(("loops", "count"), [([*LOOPS], 2), ([*LOOPS][:2], 1), ([*LOOPS][2:], 3)])
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


async def test_a_history_that_outgrows_the_context_is_summarised_oldest_first(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(HistorySummary=[{"summary": "SUMMARY-5 of what the agents did so far."}])
    chosen = context(fake_endpoint, entries=6, loops=["layperson", "language_clarifier"])
    whole = await graph.ainvoke({"abstract": ABSTRACT}, context=chosen)
    prompts = [call["input_tokens"] for call in whole["calls"] if call["step"] == "select_agent"]
    assert "HistorySummary" not in steps(fake_endpoint)

    between, answer = (min(prompts) + max(prompts)) // 2, 128
    selector = {"context_length": between + REASK_TOKENS + answer, "max_tokens": answer}
    models = {**chosen["models"], "agent_selector": selector}
    result = await graph.ainvoke({"abstract": ABSTRACT}, context={**chosen, "models": models})
    assert "HistorySummary" in steps(fake_endpoint)
    last = [request.text for request in fake_endpoint.chat_requests if request.schema_name == CHOICE][-1]
    assert "SUMMARY-5" in last
    assert not any(call["trims"] for call in result["calls"] if call["step"] == "select_agent")


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
    easy = latest("The drug helped. It was safe. We are glad that it was so.")
    fake_endpoint.answer = Society(rewrite_text=[easy])
    choices: dict[str, Any] = {"loops": ["layperson"], "entries": 3, "target_grade": 6, "max_words": 40}
    result = await run(fake_endpoint, stop="adaptive", **choices)
    assert result["stop_reason"] == "target reached"
    assert len(result["history"]) == 1
    (rewriting,) = [each for each in fake_endpoint.chat_requests if step_of(each) == "rewrite_text"]
    assert "school grade 6" in rewriting.text
    assert "At most 40 words" in rewriting.text
    fixed = await run(fake_endpoint, stop="fixed", **choices)
    assert len(fixed["history"]) == 3


async def test_the_single_model_rewrites_once(fake_endpoint: FakeEndpoint) -> None:
    result = await run(fake_endpoint, variant="single", extensions="all", preset="paper", target_grade=6)
    assert "target_grade = 6.0" in result["not_as_published"][-1]
    assert "selector" not in "".join(result["not_as_published"][:-1]), "of the society"
    assert steps(fake_endpoint) == ["rewrite_alone"]
    assert [version["loop"] for version in result["versions"]] == ["", "single"]
    assert (result["history"], result["stop_reason"]) == ([], "single rewrite")


async def test_an_agent_that_talks_nonsense_ends_its_loop_and_not_the_run(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(Questions=FAILS)
    result = await run(fake_endpoint, entries=1)
    problems = {exchange["loop"]: bool(exchange["problem"]) for exchange in result["history"]}
    assert problems == {"layperson": True, "language_clarifier": False, "redundancy_checker": False}
    assert steps(fake_endpoint).count("Questions") == 2
    assert sum(call["role"] == "layperson" for call in result["calls"]) == 2, "nonsense costs tokens, too"


async def test_a_loop_whose_agent_cannot_read_the_whole_text_ends_and_not_the_run(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.models = {"large": 8192, "small": 512}
    chosen = context(fake_endpoint, entries=1)
    chosen["models"]["layperson"] = {"model": "small"}
    result = await graph.ainvoke({"abstract": ABSTRACT}, context=chosen)
    assert {exchange["loop"]: exchange["problem"] for exchange in result["history"]} == {
        "layperson": "its prompt ask_questions does not fit the 512 tokens of 'small'",
        "language_clarifier": "",
        "redundancy_checker": "",
    }


async def test_words_of_a_server_that_refuses_all_loops_are_told_with_what_to_set(fake_endpoint: FakeEndpoint) -> None:
    words = "Your input exceeds the context window of this model."
    fake_endpoint.answer = lambda _: Status(400, words)
    with pytest.raises(NoUsableResultError) as caught:
        await run(fake_endpoint, entries=1)
    assert f"“{words}”; set `context_length` as its server does, or lower `max_tokens`" in str(caught.value)
    assert "more `max_tokens` only if they are cut off" in str(caught.value)


async def test_a_request_that_alone_fails_each_time_ends_a_run_that_goes_on(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "faulty"}}
    chosen = context(fake_endpoint, entries=1)
    chosen["models"]["default"]["retries"] = 1
    fails = When(Status(500), schema="Wordings", where=lambda request: HARMLESS_PROMPT not in request.text)
    fake_endpoint.answer = Script([fails], otherwise=Society())
    with pytest.raises(
        RequestFailedError, match=r"status 500.*, but answers other requests; look at its log, then resume"
    ):
        await checkpointed.ainvoke({"abstract": ABSTRACT}, config, context=chosen)
    fake_endpoint.answer = Society()
    result = await checkpointed.ainvoke(None, config, context=chosen)
    assert [exchange["problem"] for exchange in result["history"]] == [""] * 3


async def test_a_result_that_is_the_source_says_so(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society(Questions=FAILS, Wordings=[{"suggestions": []}], Redundancies=[{"redundancies": []}])
    result = await run(fake_endpoint, entries=1)
    assert result["simplified"] == ABSTRACT
    assert result["warnings"] == [
        "the text is the source, word for word: nothing was changed; 1 of 3 loops ended early"
    ]


async def test_nonsense_from_everyone_is_never_shown_as_a_result(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = lambda _: Text("I would rather not.")
    with pytest.raises(ModelOutputError, match="No loop was completed"):
        await run(fake_endpoint, entries=1)


async def test_a_thread_that_is_given_a_new_abstract_starts_afresh(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "twice"}}
    chosen = context(fake_endpoint, loops=["layperson"], entries=1)
    first = await checkpointed.ainvoke({"abstract": ABSTRACT}, config, context=chosen)
    second = await checkpointed.ainvoke({"abstract": ABSTRACT}, config, context=chosen)
    for name in ("versions", "history", "memories", "all_changes", "calls"):
        assert len(second[name]) == len(first[name])  # type: ignore[literal-required]


@settings(max_examples=6, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=10**6),
    extensions=st.sampled_from([[*BY_CODE, "sentence_by_sentence"], "none", "all"]),
)
def test_whatever_the_models_answer_each_loop_keeps_its_cap_and_its_rules(seed: int, extensions: Any) -> None:
    result = after_chaos(seed, extensions)
    for exchange in result["history"] if result and isinstance(extensions, list) else ():
        before, after = (result["versions"][exchange["entry"] - step]["text"] for step in (1, 0))
        check_wordings(result, exchange, before, after)
        check_removals(exchange, before, after)


def after_chaos(seed: int, extensions: Any) -> Any:
    """The result of a run whose models talk nonsense; None if every loop met it, which is no result."""
    with FakeEndpoint(answer=Chaos(seed)) as endpoint:
        try:
            result = asyncio.run(run(endpoint, entries=2, revision_rounds=2, extensions=extensions))
        except ModelOutputError:
            return None
    assert entries(result) == Counter(dict.fromkeys(LOOPS, 2))
    for exchange in result["history"]:
        assert max((item["round"] for item in exchange["suggestions"]), default=0) <= 2
    return result


def test_of_overlapping_removals_only_the_first_is_made() -> None:
    parts = [{"quote": quote, "reason": "It is empty."} for quote in ("It is worth", "worth noting that")]
    verdicts = [{"number": number, "justification": "It says nothing.", "remove": True} for number in (1, 2)]
    society = Society(Redundancies=[{"redundancies": parts}], RemovalVerdicts=[{"verdicts": verdicts}])
    text = f"It is worth noting that this was a trial. {ABSTRACT}"
    with FakeEndpoint(answer=society) as endpoint:
        result = asyncio.run(run(endpoint, text, loops=["redundancy_checker"], entries=1, extensions=BY_CODE))
    (exchange,) = result["history"]
    assert [part["verdict"] for part in exchange["redundancies"]] == ["removed", "kept"]
    assert exchange["redundancies"][1]["justification"] == "The text does not contain these words."
    assert [change["before"] for change in result["all_changes"]] == ["It is worth"]


def check_wordings(result: SimplificationOutput, exchange: Any, before: str, after: str) -> None:
    """Accepted wordings are all that the language clarifier's loop changes."""
    for item in exchange["suggestions"]:
        if item["verdict"] != "accepted":
            assert item["replacement"] not in after
    if exchange["loop"] == "language_clarifier":
        for change in result["all_changes"]:
            if change["entry"] == exchange["entry"]:
                before = replace_verbatim(before, change["before"], change["after"])
        assert after == before


def check_removals(exchange: Any, before: str, after: str) -> None:
    """Validated quotes are all that the redundancy checker's loop removes."""
    if exchange["loop"] != "redundancy_checker":
        return
    for part in exchange["redundancies"]:
        if part["verdict"] == "removed" and not exchange["problem"]:
            assert find_occurrences(before, part["quote"])
            before = remove_verbatim(before, part["quote"])
    assert after == before
