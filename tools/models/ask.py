"""Ask a role for a value, or for several: fit the prompt, call the model, validate, and re-ask once.

What code reads comes as JSON by a schema. Prose, such as an article or notes, comes as Markdown (`MarkdownAnswer`). An
answer is held to the table of limits, which reach the server, too, where it is to enforce them.

Each request is a LangGraph task of its own, so its answer goes into the checkpoint by itself, as soon as it was read: a
run that is killed between a first answer and its re-ask resumes with the re-ask. Only what was on its way is asked
again; many answers that end together are read and stored one after the other, which took up to half a second for eight
(two busy cores).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from langgraph.config import get_config, get_stream_writer
from langgraph.func import task
from pydantic import BaseModel, ConfigDict, ValidationError

from state.errors import ContextOverflowError, DraftroomError, ModelOutputError, NoUsableAnswer, RequestFailedError
from state.model_settings import LENGTH_LIMIT_KEY, Limits, ModelSettings
from state.records import WHOLE_PROMPT, CallRecord, Trim
from state.settings import describe_validation_error
from tools.models.client import Completion, request_completions
from tools.models.prompts import FittedPrompt, Prompt, find_repeated_sentence, fit_prompt, load_prompt
from tools.text import list_sentence_starts

Value = TypeVar("Value", bound=BaseModel)

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"\A```(?:markdown|md)?\n(.*?)\n?```\Z", re.DOTALL)
_OBJECT = re.compile(r"\{(?=\s*[\"}])")


OTHER_FIELD_PROBLEM = "are in another field, such as `reasoning_content`"
EMPTY_ANSWER_TOKENS = 1
"""Tokens of an answer without text: the one that ends it."""


def describe_remedy(problem: str) -> str:
    """Say what to change where a model's answers cannot be used."""
    if OTHER_FIELD_PROBLEM in problem:
        return (
            "Serve the model without a reasoning parser, switch its thinking off (`extra_body`), take one that does "
            "not think, or give it more `max_tokens`."
        )
    return "Resume the run to ask again, or give this role a stronger model or more `max_tokens`."


class UnusableAnswerError(ValueError):
    """An answer that does not hold what was asked for; the text says why, for the model to read."""


class ParsedAnswer(NamedTuple, Generic[Value]):
    """An answer that can be used."""

    value: Value
    cuts: list[str]
    """What of it exceeded a limit and was left out."""


LAST_TRY = "last_try"
"""In the context of validation: whether what is refused now is lost. A validator may then forgive what it can mend."""


class MarkdownAnswer(BaseModel):
    """Base of answers that are prose, which a model writes as Markdown and no schema holds."""

    model_config = ConfigDict(extra="forbid")

    usable_if_cut_off: ClassVar[bool] = False
    """Whether the answer is a list, whose lines count each by itself: one that was cut off is used up to its last whole
    line, and one that repeats its prompt in both tries without the lines that do."""

    @classmethod
    def from_markdown(cls, text: str) -> Self:
        """Take the text of an answer apart.

        Raises:
            ValueError: It does not hold what was asked for; the message says why, for the model to read.
        """
        raise NotImplementedError

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return how many words an answer may have."""
        raise NotImplementedError


def parse_answer(
    completion: Completion, schema: type[Value], limits: Limits, *, last_try: bool = False
) -> ParsedAnswer[Value]:
    """Check an answer against its schema, and leave out what exceeds the limits.

    Raises:
        Unusable: If it was cut off, holds no such value, or does not fit the schema.
    """
    text = _strip_thoughts(completion["text"])
    is_cut_off = completion["finish_reason"] == "length"
    spent = f"{completion['output_tokens']} tokens"
    if not completion["text"] and completion["output_tokens"] > EMPTY_ANSWER_TOKENS:
        raise UnusableAnswerError(f"it has no text, and all of its {spent} {OTHER_FIELD_PROBLEM}")
    if is_cut_off and not text:
        raise UnusableAnswerError(f"all of its {spent} were thoughts, and no answer followed; think more briefly")
    if issubclass(schema, MarkdownAnswer):
        return _parse_markdown(text, schema, spent if is_cut_off else "")
    if is_cut_off:
        raise UnusableAnswerError(f"it was cut off after {spent}; answer more briefly")
    return _parse_json(text, schema, limits, last_try=last_try)


def _strip_thoughts(text: str) -> str:
    """Return an answer without the model's thoughts, also where the chat template has written their opening tag."""
    return _THOUGHT.sub("", text).rsplit("</think>", 1)[-1].split("<think>", 1)[0].strip()


def _parse_markdown(text: str, schema: Any, cut_off_after: str) -> ParsedAnswer[Any]:
    """Read a text; one that was cut off counts up to its last whole line, if it is such as can."""
    notes: list[str] = []
    if cut_off_after:
        text = text.rpartition("\n")[0].rstrip() if schema.usable_if_cut_off else ""
        if not text:
            raise UnusableAnswerError(f"it was cut off after {cut_off_after}; answer more briefly")
        notes.append(f"the text was cut off after {cut_off_after}, and counts up to its last whole line")
    try:
        return ParsedAnswer(schema.from_markdown(_FENCED.sub(r"\1", text).strip()), notes)
    except ValueError as error:
        raise UnusableAnswerError(str(error)) from error


def _parse_json(text: str, schema: type[Value], limits: Limits, *, last_try: bool) -> ParsedAnswer[Value]:
    """Read the first JSON object of a text that fits the schema: other braces may stand before it."""
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


MAX_LENGTH_FACTOR = 3
"""A text is cut if it has more than so many times the words that were asked for."""
CHARACTERS_PER_WORD = 7
"""Of English science text with its spaces, rounded up."""
TOKENS_PER_WORD = 2
"""Of English science text in Markdown, rounded up: it has some 1.4."""
MIN_ANSWER_TOKENS = 64
"""That an answer may have, however few words it is to have."""
MAX_GRAMMAR_REPETITIONS = 1990
"""llama.cpp refuses grammars that repeat something 2,000 times or more."""


def build_server_schema(schema: type[BaseModel], limits: Limits, *, bounded: bool) -> dict[str, Any]:
    """The JSON schema as a server gets it: with the limits as `maxItems` and `maxLength` if it is to be bounded."""
    whole = deepcopy(_build_json_schema(schema))
    for part in _iterate_subschemas(whole):
        if name := part.pop(LENGTH_LIMIT_KEY, None):
            most = getattr(limits, name)
            if bounded and part.get("type") == "array":
                part["maxItems"] = most
            elif bounded:
                part["maxLength"] = min(most * CHARACTERS_PER_WORD, MAX_GRAMMAR_REPETITIONS)
    return whole


def enforce_limits(value: Any, schema: type[BaseModel], limits: Limits) -> tuple[Any, list[str]]:
    """A decoded answer without what exceeds the limits, and a note on everything that was left out."""
    whole = _build_json_schema(schema)
    notes: list[str] = []
    return _enforce_part_limits(value, whole, whole.get("$defs", {}), "the answer", limits, notes), notes


@lru_cache(maxsize=64)
def _build_json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a class, not to be changed: pydantic makes it anew, which takes as long as a checkpoint."""
    return schema.model_json_schema()


def _enforce_part_limits(
    value: Any, part: Any, defs: dict[str, Any], name: str, limits: Limits, notes: list[str]
) -> Any:
    part = {**defs.get(str(part.get("$ref", "")).removeprefix("#/$defs/"), {}), **part}
    most = getattr(limits, part[LENGTH_LIMIT_KEY]) if LENGTH_LIMIT_KEY in part else None
    if isinstance(value, dict):
        fields = part.get("properties", {})
        return {
            key: _enforce_part_limits(item, fields.get(key, {}), defs, key, limits, notes)
            for key, item in value.items()
        }
    if isinstance(value, list):
        if most is not None and len(value) > most:
            notes.append(f"{len(value)} {name}, of which the first {most} were kept")
            value = value[:most]
        return [_enforce_part_limits(item, part.get("items", {}), defs, name, limits, notes) for item in value]
    if isinstance(value, str) and most is not None and len(value.split()) > MAX_LENGTH_FACTOR * most:
        # Up to the last end of a sentence within so many words, or so many words if there is none.
        longest = list(re.finditer(r"\S+", value))[MAX_LENGTH_FACTOR * most - 1].end()
        whole = [beginning for end in list_sentence_starts(value) if len(beginning := value[:end].rstrip()) <= longest]
        kept = whole[-1] if whole else value[:longest]
        notes.append(f"{name} of {len(value.split())} words, cut to {len(kept.split())}")
        return kept
    return value


def _iterate_subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Every table of a JSON schema, itself included."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _iterate_subschemas(part)


REASK_ENDING = "\n\nYour previous answer could not be used: {problem}. Answer again, with nothing but {wanted}."
WANTED_JSON = "the JSON object asked for"
WANTED_TEXT = "the text asked for"
SCHEMA_ENDING = "\n\nAnswer with nothing but one JSON object that keeps to this JSON schema:\n{schema}"
"""What ends a prompt where the server does not take the schema: after all that prompts share, for its cache."""
MAX_PROBLEM_CHARACTERS = 400
"""In characters; `prompts.REASK_TOKENS` keeps room for it."""
MIN_RELIABLE_ESTIMATE = 2000
"""Tokens of a prompt from which their estimate tells a prompt that was cut from one that was not."""
MIN_REASK_TEMPERATURE = 0.6
"""Least temperature of a re-ask."""
FAILED_ANSWERS = "failed_answers"
"""In the metadata of LangGraph's configuration: how often the run has failed for want of a usable answer."""

admission_check: ContextVar[Callable[[], None]] = ContextVar("admission", default=lambda: None)
"""Called before each request; it raises if whoever drives the graph allows no more of them."""

_call_numbers = count(1)
"""Tells the calls of a process apart, of which several may be under way."""


@dataclass(frozen=True)
class Caller:
    """Who asks: for progress and for the account."""

    role: str
    step: str
    round: int


@dataclass(frozen=True)
class ModelRequest(Generic[Value]):
    """What is sent to a model, and on whose account."""

    caller: Caller
    prompt: Prompt
    variables: Mapping[str, object]
    fit: Callable[[], Awaitable[FittedPrompt]]
    """Renders the prompt for the context as it is known."""
    fitted: FittedPrompt
    settings: ModelSettings
    schema: type[Value]
    limits: Limits
    problem: str = ""
    """Why the answer to the first request was unusable; empty for the first."""

    @property
    def text(self) -> str:
        """The prompt; that of a re-ask begins with the same words, which the server still has in its cache."""
        if not self.problem:
            return self.fitted.text
        wanted = WANTED_TEXT if issubclass(self.schema, MarkdownAnswer) else WANTED_JSON
        return self.fitted.text + REASK_ENDING.format(problem=self.problem[:MAX_PROBLEM_CHARACTERS], wanted=wanted)

    @property
    def sent_schema(self) -> dict[str, Any] | None:
        """The JSON schema that the server is to decode by; none for prose."""
        if issubclass(self.schema, MarkdownAnswer):
            return None
        return build_server_schema(self.schema, self.limits, bounded=self.settings.schema_limits)

    def remove_repetition(self, completion: Completion) -> tuple[Completion, list[str]]:
        """Return an answer without what of it repeats the prompt, and a note on what was left out.

        Raises:
            Unusable: A sentence of prose is the prompt's, and stands in nothing that the prompt was filled in with. In
                the second try lines of a list are left out for that.
        """
        if not issubclass(self.schema, MarkdownAnswer):
            return completion, []
        text = _strip_thoughts(completion["text"])
        if not (sentence := self._find_repetition(text)):
            return completion, []
        if not (self.problem and self.schema.usable_if_cut_off):
            raise UnusableAnswerError(f'it repeats a sentence of its instructions ("{sentence}")')
        kept = [line for line in text.splitlines(keepends=True) if not self._find_repetition(line)]
        return {**completion, "text": "".join(kept)}, ["lines that repeat the instructions were left out"]

    def _find_repetition(self, text: str) -> str:
        return find_repeated_sentence(text, self.fitted.text, self.variables)


@dataclass(frozen=True)
class Answer(Generic[Value]):
    """A validated answer and what it cost."""

    value: Value
    calls: list[CallRecord]


@dataclass
class Samples(Generic[Value]):
    """The usable answers, and what all of them cost."""

    values: list[Value] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    """What was wrong with each of the others."""
    calls: list[CallRecord] = field(default_factory=list)

    def add_completions(self, request: ModelRequest[Value], completions: list[Completion]) -> None:
        """Take the answers to a request in, with what it has cost."""
        cuts: list[str] = []
        for completion in completions:
            try:
                kept, notes = request.remove_repetition(completion)
                parsed = parse_answer(kept, request.schema, request.limits, last_try=bool(request.problem))
            except UnusableAnswerError as problem:
                self.unusable.append(str(problem))
            else:
                self.values.append(parsed.value)
                cuts += [*notes, *parsed.cuts]
        self.calls.append(build_call_record(request, completions, cuts))


async def ask_model(
    caller: Caller,
    prompt_file: Path,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    trim: str,
    limits: Limits | None = None,
) -> Answer[Value]:
    """Render a prompt, call the model, and return its answer as a validated `schema`; all else as `sample`."""
    samples = await sample_answers(caller, prompt_file, variables, schema, settings, number=1, trim=trim, limits=limits)
    return Answer(samples.values[0], samples.calls)


async def sample_answers(  # noqa: PLR0913 - as `ask`, and how many
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

    Args:
        caller: Role, step and round, for progress and the account.
        prompt_file: The prompt's Markdown file.
        variables: Values of the prompt's declared variables.
        schema: What the answer must be.
        settings: Endpoint, model and sampling of the role.
        number: How many answers are wanted.
        trim: Name of the variable that may be shortened if the prompt outgrows the context.
        limits: The run's table of limits, which the prompt sees as `limits` if it declares that; the defaults if none.

    Returns:
        At least one usable answer.

    Raises:
        ModelUnavailable: If the endpoint fails after all retries.
        ContextOverflow: If the prompt cannot be made to fit.
        SettingsError: If the endpoint does not accept the request.
        ModelOutputError: If no answer to the second request is usable, too; `spent` accounts for both.
    """
    request = await prepare_request(
        caller, prompt_file, variables, schema, settings, trim=trim, limits=limits or Limits()
    )
    samples = Samples[Value]()
    first = await send_first_request(request, number)
    samples.add_completions(request, first)
    await _add_missing_answers(samples, request, len(first), number)
    if not samples.values:
        again = build_reask(request, samples.unusable[0])
        second = await send_reask(again, number, list(samples.calls))
        samples.add_completions(again, second)
        await _add_missing_answers(samples, again, len(second), number)
    return samples


async def _add_missing_answers(samples: Samples[Value], request: ModelRequest[Value], begin: int, number: int) -> None:
    """Ask for the missing answers one by one; if one of them gets none, those that can be used are enough."""
    for place in range(begin, number):
        try:
            samples.add_completions(request, await send_further_request(request, place, list(samples.calls)))
        except (NoUsableAnswer, RequestFailedError):
            if not samples.values:
                raise
            return


async def prepare_request(
    caller: Caller,
    prompt_file: Path,
    variables: dict[str, object],
    schema: type[Value],
    settings: ModelSettings,
    *,
    trim: str,
    limits: Limits,
) -> ModelRequest[Value]:
    """The first request for a value, fitted to the model's context."""
    prompt = await asyncio.to_thread(load_prompt, prompt_file)  # it looks into a folder, which blocks
    if "limits" in prompt.front_matter.variables:
        variables = {**variables, "limits": limits}
    ending = ""
    if issubclass(schema, MarkdownAnswer):
        if settings.schema_limits:
            most = max(MIN_ANSWER_TOKENS, TOKENS_PER_WORD * schema.compute_word_limit(limits))
            settings = settings.model_copy(update={"max_tokens": min(settings.max_tokens, most)})
    elif settings.structured_output == "prompt":
        sent = build_server_schema(schema, limits, bounded=settings.schema_limits)
        ending = SCHEMA_ENDING.format(schema=json.dumps(sent, ensure_ascii=False, separators=(",", ":")))
    fitting = partial(fit_prompt, prompt, variables, trim, settings, ending=ending)
    return ModelRequest(caller, prompt, variables, fitting, await fitting(), settings, schema, limits)


def build_reask(request: ModelRequest[Value], problem: str) -> ModelRequest[Value]:
    """The same request with what was wrong with its answer, at a higher temperature.

    A model that decodes greedily repeats its mistake, above all an answer that goes round in circles; Whisper decodes
    such a passage again in the same way (Radford et al. 2022, Section 4.5).
    """
    settings = request.settings
    if settings.temperature is not None:
        settings = settings.model_copy(update={"temperature": max(settings.temperature, MIN_REASK_TEMPERATURE)})
    return replace(request, problem=problem, settings=settings)


@task
async def send_first_request(request: ModelRequest[Any], number: int) -> list[Completion]:
    """The first try. Whatever comes back is kept in the checkpoint."""
    return await _send_request(request, number)


@task
async def send_further_request(request: ModelRequest[Any], place: int, before: list[CallRecord]) -> list[Completion]:
    """One more answer, with a seed of its own: with the same one it would be the same answer."""
    seed = request.settings.seed
    other = {} if seed is None else {"seed": seed + place}
    return await _send_request(replace(request, settings=request.settings.model_copy(update=other)), 1, before)


@task
async def send_reask(request: ModelRequest[Any], number: int, before: list[CallRecord]) -> list[Completion]:
    """The re-ask. It fails inside the task, so that unusable answers are not kept and a resumed run asks afresh.

    With the same seed it would get the same unusable answer, so a run that has failed for one asks with the next seed.
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
    """Send a request; once more, fitted to the context, where only its refusal has told how long that is.

    Within one task, because a resumed run must come to the same tasks in the same order, whatever it knows by then. An
    error also accounts for what was asked before.
    """
    try:
        try:
            completions = await _send_once(request, number)
        except ContextOverflowError as refusal:
            request = replace(request, fitted=await _fit_prompt_again(request, refusal))
            completions = await _send_once(request, number)
    except DraftroomError as error:
        error.spent[:0] = before
        raise
    completions[0]["trims"] = [*request.fitted.trims, *_list_server_trims(request.fitted, completions[0])]
    return completions


async def _send_once(request: ModelRequest[Any], number: int) -> list[Completion]:
    """Send a request, and tell whoever follows the run of its begin, progress and end, unless they allow no more."""
    admission_check.get()()
    caller = request.caller
    write = get_stream_writer()
    event = {"role": caller.role, "step": caller.step, "round": caller.round, "model": request.settings.model}
    event |= {"call": next(_call_numbers)}

    def progress(tokens: int, text: str) -> None:
        write({"event": "tokens", "tokens": tokens, "text": text, **event})

    write({"event": "call", **event})
    schema, most = request.sent_schema, request.fitted.max_tokens
    try:
        return await request_completions(request.text, request.settings, schema, most, progress, number=number)
    finally:
        write({"event": "ended", **event})


async def _fit_prompt_again(request: ModelRequest[Any], refusal: ContextOverflowError) -> FittedPrompt:
    try:
        fitted = await request.fit()
    except ContextOverflowError:
        raise refusal from None  # it has the server's words
    if fitted == request.fitted:
        raise refusal
    return fitted


def _list_server_trims(fitted: FittedPrompt, completion: Completion) -> list[Trim]:
    """Return what a server has left out of a prompt in silence, as Ollama does of what exceeds its `num_ctx`."""
    read = completion["input_tokens"]
    if not is_prompt_truncated(read, fitted.tokens, counted=fitted.is_counted):
        return []
    return [Trim(variable=WHOLE_PROMPT, words_kept=read, words_before=fitted.tokens)]


def is_prompt_truncated(read: int, sent: int, *, counted: bool) -> bool:
    """Return whether a server has read so few tokens of a prompt that no error of the count explains it."""
    return 0 < read < sent / 2 and (counted or sent > MIN_RELIABLE_ESTIMATE)


def build_call_record(
    request: ModelRequest[Any], completions: list[Completion], cuts: Sequence[str] = ()
) -> CallRecord:
    """What a request has cost, and what of its answers was left out."""
    caller, prompt, first = request.caller, request.prompt, completions[0]
    return CallRecord(
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
        cuts=list(cuts),
    )
