"""Several answers to one prompt: in one request, so that the server reads the prompt once, where it knows `n`.

Some servers ignore `n`, and llama.cpp refuses more than it has slots for: there the missing answers are asked for one
by one.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic
from weakref import WeakKeyDictionary

import openai
from langgraph.func import task

from state.errors import DraftroomError, RequestFailed, SettingsError, Unanswered
from state.limits import Limits
from state.records import CallRecord
from state.settings import ModelSettings
from tools.models.ask import Caller, Request, announce, gave_up, prepare, record_of, send_fitting
from tools.models.client import INTERRUPTED, Completion, Progress, fault_of, request_arguments
from tools.models.connection import client_for, place_for
from tools.models.faults import CUT_OFF, NO_CHOICE, NO_EVENTS, BrokenAnswer, retrying
from tools.models.structured import Unusable, Value, parse

_one_at_a_time: WeakKeyDictionary[asyncio.AbstractEventLoop, set[str]] = WeakKeyDictionary()
"""Endpoints that did not give as many answers as they were asked for."""


@dataclass
class Samples(Generic[Value]):
    """The usable answers, and what all of them cost."""

    schema: type[Value]
    values: list[Value] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    """What was wrong with each of the others."""
    calls: list[CallRecord] = field(default_factory=list)

    def add(self, request: Request, completions: list[Completion]) -> None:
        """Take the answers to a request in, with what it has cost."""
        cuts: list[str] = []
        for completion in completions:
            try:
                parsed = parse(completion, self.schema, request.limits)
            except Unusable as problem:
                self.unusable.append(str(problem))
            else:
                self.values.append(parsed.value)
                cuts += parsed.cuts
        self.calls.append(record_of(request, total(completions), cuts))


async def sample(  # noqa: PLR0913 - as `ask`, and how many
    caller: Caller,
    prompt_file: Path,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    number: int,
    trim: str,
    limits: Limits | None = None,
) -> Samples[Value]:
    """Ask for `number` answers and keep the usable ones; ask again for as many if there is none.

    Must run inside a LangGraph node.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError: As `ask`.
        ModelOutputError: If no answer of two requests is usable; `spent` accounts for both.
    """
    request = await prepare(caller, prompt_file, variables, schema, settings, trim=trim, limits=limits or Limits())
    samples = Samples(schema)
    first = await first_samples(request, number)
    samples.add(request, first)
    await _top_up(samples, request, len(first), number)
    if not samples.values:
        again = replace(request, problem=samples.unusable[0])
        second = await second_samples(again, number, list(samples.calls))
        samples.add(again, second)
        await _top_up(samples, again, len(second), number)
    return samples


async def _top_up(samples: Samples[Value], request: Request, begin: int, number: int) -> None:
    """Ask for the missing answers one by one; if one of them gets none, those that can be used are enough."""
    for place in range(begin, number):
        try:
            samples.add(request, await further_sample(request, place, list(samples.calls)))
        except (Unanswered, RequestFailed):
            if not samples.values:
                raise
            return


@task
async def first_samples(request: Request, number: int) -> list[Completion]:
    """The first request. Whatever comes back is kept in the checkpoint."""
    return await _send(request, number)


@task
async def further_sample(request: Request, place: int, before: list[CallRecord]) -> list[Completion]:
    """One more answer, with a seed of its own: with the same one it would be the same answer."""
    seed = request.settings.seed
    other = {} if seed is None else {"seed": seed + place}
    settings = request.settings.model_copy(update=other)
    return await _send_after(before, replace(request, settings=settings), 1)


@task
async def second_samples(request: Request, number: int, before: list[CallRecord]) -> list[Completion]:
    """The second request. It fails inside the task, so that a resumed run asks afresh."""
    completions = await _send_after(before, request, number)
    second = Samples(request.schema)
    second.add(request, completions)
    if not second.values:
        raise gave_up(request, second.unusable[0], [*before, *second.calls])
    return completions


def total(completions: list[Completion]) -> Completion:
    """One account of a request: usage is counted for all its answers together, and stands in the first of them."""
    reasons = sorted({completion["finish_reason"] for completion in completions})
    return {**completions[0], "text": "", "finish_reason": ", ".join(reasons)}


async def _send(request: Request, number: int) -> list[Completion]:
    completions, trims = await send_fitting(request, partial(_send_once, number=number))
    completions[0]["trims"] = trims
    return completions


async def _send_once(request: Request, number: int) -> list[Completion]:
    progress = announce(request)
    schema = request.sent_schema
    return await complete_many(request.text, request.settings, schema, request.fitted.max_tokens, number, progress)


async def _send_after(before: list[CallRecord], request: Request, number: int) -> list[Completion]:
    """As `_send`; an error also accounts for what was asked before."""
    try:
        return await _send(request, number)
    except DraftroomError as error:
        error.spent[:0] = before
        raise


async def complete_many(
    prompt: str,
    settings: ModelSettings,
    schema: dict[str, Any] | None,
    max_tokens: int,
    number: int,
    progress: Progress,
) -> list[Completion]:
    """Send `prompt` as one user message and wait for `number` whole answers, or for one where the endpoint gives one.

    A request for several that is refused is sent again for one: `n` may be what the server does not know. If it was
    something else, that is refused, too.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError: As `complete`.
    """
    one_at_a_time = _one_at_a_time.setdefault(asyncio.get_running_loop(), set())
    arguments = request_arguments(settings, schema, max_tokens)
    if number > 1 and settings.base_url not in one_at_a_time:
        try:
            completions = await _try(prompt, settings, {**arguments, "n": number}, progress)
        except SettingsError:
            completions = await _try(prompt, settings, arguments, progress)
        if len(completions) < number:
            one_at_a_time.add(settings.base_url)
        return completions
    return await _try(prompt, settings, arguments, progress)


async def _try(prompt: str, settings: ModelSettings, arguments: dict[str, Any], progress: Progress) -> list[Completion]:
    try:
        async for attempt in retrying(settings):
            with attempt:
                async with place_for(settings):
                    completions = await _stream(prompt, settings, arguments, progress)
                completions[0]["http_retries"] = attempt.retry_state.attempt_number - 1
    except (openai.OpenAIError, ConnectionError, TimeoutError) as error:
        raise await fault_of(error, settings, prompt, arguments) from None  # the cause may quote the key or the prompt
    return completions


async def _stream(
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
            for choice in chunk.choices:
                texts.setdefault(choice.index, []).append(choice.delta.content or "")
                reasons[choice.index] = choice.finish_reason or reasons.get(choice.index, "")
                received += 1
            progress(received)
    except ValueError as error:
        raise BrokenAnswer(NO_EVENTS) from error
    if not texts:
        raise BrokenAnswer(NO_CHOICE)
    if INTERRUPTED & set(reasons.values()):
        raise BrokenAnswer(CUT_OFF)
    completions = [
        Completion(
            text="".join(pieces),
            finish_reason=reasons[index],
            input_tokens=0,
            output_tokens=0,
            tokens_estimated=usage is None,
            seconds=0.0,
            http_retries=0,
        )
        for index, pieces in sorted(texts.items())
    ]
    completions[0]["input_tokens"] = usage.prompt_tokens if usage else 0
    completions[0]["output_tokens"] = usage.completion_tokens if usage else received
    completions[0]["seconds"] = round(time.perf_counter() - begin, 3)
    return completions
