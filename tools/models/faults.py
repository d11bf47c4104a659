"""What can go wrong at an endpoint, told in Draftroom's own errors; never with the key, never with a prompt."""

from __future__ import annotations

import openai
from tenacity import RetryCallState

from state.errors import ContextOverflow, DraftroomError, ModelUnavailable
from state.settings import ModelSettings

PASSING_STATUS = {408, 409, 425, 429}
LONGEST_WAIT_S = 120.0


def unreachable(settings: ModelSettings, error: BaseException) -> ModelUnavailable:
    """The endpoint did not answer, or not in the way of the OpenAI API."""
    return ModelUnavailable(
        f"The endpoint {settings.base_url} does not answer as an OpenAI-compatible server ({type(error).__name__}); "
        "start it (`draftroom models up`) or correct `base_url`."
    )


def refused(settings: ModelSettings) -> ModelUnavailable:
    """The endpoint wants another key."""
    return ModelUnavailable(
        f"The endpoint {settings.base_url} refuses the key; put the right one into the environment variable "
        f"{settings.api_key_env} (or name another with `api_key_env`).",
        kind="endpoint_refused",
    )


def is_passing(error: BaseException) -> bool:
    """Whether the same call may succeed a little later: connection faults, silence, 408, 409, 425, 429 and 5xx."""
    if isinstance(error, openai.APIStatusError):
        passing = error.status_code in PASSING_STATUS or error.status_code >= 500
        return passing and (retry_after(error) or 0) <= LONGEST_WAIT_S
    return isinstance(error, (openai.APIConnectionError, ConnectionError, TimeoutError))


def retry_after(error: BaseException | None) -> float | None:
    """Seconds that the server asks to wait, if it does (the Retry-After header, in seconds)."""
    if not isinstance(error, openai.APIStatusError):
        return None
    try:
        return float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None


def wait_before_retry(first_wait_s: float, attempt: RetryCallState) -> float:
    """As long as the server asks for, else `first_wait_s` doubled with each attempt; in seconds."""
    error = attempt.outcome.exception() if attempt.outcome else None
    asked = retry_after(error)
    return asked if asked is not None else min(first_wait_s * 2 ** (attempt.attempt_number - 1), LONGEST_WAIT_S)


def translate(error: Exception, settings: ModelSettings) -> DraftroomError:
    """Turn the client's exception into the error that tells the user what to change."""
    if not isinstance(error, openai.APIStatusError):
        return unreachable(settings, error)
    if error.status_code in {401, 403}:
        return refused(settings)
    if error.status_code == 404:
        return ModelUnavailable(
            f"The endpoint {settings.base_url} does not serve {settings.model!r}; "
            "`draftroom doctor` lists the models that it serves.",
            kind="wrong_model",
        )
    if error.status_code == 400 and "context" in str(error).lower():
        return ContextOverflow(
            f"The prompt does not fit the context of {settings.model!r}; set `context_length` as its server does."
        )
    asked = retry_after(error)
    advice = f"it asks to wait {asked:.0f} s, then resume the run" if asked else "look at its log, then resume the run"
    return ModelUnavailable(f"The endpoint {settings.base_url} answered with status {error.status_code}; {advice}.")
