"""Ask the model of a role for validated values: fit the prompt, call the model, validate, and re-ask once.

Values that code reads are requested as JSON by a schema; prose, such as an article or notes, as Markdown
(`MarkdownAnswer`). Answers are held to the table of limits, which the server gets, too, if it can enforce them.

Each request is a LangGraph task, so its answer is written to the checkpoint as soon as it is complete. A run that is
killed between a first answer and its re-ask resumes with the re-ask, and repeats only requests that were under way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, ClassVar, Generic, Self, TypeVar

from langchain_core.runnables.config import merge_configs, var_child_runnable_config
from langgraph.config import get_config, get_stream_writer
from langgraph.func import task
from pydantic import BaseModel, ConfigDict, ValidationError

from state.errors import ContextOverflowError, DraftroomError, ModelOutputError, NoUsableAnswer, RequestFailedError
from state.model_settings import CUT_TO_LIMIT, Limits, ModelSettings
from state.records import WHOLE_PROMPT, CallRecord, Trim
from state.settings import describe_validation_error
from tools.models.client import Completion, build_server_schema, constrains, request_completions
from tools.models.fitting import FittedPrompt, fit_prompt, is_prompt_truncated
from tools.models.prompts import Prompt, find_repeated_sentence
from tools.text import list_sentence_starts

Value = TypeVar("Value", bound=BaseModel)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A```(?:markdown|md)?\n(.*?)\n?```\Z", re.DOTALL)
_OBJECT = re.compile(r"\{(?=\s*[\"}])")
OTHER_FIELD_PROBLEM = "are in another field, such as `reasoning_content`"
EMPTY_ANSWER_TOKENS = 1  # the token that ends an answer without text


def describe_remedy(problem: str, usual: str) -> str:
    """Describe to the user what to change if answers are unusable because of a problem; most have the `usual` fix."""
    if OTHER_FIELD_PROBLEM in problem:
        return (
            "Serve the model without a reasoning parser, switch its thinking off (`extra_body`), take one that does "
            "not think, or give it more `max_tokens`."
        )
    return usual


class UnusableAnswerError(ValueError):
    """An answer without the requested content; the message is worded for the model."""


# Key of pydantic's validation context: true in the re-ask, where validators may repair a value instead of refusing it.
LAST_TRY = "last_try"


class MarkdownAnswer(BaseModel):
    """Base of answers in prose, which a model writes as Markdown."""

    model_config = ConfigDict(extra="forbid")

    usable_if_cut_off: ClassVar[bool] = False
    """Whether the answer is a list of independent lines. It is then used up to its last whole line if it was cut off,
    and without the lines that repeat the prompt if it does so in both tries."""

    @classmethod
    def from_markdown(cls, text: str) -> Self:
        """Parse the text of an answer; raise ValueError, worded for the model, if it lacks the requested content."""
        raise NotImplementedError

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the most words that an answer may have under these limits."""
        raise NotImplementedError


def parse_answer(
    completion: Completion,
    schema: type[Value],
    limits: Limits,
    find_repetition: Callable[[str], str] = lambda _: "",
    *,
    last_try: bool = False,
) -> tuple[Value, list[str]]:
    """Return the value of an answer, cut to the limits, and notes on the cuts; raise if it does not fit the schema.

    In the last try, validators may repair a value, because no further answer is requested, and a list loses the lines
    in which `find_repetition` finds a sentence of the prompt's instructions.

    Raises:
        UnusableAnswerError: It was cut off, holds no such value, repeats its instructions, or does not fit the schema.
    """
    # Some chat templates write the opening tag of thoughts, so that only the closing one is in the answer.
    text = _THOUGHT.sub("", completion["text"]).rsplit("</think>", 1)[-1].split("<think>", 1)[0].strip()
    is_cut_off = completion["finish_reason"] == "length"
    spent = f"{completion['output_tokens']} tokens"
    if not completion["text"] and completion["output_tokens"] > EMPTY_ANSWER_TOKENS:
        raise UnusableAnswerError(f"it has no text, and all of its {spent} {OTHER_FIELD_PROBLEM}")
    if is_cut_off and not text:
        raise UnusableAnswerError(f"all of its {spent} were thoughts, and no answer followed; think more briefly")
    notes: list[str] = []
    if is_cut_off:
        is_usable = issubclass(schema, MarkdownAnswer) and schema.usable_if_cut_off
        text = text.rpartition("\n")[0].rstrip() if is_usable else ""
        if not text:
            raise UnusableAnswerError(f"it was cut off after {spent}; answer more briefly")
        notes.append(f"the text was cut off after {spent}, and counts up to its last whole line")
    if not issubclass(schema, MarkdownAnswer):
        return _parse_json(text, schema, limits, last_try=last_try)
    if sentence := find_repetition(text):
        if not (last_try and schema.usable_if_cut_off):
            raise UnusableAnswerError(f'it repeats a sentence of its instructions ("{sentence}")')
        text = "".join(line for line in text.splitlines(keepends=True) if not find_repetition(line))
        notes.append("lines that repeat the instructions were left out")
    try:
        return schema.from_markdown(_FENCED.sub(r"\1", text).strip()), notes
    except ValueError as error:
        raise UnusableAnswerError(str(error)) from error


def _parse_json(text: str, schema: type[Value], limits: Limits, *, last_try: bool) -> tuple[Value, list[str]]:
    """Parse the first JSON object of a text that fits the schema; raise `UnusableAnswerError` if none does."""
    problems, end = list[str](), 0
    for brace in _OBJECT.finditer(text):
        if brace.start() < end:  # within an object that was read and does not fit
            continue
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(text, brace.start())
            notes = list[str]()
            context = {LAST_TRY: last_try, CUT_TO_LIMIT: partial(_cut_to_limit, limits, notes)}
            return schema.model_validate(value, context=context), notes
        except json.JSONDecodeError as error:
            problems.append(f"it is not valid JSON: {error.msg} at character {error.pos}")
        except ValidationError as error:
            problems.append(f"it does not fit the schema: {describe_validation_error(error)}")
    raise UnusableAnswerError(problems[0] if problems else "it contains no JSON object")


MAX_LENGTH_FACTOR = 3  # a text is cut if it exceeds its limit of words by this factor
TOKENS_PER_WORD = 2  # of English science text in Markdown, rounded up from about 1.4
MIN_ANSWER_TOKENS = 64  # allowed for an answer, however few its words


def _cut_to_limit(limits: Limits, notes: list[str], value: Any, limit_name: str, name: str) -> Any:
    """Return the value of a named field: a list cut to its limit, a text if it is far beyond; append a note on it."""
    limit = getattr(limits, limit_name)
    if isinstance(value, list) and len(value) > limit:
        notes.append(f"{len(value)} {name}, of which the first {limit} were kept")
        return value[:limit]
    if isinstance(value, str) and len(value.split()) > MAX_LENGTH_FACTOR * limit:
        # Cut after the last sentence that fits, or after the last word if no sentence does.
        longest = list(re.finditer(r"\S+", value))[MAX_LENGTH_FACTOR * limit - 1].end()
        beginnings = (value[:end].rstrip() for end in list_sentence_starts(value))
        kept = max((text for text in beginnings if len(text) <= longest), key=len, default=value[:longest])
        notes.append(f"{name} of {len(value.split())} words, cut to {len(kept.split())}")
        return kept
    return value


REASK_ENDING = "\n\nYour previous answer could not be used: {problem}. Answer again, with nothing but {wanted}."
# For servers that take no schema; at the end, so that prompts share their beginning in the server's cache.
SCHEMA_ENDING = "\n\nAnswer with nothing but one JSON object that keeps to this JSON schema:\n{schema}"
MAX_PROBLEM_CHARACTERS = 400  # `fitting.REASK_TOKENS` reserves tokens for them
MIN_REASK_TEMPERATURE = 0.6
# Key in the metadata of LangGraph's configuration: how often the run has failed because no answer was usable.
FAILED_ANSWERS = "failed_answers"
# Called before each request; raises if the run's budget allows no more of them.
admission_check: ContextVar[Callable[[], None]] = ContextVar("admission", default=lambda: None)
DEFAULT_LIMITS = Limits()
_call_numbers = count(1)  # distinguishes the concurrent calls of a process


@dataclass(frozen=True)
class Caller:
    """Role, step and round that ask a model, for progress and accounting."""

    role: str
    step: str
    round: int


@dataclass(frozen=True)
class ModelRequest(Generic[Value]):
    """A request to a model, or its re-ask: the fitted prompt, settings and answer schema, and the caller charged."""

    caller: Caller
    prompt: Prompt
    variables: Mapping[str, object]
    fit: Callable[[], Awaitable[FittedPrompt]]
    """Renders the prompt for the context length that is known when it is called."""
    fitted: FittedPrompt
    settings: ModelSettings
    schema: type[Value]
    limits: Limits
    sent_schema: dict[str, Any] | None
    """JSON schema for the server's decoding; None for prose."""
    problem: str = ""
    """Why the answer to the first request was unusable; empty in the first request."""

    @property
    def text(self) -> str:
        """The prompt; that of a re-ask has the same beginning, which the server still has in its cache."""
        if not self.problem:
            return self.fitted.text
        wanted = "the JSON object asked for" if self.sent_schema else "the text asked for"
        return self.fitted.text + REASK_ENDING.format(problem=self.problem[:MAX_PROBLEM_CHARACTERS], wanted=wanted)


@dataclass
class Answer(Generic[Value]):
    """Usable values of a question to a model, problems of its unusable answers, and records of the calls it took."""

    values: list[Value] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    """The problem of each unusable answer."""
    calls: list[CallRecord] = field(default_factory=list)

    @property
    def value(self) -> Value:
        """The first usable value."""
        return self.values[0]

    def add_completions(self, request: ModelRequest[Value], completions: list[Completion]) -> None:
        """Parse the completions of a request; add their values and problems, and one record of the call."""
        cuts, is_reask = list[str](), bool(request.problem)
        find = partial(find_repeated_sentence, prompt=request.fitted.text, variables=request.variables)
        for completion in completions:
            try:
                value, notes = parse_answer(completion, request.schema, request.limits, find, last_try=is_reask)
            except UnusableAnswerError as problem:
                self.unusable.append(str(problem))
            else:
                self.values.append(value)
                cuts += notes
        caller, prompt, first = request.caller, request.prompt, completions[0]
        record = CallRecord(
            role=caller.role,
            step=caller.step,
            round=caller.round,
            model=request.settings.model,
            prompt=prompt.name,
            prompt_sha256=prompt.sha256,
            input_tokens=first["input_tokens"] or request.fitted.tokens,
            output_tokens=first["output_tokens"],
            tokens_estimated=first["tokens_estimated"],
            seconds=first["seconds"],
            http_retries=first["http_retries"],
            reask=is_reask,
            finish_reason=", ".join(sorted({completion["finish_reason"] for completion in completions})),
            trims=first.get("trims", request.fitted.trims),
            cuts=cuts,
        )
        self.calls.append(record)


async def ask_model(  # noqa: PLR0913 - what a question consists of
    caller: Caller,
    prompt: Prompt,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    trim: str,
    limits: Limits = DEFAULT_LIMITS,
    number: int = 1,
) -> Answer[Value]:
    """Ask a model for `number` values of a schema; return the usable ones, at least one. Re-ask if there are none.

    Must run inside a LangGraph node. The variable `trim` may be shortened if the prompt exceeds the context. The prompt
    sees the run's limits as `limits` if it declares them.

    Raises:
        ModelUnavailableError: If the server fails after all retries.
        ContextOverflowError: If the prompt cannot be made to fit.
        SettingsError: If the server does not accept the request.
        ModelOutputError: If no answer to the re-ask is usable either; `spent` holds the calls of both.
    """
    # 1. Build the request, fitted to the model's context.
    if "limits" in prompt.front_matter.variables:
        variables = {**variables, "limits": limits}
    sent, ending = None, ""
    if not issubclass(schema, MarkdownAnswer):
        sent = build_server_schema(schema, limits, bounded=settings.schema_limits)
        if not await constrains(settings, sent):
            ending = SCHEMA_ENDING.format(schema=json.dumps(sent, ensure_ascii=False, separators=(",", ":")))
    elif settings.schema_limits:  # prose has no schema, so its limit is one of tokens
        limit = max(MIN_ANSWER_TOKENS, TOKENS_PER_WORD * schema.compute_word_limit(limits))
        settings = settings.model_copy(update={"max_tokens": min(settings.max_tokens, limit)})
    fit = partial(fit_prompt, prompt, variables, trim, settings, ending=ending)
    request = ModelRequest(caller, prompt, variables, fit, await fit(), settings, schema, limits, sent)
    answer = Answer[Value]()
    while not answer.values:
        # 2. Ask, and once more if no answer was usable; the task raises an error if none to the re-ask is.
        if answer.unusable:
            request = replace(request, problem=answer.unusable[0])
        completions = await request_answers(request, number, 0, list(answer.calls))
        answer.add_completions(request, completions)
        # 3. Some servers give fewer answers than requested: request the missing ones one by one.
        for place in range(len(completions), number):
            try:
                answer.add_completions(request, await request_answers(request, 1, place, list(answer.calls)))
            except (NoUsableAnswer, RequestFailedError):
                if not answer.values:
                    raise
                break
    return answer


@task
async def request_answers(
    request: ModelRequest[Any], number: int, place: int, before: list[CallRecord]
) -> list[Completion]:
    """Send a request, unless the budget forbids it, and return its answers, which are then in the checkpoint.

    A resumed run must create the same tasks in the same order, whatever it knows by then. So within one task a request
    is sent once more, cut, if a refusal reports a context length that allows it; and a re-ask without a usable answer
    is an error, so that the resumed run asks again. Unusable answers to a first request are returned.

    Args:
        request: The request, or its re-ask.
        number: How many answers are requested at once.
        place: Number of the first one among all samples, which gives it a seed of its own.
        before: Earlier calls for the same value, which an error holds, too.
    """
    caller, is_reask = request.caller, bool(request.problem) and not place
    settings = _choose_sampling(request, place, is_reask=is_reask)
    # LangGraph's stream mode `messages` gives each token with the tags and metadata of the configuration.
    who = {"role": caller.role, "step": caller.step}
    var_child_runnable_config.set(merge_configs(get_config(), {"tags": [*who.values()], "metadata": who}))
    event, write = {**who, "round": caller.round, "model": settings.model}, get_stream_writer()
    answer, completions = Answer[Any](), list[Completion]()
    try:
        for may_refit in (True, False):
            admission_check.get()()
            event["call"] = next(_call_numbers)
            write({"event": "call", **event})
            try:
                completions = await request_completions(
                    request.text,
                    settings,
                    request.sent_schema,
                    request.fitted.max_tokens,
                    lambda tokens, text: write({"event": "tokens", "tokens": tokens, "text": text, **event}),
                    number=number,
                )
                break
            except ContextOverflowError as refusal:
                # Fitted to the length that the refusal has reported; its message quotes the server.
                with suppress(ContextOverflowError):
                    fitted = await request.fit()
                    if may_refit and fitted != request.fitted:
                        request = replace(request, fitted=fitted)
                        continue
                raise refusal from None
            finally:
                write({"event": "ended", **event})
        trims, read = list(request.fitted.trims), completions[0]["input_tokens"]
        # Some servers cut a prompt without an error, as Ollama does beyond its `num_ctx`.
        if is_prompt_truncated(read, request.fitted.tokens):
            trims.append(Trim(variable=WHOLE_PROMPT, words_kept=read, words_before=request.fitted.tokens))
        completions[0]["trims"] = trims
        if is_reask:
            answer.add_completions(request, completions)
            if not answer.values:
                raise _build_unusable_error(caller.role, settings.model, answer)
    except DraftroomError as error:
        error.spent[:0] = before
        raise
    return completions


def _choose_sampling(request: ModelRequest[Any], place: int, *, is_reask: bool) -> ModelSettings:
    """Return a request's settings, with the seed of its place and, for a re-ask, a temperature that is not too low."""
    settings = request.settings
    if settings.seed is not None:
        # A run that has failed on a re-ask would get the same unusable answer with the same seed.
        failed = get_config().get("metadata", {}).get(FAILED_ANSWERS, 0) if is_reask else 0
        settings = settings.model_copy(update={"seed": settings.seed + place + failed})
    if request.problem and settings.temperature is not None:
        # A model that decodes greedily repeats its mistake, above all if its answer runs in circles; Whisper raises the
        # temperature of such a passage for the same reason (Radford et al. 2022, Section 4.5).
        settings = settings.model_copy(update={"temperature": max(settings.temperature, MIN_REASK_TEMPERATURE)})
    return settings


def _build_unusable_error(role: str, model: str, answer: Answer[Any]) -> ModelOutputError:
    """Build the error of a role whose answers were unusable in both tries; it holds the calls."""
    problem = answer.unusable[0]
    usual = "Resume the run to ask again, or give this role a stronger model or more `max_tokens`."
    return ModelOutputError(
        f"The {role} ({model}) gave no usable answer in two tries: {problem}. {describe_remedy(problem, usual)}",
        problem=problem,
        spent=answer.calls,
    )
