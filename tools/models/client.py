"""One request to a model: streamed, tried again after passing faults, and sent to the best of its endpoints.

Of several endpoints that serve one model, the one with the fewest requests under way is asked. A run stays with the
endpoint that it asked first, whose cache has what its prompts share, unless that one has clearly more to do. One that
fails is taken out, and what it was asked goes to another at once; after a while it is asked again, and is back when it
answers.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict, TypeVar
from weakref import WeakKeyDictionary

import openai
from langchain_core.messages import HumanMessage
from langgraph.config import get_config

from state.errors import ContextOverflow, DraftroomError, ModelUnavailable, RequestFailed, RequestRefused, SettingsError
from state.model_settings import ModelSettings
from state.records import Trim
from tools.models.endpoint import (
    CUT_OFF,
    NO_CHOICE,
    NO_EVENTS,
    BrokenAnswer,
    client_for,
    forget_endpoint,
    learn_context,
    may_be_of_the_request,
    retrying,
    translate,
    words_of,
)
from tools.models.places import place_for

INTERRUPTED = {"", "abort", "error"}
"""Finish reasons of an answer that the server gave up: none at all, and what vLLM says when it is shut down."""

HARMLESS = "Say yes."
"""No filter refuses it."""
SHORT_ANSWER = 16
"""Tokens that show that an endpoint answers to the end."""

_one_at_a_time: WeakKeyDictionary[asyncio.AbstractEventLoop, set[str]] = WeakKeyDictionary()
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
    endpoint: NotRequired[str]
    """Which one answered, of a model that has several."""
    trims: NotRequired[list[Trim]]
    """What was cut of a prompt that had to be fitted again, to the context that its refusal told."""


Progress = Callable[[int, str], None]
"""Called with the number of pieces (about tokens) received so far, and the newest one of the first answer."""


async def complete(
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
    arguments = request_arguments(settings, schema, max_tokens)
    one_at_a_time = _one_at_a_time.setdefault(asyncio.get_running_loop(), set())
    if number == 1 or settings.address in one_at_a_time:
        return await _try(prompt, settings, arguments, progress)
    try:
        completions = await _try(prompt, settings, {**arguments, "n": number}, progress)
    except SettingsError:
        completions = await _try(prompt, settings, arguments, progress)
    if len(completions) < number:
        one_at_a_time.add(settings.address)
    return completions


async def _try(prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress) -> list[Completion]:
    stream = _stream_several if "n" in arguments else _stream
    try:
        async for attempt in retrying(settings):
            with attempt:
                async with place_for(settings):
                    completions = await stream(prompt, settings, arguments, progress)
                completions[0]["http_retries"] = attempt.retry_state.attempt_number - 1
    except (openai.OpenAIError, ConnectionError, TimeoutError) as error:
        raise await fault_of(error, settings, prompt, arguments) from None  # the cause may quote the key or the prompt
    return completions


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
        f"The endpoint {settings.address} refuses this text{said}, and answers others; give this role a model without "
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
            await _stream(HARMLESS, settings, short, lambda *_: None)
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


async def _stream(
    prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress
) -> list[Completion]:
    client = await client_for(settings)
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
        raise BrokenAnswer(NO_EVENTS) from error
    if finish_reason in INTERRUPTED:
        raise BrokenAnswer(CUT_OFF if pieces else NO_CHOICE)
    tokens = (usage["input_tokens"], usage["output_tokens"]) if usage else None
    return _completions([("".join(pieces), finish_reason)], tokens, len(pieces), begin)


async def _stream_several(
    prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress
) -> list[Completion]:
    # LangChain's client mixes the pieces of several answers; the one below it tells them apart.
    client = (await client_for(settings)).root_async_client
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
        raise BrokenAnswer(NO_EVENTS) from error
    if not texts:
        raise BrokenAnswer(NO_CHOICE)
    if INTERRUPTED & set(reasons.values()):
        raise BrokenAnswer(CUT_OFF)
    answers = [("".join(pieces), reasons[index]) for index, pieces in sorted(texts.items())]
    return _completions(answers, (usage.prompt_tokens, usage.completion_tokens) if usage else None, received, begin)


def _completions(
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


AHEAD = 4
"""How many requests more than the least busy endpoint that of a run may have before the run goes to another."""
LONGEST_REST_S = 60.0
_MOST_RUNS = 10_000

Result = TypeVar("Result")


@dataclass
class _Replicas:
    """How the endpoints stand."""

    under_way: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    """In a row."""
    back_at: dict[str, float] = field(default_factory=dict)
    """Of those that rest: when one may be asked again."""
    of_run: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    """Which one a run asked last, of those that it may ask."""

    def choose(self, addresses: list[str], run: str) -> str:
        """The one to ask; of those that rest only where all do, and then the one that is back first."""
        now = time.monotonic()
        up = [each for each in addresses if self.back_at.get(each, 0) <= now]
        if not up:
            return min(addresses, key=lambda each: self.back_at[each])
        least = min(up, key=lambda each: self.under_way[each])
        key = (run, tuple(addresses))
        own = self.of_run.get(key)
        if not run or own not in up or self.under_way[own] > self.under_way[least] + AHEAD:
            self.of_run[key] = own = least
        while len(self.of_run) > _MOST_RUNS:
            del self.of_run[next(iter(self.of_run))]
        return own

    @contextmanager
    def asked(self, address: str) -> Iterator[None]:
        """While a request is under way."""
        self.under_way[address] += 1
        try:
            yield
        finally:
            self.under_way[address] -= 1

    def take_out(self, address: str, first_rest_s: float) -> None:
        """Let it rest, twice as long with each fault in a row."""
        rest_s = min(first_rest_s * 2 ** self.faults[address], LONGEST_REST_S)
        self.faults[address] += 1
        self.back_at[address] = time.monotonic() + rest_s

    def take_back(self, address: str) -> None:
        """It answers."""
        del self.faults[address]
        self.back_at.pop(address, None)


_replicas: WeakKeyDictionary[asyncio.AbstractEventLoop, _Replicas] = WeakKeyDictionary()


async def at_an_endpoint(
    settings: ModelSettings, work: Callable[[ModelSettings], Awaitable[Result]], *, run: str = ""
) -> Result:
    """Does work at one endpoint of a model, or at another where that one fails.

    Args:
        settings: Of the model, with all its endpoints.
        work: Asks the endpoint whose settings it is given.
        run: Which one asks; by default that of the graph that calls this, if it has a name.

    Raises:
        ModelUnavailable: All of them fail, as often as the settings say; it is that of the last one.
    """
    if len(settings.addresses) == 1:
        return await work(settings)
    replicas = _replicas.setdefault(asyncio.get_running_loop(), _Replicas())
    once = settings.model_copy(update={"retries": 0})
    attempt = 0
    while True:
        left, failures = list(settings.addresses), list[ModelUnavailable]()
        while left:
            address = replicas.choose(left, run or _thread())
            left.remove(address)
            try:
                with replicas.asked(address):
                    result = await work(once.at(address))
            except ModelUnavailable as failure:
                failures.append(failure)
                if not isinstance(failure, RequestFailed):  # it answers others
                    replicas.take_out(address, settings.retry_wait_s)
            else:
                replicas.take_back(address)
                return result
        if attempt == settings.retries or all(failure.kind != "endpoint_down" for failure in failures):
            raise failures[-1]
        await asyncio.sleep(min(settings.retry_wait_s * 2**attempt, LONGEST_REST_S))
        attempt += 1


def _thread() -> str:
    try:
        return str(get_config().get("configurable", {}).get("thread_id", ""))
    except RuntimeError:
        return ""
