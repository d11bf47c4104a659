"""The fake endpoint speaks the API as the real clients and vLLM understand it."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from tests.fake_endpoint import FakeEndpoint, Text

QUESTION: Any = [{"role": "system", "content": "You are a reader."}, {"role": "user", "content": "What is a cell?"}]
PLAIN: Any = {"trust_env": False, "verify": False}  # certificates take longer to read than any answer here
TALE = "Once upon a time, a cell met another cell."


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint({"large": 8192, "small": 100}, answer=lambda request: Text(TALE)) as endpoint:
        yield endpoint


@pytest.fixture
def client(endpoint: FakeEndpoint) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=endpoint.base_url, api_key="none", max_retries=0) as client:
        yield client


def get(endpoint: FakeEndpoint, path: str) -> httpx.Response:
    return httpx.get(endpoint.root_url + path, **PLAIN)


def post(endpoint: FakeEndpoint, path: str, **body: Any) -> httpx.Response:
    return httpx.post(endpoint.root_url + path, json=body, **PLAIN)


def chat(endpoint: FakeEndpoint, **body: Any) -> httpx.Response:
    return post(endpoint, "/v1/chat/completions", **{"model": "large", "messages": QUESTION, **body})


def streamed_text(client: openai.OpenAI, **options: Any) -> str:
    chunks: Any = client.chat.completions.create(model="large", messages=QUESTION, stream=True, **options)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def test_health_and_version_answer_at_the_root(endpoint: FakeEndpoint) -> None:
    assert get(endpoint, "/health").content == b""
    assert get(endpoint, "/version").json() == {"version": "0.32.0"}


def test_models_are_listed_with_their_context_length(client: openai.OpenAI) -> None:
    listed = {model.id: model.model_dump().get("max_model_len") for model in client.models.list()}
    assert listed == {"large": 8192, "small": 100}


def test_chat_completion_is_read_by_the_openai_client(client: openai.OpenAI) -> None:
    answer = client.chat.completions.create(model="large", messages=QUESTION)
    assert answer.model == "large"
    assert (answer.choices[0].message.role, answer.choices[0].message.content) == ("assistant", TALE)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_stream_gives_the_same_text_and_then_the_usage(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="large", messages=QUESTION)
    with client.chat.completions.create(
        model="large",
        messages=QUESTION,
        stream=True,
        stream_options={"include_usage": True},
    ) as stream:
        *chunks, last = stream
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TALE
    assert [chunk.choices[0].finish_reason for chunk in chunks][-2:] == [None, "stop"]
    assert (last.choices, last.usage) == ([], whole.usage)


async def test_langchain_reads_answers_and_streams(endpoint: FakeEndpoint) -> None:
    model = ChatOpenAI(model="large", base_url=endpoint.base_url, api_key=SecretStr("none"), stream_usage=True)
    whole = await model.ainvoke("What is a cell?")
    pieces = [piece async for piece in model.astream("What is a cell?")]
    assert whole.content == "".join(str(piece.content) for piece in pieces) == TALE
    assert whole.usage_metadata == next(piece.usage_metadata for piece in reversed(pieces) if piece.usage_metadata)


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_output_limit_cuts_the_answer(client: openai.OpenAI, limit: str) -> None:
    options: Any = {limit: 4}
    answer = client.chat.completions.create(model="large", messages=QUESTION, **options)
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("Once upon a time", "length")
    assert answer.usage.completion_tokens == 4
    assert streamed_text(client, **options) == "Once upon a time"


def test_unknown_model_is_refused_in_vllms_words(endpoint: FakeEndpoint, client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match=re.escape("The model `huge` does not exist.")):
        client.chat.completions.create(model="huge", messages=QUESTION)
    error = chat(endpoint, model="huge").json()["error"]
    assert (error["type"], error["param"], error["code"]) == ("NotFoundError", "model", 404)


def test_prompt_beyond_the_context_is_refused(client: openai.OpenAI) -> None:
    long: Any = [{"role": "user", "content": "word " * 200}]
    with pytest.raises(openai.BadRequestError, match="maximum context length is 100 tokens"):
        client.chat.completions.create(model="small", messages=long)


def test_prompt_and_output_beyond_the_context_are_refused_by_older_servers(endpoint: FakeEndpoint) -> None:
    answer = chat(endpoint, model="small", max_tokens=95)
    assert answer.status_code == 400
    assert re.search(r"too large: 95.*maximum context length is 100 tokens", answer.json()["error"]["message"])


def test_output_beyond_the_context_is_clamped_by_newer_servers() -> None:
    with FakeEndpoint({"small": 60}, answer=lambda request: Text("word " * 100), clamps_output=True) as endpoint:
        answer = chat(endpoint, model="small", max_tokens=60).json()
        refused = chat(endpoint, model="small", max_tokens=61)
    assert (answer["choices"][0]["finish_reason"], answer["usage"]["total_tokens"]) == ("length", 60)
    assert "max_tokens=61 cannot be greater than max_model_len=60" in refused.json()["error"]["message"]


def test_tokenize_counts_as_usage_does(endpoint: FakeEndpoint) -> None:
    counted = post(endpoint, "/tokenize", model="small", messages=QUESTION, return_token_strs=True).json()
    assert counted["count"] == len(counted["tokens"]) == chat(endpoint).json()["usage"]["prompt_tokens"]
    assert counted["max_model_len"] == 100
    assert "What is a cell?" in "".join(counted["token_strs"])


def test_api_key_is_checked_under_v1_only() -> None:
    with FakeEndpoint(api_key="secret") as endpoint:
        stranger = openai.OpenAI(base_url=endpoint.base_url, api_key="wrong")
        with stranger, pytest.raises(openai.AuthenticationError):
            stranger.models.list()
        with openai.OpenAI(base_url=endpoint.base_url, api_key="secret") as friend:
            assert len(friend.models.list().data) == 2
        assert get(endpoint, "/health").status_code == 200


def test_embeddings_come_as_numbers_or_in_base64(endpoint: FakeEndpoint, client: openai.OpenAI) -> None:
    plain = post(endpoint, "/v1/embeddings", model="small", input="A cell").json()["data"][0]["embedding"]
    packed = client.embeddings.create(model="small", input="A cell").data[0].embedding
    assert endpoint.requests[-1].body["encoding_format"] == "base64"
    assert packed == pytest.approx(plain)


def test_runs_as_a_command_until_interrupted() -> None:
    command = [sys.executable, "-m", "tests.fake_endpoint", "--port", "0", "--models", "a,b"]
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().strip()
            models = httpx.get(base_url + "/models", **PLAIN).json()["data"]
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert [model["id"] for model in models] == ["a", "b"]
    assert (process.returncode, errors) == (0, "")
