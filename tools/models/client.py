"""One chat completion: streamed, timed, retried after passing faults, and never cut off without notice."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NotRequired, TypedDict

import openai
from langchain_core.messages import HumanMessage

from state.errors import ContextOverflow, DraftroomError, RequestFailed, RequestRefused, SettingsError
from state.records import Trim
from state.settings import ModelSettings
from tools.models.connection import client_for, place_for
from tools.models.endpoint import forget_endpoint, learn_context
from tools.models.faults import (
    CUT_OFF,
    NO_CHOICE,
    NO_EVENTS,
    BrokenAnswer,
    may_be_of_the_request,
    retrying,
    translate,
    words_of,
)

INTERRUPTED = {"", "abort", "error"}
"""Finish reasons of an answer that the server gave up: none at all, and what vLLM says when it is shut down."""

HARMLESS = "Say yes."
"""No filter refuses it."""
SHORT_ANSWER = 16
"""Tokens that show that an endpoint answers to the end."""


class Completion(TypedDict):
    """What came back, as plain values: it is written to the checkpoint the moment it is there."""

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    seconds: float
    http_retries: int
    trims: NotRequired[list[Trim]]
    """What was cut of a prompt that had to be fitted again, to the context that its refusal told."""


Progress = Callable[[int], None]
"""Called with the number of pieces (about tokens) received so far."""


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
        RequestFailed: If it does so, and then answers something else.
        ContextOverflow: If the server says that prompt and answer are too long.
        RequestRefused: If the server refuses this prompt, and answers another.
        SettingsError: If the server does not accept something else about the request.
    """
    arguments = request_arguments(settings, schema, max_tokens)
    try:
        async for attempt in retrying(settings):
            with attempt:
                async with place_for(settings):
                    completion = await _stream(prompt, settings, arguments, progress)
                completion["http_retries"] = attempt.retry_state.attempt_number - 1
    except (openai.OpenAIError, ConnectionError, TimeoutError) as error:
        raise await fault_of(error, settings, prompt, arguments) from None  # the cause may quote the key or the prompt
    return completion


async def fault_of(error: Exception, settings: ModelSettings, prompt: str, arguments: dict[str, Any]) -> DraftroomError:
    """What a failed request means for the run: whether only this question is without an answer, or all would be.

    A server that refuses a request does not say reliably whether it is for its text or for its fields, so it is sent a
    harmless text with the same fields; that answer is not read to its end. One that has failed at a request is sent the
    same, but for a short answer, which must be whole.
    """
    forget_endpoint(settings)
    fault = translate(error, settings, prompt)
    if isinstance(fault, ContextOverflow) and fault.context_length:
        learn_context(settings, fault.context_length)
    if may_be_of_the_request(error):
        return _of_the_request(fault) if await _answers(settings, arguments) else fault
    refused = isinstance(fault, SettingsError) and "n" not in arguments  # several answers are then asked for one by one
    if not refused or not isinstance(error, openai.APIError) or not await _begins_to_answer(settings, arguments):
        return fault
    said = words_of(error, settings, prompt)
    return RequestRefused(
        f"The endpoint {settings.base_url} refuses this text{said}, and answers others; give this role a model without "
        "such a filter, or leave the passage out.",
        problem=f"the endpoint refuses its text{said}",
    )


def _of_the_request(fault: DraftroomError) -> RequestFailed:
    happened, _, advice = str(fault).rpartition("; ")
    problem = f"{happened}, but answers other requests"
    return RequestFailed(f"{problem}; {advice}", problem=problem)


async def _answers(settings: ModelSettings, arguments: dict[str, Any]) -> bool:
    body = arguments["extra_body"]
    length = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
    short = {**arguments, "extra_body": {**body, length: SHORT_ANSWER}}
    try:
        async with place_for(settings):
            await _stream(HARMLESS, settings, short, lambda _: None)
    except (openai.OpenAIError, ConnectionError, TimeoutError):
        return False
    return True


async def _begins_to_answer(settings: ModelSettings, arguments: dict[str, Any]) -> bool:
    client = (await client_for(settings)).root_async_client
    request: Any = {"messages": [{"role": "user", "content": HARMLESS}], "stream_options": {"include_usage": True}}
    try:
        async with await client.chat.completions.create(**request, stream=True, **arguments) as stream:
            return await anext(aiter(stream), None) is not None
    except (openai.OpenAIError, ConnectionError, TimeoutError, ValueError):
        return False


async def _stream(prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress) -> Completion:
    client = await client_for(settings)
    begin, pieces, finish_reason, usage = time.perf_counter(), list[str](), "", None
    try:
        # Not added up: some servers repeat the finish reason or the usage so far in several chunks.
        async for chunk in client.astream([HumanMessage(prompt)], **arguments):
            finish_reason = chunk.response_metadata.get("finish_reason") or finish_reason
            usage = chunk.usage_metadata or usage
            if chunk.text:
                pieces.append(str(chunk.text))
                progress(len(pieces))
    except ValueError as error:
        raise BrokenAnswer(NO_EVENTS) from error
    if finish_reason in INTERRUPTED:
        raise BrokenAnswer(CUT_OFF if pieces else NO_CHOICE)
    return Completion(
        text="".join(pieces),
        finish_reason=finish_reason,
        input_tokens=usage["input_tokens"] if usage else 0,
        output_tokens=usage["output_tokens"] if usage else len(pieces),
        tokens_estimated=usage is None,
        seconds=round(time.perf_counter() - begin, 3),
        http_retries=0,
    )


def request_arguments(settings: ModelSettings, schema: dict[str, Any] | None, max_tokens: int) -> dict[str, Any]:
    """Fields of a request, apart from the prompt."""
    sampling = settings.model_dump(include={"temperature", "top_p", "frequency_penalty", "seed"}, exclude_none=True)
    body = dict(settings.extra_body)
    if "max_completion_tokens" not in body:
        # As a plain field, because the client would send it as `max_completion_tokens`, which Ollama and LM Studio
        # ignore. Whoever talks to a server that knows only that name sets it in `extra_body`.
        body["max_tokens"] = max_tokens
    if settings.repetition_penalty is not None:
        body["repetition_penalty"] = settings.repetition_penalty
    if schema is not None and settings.structured_output == "json_schema":
        # As a plain field, so that the client leaves the raw text and the finish reason of a truncated answer alone.
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": str(schema.get("title", "answer")), "schema": schema},
        }
    return {"model": settings.model, **sampling, "extra_body": body}
