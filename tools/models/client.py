"""Send requests to models: streamed, retried after transient faults, and limited in number for each server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, NotRequired, TypedDict

from langchain_core.messages import HumanMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langgraph.config import get_config
from pydantic import BaseModel

from state.errors import ContextOverflowError, DraftroomError, RequestFailedError, RequestRefusedError, SettingsError
from state.model_settings import LENGTH_LIMIT_KEY, Limits, ModelSettings
from state.records import Trim
from tools.models.endpoint import discard_endpoint, get_server_state, open_client
from tools.models.faults import CUT_OFF, NO_CHOICE, ServerError, quote_message, send_with_retries, translate_fault
from tools.models.providers import bind_request, bind_schema, read_finish_reason, read_piece

# Finish reasons of an interrupted answer: none at all, and those that vLLM reports when it is shut down.
INTERRUPTED_REASONS = {"", "abort", "error"}
# A router sends the requests of a session to one server, whose cache holds the shared beginning of a run's prompts.
# vLLM's router and LiteLLM use this name of the header.
SESSION_HEADER = "X-Session-ID"
HARMLESS_PROMPT = "Say yes."  # no filter refuses it
PROBE_MAX_TOKENS = 16  # enough to show that a server completes its answers
CHARACTERS_PER_WORD = 7  # of English science text with its spaces, rounded up
MAX_GRAMMAR_REPETITIONS = 1990  # llama.cpp refuses grammars that repeat something 2,000 times or more


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


# Of a stream: number of the answer, its next text, its finish reason, and the usage so far of all answers if known.
Piece = tuple[int, str, str, tuple[int, int] | None]
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
    """Send `prompt` as one user message, and wait for `number` complete answers, or fewer if the server gives fewer.

    Several answers are requested at once, so that the endpoint reads the prompt once. Some servers ignore `n`, and
    llama.cpp refuses more than it has slots for. A refused request for several is therefore repeated for one answer; if
    it was refused for another reason, that request is refused, too. Other providers are asked for one.

    The schema constrains decoding if the server supports it; prose has none. The limit of tokens is that of each
    answer. The first answer holds usage and time of all of them.

    Raises:
        ModelUnavailableError: If the server fails after all retries.
        RequestFailedError: If it fails so, but answers another request.
        ContextOverflowError: If the server reports that prompt and answer are too long.
        RequestRefusedError: If the server refuses this prompt, but answers another.
        SettingsError: If the server does not accept another part of the request, or its client cannot be built.
    """
    server = get_server_state(settings)
    if server.answers_singly or not settings.is_endpoint:
        number = 1
    stream = partial(stream_pieces, settings=settings, schema=schema, number=number)

    async def send() -> list[Completion]:
        async with server.slots:
            return await _collect(stream(prompt, max_tokens), settings, max_tokens, progress)

    try:
        completions, retries = await send_with_retries(settings, send)
        completions[0]["http_retries"] = retries
    except ServerError as fault:
        error = await classify_fault(fault, settings, prompt, max_tokens, stream)
        if number == 1 or not isinstance(error, SettingsError):
            raise error from None  # the cause may quote the key or the prompt
        completions = await request_completions(prompt, settings, schema, max_tokens, progress)
    if len(completions) < number:
        server.answers_singly = True
    return completions


async def classify_fault(
    fault: ServerError,
    settings: ModelSettings,
    prompt: str,
    max_tokens: int,
    stream: partial[AsyncGenerator[Piece, None]],
) -> DraftroomError:
    """Return the error for a failed request, after asking a harmless question to see whether others fail, too.

    A server does not say reliably whether it refuses the text or the fields of a request. So a harmless text is sent
    with the same fields; after a refusal the beginning of its answer is enough. After a fault the server is asked for a
    short answer, which must be complete. The result is a RequestFailedError or RequestRefusedError if other questions
    can be answered, else the error for all of them.
    """
    discard_endpoint(settings)
    error, server = translate_fault(fault, settings, prompt), get_server_state(settings)
    if isinstance(error, ContextOverflowError) and error.context_length:
        server.learned_lengths[settings.model] = error.context_length
    is_refusal = isinstance(error, SettingsError)
    # After a refusal of several answers they are requested one by one, so the reason does not matter yet.
    if stream.keywords["number"] > 1 if is_refusal else not fault.may_be_caused_by_request:
        return error
    limit = max_tokens if is_refusal else PROBE_MAX_TOKENS
    try:
        async with server.slots, aclosing(stream(HARMLESS_PROMPT, limit)) as answer:
            await (anext(answer) if is_refusal else _collect(answer, settings, limit, lambda *_: None))
    except Exception:  # noqa: BLE001 - each client has exceptions of its own
        return error
    if is_refusal:
        quote = quote_message(fault, prompt)
        return RequestRefusedError(
            f"{settings.server} refuses this text{quote}, and answers others; give this role a model without such a "
            "filter, or leave the passage out.",
            problem=f"the endpoint refuses its text{quote}",
        )
    happened, _, advice = str(error).rpartition("; ")
    problem = f"{happened}, but answers other requests"
    return RequestFailedError(f"{problem}; {advice}", problem=problem)


async def stream_pieces(
    prompt: str, max_tokens: int, *, settings: ModelSettings, schema: dict[str, Any] | None, number: int
) -> AsyncGenerator[Piece, None]:
    """Stream the pieces of `number` answers; the exceptions are those of the client."""
    client: Any = await open_client(settings)
    arguments = build_request_arguments(settings, schema, max_tokens)
    if number > 1:
        # LangChain's client mixes the pieces of several answers; the OpenAI client below it keeps them apart.
        chunks = await client.root_async_client.chat.completions.create(
            messages=[{"role": "user", "content": prompt}],
            n=number,
            stream=True,
            stream_options={"include_usage": True},
            **arguments,
        )
        async for chunk in chunks:
            if chunk.usage:
                yield (0, "", "", (chunk.usage.prompt_tokens, chunk.usage.completion_tokens))
            for choice in chunk.choices:
                yield (choice.index, choice.delta.content or "", choice.finish_reason or "", None)
        return
    if not settings.is_endpoint:
        client, arguments = bind_request(client, settings, schema, max_tokens), {}
    usage: UsageMetadata | None = None
    async for chunk in client.astream([HumanMessage(prompt)], **arguments):
        if chunk.usage_metadata:
            # Some endpoints repeat the usage so far; the classes of providers report the usage of each piece.
            usage = chunk.usage_metadata if settings.is_endpoint else add_usage(usage, chunk.usage_metadata)
        told = (usage["input_tokens"], usage["output_tokens"]) if usage else None
        yield (0, read_piece(chunk), read_finish_reason(chunk), told)


async def _collect(
    pieces: AsyncGenerator[Piece, None], settings: ModelSettings, max_tokens: int, progress: Progress
) -> list[Completion]:
    """Return the answers of a stream in order; raise `ServerError` if one breaks off, or after a long silence.

    The first one holds the usage of all. Without usage from the server, the number of pieces estimates the tokens.
    """
    begin, received, usage = time.perf_counter(), 0, None
    texts, reasons = dict[int, list[str]](), dict[int, str]()
    async with asyncio.timeout(settings.timeout_s) as silence:
        async for index, text, reason, told in pieces:
            silence.reschedule(asyncio.get_running_loop().time() + settings.timeout_s)
            # The last value counts: some servers repeat the finish reason or the usage so far in several chunks.
            texts.setdefault(index, []).append(text)
            reasons[index] = reason or reasons.get(index, "")
            usage = told or usage
            if text:
                received += 1
                progress(received, "" if index else text)
    if not settings.is_endpoint and not reasons.get(0):  # not every class tells why an answer ended
        reasons[0] = "length" if usage and usage[1] >= max_tokens else "stop"
    if INTERRUPTED_REASONS & set(reasons.values()) or not texts:
        raise ServerError(CUT_OFF if received else NO_CHOICE)
    read, written = usage or (0, received)
    return [
        Completion(
            text="".join(texts[index]),
            finish_reason=reasons[index],
            input_tokens=0 if place else read,
            output_tokens=0 if place else written,
            tokens_estimated=usage is None,
            seconds=0.0 if place else round(time.perf_counter() - begin, 3),
            http_retries=0,
        )
        for place, index in enumerate(sorted(texts))
    ]


def build_server_schema(schema: type[BaseModel], limits: Limits, *, bounded: bool) -> dict[str, Any]:
    """Build the JSON schema of an answer for a server, with limits of items and characters only if `bounded`.

    The limits are written as `maxItems` and `maxLength`.
    """

    def convert(part: dict[str, Any]) -> dict[str, Any]:
        name = part.pop(LENGTH_LIMIT_KEY, None)
        if bounded and name:
            limit = getattr(limits, name)
            if part.get("type") == "array":
                part["maxItems"] = limit
            else:
                part["maxLength"] = min(limit * CHARACTERS_PER_WORD, MAX_GRAMMAR_REPETITIONS)
        return part

    built: dict[str, Any] = json.loads(json.dumps(schema.model_json_schema()), object_hook=convert)
    return built


async def constrains(settings: ModelSettings, schema: dict[str, Any]) -> bool:
    """Return whether answers can be constrained to a schema; otherwise the schema belongs into the prompt."""
    if settings.is_endpoint or settings.structured_output == "prompt":
        return settings.structured_output == "json_schema"
    return bind_schema(await open_client(settings), schema) is not None


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
