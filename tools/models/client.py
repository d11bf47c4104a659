"""One request to a model: streamed, and tried again after passing faults, when it has a place at the endpoint.

Of many jobs that share an endpoint, the one that began first goes first. So jobs end one after the other, each as soon
as it can, and there are always some that have been read and wait for a place. If all had their turns alike, all would
end at the same time, and the endpoint would have nothing to do while the next ones are read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count
from typing import Any, NotRequired, TypedDict
from weakref import WeakKeyDictionary

import openai
from langchain_core.messages import HumanMessage
from langgraph.config import get_config

from state.errors import ContextOverflowError, DraftroomError, RequestFailedError, RequestRefusedError, SettingsError
from state.model_settings import ModelSettings
from state.records import Trim
from tools.models.endpoint import (
    CUT_OFF,
    NO_CHOICE,
    NO_EVENTS,
    BrokenAnswerError,
    build_retrier,
    discard_endpoint,
    may_concern_request,
    open_client,
    quote_server_message,
    record_context_length,
    translate_error,
)

job_order: ContextVar[int] = ContextVar("job_order", default=0)
"""Of the job that asks: which of many it is. Requests of one job, or of none, go in the order in which they ask."""


class _RequestSlots:
    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._asked = count()

    async def acquire(self) -> None:
        """Wait for a place."""
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (job_order.get(), next(self._asked), place))
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # it was given one at the same moment
                self.release()
            raise

    def release(self) -> None:
        """Give the place to whoever comes next of those that still wait."""
        while self._waiting:
            *_, place = heappop(self._waiting)
            if not place.done():
                place.set_result(None)
                return
        self._free += 1


_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _RequestSlots]] = WeakKeyDictionary()


@asynccontextmanager
async def acquire_slot(settings: ModelSettings) -> AsyncIterator[None]:
    """To be held during a request: an endpoint that is asked everything at once may answer nothing in time."""
    known = _slots.setdefault(asyncio.get_running_loop(), {})
    places = known.setdefault(settings.base_url, _RequestSlots(settings.concurrency))
    await places.acquire()
    try:
        yield
    finally:
        places.release()


INTERRUPTED_REASONS = {"", "abort", "error"}
"""Finish reasons of an answer that the server gave up: none at all, and what vLLM says when it is shut down."""

SESSION_HEADER = "X-Session-ID"
# A router sends requests of one session to one server, whose cache has what the prompts of a run share. vLLM's router
# and LiteLLM know the header by this name.

HARMLESS_PROMPT = "Say yes."
"""No filter refuses it."""
PROBE_MAX_TOKENS = 16
"""Tokens that show that an endpoint answers to the end."""

_single_answer_endpoints: WeakKeyDictionary[asyncio.AbstractEventLoop, set[str]] = WeakKeyDictionary()
"""Endpoints that did not give as many answers as they were asked for."""


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


Progress = Callable[[int, str], None]
"""Called with the number of pieces (about tokens) received so far, and the newest one of the first answer."""


async def request_completions(
    prompt: str,
    settings: ModelSettings,
    schema: dict[str, Any] | None,
    max_tokens: int,
    progress: Progress,
    *,
    number: int = 1,
) -> list[Completion]:
    """Send `prompt` as one user message and wait for `number` whole answers, or for one where the endpoint gives one.

    Several are asked for in one request, so that the server reads the prompt once. Some servers ignore `n`, and
    llama.cpp refuses more than it has slots for: a request for several that is refused is sent again for one. If it was
    refused for something else, that one is refused, too.

    Args:
        prompt: The text to send.
        settings: Endpoint, model and sampling.
        schema: JSON schema that decoding is constrained to, where the server can.
        max_tokens: Most tokens of each answer.
        progress: Told about every piece that arrives.
        number: How many answers are wanted.

    Returns:
        At least one answer. Usage and time are counted for all of them together, and stand in the first.

    Raises:
        ModelUnavailable: If the endpoint fails after all retries.
        RequestFailed: If it does so, and then answers something else.
        ContextOverflow: If the server says that prompt and answer are too long.
        RequestRefused: If the server refuses this prompt, and answers another.
        SettingsError: If the server does not accept something else about the request.
    """
    arguments = build_request_arguments(settings, schema, max_tokens)
    one_at_a_time = _single_answer_endpoints.setdefault(asyncio.get_running_loop(), set())
    if number == 1 or settings.base_url in one_at_a_time:
        return await _request_with_retries(prompt, settings, arguments, progress)
    try:
        completions = await _request_with_retries(prompt, settings, {**arguments, "n": number}, progress)
    except SettingsError:
        completions = await _request_with_retries(prompt, settings, arguments, progress)
    if len(completions) < number:
        one_at_a_time.add(settings.base_url)
    return completions


async def _request_with_retries(
    prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress
) -> list[Completion]:
    stream = _stream_several_answers if "n" in arguments else _stream_single_answer
    try:
        async for attempt in build_retrier(settings):
            with attempt:
                async with acquire_slot(settings):
                    completions = await stream(prompt, settings, arguments, progress)
                completions[0]["http_retries"] = attempt.retry_state.attempt_number - 1
    except (openai.OpenAIError, ConnectionError, TimeoutError) as error:
        raise await classify_fault(
            error, settings, prompt, arguments
        ) from None  # the cause may quote the key or the prompt
    return completions


async def classify_fault(
    error: Exception, settings: ModelSettings, prompt: str, arguments: dict[str, Any]
) -> DraftroomError:
    """What a failed request means for the run: whether only this question is without an answer, or all would be.

    A server that refuses a request does not say reliably whether it is for its text or for its fields, so it is sent a
    harmless text with the same fields; that answer is not read to its end. One that has failed at a request is sent the
    same, but for a short answer, which must be whole.
    """
    discard_endpoint(settings)
    fault = translate_error(error, settings, prompt)
    if isinstance(fault, ContextOverflowError) and fault.context_length:
        record_context_length(settings, fault.context_length)
    if may_concern_request(error):
        if not await _can_answer(settings, arguments):
            return fault
        happened, _, advice = str(fault).rpartition("; ")
        problem = f"{happened}, but answers other requests"
        return RequestFailedError(f"{problem}; {advice}", problem=problem)
    refused = isinstance(fault, SettingsError) and "n" not in arguments  # several answers are then asked for one by one
    if not refused or not isinstance(error, openai.APIError) or not await _can_start_answer(settings, arguments):
        return fault
    said = quote_server_message(error, settings, prompt)
    return RequestRefusedError(
        f"The endpoint {settings.base_url} refuses this text{said}, and answers others; give this role a model without "
        "such a filter, or leave the passage out.",
        problem=f"the endpoint refuses its text{said}",
    )


async def _can_answer(settings: ModelSettings, arguments: dict[str, Any]) -> bool:
    body = arguments["extra_body"]
    length = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
    short = {**arguments, "extra_body": {**body, length: PROBE_MAX_TOKENS}}
    try:
        async with acquire_slot(settings):
            await _stream_single_answer(HARMLESS_PROMPT, settings, short, lambda *_: None)
    except (openai.OpenAIError, ConnectionError, TimeoutError):
        return False
    return True


async def _can_start_answer(settings: ModelSettings, arguments: dict[str, Any]) -> bool:
    client = (await open_client(settings)).root_async_client
    request: Any = {
        "messages": [{"role": "user", "content": HARMLESS_PROMPT}],
        "stream_options": {"include_usage": True},
    }
    try:
        async with await client.chat.completions.create(**request, stream=True, **arguments) as stream:
            return await anext(aiter(stream), None) is not None
    except (openai.OpenAIError, ConnectionError, TimeoutError, ValueError):
        return False


async def _stream_single_answer(
    prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress
) -> list[Completion]:
    client = await open_client(settings)
    begin, pieces, finish_reason, usage = time.perf_counter(), list[str](), "", None
    try:
        # Not added up: some servers repeat the finish reason or the usage so far in several chunks.
        async for chunk in client.astream([HumanMessage(prompt)], **arguments):
            finish_reason = chunk.response_metadata.get("finish_reason") or finish_reason
            usage = chunk.usage_metadata or usage
            if chunk.text:
                pieces.append(str(chunk.text))
                progress(len(pieces), pieces[-1])
    except ValueError as error:
        raise BrokenAnswerError(NO_EVENTS) from error
    if finish_reason in INTERRUPTED_REASONS:
        raise BrokenAnswerError(CUT_OFF if pieces else NO_CHOICE)
    tokens = (usage["input_tokens"], usage["output_tokens"]) if usage else None
    return _build_completions([("".join(pieces), finish_reason)], tokens, len(pieces), begin)


async def _stream_several_answers(
    prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress
) -> list[Completion]:
    # LangChain's client mixes the pieces of several answers; the one below it tells them apart.
    client = (await open_client(settings)).root_async_client
    begin, usage, received = time.perf_counter(), None, 0
    texts, reasons = dict[int, list[str]](), dict[int, str]()
    try:
        stream = await client.chat.completions.create(
            messages=[{"role": "user", "content": prompt}],
            stream=True,
            stream_options={"include_usage": True},
            **arguments,
        )
        async for chunk in stream:
            usage = chunk.usage or usage
            newest = ""
            for choice in chunk.choices:
                piece = choice.delta.content or ""
                texts.setdefault(choice.index, []).append(piece)
                reasons[choice.index] = choice.finish_reason or reasons.get(choice.index, "")
                newest += piece if choice.index == 0 else ""
                received += 1
            progress(received, newest)
    except ValueError as error:
        raise BrokenAnswerError(NO_EVENTS) from error
    if not texts:
        raise BrokenAnswerError(NO_CHOICE)
    if INTERRUPTED_REASONS & set(reasons.values()):
        raise BrokenAnswerError(CUT_OFF)
    answers = [("".join(pieces), reasons[index]) for index, pieces in sorted(texts.items())]
    return _build_completions(
        answers, (usage.prompt_tokens, usage.completion_tokens) if usage else None, received, begin
    )


def _build_completions(
    answers: list[tuple[str, str]], usage: tuple[int, int] | None, pieces: int, begin: float
) -> list[Completion]:
    """Texts with their finish reasons; the first one has the account of all, by pieces if the server told no usage."""
    completions = [
        Completion(
            text=text,
            finish_reason=reason,
            input_tokens=0,
            output_tokens=0,
            tokens_estimated=usage is None,
            seconds=0.0,
            http_retries=0,
        )
        for text, reason in answers
    ]
    completions[0]["input_tokens"], completions[0]["output_tokens"] = usage or (0, pieces)
    completions[0]["seconds"] = round(time.perf_counter() - begin, 3)
    return completions


def build_request_arguments(settings: ModelSettings, schema: dict[str, Any] | None, max_tokens: int) -> dict[str, Any]:
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
    arguments = {"model": settings.model, **sampling, "extra_body": body}
    with suppress(RuntimeError):  # where no graph runs
        if run := str(get_config().get("configurable", {}).get("thread_id", "")):
            arguments["extra_headers"] = {SESSION_HEADER: run}
    return arguments
