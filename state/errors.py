"""The one tree of errors that Draftroom raises on purpose.

Every message says in one sentence what happened and what to change. `kind` names the case; the command turns it into
its exit code (`draftroom/exit_codes.py`), so a script can tell an encrypted PDF from a server that is down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from state.records import CallRecord

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

    A RuntimeError, because LangGraph's server passes on the messages of common builtin errors only.

    Args:
        message: One sentence: what happened and what to change.
        kind: Which case this is.
        spent: Model calls that were answered before the error, so that their tokens are still accounted for.
    """

    default_kind: ClassVar[ErrorKind] = "bad_request"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, kind: ErrorKind | None = None, spent: Sequence[CallRecord] = ()) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind or self.default_kind
        self.spent = list(spent)


class InputError(DraftroomError):
    """The paper or a request of the user cannot be used; no model was called."""


class SettingsError(DraftroomError):
    """A settings file, an environment variable or a flag is wrong."""

    default_kind = "bad_settings"


class ModelUnavailableError(DraftroomError):
    """The endpoint did not answer, refused, or does not serve the model; the same call may work later."""

    default_kind = "endpoint_down"
    retryable = True


class RequestFailedError(ModelUnavailableError):
    """One request fails each time, while the endpoint answers others: a run may end with it, or go on without it.

    Args:
        message: One sentence: what happened and what to change.
        problem: What happened, for the record of a run that goes on.
    """

    def __init__(self, message: str, *, problem: str) -> None:
        super().__init__(message)
        self.problem = problem


class NoUsableAnswer(DraftroomError):
    """One question of one agent has no usable answer, while the endpoint is well: what needs no answer to it goes on.

    Args:
        message: One sentence: what happened and what to change.
        problem: What happened, for the record of a run that goes on; by default the message.
        spent: As for every error.
    """

    def __init__(self, message: str, *, problem: str = "", spent: Sequence[CallRecord] = ()) -> None:
        super().__init__(message, spent=spent)
        self.problem = problem or message


class ContextOverflowError(NoUsableAnswer):
    """A prompt does not fit the model's context, even with everything trimmed that may be.

    Args:
        message: One sentence: what happened and what to change.
        problem: As for every question without an answer.
        context_length: In tokens, where the server has told it when it refused the request.
    """

    default_kind = "context_overflow"

    def __init__(self, message: str, *, problem: str = "", context_length: int | None = None) -> None:
        super().__init__(message, problem=problem)
        self.context_length = context_length


class RequestRefusedError(NoUsableAnswer):
    """The endpoint refuses one text, as a content filter does, and answers others."""

    default_kind = "endpoint_refused"


class ModelOutputError(NoUsableAnswer):
    """The model's answer was unusable, and so was the answer to the one re-ask."""

    default_kind = "model_output"
    retryable = True


class NoUsableResultError(ModelOutputError):
    """A run ended without any usable answer of an agent: resumed from the same answers, it would end so again.

    Args:
        what: What came to nothing.
        problem: What happened last; it says by itself what to change where that is known.
    """

    def __init__(self, what: str, *, problem: str) -> None:
        super().__init__(
            f"{what} ({problem}); begin a new run with what helps there: a longer context or a shorter text if a "
            "prompt does not fit, another model if texts are refused or answers cannot be used, more `max_tokens` only "
            "if they are cut off.",
            problem=problem,
        )


class RetrievalUnavailableError(DraftroomError):
    """Embeddings or a literature service could not be reached; the same question may be answered later."""

    default_kind = "retrieval_failed"
    retryable = True


class StateError(DraftroomError):
    """A run's files cannot be written, read or found."""

    default_kind = "state_unwritable"


class ServingError(DraftroomError):
    """A local model server could not be installed, started or stopped."""

    default_kind = "serving_failed"
