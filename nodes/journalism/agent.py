"""What the three agents share: asking as a role of this run, and reading its state."""

from __future__ import annotations

from pathlib import Path

from state.journalism import JournalismState
from state.limits import Limits
from state.model_settings import ModelSettings
from state.settings import JournalismRole, JournalismSettings, Role
from tools.models import Answer, Caller, ask
from tools.models.answers import Value

PROMPTS = Path(__file__).parent / "prompts"


async def ask_as(
    agent: JournalismRole,
    step: str,
    state: JournalismState,
    variables: dict[str, object],
    schema: type[Value],
    *,
    round_number: int,
    trim: str = "paper",
) -> Answer[Value]:
    """Ask the model of `agent` with the prompt named `step`."""
    model = ModelSettings(**state["settings"]["models"][_played_by(agent, state, round_number)])
    limits = Limits(**state["settings"]["limits"])
    return await ask(
        Caller(agent, step, round_number), PROMPTS / f"{step}.md", variables, schema, model, trim=trim, limits=limits
    )


def _played_by(agent: JournalismRole, state: JournalismState, round_number: int) -> Role:
    """The role whose model answers: the first draft of LLM-WS-CLBR is by a fine-tuned journalist, and only that."""
    return "warm_start" if agent == "journalist" and round_number == 0 and options(state).warm_start else agent


def options(state: JournalismState) -> JournalismSettings:
    """The journalism settings that the run was started with."""
    return JournalismSettings(**state["settings"]["journalism"])
