"""The logger: files a finished exchange, tells the agents, and decides whether the run is over (SoMS, "Logger").

Once it is, the last node gives the result, and the glossary of the medical terms that the text keeps.
"""

from __future__ import annotations

import asyncio
from typing import Literal

from nodes.shared import list_result_warnings
from nodes.simplification.agent import get_simplification_settings, iterate_memories
from nodes.simplification.content_guard import MAX_LOST_SHARE, list_unsupported_names
from nodes.simplification.selector import count_visits
from state.errors import NoUsableResultError
from state.records import LostDetail
from state.settings import Lead
from state.simplification import Exchange, GlossaryEntry, SimplificationState, Version
from tools.checks.fidelity import list_unsupported_facts
from tools.checks.omissions import find_lost_details
from tools.checks.readability import compute_readability
from tools.documents.reading import load_source_text
from tools.text import find_occurrences


def measure_version(
    number: int, loop: Lead | Literal["", "single", "person"], text: str, lost: list[LostDetail]
) -> Version:
    """The text after entry `number`, measured."""
    measured = compute_readability(text)
    return Version(
        number=number, loop=loop, text=text, grade=round(measured["fkgl"], 3), words=measured["words"], lost=lost
    )


async def log_exchange(state: SimplificationState) -> SimplificationState:
    """Append the exchange to the conversation history and the new version to the versions; update the memories."""
    version = measure_version(state["entry"], state["next_loop"], state["text"], state["lost"])  # type: ignore[arg-type]
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
        "memories": list(iterate_memories(exchange)),
        "stop_reason": choose_society_stop_reason(state, exchange, version),
    }


def choose_society_stop_reason(
    state: SimplificationState, newest: Exchange, version: Version
) -> Literal["", "entries used up", "target reached"]:
    """Why no further loop is entered; empty if there is one to enter."""
    chosen = get_simplification_settings(state)
    if all(count_visits(state, lead) + (lead == newest["loop"]) >= chosen.entries for lead in chosen.loops):
        return "entries used up"
    aims = [
        (version["grade"], chosen.target_grade),
        (version["words"], chosen.max_words),
    ]
    wanted = [(value, aim) for value, aim in aims if aim is not None]
    reached = bool(wanted) and all(value <= aim for value, aim in wanted)
    return "target reached" if chosen.stop == "adaptive" and reached else ""


async def finish(state: SimplificationState) -> SimplificationState:
    """Pick a version by `select`, and say why.

    Raises:
        NothingUsable: If every loop ended early and changed nothing, because no agent gave a usable answer: the source
            is no result.
    """
    history = state["history"]
    if history and all(exchange["problem"] and not exchange["changed"] for exchange in history):
        raise NoUsableResultError("No loop came to its end", problem=history[-1]["problem"])
    source = await asyncio.to_thread(load_source_text, state["source"])
    version, because = select_best_version(state["versions"])
    if get_simplification_settings(state).select == "last":
        version, because = state["versions"][-1], "the last version"
    text = version["text"]
    return {
        "simplified": text,
        "selected_version": version["number"],
        "selected_because": because,
        "lost": version["lost"],
        "glossary": build_glossary(history, text),
        "warnings": [
            *(
                list_unchanged_warnings(state)
                if text == state["versions"][0]["text"]
                else list_loss_warnings(version, source)
            ),
            *list_addition_warnings(text, source),
            *await asyncio.to_thread(
                list_result_warnings, text, state["source"], get_simplification_settings(state).extensions
            ),
        ],
    }


def select_best_version(versions: list[Version]) -> tuple[Version, str]:
    """The version that has lost least, and of several the easiest, with the reason.

    It is one that has changed the source, or the best would be that which changed nothing.
    """
    changed = [version for version in versions if version["text"] != versions[0]["text"]] or versions[-1:]
    fewest = min(len(version["lost"]) for version in changed)
    candidates = [version for version in changed if len(version["lost"]) == fewest]
    lost = "no checked detail" if fewest == 0 else f"the fewest checked details ({fewest})"
    best = min(reversed(candidates), key=lambda version: version["grade"])
    return best, f"the easiest of {len(candidates)} versions that have lost {lost}"


def list_loss_warnings(version: Version, source: str) -> list[str]:
    """A warning if a version has lost more than a third of what a check finds in its source."""
    held = len(find_lost_details(source, ""))
    lost = len(version["lost"])
    return [f"it has lost {lost} of the {held} checked details of its source"] if lost > MAX_LOST_SHARE * held else []


def list_unchanged_warnings(state: SimplificationState) -> list[str]:
    """A warning that the result is the source, word for word."""
    early = sum(bool(exchange["problem"]) for exchange in state["history"])
    because = f"; {early} of {len(state['history'])} loops ended early" if early else ""
    return [f"the text is the source, word for word: nothing was changed{because}"]


def list_addition_warnings(text: str, source: str) -> list[str]:
    """A warning that names the numbers, names, drugs and conditions of a text that its source does not have."""
    added = [fact["text"] for fact in list_unsupported_facts(text, source)] + list_unsupported_names(text, source)
    told = ", ".join(f'"{one}"' for one in dict.fromkeys(added))
    return [f"the original does not have {told}: each is an explanation, or a mistake"] if added else []


def build_glossary(history: list[Exchange], text: str) -> list[GlossaryEntry]:
    """The terms that the medical expert explained and the text still uses, each with its newest explanation."""
    explained = {
        question["term"].casefold(): GlossaryEntry(
            term=question["term"], explanation=question["answer"], entry=exchange["entry"]
        )
        for exchange in history
        for question in exchange["questions"]
        if question["term"] and question["answer"] and find_occurrences(text, question["term"])
    }
    return sorted(explained.values(), key=lambda entry: entry["term"].casefold())
