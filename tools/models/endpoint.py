"""Endpoints: what each serves, its client, how often it is asked again, and what its faults mean."""

from __future__ import annotations

import asyncio
import math
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from functools import partial
from typing import Any, Literal
from weakref import WeakKeyDictionary

import httpx2
import openai
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from state.errors import ContextOverflowError, DraftroomError, ModelUnavailableError, SettingsError
from state.model_settings import ModelSettings

TRANSIENT_STATUSES = {408, 409, 425, 429}
LONGEST_WAIT_S = 120.0


MAX_QUOTE_CHARACTERS = 300
"""Characters of a server's own words that the user is shown."""
MIN_LEAK_CHARACTERS = 16
"""Characters in a row that a server's words and a prompt must share to count as quoted from it."""

OVERFLOW_PATTERN = re.compile(
    r"\bcontext[ _](?:length|size|window)|\bn_ctx\b|max_model_len|maximum model length|prompt is too long|"
    r"maximum number of tokens",
    re.IGNORECASE,
)
"""What servers say of a request that is too long: vLLM and OpenAI of the context length, llama.cpp of its size."""

REPORTED_LENGTH_PATTERN = re.compile(
    r"(?:\bcontext[ _](?:length|size|window)|\bn_ctx|max_model_len|maximum model length)"
    r"(?: is| of| only)*['\"]?\s*[=:(]?\s*(\d+)",
    re.IGNORECASE,
)
"""The context length in such words, or in a field beside them (llama.cpp's `n_ctx`)."""

OVERLOAD_STATUSES = {429, 503}
"""Passing statuses that say that there is too much to do, whatever is asked."""

CUT_OFF = (
    "lost the connection, or ended its answer, before the answer was complete; look at its log, then resume the run"
)
NO_CHOICE = "sent an answer without any choice or text in it; look at its log, then resume the run"
NO_EVENTS = "sent something else than an answer of the OpenAI API; correct `base_url`, or look at its log"
NO_LIST = (
    "answers, but has no list of models as the OpenAI API has it; correct `base_url`, which ends in /v1 on most servers"
)
WEB_PAGE = (
    "answers with a web page and not as an API; correct `base_url`, or pass the login or proxy that shows the page"
)


class BrokenAnswerError(ConnectionError):
    """Something came that is no whole answer; the text says what the endpoint did, and what to change."""


def build_retrier(settings: ModelSettings) -> AsyncRetrying:
    """Tries a request again after passing faults, as often and as patiently as the settings say."""
    return AsyncRetrying(
        retry=retry_if_exception(is_transient_error),
        wait=partial(compute_retry_wait, settings.retry_wait_s),
        stop=stop_after_attempt(settings.retries + 1),
        reraise=True,
    )


def is_transient_error(error: BaseException) -> bool:
    """Whether the same call may succeed a little later: connection faults, silence, 408, 409, 425, 429 and 5xx."""
    if isinstance(error, openai.APIStatusError):
        passing = error.status_code in TRANSIENT_STATUSES or error.status_code >= 500
        return passing and (find_retry_delay(error) or 0) <= LONGEST_WAIT_S
    # An APIError without a status is an error that the server reports within a stream.
    return isinstance(error, (openai.APIError, ConnectionError, TimeoutError))


def find_retry_delay(error: BaseException | None) -> float | None:
    """Seconds that the server asks to wait, if it does (RFC 9110, Retry-After: seconds or a date)."""
    if not isinstance(error, openai.APIStatusError):
        return None
    asked = error.response.headers.get("retry-after", "")
    date = parsedate_tz(asked)
    if date:
        return max(0.0, mktime_tz(date) - time.time())
    return float(asked) if asked.isdecimal() else None


def compute_retry_wait(first_wait_s: float, attempt: RetryCallState) -> float:
    """As long as the server asks for, else `first_wait_s` doubled with each attempt; in seconds."""
    asked = find_retry_delay(attempt.outcome.exception() if attempt.outcome else None)
    return asked if asked is not None else min(first_wait_s * 2 ** (attempt.attempt_number - 1), LONGEST_WAIT_S)


def iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception of the client and what it goes back to."""
    while error:
        yield error
        error = error.__cause__


def translate_error(error: Exception, settings: ModelSettings, prompt: str = "") -> DraftroomError:
    """Turn the client's exception into the error that tells the user what to change.

    Args:
        error: The exception.
        settings: Of the call.
        prompt: What was sent, none of which is told again.
    """
    if isinstance(error, openai.APIStatusError):
        return _translate_status(error, settings, quote_server_message(error, settings, prompt))
    return ModelUnavailableError(f"The endpoint {settings.base_url} {_describe_fault(error, settings, prompt)}.")


def may_concern_request(error: Exception) -> bool:
    """Whether a passing fault that has lasted may be of what was asked, and not of an endpoint that is gone or busy."""
    if any(isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)) for cause in iterate_causes(error)):
        return False
    return is_transient_error(error) and getattr(error, "status_code", None) not in OVERLOAD_STATUSES


def _describe_fault(error: Exception, settings: ModelSettings, prompt: str) -> str:
    for cause in iterate_causes(error):
        if isinstance(cause, BrokenAnswerError):
            return str(cause)
        if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)):
            return "cannot be reached; start it (`draftroom models up`) or correct `base_url`"
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return f"was silent for {settings.timeout_s:g} s; look at its log, or set a longer `timeout_s`"
    if isinstance(error, (openai.APIConnectionError, ConnectionError)):
        return CUT_OFF
    if isinstance(error, openai.APIError):
        said = quote_server_message(error, settings, prompt)
        return f"reported an error while it answered{said}; look at its log, then resume the run"
    return NO_EVENTS


def quote_server_message(error: openai.APIError, settings: ModelSettings, prompt: str) -> str:
    """What the server itself said of an error, as a quotation; empty if it said nothing.

    The key is left out, and whatever it quotes of the prompt.
    """
    body = error.body
    said = body.get("message") or body.get("detail") if isinstance(body, dict) else body
    if isinstance(said, list):  # FastAPI says what is wrong with each field, and quotes the whole request
        said = "; ".join(str(item.get("msg", "")) for item in said if isinstance(item, dict))
    if not isinstance(said, str) or said.lstrip().startswith("<"):  # a page
        return ""
    key = os.environ.get(settings.api_key_env)
    text = _mask_prompt_quotes(prompt, normalize_server_message(said.replace(key, "…") if key else said))
    return f": “{text[:MAX_QUOTE_CHARACTERS]}{'…' if len(text) > MAX_QUOTE_CHARACTERS else ''}”" if text else ""


def _mask_prompt_quotes(prompt: str, said: str) -> str:
    """A server's words with an ellipsis in place of all that it quotes of the prompt."""
    prompt, said = normalize_server_message(prompt), said[: 4 * MAX_QUOTE_CHARACTERS]
    quoted = [said[at : at + MIN_LEAK_CHARACTERS] in prompt for at in range(len(said) - MIN_LEAK_CHARACTERS + 1)]
    hidden = [any(quoted[max(0, at - MIN_LEAK_CHARACTERS + 1) : at + 1]) for at in range(len(said))]
    return re.sub("\0+", "…", "".join("\0" if hide else letter for letter, hide in zip(said, hidden, strict=True)))


def normalize_server_message(text: str) -> str:
    """The text with single spaces, also for line breaks that somebody has escaped."""
    return re.sub(r"(?:\\[nrt]|\s)+", " ", text).strip()


def _translate_status(error: openai.APIStatusError, settings: ModelSettings, said: str) -> DraftroomError:
    where, status = f"The endpoint {settings.base_url}", error.status_code
    if status in {401, 403}:
        return ModelUnavailableError(
            f"{where} refuses the key{said}; put the right one into the environment variable {settings.api_key_env} "
            "(or name another with `api_key_env`).",
            kind="endpoint_refused",
        )
    if status == 404:
        return ModelUnavailableError(
            f"{where} does not serve {settings.model!r}{said}; `draftroom doctor` lists the models that it serves.",
            kind="wrong_model",
        )
    if status in {400, 413} and OVERFLOW_PATTERN.search(said):
        return _build_overflow_error(settings, said, REPORTED_LENGTH_PATTERN.search(str(error.body)))
    if status in {400, 413, 422}:
        culprit = f" because of `{error.param}`" if error.param else ""
        return SettingsError(
            f"{where} refuses the request{culprit}{said}; leave out what it does not know (sampling values, "
            '`extra_body`), lower `max_tokens`, or set `structured_output = "prompt"`.'
        )
    asked = find_retry_delay(error)
    advice = f"it asks to wait {asked:.0f} s, then resume the run" if asked else "look at its log, then resume the run"
    return ModelUnavailableError(f"{where} answered with status {status}{said}; {advice}.")


def _build_overflow_error(settings: ModelSettings, said: str, told: re.Match[str] | None) -> ContextOverflowError:
    """A request that is too long; whoever reads the length of the context in it can send one that is not."""
    misfit = f"request does not fit the context of {settings.model!r}{said}"
    advice = "set `context_length` as its server does, or lower `max_tokens`"
    if told:
        advice = "serve the model with a longer context, lower `max_tokens`, or give a shorter text"
    return ContextOverflowError(
        f"A {misfit}; {advice}.",
        problem=f"its {misfit}; {advice}",
        context_length=int(told[1]) if told else None,
    )


CONNECT_TIMEOUT_S = 10.0

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str, float], ChatOpenAI]] = WeakKeyDictionary()


async def open_client(settings: ModelSettings) -> ChatOpenAI:
    """The client of the endpoint; model and sampling are arguments of each call."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    key = (settings.base_url, settings.api_key_env, settings.timeout_s)
    if key not in clients:
        client = await asyncio.to_thread(_build_client, settings)  # it reads certificates
        clients.setdefault(key, client)  # a call made at the same time may have been faster
    return clients[key]


async def close_clients() -> None:
    """Close the connections of this event loop, at the end of a program or a test."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.root_async_client.close()


def _build_client(settings: ModelSettings) -> ChatOpenAI:
    timeout = openai.Timeout(settings.timeout_s, connect=min(settings.timeout_s, CONNECT_TIMEOUT_S))
    return ChatOpenAI(
        base_url=settings.base_url,
        api_key=SecretStr(
            os.environ.get(settings.api_key_env) or "none"
        ),  # local servers want any key but an empty one
        timeout=timeout,
        stream_chunk_timeout=settings.timeout_s,
        max_retries=0,  # the retries of this package are counted and recorded
        stream_usage=True,
        # Its own would be shared by all event loops of the process, and be closed with the first of them.
        http_async_client=openai.DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [_reject_web_page]}),
    )


async def _reject_web_page(response: httpx2.Response) -> None:
    """A page with status 200 is no answer: a proxy's login, or a site that shows the same page at every address."""
    if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
        raise BrokenAnswerError(WEB_PAGE)


CHARACTERS_PER_TOKEN = 3.0
"""A cautious estimate for English science text (measured: about 4.4 for Qwen2.5) where a server cannot count."""


@dataclass(frozen=True)
class Endpoint:
    """An endpoint that has answered."""

    context_lengths: dict[str, int | None]
    """Served model names, each with its context length in tokens where the server tells."""
    tokenizer: Literal["vLLM", "llama.cpp", ""]
    """Whose /tokenize it has, if any."""


_known_endpoints: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Endpoint]] = WeakKeyDictionary()
_learned_lengths: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], int]] = WeakKeyDictionary()
"""Context lengths that models were told to have when a request was refused, by address and name."""


async def fetch_endpoint(settings: ModelSettings) -> Endpoint:
    """Ask the endpoint what it serves; once per event loop, unless a call failed since.

    Not tried again after a fault: whoever mistyped an address should hear of it at once.

    Raises:
        ModelUnavailable: If it does not answer, refuses the key, or does not serve `settings.model`.
    """
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
    """Ask anew next time: after a fault the endpoint may come back as another server with another context."""
    _known_endpoints.get(asyncio.get_running_loop(), {}).pop(settings.base_url, None)


def find_context_length(settings: ModelSettings, endpoint: Endpoint) -> int | None:
    """Context length in tokens: the configured one, else the server's, else unknown; a refusal knows better."""
    known = settings.context_length or endpoint.context_lengths[settings.model]
    told = _learned_lengths.get(asyncio.get_running_loop(), {}).get((settings.base_url, settings.model))
    return min(known or told, told) if told else known


def record_context_length(settings: ModelSettings, length: int) -> None:
    """Keep the context length that a refusal has told; the list of models of most servers does not have it."""
    _learned_lengths.setdefault(asyncio.get_running_loop(), {})[settings.base_url, settings.model] = length


async def count_message_tokens(text: str, settings: ModelSettings, endpoint: Endpoint) -> int:
    """Count the tokens of `text` as a user message: by the server where it can, else by a cautious estimate.

    Raises:
        ModelUnavailable: If the server fails after all retries.
    """
    if not endpoint.tokenizer:
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    count = _count_by_vllm if endpoint.tokenizer == "vLLM" else _count_by_llama_cpp
    try:
        return await build_retrier(settings)(count, settings, [{"role": "user", "content": text}])
    except (openai.OpenAIError, BrokenAnswerError, ValueError, KeyError, TypeError) as error:
        discard_endpoint(settings)
        raise translate_error(error, settings, text) from None  # the cause may quote the key or the prompt


async def _request_endpoint(settings: ModelSettings) -> Endpoint:
    try:
        client = await open_client(settings)
        answer: Any = await client.root_async_client.get("/models", cast_to=object)
        # vLLM tells the context of a model, and llama.cpp that of one of its slots.
        told = {
            str(model["id"]): model.get("max_model_len") or (model.get("meta") or {}).get("n_ctx")
            for model in answer["data"]
        }
        lengths = {name: int(length) if length else None for name, length in told.items()}
        return Endpoint(context_lengths=lengths, tokenizer=await _detect_tokenizer(settings))
    except (openai.NotFoundError, ValueError, KeyError, TypeError, AttributeError):
        raise translate_error(BrokenAnswerError(NO_LIST), settings) from None
    except (openai.OpenAIError, BrokenAnswerError) as error:
        raise translate_error(error, settings) from None  # the cause may quote the key


async def _detect_tokenizer(settings: ModelSettings) -> Literal["vLLM", "llama.cpp", ""]:
    """Whose /tokenize answers: those of vLLM and of llama.cpp have one name, and neither knows the other's fields."""
    try:
        answer = await _post_request(settings, "/tokenize", prompt="a", content="a")
    except (openai.APIStatusError, BrokenAnswerError, ValueError):
        return ""
    if not isinstance(answer, dict):
        return ""
    return "vLLM" if "count" in answer else "llama.cpp" if "tokens" in answer else ""


async def _count_by_vllm(settings: ModelSettings, messages: list[dict[str, str]]) -> int:
    return int((await _post_request(settings, "/tokenize", messages=messages))["count"])


async def _count_by_llama_cpp(settings: ModelSettings, messages: list[dict[str, str]]) -> int:
    """Tokens of the messages as the model's chat template writes them."""
    prompt = (await _post_request(settings, "/apply-template", messages=messages))["prompt"]
    return len((await _post_request(settings, "/tokenize", content=prompt, parse_special=True))["tokens"])


async def _post_request(settings: ModelSettings, path: str, **fields: Any) -> Any:
    address = settings.base_url.removesuffix("/v1") + path
    client = await open_client(settings)
    return await client.root_async_client.post(address, cast_to=object, body={"model": settings.model, **fields})
