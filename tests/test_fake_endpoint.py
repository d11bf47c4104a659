"""The fake endpoint speaks the API as the real clients and vLLM understand it."""

import asyncio
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
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from tests.fake_endpoint import Choices, FakeEndpoint, Text

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


def test_context_length_can_be_left_out_as_other_servers_do() -> None:
    with FakeEndpoint(reports_context=False) as endpoint:
        cards = get(endpoint, "/v1/models").json()["data"]
    assert [card["id"] for card in cards] == ["large", "small"]
    assert all("max_model_len" not in card for card in cards)


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


def test_stream_has_no_usage_unless_asked(endpoint: FakeEndpoint) -> None:
    events = chat(endpoint, stream=True).text.strip().split("\n\n")
    assert events[-1] == "data: [DONE]"
    assert not any("usage" in event for event in events)


async def test_langchain_reads_answers_and_streams(endpoint: FakeEndpoint) -> None:
    model = ChatOpenAI(model="large", base_url=endpoint.base_url, api_key=SecretStr("none"), stream_usage=True)
    whole = await model.ainvoke("What is a cell?")
    pieces = [piece async for piece in model.astream("What is a cell?")]
    assert whole.content == "".join(str(piece.content) for piece in pieces) == TALE
    assert whole.usage_metadata == next(piece.usage_metadata for piece in reversed(pieces) if piece.usage_metadata)


async def test_many_requests_at_once_are_each_answered(endpoint: FakeEndpoint) -> None:
    endpoint.answer = lambda request: Text(request.messages[-1]["content"])
    async with openai.AsyncOpenAI(base_url=endpoint.base_url, api_key="none", max_retries=0) as client:
        questions = [f"Question {number}" for number in range(40)]
        answers = await asyncio.gather(
            *(
                client.chat.completions.create(model="small", messages=[{"role": "user", "content": question}])
                for question in questions
            )
        )
    assert [answer.choices[0].message.content for answer in answers] == questions


def test_several_answers_are_counted_in_one_usage(endpoint: FakeEndpoint, client: openai.OpenAI) -> None:
    endpoint.answer = lambda request: Choices([Text("one"), Text("two two")])
    answer = client.chat.completions.create(model="large", messages=QUESTION, n=3)
    assert [choice.message.content for choice in answer.choices] == ["one", "two two", "one"]
    assert answer.usage is not None
    assert answer.usage.completion_tokens == 4


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_output_limit_cuts_the_answer(client: openai.OpenAI, limit: str) -> None:
    options: Any = {limit: 4}
    answer = client.chat.completions.create(model="large", messages=QUESTION, **options)
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == ("Once upon a time", "length")
    assert answer.usage.completion_tokens == 4
    assert streamed_text(client, **options) == "Once upon a time"


@pytest.mark.parametrize(("stop", "content"), [("upon", "Once "), (["cell", " time"], "Once upon a"), ("dog", TALE)])
def test_stop_string_ends_the_answer_before_it(endpoint: FakeEndpoint, stop: str | list[str], content: str) -> None:
    choice = chat(endpoint, stop=stop).json()["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == (content, "stop")
    assert choice["stop_reason"] == (None if content == TALE else stop if isinstance(stop, str) else " time")


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


def test_tokenize_splits_words_and_punctuation(endpoint: FakeEndpoint) -> None:
    counted = post(endpoint, "/tokenize", prompt="A cell, photosynthesis.", return_token_strs=True).json()
    assert counted["token_strs"] == ["A", " cell", ",", " photosyn", "thesis", "."]


def test_tokenize_can_be_missing_as_on_other_servers() -> None:
    with FakeEndpoint(tokenizes=False) as endpoint:
        assert post(endpoint, "/tokenize", prompt="A cell").status_code == 404


@pytest.mark.parametrize("content", [b"{not json", b"[1, 2]", b"{}"])
def test_request_without_messages_is_refused(endpoint: FakeEndpoint, content: bytes) -> None:
    answer = httpx.post(endpoint.base_url + "/chat/completions", content=content, **PLAIN)
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "BadRequestError")


@pytest.mark.parametrize(("path", "field"), [("/tokenize", "prompt"), ("/v1/embeddings", "input")])
def test_other_paths_refuse_what_is_missing_or_unknown(endpoint: FakeEndpoint, path: str, field: str) -> None:
    missing = post(endpoint, path, model="large")
    unknown = post(endpoint, path, **{"model": "huge", field: "A cell"})
    assert (missing.status_code, missing.json()["error"]["param"]) == (400, field)
    assert (unknown.status_code, unknown.json()["error"]["param"]) == (404, "model")


def test_api_key_is_checked_under_v1_only() -> None:
    with FakeEndpoint(api_key="secret") as endpoint:
        stranger = openai.OpenAI(base_url=endpoint.base_url, api_key="wrong")
        with stranger, pytest.raises(openai.AuthenticationError):
            stranger.models.list()
        with openai.OpenAI(base_url=endpoint.base_url, api_key="secret") as friend:
            assert len(friend.models.list().data) == 2
        assert get(endpoint, "/health").status_code == 200


def test_embeddings_of_texts_that_share_words_are_closer(endpoint: FakeEndpoint) -> None:
    embeddings: Any = OpenAIEmbeddings(
        model="small",
        openai_api_base=endpoint.base_url,
        openai_api_key=SecretStr("none"),
        check_embedding_ctx_length=False,
    )
    cell, other_cell, ocean = embeddings.embed_documents(
        ["The cell divides at night.", "At night the cell grows.", "Salt water covers most places."]
    )
    assert sum(value * value for value in cell) == pytest.approx(1)
    near, far = (sum(a * b for a, b in zip(cell, other, strict=True)) for other in (other_cell, ocean))
    assert near > far


def test_embeddings_come_as_numbers_or_in_base64(endpoint: FakeEndpoint, client: openai.OpenAI) -> None:
    plain = post(endpoint, "/v1/embeddings", model="small", input="A cell").json()["data"][0]["embedding"]
    packed = client.embeddings.create(model="small", input="A cell").data[0].embedding
    assert endpoint.requests[-1].body["encoding_format"] == "base64"
    assert packed == pytest.approx(plain)


def test_requests_are_recorded_in_order_and_finished(endpoint: FakeEndpoint, client: openai.OpenAI) -> None:
    client.models.list()
    chat(endpoint, response_format={"type": "json_schema", "json_schema": {"name": "Advice", "schema": {}}})
    chat(endpoint, structured_outputs={"json": {"title": "Notes", "type": "object"}})
    assert [(request.method, request.path) for request in endpoint.requests] == [
        ("GET", "/v1/models"),
        ("POST", "/v1/chat/completions"),
        ("POST", "/v1/chat/completions"),
    ]
    assert [(request.sequence, request.schema_name) for request in endpoint.chat_requests] == [
        (1, "Advice"),
        (2, "Notes"),
    ]
    assert all(request.finished for request in endpoint.requests)
    assert endpoint.requests[0].headers["authorization"] == "Bearer none"
    assert endpoint.chat_requests[0].text == "You are a reader.\nWhat is a cell?"


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
