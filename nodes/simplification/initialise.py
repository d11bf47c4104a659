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
from state.settings import SimplificationContext
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
        "copied": [],
        "to_correct": [],
        "loop_round": 0,
        "lost": [],
        "accepted": [],
        "glossary": [],
        "simplified": "",
        "warnings": [],
        "stop_reason": "",
    }
