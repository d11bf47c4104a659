"""What the agents share: asking as a role of this run, and ending a loop whose agent talks nonsense."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import Any

from state.aids import SimplificationAid
from state.errors import Unanswered
from state.limits import Limits
from state.model_settings import ModelSettings
from state.settings import SimplificationRole, SimplificationSettings
from state.simplification import Exchange, LoopState, SimplificationState
from tools.documents.store import stored_text
from tools.models import Answer, Caller, ask
from tools.models.answers import Value

PROMPTS = Path(__file__).parent / "prompts"

AnyState = LoopState | SimplificationState


async def ask_as(
    role: SimplificationRole,
    step: str,
    state: AnyState,
    variables: dict[str, object],
    schema: type[Value],
    *,
    trim: str = "memory",
    entry: int | None = None,
) -> Answer[Value]:
    """Ask the model of `role` with the prompt named `step`, on the account of this entry unless another is given."""
    caller = Caller(role, step, state["entry"] if entry is None else entry)
    model, limits = model_of(role, state), limits_of(state)
    return await ask(caller, PROMPTS / f"{step}.md", variables, schema, model, trim=trim, limits=limits)


def model_of(role: SimplificationRole, state: AnyState) -> ModelSettings:
    """The model that plays `role` in this run."""
    return ModelSettings(**state["settings"]["models"][role])


def options(state: AnyState) -> SimplificationSettings:
    """The settings that the run was started with."""
    return SimplificationSettings(**state["settings"]["simplification"])


def limits_of(state: AnyState) -> Limits:
    """The limits that the run was started with."""
    return Limits(**state["settings"]["limits"])


def has_aid(aid: SimplificationAid, state: AnyState) -> bool:
    """Whether an aid is on; a router may ask, too, for this only looks it up."""
    return aid in state["settings"]["simplification"]["aids"]


def texts_of(state: AnyState) -> dict[str, object]:
    """The original abstract and the newest text, with which the prompts of all agents that see both begin."""
    return {"source": stored_text(state["source"]), "text": state["text"]}


def target_grade(state: AnyState) -> str:
    """The school grade that the text is to reach, as prompts say it; empty if there is none."""
    return f"{grade:g}" if (grade := options(state).target_grade) else ""


def in_exchange(state: LoopState, **news: Any) -> Exchange:
    """The exchange of this entry with something new in it."""
    return {**state["exchange"], **news}  # type: ignore[typeddict-item]


LoopNode = Callable[[LoopState], Awaitable[LoopState]]


def ends_loop_on_nonsense(node: LoopNode) -> LoopNode:
    """Let a loop end early, on record, if an agent gives no usable answer, or cannot be asked; the run goes on."""

    @wraps(node)
    async def attempt(state: LoopState) -> LoopState:
        try:
            return await node(state)
        except Unanswered as error:
            problem = f"{error.spent[-1]['role']}: {error.problem}" if error.spent else error.problem
            calls = [*state["loop_calls"], *error.spent]
            return {"exchange": in_exchange(state, problem=problem), "loop_calls": calls}

    return attempt
