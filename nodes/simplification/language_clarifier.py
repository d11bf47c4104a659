"""The language clarifier: the lead agent that proposes simpler words for non-medical language (SoMS, lexical loop)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import (
    as_loop_node,
    ask_simplification_role,
    format_memory,
    format_target_grade,
    update_exchange,
)
from state.model_settings import LengthLimit
from state.records import CallRecord
from state.simplification import LoopState, WordingSuggestion
from tools.text import format_numbered_list

Piece = Annotated[str, LengthLimit("note_words"), Field(min_length=1)]


class Wording(AgentAnswer):
    """A piece of the text, and simpler words for it."""

    original: Piece
    replacement: Piece


class Wordings(AgentAnswer):
    """The language clarifier's answer; an empty list says that the language is simple enough."""

    suggestions: Annotated[list[Wording], LengthLimit("wordings")]


@as_loop_node
async def propose_wordings(state: LoopState) -> LoopState:
    """Add suggestions: complex non-medical words, phrases and sentences with simpler replacements."""
    variables: dict[str, object] = {
        "text": state["text"],
        "memory": format_memory("language_clarifier", state),
        "target_grade": format_target_grade(state),
    }
    answer = await ask_simplification_role("language_clarifier", "propose_wordings", state, variables, Wordings)
    return _add_suggestions(state, answer.value, answer.calls)


@as_loop_node
async def revise_wordings(state: LoopState) -> LoopState:
    """Ask for better suggestions for the wordings that the simplifier has just rejected; add them as a round."""
    rejected = [
        f'"{item["original"]}" -> "{item["replacement"]}": {item["reason"]}'
        for item in list_round_suggestions(state)
        if item["verdict"] == "rejected"
    ]
    variables: dict[str, object] = {
        "text": state["text"],
        "rejected": format_numbered_list(rejected),
        "memory": format_memory("language_clarifier", state),
    }
    answer = await ask_simplification_role("language_clarifier", "revise_wordings", state, variables, Wordings)
    return _add_suggestions(state, answer.value, answer.calls)


def list_round_suggestions(state: LoopState) -> list[WordingSuggestion]:
    """List the suggestions of the newest round."""
    return [item for item in state["exchange"]["suggestions"] if item["round"] == state["loop_round"]]


def _add_suggestions(state: LoopState, wordings: Wordings, calls: list[CallRecord]) -> LoopState:
    """Return the update with the suggestions of a new round, without repetitions and those that change nothing."""
    number = state["loop_round"] + 1
    # An answer may repeat a suggestion, or suggest the words that it should replace.
    pairs = dict.fromkeys((item.original.strip(), item.replacement.strip()) for item in wordings.suggestions)
    new = [
        WordingSuggestion(round=number, original=original, replacement=replacement, verdict="open", reason="", judge="")
        for original, replacement in pairs
        if original != replacement
    ]
    suggestions = [*state["exchange"]["suggestions"], *new]
    return {"loop_round": number, "exchange": update_exchange(state, suggestions=suggestions), "loop_calls": calls}
