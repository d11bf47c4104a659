"""What can go wrong at an endpoint: what is worth another try, and what the user is told of the rest.

Messages never hold the key or a prompt.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from email.utils import mktime_tz, parsedate_tz
from functools import partial

import httpx2
import openai
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from state.errors import ContextOverflow, DraftroomError, ModelUnavailable, SettingsError
from state.model_settings import ModelSettings

PASSING_STATUS = {408, 409, 425, 429}
LONGEST_WAIT_S = 120.0


LONGEST_QUOTE = 300
"""Characters of a server's own words that the user is shown."""
SHORTEST_LEAK = 16
"""Characters in a row that a server's words and a prompt must share to count as quoted from it."""

OVERFLOW = re.compile(
    r"\bcontext[ _](?:length|size|window)|\bn_ctx\b|max_model_len|maximum model length|prompt is too long|"
    r"maximum number of tokens",
    re.IGNORECASE,
)
"""What servers say of a request that is too long: vLLM and OpenAI of the context length, llama.cpp of its size."""

TOLD_LENGTH = re.compile(
    r"(?:\bcontext[ _](?:length|size|window)|\bn_ctx|max_model_len|maximum model length)"
    r"(?: is| of| only)*['\"]?\s*[=:(]?\s*(\d+)",
    re.IGNORECASE,
)
"""The context length in such words, or in a field beside them (llama.cpp's `n_ctx`)."""

OF_THE_ENDPOINT = {429, 503}
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


class BrokenAnswer(ConnectionError):
    """Something came that is no whole answer; the text says what the endpoint did, and what to change."""


def retrying(settings: ModelSettings) -> AsyncRetrying:
    """Tries a request again after passing faults, as often and as patiently as the settings say."""
    return AsyncRetrying(
        retry=retry_if_exception(is_passing),
        wait=partial(wait_before_retry, settings.retry_wait_s),
        stop=stop_after_attempt(settings.retries + 1),
        reraise=True,
    )


def is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed a little later: connection faults, silence, 408, 409, 425, 429 and 5xx."""
    if isinstance(error, openai.APIStatusError):
        passing = error.status_code in PASSING_STATUS or error.status_code >= 500
        return passing and (retry_after(error) or 0) <= LONGEST_WAIT_S
    # An APIError without a status is an error that the server reports within a stream.
    return isinstance(error, (openai.APIError, ConnectionError, TimeoutError))


def retry_after(error: BaseException | None) -> float | None:
    """Seconds that the server asks to wait, if it does (RFC 9110, Retry-After: seconds or a date)."""
    if not isinstance(error, openai.APIStatusError):
        return None
    asked = error.response.headers.get("retry-after", "")
    date = parsedate_tz(asked)
    if date:
        return max(0.0, mktime_tz(date) - time.time())
    return float(asked) if asked.isdecimal() else None


def wait_before_retry(first_wait_s: float, attempt: RetryCallState) -> float:
    """As long as the server asks for, else `first_wait_s` doubled with each attempt; in seconds."""
    asked = retry_after(attempt.outcome.exception() if attempt.outcome else None)
    return asked if asked is not None else min(first_wait_s * 2 ** (attempt.attempt_number - 1), LONGEST_WAIT_S)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception of the client and what it goes back to."""
    while error:
        yield error
        error = error.__cause__


def translate(error: Exception, settings: ModelSettings, prompt: str = "") -> DraftroomError:
    """Turn the client's exception into the error that tells the user what to change.

    Args:
        error: The exception.
        settings: Of the call.
        prompt: What was sent, none of which is told again.
    """
    if isinstance(error, openai.APIStatusError):
        return _status(error, settings, words_of(error, settings, prompt))
    return ModelUnavailable(f"The endpoint {settings.address} {_what_it_did(error, settings, prompt)}.")


def may_be_of_the_request(error: Exception) -> bool:
    """Whether a passing fault that has lasted may be of what was asked, and not of an endpoint that is gone or busy."""
    if any(isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)) for cause in causes(error)):
        return False
    return is_passing(error) and getattr(error, "status_code", None) not in OF_THE_ENDPOINT


def _what_it_did(error: Exception, settings: ModelSettings, prompt: str) -> str:
    for cause in causes(error):
        if isinstance(cause, BrokenAnswer):
            return str(cause)
        if isinstance(cause, (httpx2.ConnectError, httpx2.ConnectTimeout)):
            return "cannot be reached; start it (`draftroom models up`) or correct `base_url`"
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return f"was silent for {settings.timeout_s:g} s; look at its log, or set a longer `timeout_s`"
    if isinstance(error, (openai.APIConnectionError, ConnectionError)):
        return CUT_OFF
    if isinstance(error, openai.APIError):
        said = words_of(error, settings, prompt)
        return f"reported an error while it answered{said}; look at its log, then resume the run"
    return NO_EVENTS


def words_of(error: openai.APIError, settings: ModelSettings, prompt: str) -> str:
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
    text = _without(prompt, one_line(said.replace(key, "…") if key else said))
    return f": “{text[:LONGEST_QUOTE]}{'…' if len(text) > LONGEST_QUOTE else ''}”" if text else ""


def _without(prompt: str, said: str) -> str:
    """A server's words with an ellipsis in place of all that it quotes of the prompt."""
    prompt, said = one_line(prompt), said[: 4 * LONGEST_QUOTE]
    quoted = [said[at : at + SHORTEST_LEAK] in prompt for at in range(len(said) - SHORTEST_LEAK + 1)]
    hidden = [any(quoted[max(0, at - SHORTEST_LEAK + 1) : at + 1]) for at in range(len(said))]
    return re.sub("\0+", "…", "".join("\0" if hide else letter for letter, hide in zip(said, hidden, strict=True)))


def one_line(text: str) -> str:
    """The text with single spaces, also for line breaks that somebody has escaped."""
    return re.sub(r"(?:\\[nrt]|\s)+", " ", text).strip()


def _status(error: openai.APIStatusError, settings: ModelSettings, said: str) -> DraftroomError:
    where, status = f"The endpoint {settings.address}", error.status_code
    if status in {401, 403}:
        return ModelUnavailable(
            f"{where} refuses the key{said}; put the right one into the environment variable {settings.api_key_env} "
            "(or name another with `api_key_env`).",
            kind="endpoint_refused",
        )
    if status == 404:
        return ModelUnavailable(
            f"{where} does not serve {settings.model!r}{said}; `draftroom doctor` lists the models that it serves.",
            kind="wrong_model",
        )
    if status in {400, 413} and OVERFLOW.search(said):
        return _overflow(settings, said, TOLD_LENGTH.search(str(error.body)))
    if status in {400, 413, 422}:
        culprit = f" because of `{error.param}`" if error.param else ""
        return SettingsError(
            f"{where} refuses the request{culprit}{said}; leave out what it does not know (sampling values, "
            '`extra_body`), lower `max_tokens`, or set `structured_output = "prompt"`.'
        )
    asked = retry_after(error)
    advice = f"it asks to wait {asked:.0f} s, then resume the run" if asked else "look at its log, then resume the run"
    return ModelUnavailable(f"{where} answered with status {status}{said}; {advice}.")


def _overflow(settings: ModelSettings, said: str, told: re.Match[str] | None) -> ContextOverflow:
    """A request that is too long; whoever reads the length of the context in it can send one that is not."""
    misfit = f"request does not fit the context of {settings.model!r}{said}"
    advice = "set `context_length` as its server does, or lower `max_tokens`"
    if told:
        advice = "serve the model with a longer context, lower `max_tokens`, or give a shorter text"
    return ContextOverflow(
        f"A {misfit}; {advice}.",
        problem=f"its {misfit}; {advice}",
        context_length=int(told[1]) if told else None,
    )
