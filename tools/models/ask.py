"""Ask a role for a value: fit the prompt, call the model, validate, and re-ask once.

Each request is a LangGraph task of its own, so its answer goes into the checkpoint by itself, as soon as it was read: a
run that is killed between a first answer and its re-ask resumes with the re-ask. Only what was on its way is asked
again; many answers that end together are read and stored one after the other, which took up to half a second for eight
(two busy cores).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from langgraph.config import get_stream_writer
from langgraph.func import task
from pydantic import BaseModel

from state.errors import ContextOverflow, DraftroomError, ModelOutputError
from state.limits import Limits
from state.records import CallRecord, Trim
from state.settings import ModelSettings
from tools.models.client import Completion, Progress, complete
from tools.models.limits import sent_schema
from tools.models.structured import Unusable, Value, parse
from tools.models.trimming import FittedPrompt, fit
from tools.prompts import Prompt, load_prompt

REASK = (
    "\n\nYour previous answer could not be used: {problem}. Answer again, with nothing but the JSON object asked for."
)
IN_PROMPT = "\n\nAnswer with nothing but one JSON object that keeps to this JSON schema:\n{schema}"
"""What ends a prompt where the server does not take the schema: after all that prompts share, for its cache."""
LONGEST_PROBLEM = 400
"""In characters; `trimming.REASK_TOKENS` keeps room for it."""
WARMER = 0.6
"""Least temperature of a re-ask."""

Sent = TypeVar("Sent")

admission: ContextVar[Callable[[], None]] = ContextVar("admission", default=lambda: None)
"""Called before each request; it raises if whoever drives the graph allows no more of them."""


@dataclass(frozen=True)
class Caller:
    """Who asks: for progress and for the account."""

    role: str
    step: str
    round: int


@dataclass(frozen=True)
class Answer(Generic[Value]):
    """A validated answer and what it cost."""

    value: Value
    calls: list[CallRecord]


@dataclass(frozen=True)
class Request:
    """What is sent to a model, and on whose account."""

    caller: Caller
    prompt: Prompt
    fit: Callable[[], Awaitable[FittedPrompt]]
    """Renders the prompt for the context as it is known."""
    fitted: FittedPrompt
    settings: ModelSettings
    schema: type[BaseModel]
    limits: Limits
    problem: str = ""
    """Why the answer to the first request was unusable; empty for the first."""

    @property
    def text(self) -> str:
        """The prompt; that of a re-ask begins with the same words, which the server still has in its cache."""
        return self.fitted.text + (REASK.format(problem=self.problem[:LONGEST_PROBLEM]) if self.problem else "")

    @property
    def sent_schema(self) -> dict[str, Any]:
        """The JSON schema that the server is to decode by."""
        return sent_schema(self.schema, self.limits, bounded=self.settings.schema_limits)


async def ask(
    caller: Caller,
    prompt_file: Path,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    trim: str,
    limits: Limits | None = None,
) -> Answer[Value]:
    """Render a prompt, call the model, and return its answer as a validated `schema`.

    Must run inside a LangGraph node.

    Args:
        caller: Role, step and round, for progress and the account.
        prompt_file: The prompt's Markdown file.
        variables: Values of the prompt's declared variables.
        schema: What the answer must be.
        settings: Endpoint, model and sampling of the role.
        trim: Name of the variable that may be shortened if the prompt outgrows the context.
        limits: The run's table of limits, which the prompt sees as `limits` if it declares that; the defaults if none.

    Raises:
        ModelUnavailable: If the endpoint fails after all retries.
        ContextOverflow: If the prompt cannot be made to fit.
        SettingsError: If the endpoint does not accept the request.
        ModelOutputError: If the second answer is unusable, too; `spent` accounts for both.
    """
    request = await prepare(caller, prompt_file, variables, schema, settings, trim=trim, limits=limits or Limits())
    first = await first_request(request)
    try:
        value, cuts = parse(first, schema, request.limits)
        return Answer(value, [record_of(request, first, cuts)])
    except Unusable as problem:
        again = reask_of(request, problem)
    second = await second_request(again, record_of(request, first))
    value, cuts = parse(second, schema, request.limits, last_try=True)
    return Answer(value, [record_of(request, first), record_of(again, second, cuts)])


async def prepare(
    caller: Caller,
    prompt_file: Path,
    variables: dict[str, object],
    schema: type[BaseModel],
    settings: ModelSettings,
    *,
    trim: str,
    limits: Limits,
) -> Request:
    """The first request for a value, fitted to the model's context."""
    prompt = await asyncio.to_thread(load_prompt, prompt_file)  # it looks into a folder, which blocks
    if "limits" in prompt.front_matter.variables:
        variables = {**variables, "limits": limits}
    ending = ""
    if settings.structured_output == "prompt":
        sent = sent_schema(schema, limits, bounded=settings.schema_limits)
        ending = IN_PROMPT.format(schema=json.dumps(sent, ensure_ascii=False, separators=(",", ":")))
    fitting = partial(fit, prompt, variables, trim, settings, ending=ending)
    return Request(caller, prompt, fitting, await fitting(), settings, schema, limits)


def reask_of(request: Request, problem: Unusable) -> Request:
    """The same request with what was wrong with its answer, at a higher temperature.

    A model that decodes greedily repeats its mistake, above all an answer that goes round in circles; Whisper decodes
    such a passage again in the same way (Radford et al. 2022, Section 4.5).
    """
    settings = request.settings
    if settings.temperature is not None:
        settings = settings.model_copy(update={"temperature": max(settings.temperature, WARMER)})
    return replace(request, problem=str(problem), settings=settings)


@task
async def first_request(request: Request) -> Completion:
    """The first try. Whatever it answers is kept in the checkpoint."""
    return await _send(request)


@task
async def second_request(request: Request, first: CallRecord) -> Completion:
    """The re-ask. It fails inside the task, so that an unusable answer is not kept and a resumed run asks afresh."""
    try:
        completion = await _send(request)
    except DraftroomError as error:
        error.spent.append(first)
        raise
    try:
        parse(completion, request.schema, request.limits, last_try=True)
    except Unusable as problem:
        raise gave_up(request, str(problem), [first, record_of(request, completion)]) from problem
    return completion


def gave_up(request: Request, problem: str, spent: list[CallRecord]) -> ModelOutputError:
    """What the user is told when the answer to the re-ask is unusable, too."""
    return ModelOutputError(
        f"The {request.caller.role} ({request.settings.model}) gave no usable answer in two tries: {problem}. "
        "Resume the run to ask again, or give this role a stronger model or more `max_tokens`.",
        problem=problem,
        spent=spent,
    )


async def _send(request: Request) -> Completion:
    completion, trims = await send_fitting(request, _send_once)
    return {**completion, "trims": trims}


async def _send_once(request: Request) -> Completion:
    progress = announce(request)
    return await complete(request.text, request.settings, request.sent_schema, request.fitted.max_tokens, progress)


async def send_fitting(request: Request, send: Callable[[Request], Awaitable[Sent]]) -> tuple[Sent, list[Trim]]:
    """Send a request; once more, fitted to the context, where only its refusal has told how long that is.

    Within one task, because a resumed run must come to the same tasks in the same order, whatever it knows by then.

    Returns:
        What came back, and what was cut of the prompt.
    """
    try:
        return await send(request), request.fitted.trims
    except ContextOverflow as refusal:
        fitted = await _fitted_again(request, refusal)
    return await send(replace(request, fitted=fitted)), fitted.trims


async def _fitted_again(request: Request, refusal: ContextOverflow) -> FittedPrompt:
    try:
        fitted = await request.fit()
    except ContextOverflow:
        raise refusal from None  # it has the server's words
    if fitted == request.fitted:
        raise refusal
    return fitted


def announce(request: Request) -> Progress:
    """Tell whoever follows the run that a call begins, unless they allow none; the result tells how it goes on."""
    admission.get()()
    caller = request.caller
    write = get_stream_writer()
    event = {"role": caller.role, "step": caller.step, "round": caller.round, "model": request.settings.model}
    write({"event": "call", **event})

    def progress(tokens: int) -> None:
        write({"event": "tokens", "tokens": tokens, **event})

    return progress


def record_of(request: Request, completion: Completion, cuts: Sequence[str] = ()) -> CallRecord:
    """What a request has cost, and what of its answer was left out."""
    caller, prompt = request.caller, request.prompt
    return CallRecord(
        role=caller.role,
        step=caller.step,
        round=caller.round,
        model=request.settings.model,
        prompt=prompt.name,
        prompt_sha256=prompt.sha256,
        input_tokens=completion["input_tokens"] or request.fitted.tokens,
        output_tokens=completion["output_tokens"],
        tokens_estimated=completion["tokens_estimated"],
        seconds=completion["seconds"],
        http_retries=completion["http_retries"],
        reask=bool(request.problem),
        finish_reason=completion["finish_reason"],
        trims=completion.get("trims", request.fitted.trims),
        cuts=list(cuts),
    )
