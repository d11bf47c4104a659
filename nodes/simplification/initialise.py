"""First node of medical simplification: checks the input and freezes the run's settings, before any model is called."""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path
from typing import Any

from langgraph.types import Overwrite

from nodes.shared import list_deviations, read_source, resolve_input
from nodes.simplification.agent import make_empty_exchange
from nodes.simplification.logger import measure_version
from state.settings import SimplificationContext
from state.simplification import SimplificationInput
from tools.documents.reading import load_source_text

_DEVIATIONS = tomllib.loads((Path(__file__).parent / "deviations.toml").read_text(encoding="utf-8"))


async def initialise(state: SimplificationInput) -> dict[str, Any]:
    """Read the source text, and return the run's first state, with frozen settings and the source as version 0."""
    settings, abstract = await resolve_input(state, "abstract", SimplificationContext)
    options = settings.simplification
    source = await asyncio.to_thread(read_source, abstract, options.scope, options.max_pages)
    text = (await asyncio.to_thread(load_source_text, source)).strip()
    frozen, is_society = settings.freeze_settings("simplification"), options.variant == "society"
    own = [text.format(chosen=options) for text in _DEVIATIONS["society"]] if is_society else []
    roles = options.roles if is_society else ("simplifier",)
    return {
        "abstract": source["source"],
        "source": source,
        "settings": frozen,
        "entry": 0,
        "next_loop": options.loops[0],
        "text": text,
        # Overwrite, because a thread that is given new input keeps what its lists had gathered before.
        **{name: Overwrite([]) for name in ("history", "memories", "all_changes", "calls")},
        "versions": Overwrite([measure_version(0, "", text, [])]),
        "exchange": make_empty_exchange(0, options.loops[0], 0, ""),
        **dict.fromkeys(("summarised", "loop_round", "selected_version"), 0),
        **dict.fromkeys(("history_summary", "simplified", "selected_because", "stop_reason"), ""),
        **{name: [] for name in ("changes", "loop_calls", "to_correct", "lost", "glossary", "warnings")},
        "not_as_published": await asyncio.to_thread(
            list_deviations, frozen, "simplification", roles, "gpt-3.5-turbo-1106", own
        ),
    }
