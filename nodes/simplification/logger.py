"""The logger: files a finished exchange, updates the memories, and decides whether the run is over (SoMS, "Logger").

The node before it lists what the text has lost. The last node selects the result, and lists the medical terms that it
keeps with their explanations.
"""

from __future__ import annotations

import asyncio
from typing import Literal

from nodes.shared import list_result_warnings
from nodes.simplification.agent import get_simplification_settings, iterate_memories
from nodes.simplification.selector import count_visits
from state.errors import NoUsableResultError
from state.records import LostDetail
from state.settings import Lead
from state.simplification import Exchange, GlossaryEntry, SimplificationState, Version
from tools.checks.fidelity import list_unsupported_facts
from tools.checks.omissions import find_lost_details, list_unsupported_names
from tools.checks.readability import compute_readability
from tools.documents.reading import load_source_text
from tools.text import find_occurrences

_MAX_LOST_SHARE = 1 / 3  # of the checked details of the source, without a warning


def measure_version(
    number: int, loop: Lead | Literal["", "single", "person"], text: str, lost: list[LostDetail]
) -> Version:
    """Return a text as a version, with its grade and its number of words measured.

    The number is that of the entry that made the text, 0 for the source.
    """
    measured = compute_readability(text)
    return Version(
        number=number, loop=loop, text=text, grade=round(measured["fkgl"], 3), words=measured["words"], lost=lost
    )


async def check_content(state: SimplificationState) -> SimplificationState:
    """Set `lost` to the details of the source that the newest text has lost: the content guard, an extension."""
    return {"lost": find_lost_details(load_source_text(state["source"]), state["text"])}


async def log_exchange(state: SimplificationState) -> SimplificationState:
    """Return the update that files the exchange, its text as a version, changes, memories, calls, and a stop reason."""
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
    """Return why no further loop is entered; empty if the run goes on."""
    chosen = get_simplification_settings(state)
    # The newest exchange is not yet in the history.
    if all(count_visits(state, lead) + (lead == newest["loop"]) >= chosen.entries for lead in chosen.loops):
        return "entries used up"
    aims = [(version["grade"], chosen.target_grade), (version["words"], chosen.max_words)]
    reached = [value <= aim for value, aim in aims if aim is not None]
    return "target reached" if chosen.stop == "adaptive" and reached and all(reached) else ""


async def finish(state: SimplificationState) -> SimplificationState:
    """Select the version to return, and list warnings about it.

    Raises:
        NoUsableResultError: If every loop ended early and changed nothing.
    """
    # 1. An unchanged source is no result.
    history, chosen = state["history"], get_simplification_settings(state)
    if history and all(exchange["problem"] and not exchange["changed"] for exchange in history):
        raise NoUsableResultError("No loop was completed", problem=history[-1]["problem"])
    # 2. Select.
    version, because = state["versions"][-1], "the last version"
    if chosen.select != "last":
        version, because = select_best_version(state["versions"])
    # 3. Warn.
    source, text = await asyncio.to_thread(load_source_text, state["source"]), version["text"]
    warnings: list[str] = []
    checked, lost = len(find_lost_details(source, "")), len(version["lost"])
    if text == state["versions"][0]["text"]:
        early = sum(bool(exchange["problem"]) for exchange in history)
        reason = f"; {early} of {len(history)} loops ended early" if early else ""
        warnings.append(f"the text is the source, word for word: nothing was changed{reason}")
    elif lost > _MAX_LOST_SHARE * checked:
        warnings.append(f"it has lost {lost} of the {checked} checked details of its source")
    warnings += list_addition_warnings(text, source)
    warnings += await asyncio.to_thread(list_result_warnings, text, state["source"], chosen.extensions)
    return {
        "simplified": text,
        "selected_version": version["number"],
        "selected_because": because,
        "lost": version["lost"],
        "glossary": build_glossary(history, text),
        "warnings": warnings,
    }


def select_best_version(versions: list[Version]) -> tuple[Version, str]:
    """Return a pair: the easiest of the changed versions that have lost least, and the reason for the choice."""
    # The unchanged source has lost nothing, and would always be chosen.
    changed = [version for version in versions if version["text"] != versions[0]["text"]] or versions[-1:]
    fewest = min(len(version["lost"]) for version in changed)
    candidates = [version for version in changed if len(version["lost"]) == fewest]
    lost = "no checked detail" if fewest == 0 else f"the fewest checked details ({fewest})"
    best = min(reversed(candidates), key=lambda version: version["grade"])  # the newest of equally easy versions
    return best, f"the easiest of {len(candidates)} versions that have lost {lost}"


def list_addition_warnings(text: str, source: str) -> list[str]:
    """List, in a single warning or none, the numbers, names, drugs and conditions that the source does not have."""
    added = [fact["text"] for fact in list_unsupported_facts(text, source)] + list_unsupported_names(text, source)
    names = ", ".join(f'"{name}"' for name in dict.fromkeys(added))
    return [f"the original does not have {names}: each is an explanation, or a mistake"] if added else []


def build_glossary(history: list[Exchange], text: str) -> list[GlossaryEntry]:
    """List by term the terms of the text that the medical expert explained, each with its newest explanation."""
    explained: dict[str, GlossaryEntry] = {}
    for exchange in history:
        for question in exchange["questions"]:
            term, explanation = question["term"], question["answer"]
            if term and explanation and find_occurrences(text, term):
                entry = GlossaryEntry(term=term, explanation=explanation, entry=exchange["entry"])
                explained[term.casefold()] = entry
    return [explained[term] for term in sorted(explained)]
