"""The logger: files a finished exchange, tells the agents, and decides whether the run is over (SoMS, "Logger").

Once it is, the last node gives the result, and the glossary of the medical terms that the text keeps.
"""

from __future__ import annotations

import asyncio
from typing import Literal

from nodes.doubts import doubts
from nodes.simplification.agent import memories_of, options
from nodes.simplification.content_guard import foreign_names
from nodes.simplification.selector import visits
from state.errors import NothingUsable
from state.records import LostDetail
from state.settings import Lead
from state.simplification import Exchange, GlossaryEntry, SimplificationState, Version
from tools.checks.fidelity import unsupported_facts
from tools.checks.readability import grade
from tools.documents.reading import stored_text
from tools.text import occurrences


def as_version(number: int, loop: Lead | Literal["", "single", "person"], text: str, lost: list[LostDetail]) -> Version:
    """The text after entry `number`, measured."""
    measured = grade(text)
    return Version(
        number=number, loop=loop, text=text, grade=round(measured["fkgl"], 3), words=measured["words"], lost=lost
    )


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


async def finish(state: SimplificationState) -> SimplificationState:
    """Return the newest version.

    Raises:
        NothingUsable: If every loop ended early and changed nothing, because no agent gave a usable answer: the source
            is no result.
    """
    history = state["history"]
    if history and all(exchange["problem"] and not exchange["changed"] for exchange in history):
        raise NothingUsable("No loop came to its end", problem=history[-1]["problem"])
    source = await asyncio.to_thread(stored_text, state["source"])
    return {
        "simplified": state["text"],
        "glossary": glossary(history, state["text"]),
        "warnings": [
            *unchanged(state),
            *additions(state["text"], source),
            *await asyncio.to_thread(doubts, state["text"], state["source"], options(state).extensions),
        ],
    }


def unchanged(state: SimplificationState) -> list[str]:
    """A warning if the result is the source, word for word."""
    if state["text"] != state["versions"][0]["text"]:
        return []
    early = sum(bool(exchange["problem"]) for exchange in state["history"])
    because = f"; {early} of {len(state['history'])} loops ended early" if early else ""
    return [f"the text is the source, word for word: nothing was changed{because}"]


def additions(text: str, source: str) -> list[str]:
    """A warning that names the numbers, names, drugs and conditions of a text that its source does not have."""
    added = [fact["text"] for fact in unsupported_facts(text, source)] + foreign_names(text, source)
    told = ", ".join(f'"{one}"' for one in dict.fromkeys(added))
    return [f"the original does not have {told}: each is an explanation, or a mistake"] if added else []


def glossary(history: list[Exchange], text: str) -> list[GlossaryEntry]:
    """The terms that the medical expert explained and the text still uses, each with its newest explanation."""
    explained = {
        question["term"].casefold(): GlossaryEntry(
            term=question["term"], explanation=question["answer"], entry=exchange["entry"]
        )
        for exchange in history
        for question in exchange["questions"]
        if question["term"] and question["answer"] and occurrences(text, question["term"])
    }
    return sorted(explained.values(), key=lambda entry: entry["term"].casefold())
