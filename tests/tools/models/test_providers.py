"""Models of LangChain's that are at no OpenAI-compatible endpoint: what they are asked, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from langchain_core.exceptions import ModelConnectionError
from langchain_core.messages import AIMessage

from state.errors import ContextOverflowError, DraftroomError, ModelUnavailableError, RequestRefusedError, SettingsError
from tests.support.chat_models import Scripted
from tests.tools.models.desk import GOOD, Desk, Phrase
from tests.tools.models.test_sampling import words

OWN = "tests.support.chat_models:Scripted"
TOOLED = "tests.support.chat_models:Tooled"


@pytest.fixture(autouse=True)
def script(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The answers to come, of the classes that the user allows."""
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", f"{OWN},{TOOLED},json:loads,tests.support.none:Model")
    Scripted.answers.clear()
    Scripted.asked.clear()
    return Scripted.answers


def say(content: str = GOOD.content, tokens: int = 0, **metadata: Any) -> AIMessage:
    usage: Any = {"input_tokens": 12, "output_tokens": tokens, "total_tokens": 12 + tokens} if tokens else None
    return AIMessage(content, response_metadata=metadata, usage_metadata=usage)


def call_tool(arguments: Any, **metadata: Any) -> AIMessage:
    call: Any = {"name": "Verdict", "args": arguments, "id": "1"}
    calls: Any = (
        {"invalid_tool_calls": [{**call, "error": ""}]} if isinstance(arguments, str) else {"tool_calls": [call]}
    )
    return AIMessage("Here it is: ", response_metadata=metadata, **calls)


async def test_a_class_gets_the_fields_that_it_has_and_the_schema_in_the_prompt(
    script: list[Any], desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", "s3cret")
    script.append(say(tokens=9, stop_reason="end_turn"))
    choices = {"temperature": 0.2, "top_p": 0.5, "seed": 3, "max_tokens": 99, "api_key_env": "LAB_KEY"}
    result = await desk.ask(use=OWN, extra_body={"region": "north"}, **choices)
    ((prompt, values),) = Scripted.asked
    assert "one JSON object that keeps to this JSON schema" in prompt
    expected = {"model": "large", "temperature": 0.2, "seed": 3, "num_predict": 99, "region": "north"}
    assert {name: values[name] for name in expected} == expected
    assert values["api_key"] == "s3cret"
    (call,) = result["calls"]
    assert (result["word"], call["input_tokens"], call["output_tokens"]) == ("cell", 12, 9)
    assert call["finish_reason"] == "end_turn"
    assert not desk.endpoint.requests


async def test_tokens_are_told_as_they_come_and_estimated_without_usage(script: list[Any], desk: Desk) -> None:
    desk.schema = Phrase
    script.append(say("A very small cell."))
    stream = desk.graph(use=OWN).astream({"text": "Cells."}, stream_mode=["custom", "values"])
    parts = [part async for part in stream]
    assert "".join(part["text"] for mode, part in parts if mode == "custom" and "text" in part) == "A very small cell."
    (*_, (_, result)) = parts
    assert (result["calls"][0]["output_tokens"], result["calls"][0]["tokens_estimated"]) == (4, True)


CUT_OFF = {
    "OpenAI": say(finish_reason="length"),
    "Anthropic": say(stop_reason="max_tokens"),
    "Google": say(finish_reason="MAX_TOKENS"),
    "Bedrock": say(stopReason="max_tokens"),
    "Ollama": say(done_reason="length"),
    "no reason, and as many tokens as allowed": say(tokens=64),
}


@pytest.mark.parametrize("answer", CUT_OFF.values(), ids=CUT_OFF)
async def test_an_answer_that_was_cut_off_is_asked_for_again(answer: AIMessage, script: list[Any], desk: Desk) -> None:
    script += [answer, say()]
    result = await desk.ask(use=OWN, max_tokens=64)
    assert result["word"] == "cell"
    assert [call["finish_reason"] for call in result["calls"]] == ["length", "stop"]
    assert "it was cut off after" in Scripted.asked[1][0]


@pytest.mark.parametrize(
    "answer", [call_tool('{"word": "ce', stop_reason="max_tokens"), call_tool('{"word": ce}'), call_tool({"word": "c"})]
)
async def test_a_schema_is_answered_in_the_way_of_the_class(answer: AIMessage, script: list[Any], desk: Desk) -> None:
    script += [answer, call_tool({"word": "cell"}, stop_reason="tool_use")]
    result = await desk.ask(use=TOOLED)
    assert (result["word"], len(result["calls"])) == ("cell", 2)
    assert "JSON schema" not in Scripted.asked[0][0]


async def test_several_answers_are_asked_for_one_by_one(script: list[Any], desk: Desk) -> None:
    script += [say(), say('{"word": "atom"}'), say("Hm.")]
    result = await words(desk, use=OWN, seed=7)
    assert (result["words"], len(result["unusable"])) == (["cell", "atom"], 1)
    assert [values["seed"] for _, values in Scripted.asked] == [7, 8, 9]


class StatusError(Exception):
    """As clients of providers raise it: with a status, and the answer in its message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"Error code: {status} - {{'error': {{'type': 'x', 'message': '{message}'}}}}")
        self.status_code = status


def caused_by(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def fail(work: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any
        work()
    return caught.value


FAULTS: dict[str, tuple[Exception, type[DraftroomError], str]] = {
    "refused key": (StatusError(401, "bad s3cret"), ModelUnavailableError, "refuses the key: “bad …”; put the right"),
    "no key": (TypeError("Could not resolve authentication method."), ModelUnavailableError, "refuses the key: “Type"),
    "unknown model": (StatusError(404, "no such model"), ModelUnavailableError, "does not serve 'large': “no such"),
    "too long": (StatusError(400, "prompt is too long"), ContextOverflowError, "set `context_length`"),
    "nobody": (
        caused_by(ModelConnectionError("Connection error."), httpx2.ConnectError("refused")),
        ModelUnavailableError,
        "cannot be reached",
    ),
    "lost": (httpx2.ReadError("gone"), ModelUnavailableError, "lost the connection"),
    "silent": (httpx2.ReadTimeout("slow"), ModelUnavailableError, "was silent for 20 s"),
    "overloaded": (StatusError(529, "Overloaded"), ModelUnavailableError, "status 529: “Overloaded”"),
    "anything": (
        KeyError("A tale of cells. Which is odd"),
        SettingsError,
        "raised an error: “KeyError: '…is odd'”; correct it where",
    ),
    "no text": (
        fail(lambda: AIMessage(content=None)),  # type: ignore[arg-type]
        ModelUnavailableError,
        "sent an answer without any choice or text in it",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_lasting_fault_is_told_in_a_sentence(
    fault: str, script: list[Any], desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", "s3cret")
    error, kind, told = FAULTS[fault]
    script += [error] * 4
    with pytest.raises(kind) as caught:
        await desk.ask(use=OWN, retries=1, api_key_env="LAB_KEY")
    assert told in str(caught.value)
    assert str(caught.value).startswith(("The class tests.support.chat_models:Scripted ", "A request does not fit"))
    assert "s3cret" not in str(caught.value)


async def test_a_passing_fault_is_tried_again_and_a_refused_text_is_told_apart(script: list[Any], desk: Desk) -> None:
    script += [StatusError(429, "slow down"), say(), ValueError("blocked"), say("Yes.")]
    assert [call["http_retries"] for call in (await desk.ask(use=OWN))["calls"]] == [1]
    with pytest.raises(RequestRefusedError, match="refuses this text: “ValueError: blocked”, and answers others"):
        await desk.ask(use=OWN)


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        (
            {"provider": "cohere"},
            r"The provider cohere at http\S+ needs a package .*; install it with `pip install langchain-cohere`",
        ),
        ({"provider": "anthropic"}, r"install it with `pip install 'draftroom\[anthropic\]'`"),
        ({"provider": "openai"}, r"The provider openai at .* cannot be used .*set the variable with its key\."),
        ({"provider": "nobody"}, "The provider nobody at .* cannot be used with these settings: Unsupported provider"),
        ({"use": "tests.support.none:Model"}, "The code tests.support.none:Model cannot be imported"),
        ({"use": "json:loads"}, "cannot be used with these settings"),
        ({"use": "os:getcwd"}, r"not allowed \(os:getcwd\)"),
        ({"use": OWN, "extra_body": {"seed": "x"}}, "cannot be used with these settings: `seed`: input should be"),
    ],
)
async def test_what_cannot_be_built_is_told(
    choices: dict[str, Any], told: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError, match=told):
        await desk.ask(**choices)
