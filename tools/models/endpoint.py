"""Servers of models: what each serves, its client, its retries, and the meaning of its faults."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from functools import partial
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

import httpx2
import openai
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from langgraph.config import get_stream_writer
from langgraph.errors import GraphDrained
from langgraph.runtime import Runtime, get_runtime
from pydantic import SecretStr, ValidationError

from state.errors import ContextOverflowError, DraftroomError, ModelUnavailableError, SettingsError
from state.model_settings import ModelSettings
from tools.configuration import mask_keys, name_key
from tools.models.providers import build_chat_model

TRANSIENT_STATUSES = {408, 409, 425, 429}
OVERLOAD_STATUSES = {429, 503}  # the server is overloaded; the request itself is fine
LONGEST_WAIT_S = 120.0
LONGEST_LOADING_PAUSE_S = 5.0  # between two looks whether a server has loaded its model
DRAIN_CHECK_INTERVAL_S = 0.2  # while a request waits to be sent again
# Messages of servers and routers, with status 500 or 503, before a model is ready; not those of a failed loading.
LOADING_PATTERN = re.compile(
    r"^(?!.*(?:fail|unable|error (?:while )?loading)).*"
    r"(?:\bloading\b|starting up|warming up|not (?:yet )?ready|no (?:healthy|available) )",
    re.IGNORECASE | re.DOTALL,
)
CONNECT_TIMEOUT_S = 10.0
MAX_QUOTE_CHARACTERS = 300  # of a server's message, which the user sees
MIN_LEAK_CHARACTERS = 16  # in a row that a server's message and a prompt must share to count as a quotation
# Messages about a request that is too long: vLLM and OpenAI name the context length, llama.cpp its size.
OVERFLOW_PATTERN = re.compile(
    r"\bcontext[ _](?:length|size|window)|\bn_ctx\b|max_model_len|maximum model length|prompt is too long|"
    r"maximum number of tokens",
    re.IGNORECASE,
)
# The context length in such messages, or in a field beside them (llama.cpp's `n_ctx`).
REPORTED_LENGTH_PATTERN = re.compile(
    r"(?:\bcontext[ _](?:length|size|window)|\bn_ctx|max_model_len|maximum model length)"
    r"(?: is| of| only)*['\"]?\s*[=:(]?\s*(\d+)",
    re.IGNORECASE,
)
OWN_ERROR = "own_error"  # code of an error that a class of the user's own has raised, without a status
# A client without a key complains before it sends anything.
MISSING_KEY_PATTERN = re.compile(r"api[ _-]?key|authentication|credential", re.IGNORECASE)
QUOTED_MESSAGE_PATTERN = re.compile(r"""['"]message['"]:\s*(['"])(.+?)\1""")
# Endings of messages that begin with the address of the endpoint.
CUT_OFF = "broke off its answer, or lost the connection; look at its log, then resume the run"
NO_CHOICE = "sent an answer without any choice or text in it; look at its log, then resume the run"
NO_EVENTS = "sent no answer in the format of the OpenAI API; correct `base_url`, or look at its log"
NO_LIST = "has no list of models as the OpenAI API has it; correct `base_url`, which ends in /v1 on most servers"
WEB_PAGE = "answers with a web page; correct `base_url`, or pass the login or proxy that shows the page"


CLIENT_ERRORS = (openai.OpenAIError, ConnectionError, TimeoutError)  # other clients' exceptions are converted to them
Sent = TypeVar("Sent")


class BrokenAnswerError(ConnectionError):
    """An incomplete or invalid answer; the message says what the endpoint did, and what to change."""


async def send_with_retries(
    settings: ModelSettings, send: Callable[[], Awaitable[Sent]], *, only_statuses: bool = False
) -> tuple[Sent, int]:
    """Send a request until it succeeds, and return what it gives and the number of retries; raise the last fault.

    Transient faults, or only those that the server has answered with, are retried as often as the settings say. Each
    try waits for a server that is loading its model, which is no retry.
    """
    retry = 0
    while True:
        try:
            return await _send_when_loaded(settings, send), retry
        except CLIENT_ERRORS as error:
            is_passing = is_transient_error(error) and not is_loading(error)
            is_known = isinstance(error, openai.APIStatusError) or not only_statuses
            if retry >= settings.retries or not (is_passing and is_known):
                raise
            requested = find_retry_delay(error)
        # As long as the server asks, or a first wait doubled after each try, up to a limit.
        wait = min(settings.retry_wait_s * 2.0 ** min(retry, 10), LONGEST_WAIT_S)
        await _wait_unless_drained(wait if requested is None else requested)
        retry += 1


async def _send_when_loaded(settings: ModelSettings, send: Callable[[], Awaitable[Sent]]) -> Sent:
    """Send a request, and again while the server is loading its model, for up to `startup_wait_s`."""
    end, pause = math.inf, min(settings.retry_wait_s, LONGEST_LOADING_PAUSE_S)
    while True:
        try:
            return await send()
        except openai.APIStatusError as error:
            now, is_first = time.monotonic(), end == math.inf
            end = min(end, now + settings.startup_wait_s)
            if now >= end or not (is_loading(error) and is_transient_error(error)):
                raise
            requested = find_retry_delay(error) or 0.0
        if is_first:
            text = f"{settings.server} is loading its model; waiting for it for up to {settings.startup_wait_s:g} s"
            with suppress(RuntimeError, KeyError):  # where no graph runs
                get_stream_writer()({"event": "waiting", "text": text})
        # A server that asks for no wait at all would be asked without a pause.
        await _wait_unless_drained(min(max(pause, requested), end - now))
        pause = min(2 * pause, LONGEST_LOADING_PAUSE_S)


async def _wait_unless_drained(seconds: float) -> None:
    """Wait between two tries; as soon as the run is asked to drain, raise `GraphDrained`, so that it can be resumed."""
    runtime: Runtime[Any] | None = None
    with suppress(RuntimeError):  # where no graph runs
        runtime = get_runtime()
    end = time.monotonic() + seconds
    while True:
        if runtime and runtime.drain_requested:
            raise GraphDrained
        if (left := end - time.monotonic()) <= 0:
            return
        await asyncio.sleep(min(left, DRAIN_CHECK_INTERVAL_S))


def is_loading(error: BaseException) -> bool:
    """Return whether a server says that it cannot answer yet because it is loading its model."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in {500, 503}:
        return False
    return bool(LOADING_PATTERN.search(str(error.body)))


def is_transient_error(error: BaseException) -> bool:
    """Return whether a retry within 120 s may help: connection faults, timeouts, 408, 409, 425, 429 and 5xx."""
    if not isinstance(error, openai.APIStatusError):
        # An APIError without a status was reported by the server within a stream.
        return isinstance(error, (openai.APIError, ConnectionError, TimeoutError))
    is_transient = error.status_code in TRANSIENT_STATUSES or error.status_code >= 500
    return is_transient and (find_retry_delay(error) or 0) <= LONGEST_WAIT_S


def find_retry_delay(error: BaseException) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110: seconds or a date); None if there is none."""
    value = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
    if date := parsedate_tz(value):
        return max(0.0, mktime_tz(date) - time.time())
    return float(value) if value.isdecimal() else None


def iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and its chain of causes."""
    while error:
        yield error
        error = error.__cause__


def convert_client_error(error: Exception, settings: ModelSettings) -> Exception:
    """Return the exception that OpenAI's client would raise in place of another client's: by status, else by its name.

    An exception that says nothing of the kind counts as a refused request.
    """
    if isinstance(error, openai.OpenAIError):
        return error
    if settings.is_endpoint:
        return BrokenAnswerError(NO_EVENTS) if isinstance(error, ValueError) else error
    if isinstance(error, ValidationError) and error.title.startswith("AIMessage"):  # its content is None, for example
        return BrokenAnswerError(NO_CHOICE)
    causes = [*iterate_causes(error)]
    codes = [getattr(cause, name, None) for cause in causes for name in ("status_code", "code")]
    status = next((code for code in codes if isinstance(code, int) and 400 <= code < 600), 0)
    names = " ".join(type(cause).__name__ for cause in causes)
    if not status and re.search("Timeout", names) and "ConnectTimeout" not in names:
        return TimeoutError()
    if not status and re.search("Connect|ReadError|Protocol", names):
        return ConnectionError()
    message = str(error)
    quoted = QUOTED_MESSAGE_PATTERN.search(message)
    response = httpx2.Response(
        status or (401 if MISSING_KEY_PATTERN.search(message) else 400),
        headers=getattr(getattr(error, "response", None), "headers", None),
        request=httpx2.Request("POST", "http://provider"),
    )
    body = {"message": quoted[2] if quoted else message if status else f"{type(error).__name__}: {message}"}
    if settings.use and response.status_code == 400 and not status:
        body["code"] = OWN_ERROR
    return openai.APIStatusError(message, response=response, body=body)


def is_unreachable(error: BaseException) -> bool:
    """Return whether nothing accepts a connection; by name, because clients use different HTTP libraries."""
    return any(type(cause).__name__ in {"ConnectError", "ConnectTimeout"} for cause in iterate_causes(error))


def may_be_caused_by_request(error: Exception) -> bool:
    """Return whether a passing kind of fault (500, timeout) may be due to the request, not to a server gone or busy."""
    if is_unreachable(error) or is_loading(error):
        return False
    return is_transient_error(error) and getattr(error, "status_code", None) not in OVERLOAD_STATUSES


def translate_error(error: Exception, settings: ModelSettings, prompt: str = "") -> DraftroomError:
    """Return the error for the user that stands for an exception of the client; nothing is raised.

    Where the server quotes the prompt, the message has an ellipsis.
    """
    quote, told = quote_server_message(error, prompt), NO_EVENTS
    if isinstance(error, openai.APIStatusError):
        return _translate_status(error, settings, quote)
    if is_unreachable(error):
        start = "start it (`draftroom models up`)" if settings.is_endpoint else "look at the network"
        told = f"cannot be reached; {start} or correct `base_url`"
    elif broken := [cause for cause in iterate_causes(error) if isinstance(cause, BrokenAnswerError)]:
        told = str(broken[0])
    elif isinstance(error, (openai.APITimeoutError, TimeoutError)):
        told = f"was silent for {settings.timeout_s:g} s; look at its log, or set a longer `timeout_s`"
    elif isinstance(error, (openai.APIConnectionError, ConnectionError)):
        told = CUT_OFF
    elif isinstance(error, openai.APIError):
        told = f"reported an error while it answered{quote}; look at its log, then resume the run"
    return ModelUnavailableError(f"{settings.server} {told}.")


def quote_server_message(error: Exception, prompt: str) -> str:
    """Return `: “…”` with the server's message of an error, without key and parts of the prompt; empty without any."""
    body = getattr(error, "body", None)
    message = body.get("message") or body.get("detail") if isinstance(body, dict) else body
    if isinstance(message, list):  # FastAPI lists the faults of each field, and quotes the whole request beside them
        message = "; ".join(str(item.get("msg", "")) for item in message if isinstance(item, dict))
    if not isinstance(message, str) or message.lstrip().startswith("<"):  # an HTML page
        return ""
    message = mask_keys(message)
    # Messages quote with escaped line breaks, so these and white space become single spaces in both.
    text, prompt = (re.sub(r"(?:\\[nrt]|\s)+", " ", each).strip() for each in (message, prompt))
    text, width = text[: 4 * MAX_QUOTE_CHARACTERS], MIN_LEAK_CHARACTERS
    # Replace each quotation of the prompt by an ellipsis: a character is hidden if a quotation covers it.
    quoted = [text[at : at + width] in prompt for at in range(len(text) - width + 1)]
    hidden = (any(quoted[max(0, at - width + 1) : at + 1]) for at in range(len(text)))
    masked = "".join("\0" if hide else letter for letter, hide in zip(text, hidden, strict=True))
    text = re.sub("\0+", "…", masked)
    return f": “{text[:MAX_QUOTE_CHARACTERS]}{'…' if len(text) > MAX_QUOTE_CHARACTERS else ''}”" if text else ""


def _translate_status(error: openai.APIStatusError, settings: ModelSettings, quote: str) -> DraftroomError:
    """Return the error for the user that stands for an HTTP status, with the server's message as a quote."""
    where, status = settings.server, error.status_code
    if status in {401, 403}:
        variable = settings.api_key_env or "that it reads"
        return ModelUnavailableError(
            f"{where} refuses the key{quote}; put the right one into the environment variable {variable} (or name "
            "another with `api_key_env`).",
            kind="endpoint_refused",
        )
    if status == 404:
        fix = "`draftroom doctor` lists the models that it serves" if settings.is_endpoint else "correct `model`"
        return ModelUnavailableError(f"{where} does not serve {settings.model!r}{quote}; {fix}.", kind="wrong_model")
    if is_loading(error):
        advice = "wait until it is ready, or set a longer `startup_wait_s`"
        return ModelUnavailableError(f"{where} is still loading its model{quote}; {advice}.")
    if status in {400, 413} and OVERFLOW_PATTERN.search(quote):
        # With the length in the message, the prompt can be cut to it and sent again.
        reported = REPORTED_LENGTH_PATTERN.search(str(error.body))
        misfit = f"request does not fit the context of {settings.model!r}{quote}"
        advice = "set `context_length` as its server does, or lower `max_tokens`"
        if reported:
            advice = "serve the model with a longer context, lower `max_tokens`, or give a shorter text"
        return ContextOverflowError(
            f"A {misfit}; {advice}.",
            problem=f"its {misfit}; {advice}",
            context_length=int(reported[1]) if reported else None,
        )
    if status in {400, 413, 422}:
        field = f" because of `{error.param}`" if error.param else ""
        told = (
            f"refuses the request{field}{quote}; leave out the settings that it does not support (sampling values, "
            '`extra_body`), lower `max_tokens`, or set `structured_output = "prompt"`.'
        )
        if error.code == OWN_ERROR:
            told = f"raised an error{quote}; correct it where its traceback, which is logged, ends."
            # Only its lines, because the words of the error may quote the key or the prompt.
            lines = "".join(traceback.format_tb(error.__cause__.__traceback__ if error.__cause__ else None))
            logging.getLogger(__name__).error("%s raised an error:\n%s", where, lines)
        return SettingsError(f"{where} {told}")
    wait = find_retry_delay(error)
    advice = f"it asks to wait {wait:.0f} s, then resume the run" if wait else "look at its log, then resume the run"
    return ModelUnavailableError(f"{where} answered with status {status}{quote}; {advice}.")


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, BaseChatModel]] = WeakKeyDictionary()


async def open_client(settings: ModelSettings) -> BaseChatModel:
    """Return the client of a server, built once per event loop; that of an endpoint is for all of its models.

    Raises:
        SettingsError: The package of a provider is missing, or its class cannot be built.
    """
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    fields = {"provider", "use", "base_url", "api_key_env", "timeout_s"}
    key = settings.model_dump_json(include=fields if settings.is_endpoint else {*fields, "model", "extra_body"})
    if key not in clients:
        # In a thread, because it imports packages or reads certificates.
        build = _build_client if settings.is_endpoint else build_chat_model
        client = await asyncio.to_thread(build, settings)
        clients.setdefault(key, client)  # another call may have built one meanwhile
    return clients[key]


async def close_clients() -> None:
    """Close the connections of this event loop at the end of a program or a test."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        # The clients of providers share connections with others in the process.
        if isinstance(client, ChatOpenAI) and client.http_async_client:
            await client.root_async_client.close()


def _build_client(settings: ModelSettings) -> BaseChatModel:
    """Build a client that does not retry, and that rejects web pages; the key comes from the environment."""
    timeout = openai.Timeout(settings.timeout_s, connect=min(settings.timeout_s, CONNECT_TIMEOUT_S))
    key = os.environ.get(name_key(settings)) or "none"  # local servers accept any key but an empty one
    return ChatOpenAI(
        base_url=settings.base_url,
        api_key=SecretStr(key),
        timeout=timeout,
        stream_chunk_timeout=None,  # `_collect` in client.py has one for the models of all providers
        max_retries=0,  # `send_with_retries` counts and records the retries
        stream_usage=True,
        # The default client would be shared by all event loops of the process, and closed with the first of them.
        http_async_client=openai.DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [_reject_web_page]}),
    )


async def _reject_web_page(response: httpx2.Response) -> None:
    """Raise `BrokenAnswerError` for a web page with a success status, as a login proxy or catch-all site sends it."""
    if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
        raise BrokenAnswerError(WEB_PAGE)


# Where the server cannot count tokens; cautious for English science text (measured: about 4.4 for Qwen2.5).
CHARACTERS_PER_TOKEN = 3.0


@dataclass(frozen=True)
class Endpoint:
    """Context lengths and tokenizer of an endpoint that has answered."""

    context_lengths: dict[str, int | None]
    """Context length in tokens of each served model; None if the server does not report it."""
    tokenizer: Literal["vLLM", "llama.cpp", ""]
    """Server whose /tokenize it has; empty if none."""


_known_endpoints: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Endpoint]] = WeakKeyDictionary()
# Context lengths that refusals have reported, by address and model.
_learned_lengths: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], int]] = WeakKeyDictionary()


async def fetch_endpoint(settings: ModelSettings) -> Endpoint:
    """Return what the endpoint serves; it is asked once per event loop, and again after a failed call.

    It is waited for while it loads its model, and asked again after a passing fault that it answers with, so that a
    mistyped address is reported at once. Other providers are not asked; LangChain knows the context length of some of
    their models.

    Raises:
        ModelUnavailableError: If it does not answer, refuses the key, or does not serve `settings.model`.
        SettingsError: The package of a provider is missing, or its class cannot be built.
    """
    if not settings.is_endpoint:
        profile = (await open_client(settings)).profile or {}
        return Endpoint({settings.model: profile.get("max_input_tokens")}, tokenizer="")
    known = _known_endpoints.setdefault(asyncio.get_running_loop(), {})
    endpoint = known.get(settings.base_url)
    if endpoint is None or settings.model not in endpoint.context_lengths:
        endpoint = known[settings.base_url] = await _request_endpoint(settings)
    if settings.model not in endpoint.context_lengths:
        served = ", ".join(sorted(endpoint.context_lengths)) or "no model at all"
        raise ModelUnavailableError(
            f"The endpoint {settings.base_url} does not serve {settings.model!r} but {served}; "
            "set `model` to a name that it serves.",
            kind="wrong_model",
        )
    return endpoint


def discard_endpoint(settings: ModelSettings) -> None:
    """Discard the data of an endpoint: after a fault it may return as another server with another context."""
    _known_endpoints.get(asyncio.get_running_loop(), {}).pop(settings.base_url, None)


def find_context_length(settings: ModelSettings, endpoint: Endpoint) -> int | None:
    """Return the context length set, else served, or the shorter one that a refusal reported; None if unknown."""
    known = settings.context_length or endpoint.context_lengths[settings.model]
    # A refusal has reported the true length, so a shorter one wins.
    learned = _learned_lengths.get(asyncio.get_running_loop(), {}).get((settings.address, settings.model))
    return min(known or learned, learned) if learned else known


def record_context_length(settings: ModelSettings, length: int) -> None:
    """Store the context length that a refusal has reported; most servers leave it out of their list of models."""
    _learned_lengths.setdefault(asyncio.get_running_loop(), {})[settings.address, settings.model] = length


async def count_message_tokens(text: str, settings: ModelSettings, endpoint: Endpoint) -> int:
    """Count the tokens of `text` as a user message: by the server if it can, else by a cautious estimate.

    Raises:
        ModelUnavailableError: If the server fails after all retries.
    """
    if not endpoint.tokenizer:
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    messages = [{"role": "user", "content": text}]

    async def count() -> int:
        if endpoint.tokenizer == "vLLM":
            return int((await _post_request(settings, "/tokenize", messages=messages))["count"])
        # llama.cpp counts plain text only, so the chat template is applied first.
        prompt = (await _post_request(settings, "/apply-template", messages=messages))["prompt"]
        return len((await _post_request(settings, "/tokenize", content=prompt, parse_special=True))["tokens"])

    try:
        return (await send_with_retries(settings, count))[0]
    except (openai.OpenAIError, BrokenAnswerError, ValueError, KeyError, TypeError) as error:
        discard_endpoint(settings)
        raise translate_error(error, settings, text) from None  # the cause may quote the key or the prompt


async def _request_endpoint(settings: ModelSettings) -> Endpoint:
    """Ask the endpoint for its models and its tokenizer; faults are raised as errors for the user."""
    try:
        client: Any = await open_client(settings)
        ask = partial(client.root_async_client.get, "/models", cast_to=object)
        answer, _ = await send_with_retries(settings, ask, only_statuses=True)
        lengths = dict[str, int | None]()
        for model in answer["data"]:
            # vLLM reports the context of a model, and llama.cpp that of one of its slots.
            length = model.get("max_model_len") or (model.get("meta") or {}).get("n_ctx")
            lengths[str(model["id"])] = int(length) if length else None
        counted: Any = None
        # vLLM and llama.cpp have /tokenize at the same path, but each ignores the other's fields.
        with suppress(openai.APIStatusError, BrokenAnswerError, ValueError):
            counted = await _post_request(settings, "/tokenize", prompt="a", content="a")
        names = counted if isinstance(counted, dict) else {}
        return Endpoint(lengths, "vLLM" if "count" in names else "llama.cpp" if "tokens" in names else "")
    except (openai.NotFoundError, ValueError, KeyError, TypeError, AttributeError):
        raise translate_error(BrokenAnswerError(NO_LIST), settings) from None
    except (openai.OpenAIError, BrokenAnswerError) as error:
        raise translate_error(error, settings) from None  # the cause may quote the key


async def _post_request(settings: ModelSettings, path: str, **fields: Any) -> Any:
    """Post fields to a path of the server, outside /v1, and return the decoded JSON; the client's errors pass."""
    address = settings.base_url.removesuffix("/v1") + path
    client: Any = await open_client(settings)
    return await client.root_async_client.post(address, cast_to=object, body={"model": settings.model, **fields})
