"""The logger: files a finished exchange, tells the agents, and decides whether the run is over (SoMS, "Logger")."""

from __future__ import annotations

from typing import Literal

from nodes.simplification.agent import options
from nodes.simplification.memory import memories_of
from nodes.simplification.selector import visits
from nodes.simplification.versions import as_version
from state.simplification import Exchange, SimplificationState, Version


async def log_exchange(state: SimplificationState) -> SimplificationState:
    """Append the exchange to the conversation history and the new version to the versions; update the memories."""
    version = as_version(state["entry"], state["next_loop"], state["text"], state["lost"])  # type: ignore[arg-type]
    filed: SimplificationState = {
        "versions": [version],
        "all_changes": state["changes"],
        "calls": state["loop_calls"],
        "changes": [],
        "loop_calls": [],
    }
    if state["next_loop"] == "single":
        return {**filed, "stop_reason": "single rewrite"}
    exchange: Exchange = {**state["exchange"], "changed": state["text"] != state["versions"][-1]["text"]}
    return {
        **filed,
        "exchange": exchange,
        "history": [exchange],
        "memories": list(memories_of(exchange)),
        "stop_reason": stop_reason(state, exchange, version),
    }


def stop_reason(
    state: SimplificationState, newest: Exchange, version: Version
) -> Literal["", "entries used up", "target reached"]:
    """Why no further loop is entered; empty if there is one to enter."""
    chosen = options(state)
    if all(visits(state, lead) + (lead == newest["loop"]) >= chosen.entries for lead in chosen.loops):
        return "entries used up"
    aims = [
        (version["grade"], chosen.target_grade),
        (version["words"], chosen.max_words),
    ]
    wanted = [(value, aim) for value, aim in aims if aim is not None]
    reached = bool(wanted) and all(value <= aim for value, aim in wanted)
    return "target reached" if chosen.stop == "adaptive" and reached else ""
