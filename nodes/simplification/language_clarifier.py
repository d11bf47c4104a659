"""The language clarifier: lead agent that proposes simpler wordings of non-medical language (SoMS, lexical loop)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import ask_as, in_exchange, loop_node, memory_of, options, target_grade
from state.model_settings import AtMost
from state.records import CallRecord
from state.simplification import LoopState, WordingSuggestion
from tools.models.prompts import numbered

Piece = Annotated[str, AtMost("note_words"), Field(min_length=1)]


class Wording(AgentAnswer):
    """A piece of the text, and simpler words for it."""

    original: Piece
    replacement: Piece


class Wordings(AgentAnswer):
    """The language clarifier's answer; an empty list says that the language is simple enough."""

    suggestions: Annotated[list[Wording], AtMost("wordings")]


@loop_node
async def propose_wordings(state: LoopState) -> LoopState:
    """List complex non-medical words, phrases and sentences with simpler replacements."""
    variables: dict[str, object] = {
        "text": state["text"],
        "memory": memory_of("language_clarifier", state),
        "target_grade": target_grade(state),
    }
    answer = await ask_as("language_clarifier", "propose_wordings", state, variables, Wordings)
    return _proposed(state, answer.value, answer.calls)


@loop_node
async def revise_wordings(state: LoopState) -> LoopState:
    """Propose better wordings for those that were rejected in the round before."""
    rejected = [item for item in of_round(state) if item["verdict"] == "rejected"]
    variables: dict[str, object] = {
        "text": state["text"],
        "rejected": numbered(f'"{item["original"]}" -> "{item["replacement"]}": {item["reason"]}' for item in rejected),
        "memory": memory_of("language_clarifier", state),
    }
    answer = await ask_as("language_clarifier", "revise_wordings", state, variables, Wordings)
    return _proposed(state, answer.value, answer.calls)


def of_round(state: LoopState) -> list[WordingSuggestion]:
    """The suggestions of the newest round."""
    return [item for item in state["exchange"]["suggestions"] if item["round"] == state["loop_round"]]


def rejection(number: int, state: LoopState) -> Literal["rejected", "dropped"]:
    """What becomes of a wording that is rejected in a round: it goes back, or is dropped if there is no further one."""
    return "rejected" if number < options(state).revision_rounds else "dropped"


def _proposed(state: LoopState, wordings: Wordings, calls: list[CallRecord]) -> LoopState:
    number = state["loop_round"] + 1
    new = [
        WordingSuggestion(round=number, original=original, replacement=replacement, verdict="open", reason="", judge="")
        for original, replacement in dict.fromkeys(
            (wording.original.strip(), wording.replacement.strip()) for wording in wordings.suggestions
        )
        if original != replacement
    ]
    return {
        "loop_round": number,
        "exchange": in_exchange(state, suggestions=[*state["exchange"]["suggestions"], *new]),
        "loop_calls": calls,
    }
