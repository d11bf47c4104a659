"""Ask a role for a value: fit the prompt, call the model, validate, and re-ask once.

Each request is a LangGraph task of its own, so its answer is in the checkpoint before anything else happens: a run that
is killed between a first answer and its re-ask resumes with the re-ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Generic

from langgraph.config import get_stream_writer
from langgraph.func import task
from pydantic import BaseModel

from state.errors import ModelOutputError
from state.records import CallRecord
from state.settings import ModelSettings
from tools.models.client import Completion, complete
from tools.models.structured import Unusable, Value, parse
from tools.models.trimming import FittedPrompt, fit
from tools.prompts import Prompt, load_prompt

REASK = (
    "\n\nYour previous answer could not be used: {problem}. Answer again, with nothing but the JSON object asked for."
)


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


async def ask(
    caller: Caller,
    prompt_file: Path,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    trim: str,
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

    Raises:
        ModelUnavailable: If the endpoint fails after all retries.
        ContextOverflow: If the prompt cannot be made to fit.
        ModelOutputError: If the second answer is unusable, too; `spent` accounts for both.
    """
    prompt = await asyncio.to_thread(load_prompt, prompt_file)  # it looks into a folder, which blocks
    fitted = await fit(prompt, variables, trim, settings)
    call = partial(_record, caller, prompt, fitted, settings)
    first = await first_request(fitted, settings, schema, caller)
    try:
        return Answer(parse(first, schema), [call(first)])
    except Unusable as problem:
        again = replace(fitted, text=fitted.text + REASK.format(problem=str(problem)[:400]))
    second = await second_request(again, settings, schema, caller, call(first), call)
    return Answer(parse(second, schema), [call(first), call(second, reask=True)])


@task
async def first_request(
    prompt: FittedPrompt, settings: ModelSettings, schema: type[BaseModel], caller: Caller
) -> Completion:
    """The first try. Whatever it answers is kept in the checkpoint."""
    return await _send(prompt, settings, schema, caller)


@task
async def second_request(
    prompt: FittedPrompt,
    settings: ModelSettings,
    schema: type[BaseModel],
    caller: Caller,
    first: CallRecord,
    call: Callable[..., CallRecord],
) -> Completion:
    """The re-ask. It fails inside the task, so that an unusable answer is not kept and a resumed run asks afresh."""
    completion = await _send(prompt, settings, schema, caller)
    try:
        parse(completion, schema)
    except Unusable as problem:
        raise ModelOutputError(
            f"The {caller.role} ({settings.model}) gave no usable answer in two tries: {problem}. "
            "Resume the run to ask again, or give this role a stronger model or more `max_tokens`.",
            spent=[first, call(completion, reask=True)],
        ) from problem
    return completion


async def _send(prompt: FittedPrompt, settings: ModelSettings, schema: type[BaseModel], caller: Caller) -> Completion:
    write = get_stream_writer()
    event = {"role": caller.role, "step": caller.step, "round": caller.round, "model": settings.model}
    write({"event": "call", **event})

    def progress(tokens: int) -> None:
        write({"event": "tokens", "tokens": tokens, **event})

    return await complete(prompt.text, settings, schema.model_json_schema(), prompt.max_tokens, progress)


def _record(
    caller: Caller,
    prompt: Prompt,
    fitted: FittedPrompt,
    settings: ModelSettings,
    completion: Completion,
    *,
    reask: bool = False,
) -> CallRecord:
    return CallRecord(
        role=caller.role,
        step=caller.step,
        round=caller.round,
        model=settings.model,
        prompt=prompt.name,
        prompt_sha256=prompt.sha256,
        input_tokens=completion["input_tokens"] or fitted.tokens,
        output_tokens=completion["output_tokens"],
        tokens_estimated=completion["tokens_estimated"],
        seconds=completion["seconds"],
        http_retries=completion["http_retries"],
        reask=reask,
        finish_reason=completion["finish_reason"],
        trims=fitted.trims,
    )
