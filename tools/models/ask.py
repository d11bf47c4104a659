"""Ask the model of a role for validated values: fit the prompt, call the model, validate, and re-ask once.

Values that code reads are requested as JSON by a schema; prose, such as an article or notes, as Markdown
(`MarkdownAnswer`). Answers are held to the table of limits, which the server gets, too, if it can enforce them.

Each request is a LangGraph task, so its answer is written to the checkpoint as soon as it is complete. A run that is
killed between a first answer and its re-ask resumes with the re-ask, and repeats only requests that were under way.
Answers that end together are read and stored one after the other: up to half a second for eight (two busy cores).
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from langchain_core.runnables.config import merge_configs, var_child_runnable_config
from langgraph.config import get_config, get_stream_writer
from langgraph.func import task
from pydantic import BaseModel, ConfigDict, ValidationError

from state.errors import ContextOverflowError, DraftroomError, ModelOutputError, NoUsableAnswer, RequestFailedError
from state.model_settings import LENGTH_LIMIT_KEY, Limits, ModelSettings
from state.records import WHOLE_PROMPT, CallRecord, Trim
from state.settings import describe_validation_error
from tools.models.client import Completion, request_completions
from tools.models.prompts import FittedPrompt, Prompt, find_repeated_sentence, fit_prompt
from tools.text import list_sentence_starts

Value = TypeVar("Value", bound=BaseModel)
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A```(?:markdown|md)?\n(.*?)\n?```\Z", re.DOTALL)
_OBJECT = re.compile(r"\{(?=\s*[\"}])")
OTHER_FIELD_PROBLEM = "are in another field, such as `reasoning_content`"
EMPTY_ANSWER_TOKENS = 1  # the token that ends an answer without text


def describe_remedy(problem: str) -> str:
    """Describe to the user what to change if a model's answers are unusable because of a problem."""
    if OTHER_FIELD_PROBLEM in problem:
        return (
            "Serve the model without a reasoning parser, switch its thinking off (`extra_body`), take one that does "
            "not think, or give it more `max_tokens`."
        )
    return "Resume the run to ask again, or give this role a stronger model or more `max_tokens`."


class UnusableAnswerError(ValueError):
    """An answer without the requested content; the message is worded for the model."""


class ParsedAnswer(NamedTuple, Generic[Value]):
    """Value of one completion that fits its schema, with a note on each part that was cut from it."""

    value: Value
    cuts: list[str]
    """Parts that exceeded a limit and were left out."""


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
    completion: Completion, schema: type[Value], limits: Limits, *, last_try: bool = False
) -> ParsedAnswer[Value]:
    """Return the value of an answer, cut to the limits, and notes on the cuts; raise if it does not fit the schema.

    In the last try, validators may repair a value, because no further answer is requested.

    Raises:
        UnusableAnswerError: It was cut off, holds no such value, or does not fit the schema.
    """
    text = _strip_thoughts(completion["text"])
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
    try:
        return ParsedAnswer(schema.from_markdown(_FENCED.sub(r"\1", text).strip()), notes)
    except ValueError as error:
        raise UnusableAnswerError(str(error)) from error


def _strip_thoughts(text: str) -> str:
    """Return an answer without the model's thoughts."""
    # Some chat templates write the opening tag, so that only the closing one is in the answer.
    return _THOUGHT.sub("", text).rsplit("</think>", 1)[-1].split("<think>", 1)[0].strip()


def _parse_json(text: str, schema: type[Value], limits: Limits, *, last_try: bool) -> ParsedAnswer[Value]:
    """Parse the first JSON object of a text that fits the schema; raise `UnusableAnswerError` if none does."""
    problems: list[str] = []
    end = 0
    for brace in _OBJECT.finditer(text):
        if brace.start() < end:  # within an object that was read and does not fit
            continue
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(text, brace.start())
            kept, cuts = enforce_limits(value, schema, limits)
            return ParsedAnswer(schema.model_validate(kept, context={LAST_TRY: last_try}), cuts)
        except json.JSONDecodeError as error:
            problems.append(f"it is not valid JSON: {error.msg} at character {error.pos}")
        except ValidationError as error:
            problems.append(f"it does not fit the schema: {describe_validation_error(error)}")
    raise UnusableAnswerError(problems[0] if problems else "it contains no JSON object")


MAX_LENGTH_FACTOR = 3  # a text is cut if it exceeds its limit of words by this factor
CHARACTERS_PER_WORD = 7  # of English science text with its spaces, rounded up
TOKENS_PER_WORD = 2  # of English science text in Markdown, rounded up from about 1.4
MIN_ANSWER_TOKENS = 64  # allowed for an answer, however few its words
MAX_GRAMMAR_REPETITIONS = 1990  # llama.cpp refuses grammars that repeat something 2,000 times or more


def build_server_schema(schema: type[BaseModel], limits: Limits, *, bounded: bool) -> dict[str, Any]:
    """Build the JSON schema of an answer for a server, with limits of items and characters only if `bounded`.

    The limits are written as `maxItems` and `maxLength`.
    """
    copy = deepcopy(_build_json_schema(schema))
    parts: list[Any] = [copy]
    while parts:
        part = parts.pop()
        if isinstance(part, list):
            parts += part
        if not isinstance(part, dict):
            continue
        parts += part.values()
        name = part.pop(LENGTH_LIMIT_KEY, None)
        if name and bounded:
            limit = getattr(limits, name)
            if part.get("type") == "array":
                part["maxItems"] = limit
            else:
                part["maxLength"] = min(limit * CHARACTERS_PER_WORD, MAX_GRAMMAR_REPETITIONS)
    return copy


def enforce_limits(value: Any, schema: type[BaseModel], limits: Limits) -> tuple[Any, list[str]]:
    """Return a decoded answer with lists cut to their limits and texts if far beyond theirs, and a note on each cut."""
    whole = _build_json_schema(schema)
    notes: list[str] = []
    return _enforce_part_limits(value, whole, whole.get("$defs", {}), "the answer", limits, notes), notes


@lru_cache(maxsize=64)
def _build_json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a class, which must not be changed; cached, because pydantic builds it slowly."""
    return schema.model_json_schema()


def _enforce_part_limits(
    value: Any, part: Any, defs: dict[str, Any], name: str, limits: Limits, notes: list[str]
) -> Any:
    """Return a part of an answer, cut as `enforce_limits` does; add a note on each cut to `notes`."""
    part = {**defs.get(str(part.get("$ref", "")).removeprefix("#/$defs/"), {}), **part}
    limit = getattr(limits, part[LENGTH_LIMIT_KEY]) if LENGTH_LIMIT_KEY in part else None
    if isinstance(value, dict):
        fields = part.get("properties", {})
        return {
            key: _enforce_part_limits(item, fields.get(key, {}), defs, key, limits, notes)
            for key, item in value.items()
        }
    if isinstance(value, list):
        if limit is not None and len(value) > limit:
            notes.append(f"{len(value)} {name}, of which the first {limit} were kept")
            value = value[:limit]
        return [_enforce_part_limits(item, part.get("items", {}), defs, name, limits, notes) for item in value]
    if isinstance(value, str) and limit is not None and len(value.split()) > MAX_LENGTH_FACTOR * limit:
        # Cut after the last sentence that fits, or after the last word if no sentence does.
        longest = list(re.finditer(r"\S+", value))[MAX_LENGTH_FACTOR * limit - 1].end()
        beginnings = [value[:end].rstrip() for end in list_sentence_starts(value)]
        fitting = [beginning for beginning in beginnings if len(beginning) <= longest]
        kept = fitting[-1] if fitting else value[:longest]
        notes.append(f"{name} of {len(value.split())} words, cut to {len(kept.split())}")
        return kept
    return value


REASK_ENDING = "\n\nYour previous answer could not be used: {problem}. Answer again, with nothing but {wanted}."
WANTED_JSON = "the JSON object asked for"
WANTED_TEXT = "the text asked for"
# For servers that take no schema; at the end, so that prompts share their beginning in the server's cache.
SCHEMA_ENDING = "\n\nAnswer with nothing but one JSON object that keeps to this JSON schema:\n{schema}"
MAX_PROBLEM_CHARACTERS = 400  # `prompts.REASK_TOKENS` reserves tokens for them
MIN_RELIABLE_ESTIMATE = 2000  # tokens of a prompt from which an estimate shows whether a server has cut it
MIN_REASK_TEMPERATURE = 0.6
# Key in the metadata of LangGraph's configuration: how often the run has failed because no answer was usable.
FAILED_ANSWERS = "failed_answers"
# Called before each request; raises if the run's budget allows no more of them.
admission_check: ContextVar[Callable[[], None]] = ContextVar("admission", default=lambda: None)
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
    problem: str = ""
    """Why the answer to the first request was unusable; empty in the first request."""

    @property
    def text(self) -> str:
        """The prompt; that of a re-ask has the same beginning, which the server still has in its cache."""
        if not self.problem:
            return self.fitted.text
        wanted = WANTED_TEXT if issubclass(self.schema, MarkdownAnswer) else WANTED_JSON
        return self.fitted.text + REASK_ENDING.format(problem=self.problem[:MAX_PROBLEM_CHARACTERS], wanted=wanted)

    @property
    def sent_schema(self) -> dict[str, Any] | None:
        """JSON schema for the server's decoding; None for prose."""
        if issubclass(self.schema, MarkdownAnswer):
            return None
        return build_server_schema(self.schema, self.limits, bounded=self.settings.schema_limits)

    def refuse_repetition(self, completion: Completion) -> tuple[Completion, list[str]]:
        """Raise if prose repeats its instructions, or drop these lines in the re-ask of a list; return answer, notes.

        Raises:
            UnusableAnswerError: A sentence of prose repeats the prompt's instructions. In the re-ask of a list, these
                lines are left out instead.
        """
        if not issubclass(self.schema, MarkdownAnswer):
            return completion, []
        find = partial(find_repeated_sentence, prompt=self.fitted.text, variables=self.variables)
        text = _strip_thoughts(completion["text"])
        if not (sentence := find(text)):
            return completion, []
        if not (self.problem and self.schema.usable_if_cut_off):
            raise UnusableAnswerError(f'it repeats a sentence of its instructions ("{sentence}")')
        kept = [line for line in text.splitlines(keepends=True) if not find(line)]
        return {**completion, "text": "".join(kept)}, ["lines that repeat the instructions were left out"]


@dataclass(frozen=True)
class Answer(Generic[Value]):
    """A validated value with records of the calls that it took."""

    value: Value
    calls: list[CallRecord]


@dataclass
class Samples(Generic[Value]):
    """Usable values, problems of the unusable answers, and records of all calls; filled in place."""

    values: list[Value] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    """The problem of each unusable answer."""
    calls: list[CallRecord] = field(default_factory=list)

    def add_completions(self, request: ModelRequest[Value], completions: list[Completion]) -> None:
        """Parse the answers to a request; add values, problems and one record of the call to these samples."""
        cuts: list[str] = []
        for completion in completions:
            try:
                kept, notes = request.refuse_repetition(completion)
                parsed = parse_answer(kept, request.schema, request.limits, last_try=bool(request.problem))
            except UnusableAnswerError as problem:
                self.unusable.append(str(problem))
            else:
                self.values.append(parsed.value)
                cuts += [*notes, *parsed.cuts]
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
            reask=bool(request.problem),
            finish_reason=", ".join(sorted({completion["finish_reason"] for completion in completions})),
            trims=first.get("trims", request.fitted.trims),
            cuts=cuts,
        )
        self.calls.append(record)


async def ask_model(
    caller: Caller,
    prompt: Prompt,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    trim: str,
    limits: Limits | None = None,
) -> Answer[Value]:
    """Ask a model once, and return its answer as a validated `schema` with its calls; re-ask if it is unusable.

    Arguments and errors are those of `sample_answers`.
    """
    samples = await sample_answers(caller, prompt, variables, schema, settings, number=1, trim=trim, limits=limits)
    return Answer(samples.values[0], samples.calls)


async def sample_answers(  # noqa: PLR0913 - the arguments of `ask_model`, and a number
    caller: Caller,
    prompt: Prompt,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    number: int,
    trim: str,
    limits: Limits | None = None,
) -> Samples[Value]:
    """Ask for `number` answers; return the usable ones, at least one, with all calls. Ask once more if there are none.

    Must run inside a LangGraph node.

    `trim` is the variable that may be shortened if the prompt exceeds the context. The prompt sees the run's limits as
    `limits` if it declares them; without them, the defaults hold.

    Raises:
        ModelUnavailableError: If the endpoint fails after all retries.
        ContextOverflowError: If the prompt cannot be made to fit.
        SettingsError: If the endpoint does not accept the request.
        ModelOutputError: If no answer to the re-ask is usable either; `spent` holds the calls of both.
    """
    request = await prepare_request(caller, prompt, variables, schema, settings, trim=trim, limits=limits or Limits())
    samples = Samples[Value]()
    first = await send_first_request(request, number)
    samples.add_completions(request, first)
    # Some endpoints give fewer answers than requested.
    await _add_missing_answers(samples, request, len(first), number)
    if not samples.values:
        again = build_reask(request, samples.unusable[0])
        second = await send_reask(again, number, list(samples.calls))
        samples.add_completions(again, second)
        await _add_missing_answers(samples, again, len(second), number)
    return samples


async def _add_missing_answers(samples: Samples[Value], request: ModelRequest[Value], begin: int, number: int) -> None:
    """Add the missing answers to `samples` one by one; a failed request ends this quietly if there are usable ones."""
    for place in range(begin, number):
        try:
            samples.add_completions(request, await send_further_request(request, place, list(samples.calls)))
        except (NoUsableAnswer, RequestFailedError):
            if not samples.values:
                raise
            return


async def prepare_request(
    caller: Caller,
    prompt: Prompt,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    trim: str,
    limits: Limits,
) -> ModelRequest[Value]:
    """Build the first request for a value, fitted to the model's context and not yet sent."""
    if "limits" in prompt.front_matter.variables:
        variables = {**variables, "limits": limits}
    ending = ""
    if issubclass(schema, MarkdownAnswer):
        if settings.schema_limits:  # prose has no schema, so its limit is one of tokens
            limit = max(MIN_ANSWER_TOKENS, TOKENS_PER_WORD * schema.compute_word_limit(limits))
            settings = settings.model_copy(update={"max_tokens": min(settings.max_tokens, limit)})
    elif settings.structured_output == "prompt":
        sent = build_server_schema(schema, limits, bounded=settings.schema_limits)
        ending = SCHEMA_ENDING.format(schema=json.dumps(sent, ensure_ascii=False, separators=(",", ":")))
    fitting = partial(fit_prompt, prompt, variables, trim, settings, ending=ending)
    return ModelRequest(caller, prompt, variables, fitting, await fitting(), settings, schema, limits)


def build_reask(request: ModelRequest[Value], problem: str) -> ModelRequest[Value]:
    """Return a copy of a request that states the problem of its answer, at a higher temperature.

    A model that decodes greedily repeats its mistake, above all if its answer runs in circles; Whisper raises the
    temperature of such a passage for the same reason (Radford et al. 2022, Section 4.5).
    """
    settings = request.settings
    if settings.temperature is not None:
        settings = settings.model_copy(update={"temperature": max(settings.temperature, MIN_REASK_TEMPERATURE)})
    return replace(request, problem=problem, settings=settings)


@task
async def send_first_request(request: ModelRequest[Any], number: int) -> list[Completion]:
    """Send the first request and return its answers, which are written to the checkpoint even if they are unusable."""
    return await _send_request(request, number)


@task
async def send_further_request(request: ModelRequest[Any], place: int, before: list[CallRecord]) -> list[Completion]:
    """Request one more answer, in a list, with its own seed; the same seed would give the same answer."""
    seed = request.settings.seed
    update = {} if seed is None else {"seed": seed + place}
    return await _send_request(replace(request, settings=request.settings.model_copy(update=update)), 1, before)


@task
async def send_reask(request: ModelRequest[Any], number: int, before: list[CallRecord]) -> list[Completion]:
    """Send the re-ask and return its answers; raise in the task if none is usable, so that a resumed run asks again.

    The same seed would give the same unusable answer, so a run that has failed so uses the next seed.
    """
    seed = request.settings.seed
    if seed is not None and (failed := get_config().get("metadata", {}).get(FAILED_ANSWERS)):
        settings = request.settings.model_copy(update={"seed": seed + failed})
        request = replace(request, settings=settings)
    completions = await _send_request(request, number, before)
    samples = Samples[Any]()
    samples.add_completions(request, completions)
    if not samples.values:
        problem = samples.unusable[0]
        raise ModelOutputError(
            f"The {request.caller.role} ({request.settings.model}) gave no usable answer in two tries: {problem}. "
            f"{describe_remedy(problem)}",
            problem=problem,
            spent=[*before, *samples.calls],
        )
    return completions


async def _send_request(request: ModelRequest[Any], number: int, before: Sequence[CallRecord] = ()) -> list[Completion]:
    """Send a request, and once more, cut, if a refusal reports a context length that allows it; return the answers.

    Both within one task, because a resumed run must create the same tasks in the same order, whatever it knows by then.
    An error also holds the calls in `before`.
    """
    # LangGraph's stream mode `messages` gives each token with the tags and metadata of the configuration.
    who = {"role": request.caller.role, "step": request.caller.step}
    var_child_runnable_config.set(merge_configs(get_config(), {"tags": [*who.values()], "metadata": who}))
    try:
        try:
            completions = await _send_once(request, number)
        except ContextOverflowError as refusal:
            try:
                fitted = await request.fit()
            except ContextOverflowError:
                raise refusal from None  # its message quotes the server
            if fitted == request.fitted:
                raise
            request = replace(request, fitted=fitted)
            completions = await _send_once(request, number)
    except DraftroomError as error:
        error.spent[:0] = before
        raise
    trims, read = list(request.fitted.trims), completions[0]["input_tokens"]
    # Some servers cut a prompt without an error, as Ollama does beyond its `num_ctx`.
    if is_prompt_truncated(read, request.fitted.tokens, counted=request.fitted.is_counted):
        trims.append(Trim(variable=WHOLE_PROMPT, words_kept=read, words_before=request.fitted.tokens))
    completions[0]["trims"] = trims
    return completions


async def _send_once(request: ModelRequest[Any], number: int) -> list[Completion]:
    """Request `number` answers unless the budget forbids it; stream start, progress and end, and return the answers."""
    admission_check.get()()
    caller = request.caller
    write = get_stream_writer()
    event = {"role": caller.role, "step": caller.step, "round": caller.round, "model": request.settings.model}
    event |= {"call": next(_call_numbers)}

    def report_progress(tokens: int, text: str) -> None:
        write({"event": "tokens", "tokens": tokens, "text": text, **event})

    write({"event": "call", **event})
    schema, limit = request.sent_schema, request.fitted.max_tokens
    try:
        return await request_completions(request.text, request.settings, schema, limit, report_progress, number=number)
    finally:
        write({"event": "ended", **event})


def is_prompt_truncated(read: int, sent: int, *, counted: bool) -> bool:
    """Return whether a server has read far fewer tokens of a prompt than an error of the count can explain.

    A server that does not count reports 0 tokens; an estimate shows nothing about a short prompt.
    """
    return 0 < read < sent / 2 and (counted or sent > MIN_RELIABLE_ESTIMATE)
