"""Several answers to one prompt in one request, so that the server reads the prompt once."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, NamedTuple

import httpx2
import openai
from langgraph.func import task

from state.errors import DraftroomError
from state.limits import Limits
from state.records import CallRecord
from state.settings import ModelSettings
from tools.models.ask import Caller, Request, announce, gave_up, prepare, record_of
from tools.models.client import INTERRUPTED, Completion, Progress, request_arguments
from tools.models.connection import client_for, place_for
from tools.models.endpoint import forget_endpoint
from tools.models.faults import StreamCut, retrying, translate
from tools.models.structured import Unusable, Value, parse


class Samples(NamedTuple, Generic[Value]):
    """The usable answers, and what all of them cost."""

    values: list[Value]
    unusable: list[str]
    """What was wrong with each of the others."""
    calls: list[CallRecord]


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
    """Ask once for `number` answers and keep the usable ones; ask again if there is none.

    Must run inside a LangGraph node. Servers that know no `n` give one answer.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError: As `ask`.
        ModelOutputError: If no answer of two requests is usable; `spent` accounts for both.
    """
    request = await prepare(caller, prompt_file, variables, schema, settings, trim=trim, limits=limits or Limits())
    first = await first_samples(request, number)
    values, problems, cuts = sift(first, schema, request.limits)
    calls = [record_of(request, total(first), cuts)]
    if values:
        return Samples(values, problems, calls)
    again = replace(request, problem=problems[0])
    second = await second_samples(again, number, calls[0])
    values, problems, cuts = sift(second, schema, request.limits)
    return Samples(values, problems, [*calls, record_of(again, total(second), cuts)])


@task
async def first_samples(request: Request, number: int) -> list[Completion]:
    """The first request. Whatever comes back is kept in the checkpoint."""
    return await _send(request, number)


@task
async def second_samples(request: Request, number: int, first: CallRecord) -> list[Completion]:
    """The second request. It fails inside the task, so that a resumed run asks afresh."""
    try:
        completions = await _send(request, number)
    except DraftroomError as error:
        error.spent.append(first)
        raise
    values, problems, _ = sift(completions, request.schema, request.limits)
    if not values:
        raise gave_up(request, problems[0], [first, record_of(request, total(completions))])
    return completions


def sift(
    completions: list[Completion], schema: type[Value], limits: Limits
) -> tuple[list[Value], list[str], list[str]]:
    """The usable answers, what is wrong with the others, and what was left out of the usable ones."""
    values, problems, cuts = list[Value](), list[str](), list[str]()
    for completion in completions:
        try:
            parsed = parse(completion, schema, limits)
        except Unusable as problem:
            problems.append(str(problem))
        else:
            values.append(parsed.value)
            cuts += parsed.cuts
    return values, problems, cuts


def total(completions: list[Completion]) -> Completion:
    """One account of a request: usage is counted for all its answers together, and stands in the first of them."""
    reasons = sorted({completion["finish_reason"] for completion in completions})
    return {**completions[0], "text": "", "finish_reason": ", ".join(reasons)}


async def _send(request: Request, number: int) -> list[Completion]:
    progress = announce(request)
    schema = request.sent_schema
    return await complete_many(request.text, request.settings, schema, request.fitted.max_tokens, number, progress)


async def complete_many(
    prompt: str,
    settings: ModelSettings,
    schema: dict[str, Any] | None,
    max_tokens: int,
    number: int,
    progress: Progress,
) -> list[Completion]:
    """Send `prompt` as one user message and wait for `number` whole answers.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError: As `complete`.
    """
    arguments = {**request_arguments(settings, schema, max_tokens), "n": number}
    try:
        async for attempt in retrying(settings):
            with attempt:
                async with place_for(settings):
                    completions = await _stream(prompt, settings, arguments, progress)
                completions[0]["http_retries"] = attempt.retry_state.attempt_number - 1
    except (openai.OpenAIError, ConnectionError, TimeoutError) as error:
        forget_endpoint(settings)
        raise translate(error, settings) from None  # the cause may quote the key or the prompt
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
    except (httpx2.TransportError, ValueError) as error:  # a ValueError: the stream holds no events, or broken ones
        raise StreamCut(str(error)) from error
    if not texts or INTERRUPTED & set(reasons.values()):
        raise StreamCut("the stream ended before all answers did")
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
