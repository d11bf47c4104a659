"""What the agents share: asking as a role of this run, and its settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from state.aids import FeedbackAid
from state.errors import RequestFailed, Unanswered
from state.feedback import FeedbackState, ParagraphState, QuestionState
from state.limits import Limits
from state.settings import FeedbackRole, FeedbackSettings, ModelSettings
from tools.models import Answer, Caller, ask
from tools.models.answers import Value

PROMPTS = Path(__file__).parent / "prompts"

AnyState = FeedbackState | ParagraphState | QuestionState


async def ask_as(
    role: FeedbackRole,
    step: str,
    state: ParagraphState | QuestionState,
    variables: dict[str, object],
    schema: type[Value],
    *,
    trim: str = "evidence",
) -> Answer[Value]:
    """Ask the model of `role` with the prompt named `step`, on the account of this paragraph."""
    variables = {**variables, "instructions": switch("instructions", state)}
    caller = Caller(role, step, state["target"]["number"])
    limits = Limits(**state["settings"]["limits"])
    model = model_of(role, state)
    with about_one_paragraph():
        return await ask(caller, PROMPTS / f"{step}.md", variables, schema, model, trim=trim, limits=limits)


@contextmanager
def about_one_paragraph() -> Iterator[None]:
    """Let a request that alone fails count as a question without an answer: it ends one paragraph, not the review.

    Raises:
        Unanswered: If the endpoint fails at the request, and answers others.
    """
    try:
        yield
    except RequestFailed as error:
        raise Unanswered(str(error), problem=error.problem, spent=error.spent) from None


def model_of(role: FeedbackRole, state: AnyState) -> ModelSettings:
    """The model that plays `role` in this run."""
    return ModelSettings(**state["settings"]["models"][role])


def options(state: AnyState) -> FeedbackSettings:
    """The settings that the run was started with."""
    return FeedbackSettings(**state["settings"]["feedback"])


def switch(aid: FeedbackAid, state: AnyState) -> str:
    """Whether an aid is on, as prompts test it."""
    return "yes" if aid in options(state).aids else ""


def at_most(number: int, role: FeedbackRole, state: AnyState) -> Any:
    """A list in the answer of `role` that a setting bounds, not the table of limits.

    Only the schema says so, and only to models that need it: what is more is left out with a note, never refused.
    """
    return Field(json_schema_extra={"maxItems": number} if model_of(role, state).schema_limits else None)


def has_literature(state: AnyState) -> bool:
    """Whether there is any literature to look in: a folder, or a service on the web."""
    literature = options(state).literature
    return any(provider != "folder" or literature.folder for provider in literature.providers)


def failed(role: FeedbackRole, problem: str) -> ParagraphState:
    """The end of a paragraph whose review cannot go on, on record; other paragraphs go on."""
    return {"outcome": "failed", "problem": f"{role}: {problem}"}
