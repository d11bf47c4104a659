"""What is sent to the server, and over which connection."""

from __future__ import annotations

import asyncio
import json

from langgraph.checkpoint.memory import InMemorySaver

from tests.fake_endpoint import FakeEndpoint, Script, Text
from tests.tools.models.desk import GOOD, THREAD, Desk, Verdict
from tools.models.client import request_completions
from tools.models.endpoint import close_clients


async def test_only_what_is_set_is_sent(desk: Desk) -> None:
    desk.endpoint.answer = Script([GOOD])
    await desk.ask(top_p=None, max_tokens=200)
    assert desk.sent == [
        {
            "model": "large",
            "messages": [{"role": "user", "content": "A tale of cells.\n\nWhich word?"}],
            "max_tokens": 200,
            "stream": True,
            "stream_options": {"include_usage": True},
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "Verdict", "schema": Verdict.model_json_schema()},
            },
        }
    ]


async def test_all_sampling_values_are_sent(desk: Desk) -> None:
    desk.endpoint.answer = Script([GOOD])
    values = {
        "temperature": 0.0,
        "top_p": 0.4,
        "frequency_penalty": 1.0,
        "repetition_penalty": 1.1,
        "seed": 7,
        "max_tokens": 64,
    }
    further = {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}
    await desk.ask(**values, extra_body=further)
    body = desk.sent[0]
    assert {name: body[name] for name in (*values, *further)} == {**values, **further}


async def test_the_schema_ends_the_prompt_for_a_server_that_cannot_use_it(desk: Desk) -> None:
    desk.endpoint.answer = Script([Text("A cell."), GOOD])
    result = await desk.ask(structured_output="prompt")
    assert result["word"] == "cell"
    assert not any("response_format" in body for body in desk.sent)
    first, second = (request.text for request in desk.endpoint.chat_requests)
    before, schema = first.split("keeps to this JSON schema:\n")
    assert before.startswith("A tale of cells.")
    assert json.loads(schema) == Verdict.model_json_schema()
    assert second.startswith(first)


async def test_the_schema_in_a_prompt_counts_among_its_tokens(desk: Desk) -> None:
    desk.endpoint.models = {"large": 1000}
    desk.endpoint.answer = Script([GOOD, GOOD])
    (with_schema,) = (await desk.ask("cell " * 560, structured_output="prompt"))["calls"]
    (without,) = (await desk.ask("cell " * 560))["calls"]
    assert with_schema["trims"]
    assert not without["trims"]


async def test_the_other_name_of_max_tokens_takes_its_place(desk: Desk) -> None:
    desk.endpoint.answer = Script([GOOD])
    await desk.ask(extra_body={"max_completion_tokens": 99})
    assert desk.sent[0]["max_completion_tokens"] == 99
    assert "max_tokens" not in desk.sent[0]


async def test_requests_bear_their_run_for_the_session_affinity_of_a_router(desk: Desk) -> None:
    desk.endpoint.answer = Script([GOOD, GOOD])
    await desk.ask()
    await desk.graph(InMemorySaver()).ainvoke({"text": "Cells."}, THREAD)
    headers = [request.headers.get("x-session-id") for request in desk.endpoint.chat_requests]
    assert headers == [None, "desk"]


async def test_a_call_is_accounted_for(desk: Desk) -> None:
    desk.endpoint.answer = Script([GOOD])
    result = await desk.ask()
    (call,) = result["calls"]
    assert call.pop("seconds") >= 0  # type: ignore[misc]
    assert len(call.pop("prompt_sha256")) == 64  # type: ignore[misc]
    assert call == {
        "role": "reader",
        "step": "judge",
        "round": 2,
        "model": "large",
        "prompt": "judge",
        "input_tokens": 15,
        "output_tokens": 9,
        "tokens_estimated": False,
        "http_retries": 0,
        "reask": False,
        "finish_reason": "stop",
        "trims": [],
        "cuts": [],
    }


def test_each_event_loop_has_connections_of_its_own(fake_endpoint: FakeEndpoint, desk: Desk) -> None:
    async def once() -> str:
        (completion,) = await request_completions("Which word?", desk.settings(), None, 64, lambda *_: None)
        await close_clients()
        return completion["text"]

    fake_endpoint.answer = Script([GOOD, GOOD])
    assert asyncio.run(once()) == asyncio.run(once()) == GOOD.content
