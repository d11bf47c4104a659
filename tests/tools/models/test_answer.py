"""From the text that a model answers with to a checked value, and the one re-ask."""

from __future__ import annotations

import json

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from state.errors import ModelOutputError, ModelUnavailableError
from tests.fake_endpoint import Json, Reasoning, Reply, Script, Status, Text, Truncated
from tests.tools.models.desk import GOOD, PROMPT, THREAD, Desk, Phrase, Points

JSON = GOOD.content


USABLE: dict[str, Reply] = {
    "thoughts": Reasoning("Is {it} a cell?", JSON),
    "thoughts apart": Reasoning("Is it a cell?", JSON, field="reasoning"),
    "thoughts apart under another name": Reasoning("Is it a cell?", JSON, field="reasoning_content"),
    "unopened thoughts": Text(f"Is it {{a}} cell?\n</think>\n\n{JSON}"),
    "unclosed thoughts": Text(f"{JSON}\n<think>Or is it {{not}}?"),
    "fence": Text(f"```json\n{JSON}\n```\nThat is the word."),
    "prose": Text(f"Here it is: {JSON}"),
    "raw tab": Text('{"word": "a\tcell"}'),
    "other braces first": Text(f'The set {{x, y}}, or {{"word": x}}, or {{"mood": "fine"}}: {JSON}'),
    "another key": Json({"word": "cell", "mood": "fine"}),
}


@pytest.mark.parametrize("reply", USABLE.values(), ids=USABLE)
async def test_the_value_is_found_in(reply: Reply, desk: Desk) -> None:
    desk.endpoint.answer = Script([reply])
    result = await desk.ask()
    assert result["word"] in {"cell", "a\tcell"}
    assert len(result["calls"]) == 1


UNUSABLE: dict[str, tuple[Reply, str]] = {
    "prose": (Text("A cell, I think."), "it contains no JSON object"),
    "only thoughts": (Text("<think>Perhaps a cell"), "it contains no JSON object"),
    "not JSON": (Text('{"word": cell}'), "it is not valid JSON: Expecting value at character 9"),
    "too short": (Json({"word": "c"}), "`word`: string should have at least 2 characters"),
    "missing key": (Json({}), "`word`: field required"),
    "truncated": (Truncated('{"word": "ce'), "it was cut off after 7 tokens; answer more briefly"),
    "closed in time": (Truncated(JSON), "it was cut off after"),
    "all thoughts": (Truncated("<think>Is it a cell? Perhaps"), "were thoughts, and no answer followed"),
    "all thoughts, apart": (Text("", "length", reasoning="Is it?"), "no text, and all of its 3 tokens are in another"),
    "all apart, to the end": (Text("", reasoning="Is it?"), "no text, and all of its 3 tokens are in another field"),
    "cut after thoughts": (Truncated(f"<think>It is.</think>{JSON}"), "it was cut off after"),
}


@pytest.mark.parametrize(("reply", "reason"), UNUSABLE.values(), ids=UNUSABLE)
async def test_an_unusable_answer_is_asked_for_again_with_the_reason(reply: Reply, reason: str, desk: Desk) -> None:
    desk.endpoint.answer = Script([reply, GOOD])
    result = await desk.ask()
    first, second = (request.text for request in desk.endpoint.chat_requests)
    assert second.startswith(first)
    assert reason in second.removeprefix(first)
    assert [call["reask"] for call in result["calls"]] == [False, True]
    assert result["word"] == "cell"


@pytest.mark.parametrize(
    ("temperature", "again"), [(0.0, 0.6), (0.9, 0.9), (None, None)], ids=["greedy", "warm", "the server's own"]
)
async def test_the_re_ask_is_less_greedy(temperature: float | None, again: float | None, desk: Desk) -> None:
    desk.endpoint.answer = Script([Truncated('{"word": "cells, cells, cells'), GOOD])
    await desk.ask(temperature=temperature)
    assert [body.get("temperature") for body in desk.sent] == [temperature, again]


async def test_the_reason_that_is_told_stays_short(desk: Desk) -> None:
    desk.schema = Phrase
    rule = "Keep to words " + "that stand in the text, " * 300
    desk.prompt.write_text(f"{PROMPT}\n{rule}\n", encoding="utf-8")
    desk.endpoint.answer = Script([Text(rule), Text("A cell.")])
    await desk.ask()
    first, second = (request.text for request in desk.endpoint.chat_requests)
    assert len(second) - len(first) < 600


PROSE = PROMPT + "\nRules:\n\n- Keep to words that stand in the text.\n"


@pytest.mark.parametrize(
    "answer",
    ["A cell.\n\n1. Keep to words that stand in the text.", 'Rule: "Keep to words that stand in the text." *Cell.*'],
)
async def test_prose_that_repeats_its_prompt_is_asked_for_again_and_never_a_result(answer: str, desk: Desk) -> None:
    desk.schema = Phrase
    desk.prompt.write_text(PROSE, encoding="utf-8")
    desk.endpoint.answer = Script([Text(answer), Text("A cell."), Text(answer), Text(answer)])
    assert (await desk.ask())["word"] == "A cell."
    assert 'instructions ("Keep to words that stand in the text' in desk.endpoint.chat_requests[1].text
    with pytest.raises(ModelOutputError, match="it repeats a sentence"):
        await desk.ask()


async def test_a_list_that_repeats_its_prompt_twice_is_used_without_the_lines_that_do(desk: Desk) -> None:
    desk.schema = Points
    desk.prompt.write_text(PROSE, encoding="utf-8")
    answer = Text("1. A cell.\n2. **Rule**: Keep to words that stand in the text.\n3. A drop.")
    desk.endpoint.answer = Script([answer, answer])
    result = await desk.ask()
    assert result["word"] == "1. A cell.\n3. A drop."
    assert result["calls"][1]["cuts"] == ["lines that repeat the instructions were left out"]


RULE = "Keep to words that stand in the text."


@pytest.mark.parametrize(
    ("text", "answer"), [("", "Keep to words."), ("", f"They {RULE}"), (f"So it is. {RULE}", RULE)]
)
async def test_prose_may_share_words_with_its_prompt_and_repeat_its_text(text: str, answer: str, desk: Desk) -> None:
    desk.schema = Phrase
    desk.prompt.write_text(PROSE, encoding="utf-8")
    desk.endpoint.answer = Script([Text(answer)])
    assert (await desk.ask(text))["word"] == answer


async def test_an_answer_that_is_all_thoughts_says_what_to_change_of_the_server(desk: Desk) -> None:
    desk.endpoint.answer = Script([Reasoning("It is a cell.", "", field="reasoning_content")] * 2)
    with pytest.raises(ModelOutputError, match=r"`reasoning_content`\. Serve the model without a reasoning parser"):
        await desk.ask()


async def test_a_failed_re_ask_accounts_for_the_first_answer(desk: Desk) -> None:
    desk.endpoint.answer = Script([Text("Hm."), Status(500)])
    with pytest.raises(ModelUnavailableError) as caught:
        await desk.ask(retries=0)
    assert [call["output_tokens"] for call in caught.value.spent] == [2]


async def test_checkpoints_hold_what_was_answered_as_plain_values(desk: Desk) -> None:
    desk.endpoint.answer = Script([Text("Hm."), GOOD])
    saver = InMemorySaver()
    await desk.graph(saver).ainvoke({"text": "A tale of cells."}, THREAD, durability="sync")
    async for saved in saver.alist(THREAD):
        json.dumps([saved.checkpoint["channel_values"], [value for _, _, value in saved.pending_writes or []]])
