"""What a refused request means: the prompt is too long, its text alone is refused, or no request has such fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from state.errors import ContextOverflowError, ModelUnavailableError, RequestRefusedError, SettingsError
from tests.fake_endpoint import Script, Status
from tests.fake_endpoint.exchange import Exchange
from tests.tools.models.desk import GOOD, Desk


@dataclass(frozen=True)
class Refusal:
    """Refuses with a body of any form."""

    body: Any

    def send(self, exchange: Exchange) -> None:
        exchange.send_json(400, self.body)


LONGER = "; serve the model with a longer context, lower `max_tokens`, or give a shorter text"
CONFIGURED = "; set `context_length` as its server does, or lower `max_tokens`"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("This model's maximum context length is 8 tokens. However, your prompt contains 9 input tokens.", LONGER),
        ("The decoder prompt (length 9) is longer than the maximum model length of 8.", LONGER),
        ("the request exceeds the available context size. try increasing the context size", CONFIGURED),
        ("Your input exceeds the context window of this model.", CONFIGURED),
    ],
    ids=["vLLM", "older vLLM", "older llama.cpp", "OpenAI"],
)
async def test_a_prompt_that_is_too_long_is_told_in_the_words_of_the_server(
    words: str, advice: str, desk: Desk
) -> None:
    desk.endpoint.answer = Script([Status(400, words)])
    with pytest.raises(ContextOverflowError) as caught:
        await desk.ask()
    assert f"“{words}”{advice}." in str(caught.value)
    assert caught.value.problem == f"its request does not fit the context of 'large': “{words}”{advice}"
    assert len(desk.sent) == 1


@pytest.mark.parametrize(
    "error",
    [
        {
            "message": "This model's maximum context length is 2048 tokens. However, you requested 17000 tokens "
            "(616 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.",
            "code": "context_length_exceeded",
        },
        {
            "message": "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum "
            "context length is 2048 tokens and your request has 616 input tokens (16384 > 2048 - 616)."
        },
        {"message": "max_tokens=16384 cannot be greater than max_model_len=2048. Please request fewer output tokens."},
        {"message": "request (3000 tokens) exceeds the available context size (2048 tokens), try increasing it"},
        {
            "message": "the request exceeds the available context size. try increasing the context size",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 3000,
            "n_ctx": 2048,
        },
        {"message": "The input (3000 tokens) is longer than the model's context length (2048 tokens)."},
    ],
    ids=["OpenAI", "vLLM", "vLLM, max_tokens", "llama.cpp", "llama.cpp, n_ctx", "SGLang"],
)
async def test_a_context_length_that_a_refusal_tells_is_heeded_from_then_on(error: dict[str, Any], desk: Desk) -> None:
    desk.endpoint.models, desk.endpoint.reports_context = {"large": 100_000}, False
    desk.endpoint.answer = Script([Refusal({"error": error}), GOOD, GOOD])
    assert (await desk.ask())["word"] == "cell"
    await desk.ask()
    assert [body["max_tokens"] for body in desk.sent] == [16_384, 2048 - 160 - 15, 2048 - 160 - 15]


async def test_not_every_refusal_that_speaks_of_a_context_is_an_overflow(desk: Desk) -> None:
    desk.endpoint.answer = lambda _: Status(400, "Unknown field: the context of the request has no `top_k`.")
    with pytest.raises(SettingsError, match="no `top_k`"):
        await desk.ask()


async def test_a_request_that_is_refused_is_told_in_the_words_of_the_server(desk: Desk) -> None:
    desk.endpoint.answer = lambda _: Status(400, "Unknown field.", param="repetition_penalty")
    with pytest.raises(SettingsError) as caught:
        await desk.ask(repetition_penalty=1.1)
    told = "refuses the request because of `repetition_penalty`: “Unknown field.”; leave out the settings"
    assert told in str(caught.value)
    asked, harmless = desk.sent
    assert {**harmless, "messages": asked["messages"]} == asked, "no less than these fields are tried on another text"


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_text_that_alone_is_refused_leaves_one_question_unanswered(status: int, desk: Desk) -> None:
    """A content filter refuses a text, not a run."""
    filtered = Status(status, "The prompt triggered the content policy.")
    desk.endpoint.answer = lambda request: filtered if "cells" in request.text else GOOD
    with pytest.raises(RequestRefusedError, match="refuses this text: “The prompt triggered") as caught:
        await desk.ask("A tale of cells.")
    assert caught.value.problem == "the endpoint refuses its text: “The prompt triggered the content policy.”"
    assert (await desk.ask("A tale of stars."))["word"] == "cell"


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ({"error": "json: cannot unmarshal"}, "refuses the request: “json: cannot unmarshal”;"),
        ({"detail": [{"msg": "Input should be 1", "input": "A tale"}]}, "refuses the request: “Input should be 1”;"),
        ({"error": {"message": "No " * 500}}, "refuses the request: “" + ("No " * 500)[:300] + "…”;"),
        ({"error": {"message": {"odd": 1}}}, "refuses the request; leave out"),
        (["odd"], "refuses the request; leave out"),
    ],
    ids=["Ollama", "FastAPI", "long", "no text", "no object"],
)
async def test_a_refusal_in_any_form_is_told(refusal: Any, told: str, desk: Desk) -> None:
    desk.endpoint.answer = lambda _: Refusal(refusal)
    with pytest.raises(SettingsError) as caught:
        await desk.ask()
    assert told in str(caught.value)


@pytest.mark.parametrize("quoted", ["{}", "{!r}"], ids=["as it was", "escaped"])
@pytest.mark.parametrize("status", [400, 500])
async def test_neither_the_prompt_nor_the_key_is_told(
    status: int, quoted: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret")
    secret = "The unpublished cell divides twice.\n\nIt does so at night, as nobody knows."
    bad = f"s3cret: bad input {quoted.format(secret[5:])} in field 7."
    desk.endpoint.answer = lambda _: Status(status, bad)
    with pytest.raises((SettingsError, ModelUnavailableError)) as caught:
        await desk.ask(secret, api_key_env="MY_KEY", retries=0)
    assert "bad input" in str(caught.value)
    assert "in field 7." in str(caught.value)
    for hidden in ("s3cret", "unpublished", "divides", "night"):
        assert hidden not in str(caught.value)
