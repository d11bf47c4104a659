"""First node of science journalism: checks the input and freezes the run's settings; and how its agents are asked."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from langgraph.types import Overwrite

from nodes.shared import ask_role, get_model_settings, list_deviations, read_source, resolve_input
from state.errors import SettingsError
from state.journalism import Draft, JournalismInput, JournalismState
from state.model_settings import ModelSettings
from state.settings import JournalismContext, JournalismRole, JournalismSettings, Settings
from tools.models.ask import Answer, Caller, Value

JOURNALIST_ALONE = ["reader", "editor"]
# Agents that a variant does not ask.
UNUSED_ROLES = {
    "no-notes": ["reader"],
    "no-suggestions": ["editor"],
    "no-collaboration": JOURNALIST_ALONE,
    "single": JOURNALIST_ALONE,
}


async def initialise(state: JournalismInput, *, has_agents: bool = True) -> dict[str, Any]:
    """Read the paper, and return the run's first state, with frozen settings; also for a model without agents."""
    # 1. Read the paper.
    settings, paper = await resolve_input(state, "paper", JournalismContext)
    options = settings.journalism
    source = await asyncio.to_thread(read_source, paper, options.scope, options.max_pages)
    # 2. List the deviations from the paper's models and settings.
    frozen, unused = freeze_journalism_settings(settings), UNUSED_ROLES.get(options.variant, [])
    roles: list[str] = [role for role in options.roles if has_agents and role not in unused]
    has_small_reader = "reader" in roles and options.variant != "large-reader"
    published = "Qwen1.5-7B-Chat" + (" and, as the reader, Qwen1.5-1.8B-Chat" if has_small_reader else "")
    if options.warm_start:
        published += ", the journalist fine-tuned by LoRA"
        roles = [role.replace("journalist", "warm_start") for role in roles]
    own = [f"Articles have a headline and up to {options.max_words} words; the paper says short."]
    if not has_agents:
        own = [f"The model is {options.sequence_to_sequence}; the paper does not say how its BART was fine-tuned."]
    if has_small_reader and frozen["models"]["reader"]["model"] == frozen["models"]["journalist"]["model"]:
        own.append("The reader is no smaller model, as in the paper's row with a reader of 7B.")
    # 3. Start with empty values.
    return {
        "paper": source["source"],
        "source": source,
        "settings": frozen,
        "not_as_published": await asyncio.to_thread(list_deviations, frozen, "journalism", roles, published, own),
        # Overwrite, because a thread that is given new input keeps what its lists had gathered before.
        **{name: Overwrite([]) for name in ("drafts", "assessments", "notes", "reviews", "calls")},
        "revision": Draft(round=0, text="", improvements=""),
        **dict.fromkeys(("round", "selected_round"), 0),
        **dict.fromkeys(("stop_reason", "article", "selected_because"), ""),
        **{name: [] for name in ("copied", "warnings")},
    }


def freeze_journalism_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings of a run as plain values, with the model of every role after the choices of variant."""
    frozen = settings.freeze_settings("journalism")
    if settings.journalism.variant == "large-reader":
        frozen["models"]["reader"] = frozen["models"]["journalist"]
    if settings.journalism.warm_start:
        frozen["models"]["warm_start"] = select_warm_start_model(settings).model_dump(mode="json")
    return frozen


def select_warm_start_model(settings: Settings) -> ModelSettings:
    """Return the settings of the fine-tuned journalist of LLM-WS-CLBR, or raise `SettingsError` if none is named."""
    if not settings.has_own_model("warm_start"):
        raise SettingsError(
            "A warm start needs a model that was fine-tuned on plain summaries: name it under [models.warm_start] "
            "(`draftroom train journalist` makes one)."
        )
    return settings.resolve_model_settings("warm_start")


PROMPTS = Path(__file__).parent / "prompts"


async def ask_journalism_role(
    agent: JournalismRole,
    step: str,
    state: JournalismState,
    variables: dict[str, object],
    schema: type[Value],
    *,
    round_number: int,
    trim: str = "paper",
) -> Answer[Value]:
    """Ask the model of a role with the prompt of a step, and return its answer with its calls.

    `trim` names the variable that is shortened if the prompt does not fit the model's context. With a warm start the
    fine-tuned model answers for the journalist.
    """
    # In LLM-WS-CLBR a fine-tuned model is the journalist.
    is_warm = agent == "journalist" and get_journalism_settings(state).warm_start
    model = get_model_settings("warm_start", state) if is_warm else None
    return await ask_role(Caller(agent, step, round_number), PROMPTS, state, variables, schema, trim=trim, model=model)


def get_journalism_settings(state: JournalismState) -> JournalismSettings:
    """Return the journalism settings that the run was started with."""
    return JournalismSettings(**state["settings"]["journalism"])
