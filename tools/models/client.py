"""One chat completion: streamed, timed, retried after passing faults, and never cut off without notice."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypedDict
from weakref import WeakKeyDictionary

import httpx2
import openai
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

from state.settings import ModelSettings
from tools.models.endpoint import api_key
from tools.models.faults import is_passing, translate, wait_before_retry


class Completion(TypedDict):
    """What came back, as plain values: it is written to the checkpoint the moment it is there."""

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    seconds: float
    http_retries: int


class StreamCut(ConnectionError):
    """The stream ended before the server said that it was finished."""


Progress = Callable[[int], None]
"""Called with the number of pieces (about tokens) received so far."""

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str, float], ChatOpenAI]] = WeakKeyDictionary()


async def complete(
    prompt: str, settings: ModelSettings, schema: dict[str, Any] | None, max_tokens: int, progress: Progress
) -> Completion:
    """Send `prompt` as one user message and wait for the whole answer.

    Args:
        prompt: The text to send.
        settings: Endpoint, model and sampling.
        schema: JSON schema that decoding is constrained to, where the server can.
        max_tokens: Most tokens of the answer.
        progress: Told about every piece that arrives.

    Raises:
        ModelUnavailable: If the endpoint fails after all retries.
        ContextOverflow: If the server says that the prompt is too long.
    """
    arguments = _arguments(settings, schema, max_tokens)
    retrying = AsyncRetrying(
        retry=retry_if_exception(is_passing),
        wait=partial(wait_before_retry, settings.retry_wait_s),
        stop=stop_after_attempt(settings.retries + 1),
        reraise=True,
    )
    try:
        async for attempt in retrying:
            with attempt:
                completion = await _stream(_client(settings), prompt, arguments, progress)
                completion["http_retries"] = attempt.retry_state.attempt_number - 1
    except (openai.OpenAIError, ConnectionError, TimeoutError) as error:
        raise translate(error, settings) from error
    return completion


async def _stream(client: ChatOpenAI, prompt: str, arguments: dict[str, Any], progress: Progress) -> Completion:
    begin, pieces, whole = time.perf_counter(), 0, AIMessageChunk(content="")
    try:
        async for piece in client.astream([HumanMessage(prompt)], **arguments):
            pieces += 1
            whole += piece
            progress(pieces)
    except (httpx2.TransportError, json.JSONDecodeError) as error:
        raise StreamCut(str(error)) from error
    finish_reason = whole.response_metadata.get("finish_reason")
    if not finish_reason:
        raise StreamCut("the stream ended without a finish reason")
    usage = whole.usage_metadata
    return Completion(
        text=str(whole.text),
        finish_reason=finish_reason,
        input_tokens=usage["input_tokens"] if usage else 0,
        output_tokens=usage["output_tokens"] if usage else pieces,
        tokens_estimated=usage is None,
        seconds=round(time.perf_counter() - begin, 3),
        http_retries=0,
    )


def _client(settings: ModelSettings) -> ChatOpenAI:
    """One client per endpoint and event loop; model and sampling are arguments of each call."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    key = (settings.base_url, settings.api_key_env, settings.timeout_s)
    if key not in clients:
        clients[key] = ChatOpenAI(
            base_url=settings.base_url,
            api_key=SecretStr(api_key(settings)),
            timeout=settings.timeout_s,
            stream_chunk_timeout=settings.timeout_s,
            max_retries=0,  # the retries here are counted and recorded
            stream_usage=True,
        )
    return clients[key]


def _arguments(settings: ModelSettings, schema: dict[str, Any] | None, max_tokens: int) -> dict[str, Any]:
    sampling = settings.model_dump(include={"temperature", "top_p", "frequency_penalty", "seed"}, exclude_none=True)
    extra_body = dict(settings.extra_body)
    if settings.repetition_penalty is not None:
        extra_body["repetition_penalty"] = settings.repetition_penalty
    if schema is not None and settings.structured_output == "json_schema":
        # In `extra_body`, so that the client leaves the raw text and the finish reason of a truncated answer alone.
        extra_body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": str(schema.get("title", "answer")), "schema": schema},
        }
    return {"model": settings.model, "max_tokens": max_tokens, **sampling, "extra_body": extra_body}
