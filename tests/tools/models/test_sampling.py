"""Several answers from one request, and no more requests at once than an endpoint is to have."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from state.errors import ModelUnavailableError, SettingsError
from state.records import CallRecord
from tests.fake_endpoint import Choices, Json, Script, Status, Text
from tests.tools.models.desk import THREAD, Desk, Verdict
from tools.models.ask import Caller, ask_model
from tools.models.prompts import load_prompt

CELL, ATOM, JUNK = Json({"word": "cell"}), Json({"word": "atom"}), Text("I would rather not.")


class Words(TypedDict):
    words: list[str]
    unusable: list[str]
    calls: list[CallRecord]


BEGIN: Words = {"words": [], "unusable": [], "calls": []}


async def words(desk: Desk, number: int = 3, saver: Any = None, begin: Words | None = BEGIN, **choices: Any) -> Words:
    """Run a graph whose only node asks for several words; without a beginning it goes on where it stopped."""

    async def judge(_: Words) -> dict[str, Any]:
        variables: dict[str, object] = {"text": "A tale of cells.", "question": "Which word?"}
        caller, settings = Caller("reader", "judge", 1), desk.settings(**choices)
        prompt = await asyncio.to_thread(load_prompt, desk.prompt)
        samples = await ask_model(caller, prompt, variables, Verdict, settings, number=number, trim="text")
        return {"words": [value.word for value in samples.values], "unusable": samples.unusable, "calls": samples.calls}

    graph = StateGraph(Words).add_node(judge).add_edge(START, "judge").compile(checkpointer=saver)
    result: Any = await graph.ainvoke(begin, THREAD if saver else None, durability="sync" if saver else None)
    return result


async def test_one_request_brings_all_answers_and_is_counted_once(desk: Desk) -> None:
    desk.endpoint.answer = Script([Choices([CELL, ATOM, CELL])])
    result = await words(desk)
    assert result["words"] == ["cell", "atom", "cell"]
    (request,) = desk.endpoint.chat_requests
    assert request.n == 3
    (call,) = result["calls"]
    assert call["output_tokens"] > 2 * len("cell") / 4
    assert call["finish_reason"] == "stop"


async def test_unusable_answers_are_left_out_with_their_reasons(desk: Desk) -> None:
    cut = Text('{"word": "ce', finish_reason="length")
    desk.endpoint.answer = Script([Choices([JUNK, CELL, cut])])
    result = await words(desk)
    assert result["words"] == ["cell"]
    assert ["no JSON object" in result["unusable"][0], "cut off" in result["unusable"][1]] == [True, True]
    assert result["calls"][0]["finish_reason"] == "length, stop"


async def test_without_a_usable_answer_it_is_asked_once_more(desk: Desk) -> None:
    desk.endpoint.answer = Script([JUNK, Choices([JUNK, ATOM])])
    result = await words(desk)
    assert result["words"] == ["atom"]
    assert [call["reask"] for call in result["calls"]] == [False, True]
    assert "contains no JSON object" in desk.endpoint.chat_requests[1].text


@pytest.mark.parametrize("server", [{"ignores_n": True}, {"slots": 2}], ids=["ignores n", "refuses n"])
async def test_missing_answers_are_asked_for_one_by_one(server: dict[str, Any], desk: Desk) -> None:
    vars(desk.endpoint).update(server)
    refused = [None] if "ignores_n" not in server else []
    desk.endpoint.answer = Script([CELL, ATOM, CELL, CELL])
    result = await words(desk, seed=7)
    assert result["words"] == ["cell", "atom", "cell"]
    asked = [(body.get("n"), body["seed"]) for body in desk.sent]
    assert asked[len(refused) :] == [(None if refused else 3, 7), (None, 8), (None, 9)], "each with a seed of its own"
    assert len(result["calls"]) == 3
    before = len(desk.sent)
    await words(desk)
    assert [body.get("n") for body in desk.sent[before:]] == [None] * 3, "what the endpoint cannot do is found out once"


@pytest.mark.parametrize("fault", [Status(400, "The prompt triggered the content policy."), Status(500)])
async def test_the_answers_there_are_stay_if_another_is_refused_or_fails_each_time(fault: Status, desk: Desk) -> None:
    desk.endpoint.ignores_n = True
    desk.endpoint.answer = Script([CELL, fault], otherwise=lambda _: CELL)
    assert (await words(desk, retries=0))["words"] == ["cell"]


async def test_what_a_refused_request_for_several_is_really_refused_for_is_told(desk: Desk) -> None:
    desk.endpoint.answer = lambda _: Status(400, "Unknown field: seed.")
    with pytest.raises(SettingsError, match="Unknown field: seed"):
        await words(desk, seed=7)
    assert [body.get("n") for body in desk.sent] == [3, None, None], "the last one asks whether it was for the text"


async def test_answers_that_were_given_one_by_one_are_not_asked_for_again(desk: Desk) -> None:
    saver = InMemorySaver()
    desk.endpoint.ignores_n = True
    desk.endpoint.answer = Script([CELL, ATOM, Status(503), CELL])
    with pytest.raises(ModelUnavailableError) as caught:
        await words(desk, saver=saver, retries=0)
    assert len(caught.value.spent) == 2
    assert (await words(desk, saver=saver, begin=None, retries=0))["words"] == ["cell", "atom", "cell"]
    assert len(desk.sent) == 4


async def test_unusable_answers_that_were_given_one_by_one_are_asked_for_once_more(desk: Desk) -> None:
    desk.endpoint.slots = 1
    desk.endpoint.answer = Script([JUNK, JUNK, JUNK, CELL, ATOM, JUNK])
    result = await words(desk, seed=7)
    assert result["words"] == ["cell", "atom"]
    assert [call["reask"] for call in result["calls"]] == [False] * 3 + [True] * 3
    assert [body["seed"] for body in desk.sent[-3:]] == [7, 8, 9]
