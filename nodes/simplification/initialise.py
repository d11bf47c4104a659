"""First node: check the input before any model is called, and freeze the run's settings into its state."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from nodes.doubts import with_instructions_told
from nodes.simplification.agent import begin_exchange
from nodes.simplification.logger import as_version
from state.errors import BadInput
from state.settings import SIMPLIFICATION_ROLES, Settings, SimplificationContext
from state.simplification import SimplificationInput
from tools.configuration import resolve_settings
from tools.documents.reading import read_document, stored_text


async def initialise(state: SimplificationInput, runtime: Runtime[SimplificationContext]) -> dict[str, Any]:
    """Set every key of the state.

    Raises:
        BadInput: If the abstract cannot be used.
        SettingsError: If the settings cannot.
    """
    context = runtime.context or SimplificationContext()
    settings = await asyncio.to_thread(resolve_settings, context)
    abstract = state.get("abstract")
    if not isinstance(abstract, str) or not abstract.strip():
        raise BadInput("There is no abstract; give its text or the path of a file as `abstract`.", kind="empty_input")
    options = settings.simplification
    source = await asyncio.to_thread(read_document, abstract, scope=options.scope, max_pages=options.max_pages)
    source = await asyncio.to_thread(with_instructions_told, source)
    text = (await asyncio.to_thread(stored_text, source)).strip()
    return {
        "abstract": source["source"],
        "source": source,
        "settings": settings.frozen("simplification"),
        "entry": 0,
        "next_loop": options.loops[0],
        "text": text,
        # Overwrite, because a thread that is given new input keeps what its lists had gathered before.
        **{name: Overwrite([]) for name in ("history", "memories", "all_changes", "calls")},
        "versions": Overwrite([as_version(0, "", text, [])]),
        "history_summary": "",
        "summarised": 0,
        "exchange": begin_exchange(0, options.loops[0], 0, ""),
        "changes": [],
        "loop_calls": [],
        "to_correct": [],
        "loop_round": 0,
        "lost": [],
        "accepted": [],
        "glossary": [],
        "simplified": "",
        "selected_version": 0,
        "selected_because": "",
        "not_as_published": list_differences(settings) if settings.preset == "paper" else [],
        "warnings": [],
        "stop_reason": "",
    }


def list_differences(settings: Settings) -> list[str]:
    """Say what of the paper's society is not as published in a run by the preset `paper`."""
    models = ", ".join(sorted({settings.model_for(role).model for role in SIMPLIFICATION_ROLES}))
    rounds = settings.simplification.revision_rounds
    return [
        f"The paper's agents are played by gpt-3.5-turbo-1106; here they are played by {models}.",
        "The prompts say what the paper's do, in our words.",
        f"Agents have {rounds} rounds to agree on wordings and on the accuracy of a text; the paper names no bound.",
        "The simplifier's answer has the paper's title and no closing invitation to further questions.",
        "Questions, answers, wordings, verdicts, quotes, comments and the selector's choice are JSON by a schema; the "
        "paper's agents write text.",
        "Lists and texts are held to the limits of the settings; a history that outgrows the selector's context is "
        "summarised.",
    ]
