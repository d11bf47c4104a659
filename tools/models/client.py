"""Send requests to models: streamed, retried after transient faults, and limited in number for each endpoint.

Of many jobs that share an endpoint, the oldest goes first. So jobs end one after the other, each as early as possible,
and papers that were read meanwhile always wait for a slot. If all jobs took turns, all would end at the same time, and
the endpoint would be idle while the next papers are read.
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
    may_be_caused_by_request,
    open_client,
    quote_server_message,
    record_context_length,
    translate_error,
)

# Rank of the current job among those that share the endpoints. Requests of equal rank go in the order of their arrival.
job_order: ContextVar[int] = ContextVar("job_order", default=0)


class _RequestSlots:
    """A semaphore of an endpoint that admits the request of the oldest job first."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = count()

    async def acquire(self) -> None:
        """Wait for a slot and take it; the caller must release it."""
        if self._free:
            self._free -= 1
            return
        slot = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (job_order.get(), next(self._arrivals), slot))
        try:
            await slot
        except asyncio.CancelledError:
            if not slot.cancelled():  # the slot was granted at the same moment
                self.release()
            raise

    def release(self) -> None:
        """Pass a slot to the oldest job that waits for it, or else mark it as free."""
        while self._waiting:
            *_, slot = heappop(self._waiting)
            if not slot.done():
                slot.set_result(None)
                return
        self._free += 1


_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _RequestSlots]] = WeakKeyDictionary()


@asynccontextmanager
async def acquire_slot(settings: ModelSettings) -> AsyncIterator[None]:
    """Hold a slot of the endpoint within a `with` block; an endpoint with too many at once may answer none in time."""
    endpoints = _slots.setdefault(asyncio.get_running_loop(), {})
    slots = endpoints.setdefault(settings.base_url, _RequestSlots(settings.concurrency))
    await slots.acquire()
    try:
        yield
    finally:
        slots.release()


# Finish reasons of an interrupted answer: none at all, and those that vLLM reports when it is shut down.
INTERRUPTED_REASONS = {"", "abort", "error"}
# A router sends the requests of a session to one server, whose cache holds the shared beginning of a run's prompts.
# vLLM's router and LiteLLM use this name of the header.
SESSION_HEADER = "X-Session-ID"
HARMLESS_PROMPT = "Say yes."  # no filter refuses it
PROBE_MAX_TOKENS = 16  # enough to show that an endpoint completes its answers
# Endpoints that returned fewer answers than were requested.
_single_answer_endpoints: WeakKeyDictionary[asyncio.AbstractEventLoop, set[str]] = WeakKeyDictionary()


class Completion(TypedDict):
    """A model's answer as plain values, because it is written to the checkpoint."""

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    seconds: float
    http_retries: int
    trims: NotRequired[list[Trim]]
    """Cuts of a prompt that was fitted again, to the context length that a refusal had reported."""


# Called with the number of pieces (about tokens) received so far, and the newest piece of the first answer.
Progress = Callable[[int, str], None]


async def request_completions(
    prompt: str,
    settings: ModelSettings,
    schema: dict[str, Any] | None,
    max_tokens: int,
    progress: Progress,
    *,
    number: int = 1,
) -> list[Completion]:
    """Send `prompt` as one user message, and wait for `number` complete answers, or fewer if the endpoint gives fewer.

    Several answers are requested at once, so that the server reads the prompt once. Some servers ignore `n`, and
    llama.cpp refuses more than it has slots for. A refused request for several is therefore repeated for one answer; if
    it was refused for another reason, that request is refused, too.

    The schema constrains decoding if the server supports it; prose has none. The limit of tokens is that of each
    answer. The first answer holds usage and time of all of them.

    Raises:
        ModelUnavailableError: If the endpoint fails after all retries.
        RequestFailedError: If it fails so, but answers another request.
        ContextOverflowError: If the server reports that prompt and answer are too long.
        RequestRefusedError: If the server refuses this prompt, but answers another.
        SettingsError: If the server does not accept another part of the request.
    """
    arguments = build_request_arguments(settings, schema, max_tokens)
    single = _single_answer_endpoints.setdefault(asyncio.get_running_loop(), set())
    if number == 1 or settings.base_url in single:
        return await _request_with_retries(prompt, settings, arguments, progress)
    try:
        completions = await _request_with_retries(prompt, settings, {**arguments, "n": number}, progress)
    except SettingsError:
        completions = await _request_with_retries(prompt, settings, arguments, progress)
    if len(completions) < number:
        single.add(settings.base_url)
    return completions


async def _request_with_retries(
    prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress
) -> list[Completion]:
    """Stream one answer, or the `n` of the arguments, with retries; raise the classified fault if all fail."""
    stream = _stream_several_answers if "n" in arguments else _stream_single_answer
    try:
        async for attempt in build_retrier(settings):
            with attempt:
                async with acquire_slot(settings):
                    completions = await stream(prompt, settings, arguments, progress)
                completions[0]["http_retries"] = attempt.retry_state.attempt_number - 1
    except (openai.OpenAIError, ConnectionError, TimeoutError) as error:
        # Without the cause, which may quote the key or the prompt.
        raise await classify_fault(error, settings, prompt, arguments) from None
    return completions


async def classify_fault(
    error: Exception, settings: ModelSettings, prompt: str, arguments: dict[str, Any]
) -> DraftroomError:
    """Return the error for a failed request, after asking a harmless question to see whether others fail, too.

    A server does not say reliably whether it refuses the text or the fields of a request. So a harmless text is sent
    with the same fields; after a refusal the beginning of its answer is enough. After a fault the server is asked for a
    short answer, which must be complete. The result is a RequestFailedError or RequestRefusedError if other questions
    can be answered, else the error for all of them.
    """
    discard_endpoint(settings)
    fault = translate_error(error, settings, prompt)
    if isinstance(fault, ContextOverflowError) and fault.context_length:
        record_context_length(settings, fault.context_length)
    if may_be_caused_by_request(error):
        if not await _can_answer(settings, arguments):
            return fault
        happened, _, advice = str(fault).rpartition("; ")
        problem = f"{happened}, but answers other requests"
        return RequestFailedError(f"{problem}; {advice}", problem=problem)
    # After a refusal of several answers they are requested one by one, so the reason does not matter yet.
    if not isinstance(fault, SettingsError) or "n" in arguments or not isinstance(error, openai.APIError):
        return fault
    client = (await open_client(settings)).root_async_client
    request: Any = {"messages": [{"role": "user", "content": HARMLESS_PROMPT}], **arguments, "stream": True}
    try:
        async with await client.chat.completions.create(**request, stream_options={"include_usage": True}) as stream:
            has_begun = await anext(aiter(stream), None) is not None
    except (openai.OpenAIError, ConnectionError, TimeoutError, ValueError):
        has_begun = False
    if not has_begun:
        return fault
    quote = quote_server_message(error, settings, prompt)
    return RequestRefusedError(
        f"The endpoint {settings.base_url} refuses this text{quote}, and answers others; give this role a model "
        "without such a filter, or leave the passage out.",
        problem=f"the endpoint refuses its text{quote}",
    )


async def _can_answer(settings: ModelSettings, arguments: dict[str, Any]) -> bool:
    """Return whether the endpoint completes a short answer to a harmless prompt with these arguments."""
    body = arguments["extra_body"]
    limit = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
    short = {**arguments, "extra_body": {**body, limit: PROBE_MAX_TOKENS}}
    try:
        async with acquire_slot(settings):
            await _stream_single_answer(HARMLESS_PROMPT, settings, short, lambda *_: None)
    except (openai.OpenAIError, ConnectionError, TimeoutError):
        return False
    return True


async def _stream_single_answer(
    prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress
) -> list[Completion]:
    """Stream one answer and return it in a list; raise `BrokenAnswerError` if it was interrupted."""
    client = await open_client(settings)
    begin, pieces, finish_reason, usage = time.perf_counter(), list[str](), "", None
    try:
        # The last value counts: some servers repeat the finish reason or the usage so far in several chunks.
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
    """Stream the `n` answers of the arguments and return them in order; raise `BrokenAnswerError` if one breaks off."""
    # LangChain's client mixes the pieces of several answers; the OpenAI client below it keeps them apart.
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
    tokens = (usage.prompt_tokens, usage.completion_tokens) if usage else None
    return _build_completions(answers, tokens, received, begin)


def _build_completions(
    answers: list[tuple[str, str]], usage: tuple[int, int] | None, pieces: int, begin: float
) -> list[Completion]:
    """Build completions of texts and finish reasons; the first one holds the usage of all.

    Without usage from the server, the number of pieces estimates the tokens.
    """
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
    """Build the keyword arguments of a request without the prompt; within a run, with the header of its session."""
    sampling = settings.model_dump(include={"temperature", "top_p", "frequency_penalty", "seed"}, exclude_none=True)
    body = dict(settings.extra_body)
    if "max_completion_tokens" not in body:
        # As an extra field, because the client would send it as `max_completion_tokens`, which Ollama and LM Studio
        # ignore. For a server that knows only that name, the user sets it in `extra_body`.
        body["max_tokens"] = max_tokens
    if settings.repetition_penalty is not None:
        body["repetition_penalty"] = settings.repetition_penalty
    if schema is not None and settings.structured_output == "json_schema":
        # As an extra field, so that the client does not parse the answer: a truncated one would raise an error.
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": str(schema.get("title", "answer")), "schema": schema},
        }
    arguments = {"model": settings.model, **sampling, "extra_body": body}
    with suppress(RuntimeError):  # where no graph runs
        if thread := str(get_config().get("configurable", {}).get("thread_id", "")):
            arguments["extra_headers"] = {SESSION_HEADER: thread}
    return arguments
