"""Errors that Draftroom raises on purpose.

Every message says in one sentence what happened and what to change. `kind` names the case, and determines the exit code
of the command (`draftroom/exit_codes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from state.records import CallRecord

# Scripts rely on these names and their exit codes (`draftroom/exit_codes.py`).
ErrorKind = Literal[
    "missing_file",
    "empty_input",
    "binary_input",
    "not_utf8",
    "broken_pdf",
    "encrypted_pdf",
    "pdf_without_text",
    "input_too_long",
    "bad_request",
    "bad_settings",
    "endpoint_down",
    "endpoint_refused",
    "wrong_model",
    "context_overflow",
    "model_output",
    "retrieval_failed",
    "state_unwritable",
    "disk_full",
    "run_not_found",
    "run_busy",
    "run_incompatible",
    "output_unwritable",
    "serving_failed",
]


class DraftroomError(RuntimeError):
    """Base of all errors that a user can do something about.

    Args:
        message: One sentence: what happened and what to change.
        kind: Name of the case.
        spent: Model calls that were answered before the error, so that their tokens are still counted.
    """

    # A RuntimeError, because LangGraph's server passes on the messages of common builtin errors only.
    default_kind: ClassVar[ErrorKind] = "bad_request"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, kind: ErrorKind | None = None, spent: Sequence[CallRecord] = ()) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind or self.default_kind
        self.spent = list(spent)


class InputError(DraftroomError):
    """A paper or a request of the user that cannot be used; no model was called."""


class SettingsError(DraftroomError):
    """A wrong value in a settings file, an environment variable or a flag."""

    default_kind = "bad_settings"


class ModelUnavailableError(DraftroomError):
    """An endpoint that did not answer, refused, or does not serve the model; the call may work later."""

    default_kind = "endpoint_down"
    retryable = True


class RequestFailedError(ModelUnavailableError):
    """A request that fails each time while the endpoint answers others; a run may go on without its answer.

    `problem` describes the failure in the run's record.
    """

    def __init__(self, message: str, *, problem: str) -> None:
        super().__init__(message)
        self.problem = problem


class NoUsableAnswer(DraftroomError):
    """A question to an agent without a usable answer; what does not need the answer goes on.

    `problem` describes the failure in the run's record; by default it is the message.
    """

    def __init__(self, message: str, *, problem: str = "", spent: Sequence[CallRecord] = ()) -> None:
        super().__init__(message, spent=spent)
        self.problem = problem or message


class ContextOverflowError(NoUsableAnswer):
    """A prompt that does not fit the model's context, even when everything is trimmed that may be.

    The `context_length` is known, in tokens, if the server said it when it refused the request.
    """

    default_kind = "context_overflow"

    def __init__(self, message: str, *, problem: str = "", context_length: int | None = None) -> None:
        super().__init__(message, problem=problem)
        self.context_length = context_length


class RequestRefusedError(NoUsableAnswer):
    """A text that the endpoint refuses, as a content filter does, while it answers others."""

    default_kind = "endpoint_refused"


class ModelOutputError(NoUsableAnswer):
    """An unusable answer of a model, after one re-ask."""

    default_kind = "model_output"
    retryable = True


class NoUsableResultError(ModelOutputError):
    """A run that ended without any usable answer of an agent; a resume from the same answers would end so again.

    `what` begins the message, as in "No loop was completed". The `problem` is the last error, which says what to change
    where that is known.
    """

    def __init__(self, what: str, *, problem: str) -> None:
        super().__init__(
            f"{what} ({problem}); begin a new run with what helps there: a longer context or a shorter text if a "
            "prompt does not fit, another model if texts are refused or answers cannot be used, more `max_tokens` only "
            "if they are cut off.",
            problem=problem,
        )


class RetrievalUnavailableError(DraftroomError):
    """Embeddings or a literature service that could not be reached; the question may be answered later."""

    default_kind = "retrieval_failed"
    retryable = True


class StateError(DraftroomError):
    """Files of a run that cannot be written, read or found."""

    default_kind = "state_unwritable"


class ServingError(DraftroomError):
    """A local model server that could not be installed, started or stopped."""

    default_kind = "serving_failed"
