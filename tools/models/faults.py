"""What can go wrong at an endpoint: what is worth another try, and what the user is told of the rest.

Messages never hold the key or a prompt.
"""

from __future__ import annotations

import time
from email.utils import mktime_tz, parsedate_tz
from functools import partial

import openai
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from state.errors import ContextOverflow, DraftroomError, ModelUnavailable, SettingsError
from state.settings import ModelSettings

PASSING_STATUS = {408, 409, 425, 429}
LONGEST_WAIT_S = 120.0


class StreamCut(ConnectionError):
    """The stream ended before the server said that it was finished."""


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


def translate(error: Exception, settings: ModelSettings) -> DraftroomError:
    """Turn the client's exception into the error that tells the user what to change."""
    if isinstance(error, openai.APIStatusError):
        return _status(error, settings)
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return ModelUnavailable(
            f"The endpoint {settings.base_url} was silent for {settings.timeout_s:g} s; "
            "look at its log, or set a longer `timeout_s`."
        )
    return unreachable(settings, error)


def unreachable(settings: ModelSettings, error: BaseException) -> ModelUnavailable:
    """The endpoint did not answer, or not in the way of the OpenAI API."""
    return ModelUnavailable(
        f"The endpoint {settings.base_url} does not answer as an OpenAI-compatible server ({type(error).__name__}); "
        "start it (`draftroom models up`) or correct `base_url`."
    )


def _status(error: openai.APIStatusError, settings: ModelSettings) -> DraftroomError:
    where, status = f"The endpoint {settings.base_url}", error.status_code
    if status in {401, 403}:
        return ModelUnavailable(
            f"{where} refuses the key; put the right one into the environment variable {settings.api_key_env} "
            "(or name another with `api_key_env`).",
            kind="endpoint_refused",
        )
    if status == 404:
        return ModelUnavailable(
            f"{where} does not serve {settings.model!r}; `draftroom doctor` lists the models that it serves.",
            kind="wrong_model",
        )
    if status == 400 and "context" in str(error).lower():
        return ContextOverflow(
            f"The prompt does not fit the context of {settings.model!r}; set `context_length` as its server does.",
            problem=f"its prompt does not fit the context of {settings.model!r}",
        )
    if status in {400, 422}:
        return SettingsError(
            f"{where} does not accept the request{_culprit(error)}; leave out what it does not know (sampling values, "
            '`extra_body`), or set `structured_output = "prompt"`.'
        )
    asked = retry_after(error)
    advice = f"it asks to wait {asked:.0f} s, then resume the run" if asked else "look at its log, then resume the run"
    return ModelUnavailable(f"{where} answered with status {status}; {advice}.")


def _culprit(error: openai.APIStatusError) -> str:
    return f" because of `{error.param}`" if error.param else ""
