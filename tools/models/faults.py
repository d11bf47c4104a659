"""Faults of models' servers: which of them pass, when a request is sent again, and what the user is told."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import Any, TypeVar

import openai
from langgraph.config import get_stream_writer
from langgraph.errors import GraphDrained
from langgraph.runtime import Runtime, get_runtime
from pydantic import ValidationError

from state.errors import ContextOverflowError, DraftroomError, ModelUnavailableError, SettingsError
from state.model_settings import ModelSettings
from tools.configuration import mask_keys

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
# A client without a key complains before it sends anything.
MISSING_KEY_PATTERN = re.compile(r"api[ _-]?key|authentication|credential", re.IGNORECASE)
QUOTED_MESSAGE_PATTERN = re.compile(r"""['"]message['"]:\s*(['"])(.+?)\1""")
# Clients use different HTTP libraries, whose exceptions have such names in common.
UNREACHABLE_PATTERN = re.compile(r"\bConnect(Error|Timeout)\b")
LOST_PATTERN = re.compile("Connect|ReadError|Protocol")
# What a server did and what to change; the sentence begins with its name.
CUT_OFF = "broke off its answer, or lost the connection; look at its log, then resume the run"
NO_CHOICE = "sent an answer without any choice or text in it; look at its log, then resume the run"
NO_EVENTS = "sent no answer in the format of the OpenAI API; correct `base_url`, or look at its log"

Sent = TypeVar("Sent")


@dataclass(eq=False)
class ServerError(Exception):
    """A request that failed, whichever client's exception said so."""

    told: str = ""
    """What the server did and what to change, as the end of a sentence; empty if status and body say it."""
    status: int = 0
    """HTTP status of the answer; 0 without one."""
    body: Any = None
    """Body of such an answer, or of an error within a stream; it may quote the key and the prompt."""
    delay: float | None = None
    """Seconds that the server asks to wait."""
    is_unreachable: bool = False
    """Whether nothing accepts a connection."""
    own_lines: str = ""
    """Lines of the user's own class at which it raised an error that says nothing of a server."""

    @property
    def message(self) -> str:
        """The server's own words; empty if it has none, or sends a page."""
        found = self.body
        if isinstance(found, dict):
            found = found.get("message") or found.get("detail")
        if isinstance(found, list):  # FastAPI lists the faults of each field, and quotes the whole request beside them
            found = "; ".join(str(item.get("msg", "")) for item in found if isinstance(item, dict))
        return found if isinstance(found, str) and not found.lstrip().startswith("<") else ""

    @property
    def is_transient(self) -> bool:
        """Whether a retry within 120 s may help: lost connections, silence, 408, 409, 425, 429 and 5xx."""
        is_passing = not self.status or self.status in TRANSIENT_STATUSES or self.status >= 500
        return is_passing and (self.delay or 0) <= LONGEST_WAIT_S

    @property
    def is_loading(self) -> bool:
        """Whether the server says that it cannot answer yet because it is loading its model."""
        return self.status in {500, 503} and self.is_transient and bool(LOADING_PATTERN.search(self.message))

    @property
    def may_be_caused_by_request(self) -> bool:
        """Whether it is of a passing kind (500, silence), but may be due to the request and not to a busy server."""
        is_of_server = self.is_unreachable or self.is_loading or self.status in OVERLOAD_STATUSES
        return self.is_transient and not is_of_server


def read_fault(error: Exception, settings: ModelSettings) -> ServerError:
    """Return the fault that an exception of any client stands for: by its status, else by its name and its causes'.

    Raises:
        Exception: The given one, if it says nothing of a server.
    """
    causes: list[BaseException] = [error]
    while cause := causes[-1].__cause__:
        causes.append(cause)
    if known := next((cause for cause in causes if isinstance(cause, ServerError)), None):
        return known
    if isinstance(error, DraftroomError):
        raise error
    is_openai = isinstance(error, openai.OpenAIError)
    fields = ["status_code"] if is_openai else ["status_code", "code"]
    codes = [getattr(cause, field, 0) for cause in causes for field in fields]
    status = next((code for code in codes if isinstance(code, int) and 400 <= code < 600), 0)
    if not status and (fault := _read_names(error, " ".join(type(cause).__name__ for cause in causes), settings)):
        return fault
    delay = find_retry_delay(getattr(getattr(error, "response", None), "headers", None) or {})
    if is_openai:
        return ServerError(status=status, body=getattr(error, "body", None), delay=delay)
    message = str(error)
    quoted = QUOTED_MESSAGE_PATTERN.search(message)
    if status:
        return ServerError(status=status, body=quoted[2] if quoted else message, delay=delay)
    # Only its lines, because the words of the error may quote the key or the prompt.
    lines = "".join(traceback.format_tb(error.__traceback__)) if settings.use else ""
    status = 401 if MISSING_KEY_PATTERN.search(message) else 400
    return ServerError(status=status, body=f"{type(error).__name__}: {message}", own_lines=lines)


def _read_names(error: Exception, names: str, settings: ModelSettings) -> ServerError | None:
    """Return the fault that an exception without a status stands for; None if it is worded by the server or a class."""
    if UNREACHABLE_PATTERN.search(names):
        start = "start it (`draftroom models up`)" if settings.is_endpoint else "look at the network"
        return ServerError(f"cannot be reached; {start} or correct `base_url`", is_unreachable=True)
    if "Timeout" in names:
        return ServerError(f"was silent for {settings.timeout_s:g} s; look at its log, or set a longer `timeout_s`")
    if LOST_PATTERN.search(names):
        return ServerError(CUT_OFF)
    if isinstance(error, ValidationError) and error.title.startswith("AIMessage"):  # its content is None, for example
        return ServerError(NO_CHOICE)
    if settings.is_endpoint and not isinstance(error, openai.APIError):
        if isinstance(error, (openai.OpenAIError, ValueError)):
            return ServerError(NO_EVENTS)
        raise error
    return None


def find_retry_delay(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110: seconds or a date); None if there is none."""
    value = headers.get("retry-after", "")
    if date := parsedate_tz(value):
        return max(0.0, mktime_tz(date) - time.time())
    return float(value) if value.isdecimal() else None


async def send_with_retries(
    settings: ModelSettings, send: Callable[[], Awaitable[Sent]], *, only_statuses: bool = False
) -> tuple[Sent, int]:
    """Send a request until it succeeds, and return what it gives and the number of retries.

    Transient faults, or only those that the server has answered with, are retried as often as the settings say. A
    server that is loading its model is waited for up to `startup_wait_s`, which takes no retry.

    Raises:
        ServerError: The last fault.
    """
    retry, end, pause = 0, math.inf, min(settings.retry_wait_s, LONGEST_LOADING_PAUSE_S)
    while True:
        try:
            return await send(), retry
        except Exception as error:  # noqa: BLE001 - each client has exceptions of its own; unknown ones are raised
            fault = read_fault(error, settings)
        now = time.monotonic()
        if fault.is_loading:
            if is_first := end == math.inf:
                end = now + settings.startup_wait_s
            if now >= end:
                raise fault from None  # the cause may quote the key or the prompt
            if is_first:
                text = f"{settings.server} is loading its model; waiting for it for up to {settings.startup_wait_s:g} s"
                with suppress(RuntimeError, KeyError):  # where no graph runs
                    get_stream_writer()({"event": "waiting", "text": text})
            # A server that asks for no wait at all would be asked without a pause.
            wait = min(max(pause, fault.delay or 0.0), end - now)
            pause = min(2 * pause, LONGEST_LOADING_PAUSE_S)
        elif fault.is_transient and retry < settings.retries and (fault.status or not only_statuses):
            # As long as the server asks, or a first wait doubled after each try, up to a limit.
            wait = min(settings.retry_wait_s * 2.0 ** min(retry, 10), LONGEST_WAIT_S)
            wait = wait if fault.delay is None else fault.delay
            retry += 1
        else:
            raise fault from None
        await _wait_unless_drained(wait)


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


def quote_message(fault: ServerError, prompt: str) -> str:
    """Return `: “…”` with the server's message of a fault, without keys and parts of the prompt; empty without any."""
    # Messages quote with escaped line breaks, so these and white space become single spaces in both.
    text, prompt = (re.sub(r"(?:\\[nrt]|\s)+", " ", each).strip() for each in (mask_keys(fault.message), prompt))
    text, width = text[: 4 * MAX_QUOTE_CHARACTERS], MIN_LEAK_CHARACTERS
    # Replace each quotation of the prompt by an ellipsis: a character is hidden if a quotation covers it.
    quoted = [text[at : at + width] in prompt for at in range(len(text) - width + 1)]
    hidden = (any(quoted[max(0, at - width + 1) : at + 1]) for at in range(len(text)))
    masked = "".join("\0" if hide else letter for letter, hide in zip(text, hidden, strict=True))
    text = re.sub("\0+", "…", masked)
    return f": “{text[:MAX_QUOTE_CHARACTERS]}{'…' if len(text) > MAX_QUOTE_CHARACTERS else ''}”" if text else ""


def translate_fault(fault: ServerError, settings: ModelSettings, prompt: str = "") -> DraftroomError:
    """Return the error for the user that stands for a fault, with the server's message as a quote; nothing is raised.

    Where the server quotes the prompt, the message has an ellipsis.
    """
    where, status, quote = settings.server, fault.status, quote_message(fault, prompt)
    advice = "look at its log, then resume the run"
    if not status:
        return ModelUnavailableError(
            f"{where} {fault.told or f'reported an error while it answered{quote}; {advice}'}."
        )
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
    if status in {400, 413, 422}:
        return _translate_refusal(fault, settings, quote)
    told = f"answered with status {status}"
    if fault.is_loading:
        told, advice = "is still loading its model", "wait until it is ready, or set a longer `startup_wait_s`"
    elif fault.delay:
        advice = f"it asks to wait {fault.delay:.0f} s, then resume the run"
    return ModelUnavailableError(f"{where} {told}{quote}; {advice}.")


def _translate_refusal(fault: ServerError, settings: ModelSettings, quote: str) -> DraftroomError:
    """Return the error for the user that stands for a refused request: it is too long, or has what is not accepted."""
    where = settings.server
    if fault.status != 422 and OVERFLOW_PATTERN.search(quote):
        # With the length in the message, the prompt can be cut to it and sent again.
        reported = REPORTED_LENGTH_PATTERN.search(str(fault.body))
        misfit = f"request does not fit the context of {settings.model!r}{quote}"
        advice = "set `context_length` as its server does, or lower `max_tokens`"
        if reported:
            advice = "serve the model with a longer context, lower `max_tokens`, or give a shorter text"
        return ContextOverflowError(
            f"A {misfit}; {advice}.",
            problem=f"its {misfit}; {advice}",
            context_length=int(reported[1]) if reported else None,
        )
    if fault.own_lines:
        logging.getLogger(__name__).error("%s raised an error:\n%s", where, fault.own_lines)
        return SettingsError(f"{where} raised an error{quote}; correct it where its traceback, which is logged, ends.")
    param = fault.body.get("param") if isinstance(fault.body, dict) else ""
    field = f" because of `{param}`" if param else ""
    return SettingsError(
        f"{where} refuses the request{field}{quote}; leave out the settings that it does not support (sampling values, "
        '`extra_body`), lower `max_tokens`, or set `structured_output = "prompt"`.'
    )
