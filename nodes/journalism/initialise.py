"""The settings of a run: the first node freezes them into the state, and the agents ask as they say.

Nothing is asked before the input was checked.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from nodes.shared import add_instruction_warnings, ask_role, list_deviations
from state.errors import InputError, SettingsError
from state.journalism import Draft, JournalismInput, JournalismState
from state.model_settings import ModelSettings
from state.settings import JournalismContext, JournalismRole, JournalismSettings, Settings
from tools.configuration import resolve_settings
from tools.documents.reading import read_document
from tools.models import Answer, Caller
from tools.models.ask import Value

JOURNALIST_ALONE = ["reader", "editor"]
UNUSED_ROLES = {
    "no-notes": ["reader"],
    "no-suggestions": ["editor"],
    "no-collaboration": JOURNALIST_ALONE,
    "single": JOURNALIST_ALONE,
}
"""Agents that are not asked, by variant."""


async def initialise(
    state: JournalismInput, runtime: Runtime[JournalismContext], *, has_agents: bool = True
) -> dict[str, Any]:
    """Set every key of the state; `has_agents` says whether agents write the article.

    Raises:
        BadInput: If the paper cannot be used.
        SettingsError: If the settings cannot.
    """
    context = runtime.context or JournalismContext()
    settings = await asyncio.to_thread(resolve_settings, context)
    paper = state.get("paper")
    if not isinstance(paper, str) or not paper.strip():
        raise InputError("There is no paper; give its text or the path of a file as `paper`.", kind="empty_input")
    options = settings.journalism
    source = await asyncio.to_thread(read_document, paper, scope=options.scope, max_pages=options.max_pages)
    source = await asyncio.to_thread(add_instruction_warnings, source)
    frozen = freeze_journalism_settings(settings)
    roles: list[str] = [
        role for role in options.roles if has_agents and role not in UNUSED_ROLES.get(options.variant, ())
    ]
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
    return {
        "paper": source["source"],
        "source": source,
        "settings": frozen,
        "not_as_published": await asyncio.to_thread(list_deviations, frozen, "journalism", roles, published, own),
        "round": 0,
        # Overwrite, because a thread that is given new input keeps what its lists had gathered before.
        **{name: Overwrite([]) for name in ("drafts", "assessments", "notes", "reviews", "calls")},
        "revision": Draft(round=0, text="", improvements=""),
        "copied": [],
        "stop_reason": "",
        "article": "",
        "selected_round": 0,
        "selected_because": "",
        "warnings": [],
    }


def freeze_journalism_settings(settings: Settings) -> dict[str, Any]:
    """The settings of this run as plain values, with every role's model spelt out.

    Raises:
        SettingsError: A warm start has no model.
    """
    frozen = settings.freeze_settings("journalism")
    if settings.journalism.variant == "large-reader":
        frozen["models"]["reader"] = frozen["models"]["journalist"]
    if settings.journalism.warm_start:
        frozen["models"]["warm_start"] = select_warm_start_model(settings).model_dump(mode="json")
    return frozen


def select_warm_start_model(settings: Settings) -> ModelSettings:
    """The fine-tuned model that is the journalist of LLM-WS-CLBR.

    Raises:
        SettingsError: None is named.
    """
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
    """Ask the model of `agent` with the prompt named `step`."""
    warm = (
        agent == "journalist" and get_journalism_settings(state).warm_start
    )  # LLM-WS-CLBR: the fine-tuned model is the journalist
    caller = Caller(agent, step, round_number)
    return await ask_role(caller, PROMPTS, state, variables, schema, trim=trim, model="warm_start" if warm else agent)


def get_journalism_settings(state: JournalismState) -> JournalismSettings:
    """The journalism settings that the run was started with."""
    return JournalismSettings(**state["settings"]["journalism"])
