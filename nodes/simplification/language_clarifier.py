"""The language clarifier: lead agent that proposes simpler wordings of non-medical language (SoMS, lexical loop)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from nodes.simplification.agent import (
    ask_as,
    ends_loop_on_nonsense,
    has_extension,
    in_exchange,
    memory_of,
    options,
    target_grade,
)
from state.model_settings import AtMost
from state.records import CallRecord
from state.simplification import LoopState, WordingSuggestion
from tools.checks.fidelity import unsupported_facts
from tools.checks.omissions import lost_content
from tools.documents.reading import stored_text
from tools.models.prompts import numbered
from tools.text import occurrences, substitute

IDLE = "It changes nothing."
Piece = Annotated[str, AtMost("note_words"), Field(min_length=1)]


class Wording(BaseModel):
    """A piece of the text, and simpler words for it."""

    model_config = ConfigDict(extra="forbid")

    original: Piece
    replacement: Piece


class Wordings(BaseModel):
    """The language clarifier's answer; an empty list says that the language is simple enough."""

    model_config = ConfigDict(extra="forbid")

    suggestions: Annotated[list[Wording], AtMost("wordings")]


@ends_loop_on_nonsense
async def propose_wordings(state: LoopState) -> LoopState:
    """List complex non-medical words, phrases and sentences with simpler replacements."""
    variables: dict[str, object] = {
        "text": state["text"],
        "memory": memory_of("language_clarifier", state),
        "target_grade": target_grade(state),
    }
    answer = await ask_as("language_clarifier", "propose_wordings", state, variables, Wordings)
    return _proposed(state, answer.value, answer.calls)


@ends_loop_on_nonsense
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


def _screened(wording: Wording, number: int, state: LoopState) -> WordingSuggestion:
    """A suggestion without objection stays open for the simplifier; any other is rejected with the reason.

    With the extension `veto`, one that leaves the piece as it is, is dropped: there is nothing to judge or to revise in
    it.
    """
    same = wording.original.casefold().split() == wording.replacement.casefold().split()
    idle = same and has_extension("veto", state)
    problem = IDLE if idle else objection(wording.original, wording.replacement, state["text"], state)
    verdict: Literal["open", "rejected", "dropped"] = rejection(number, state) if problem else "open"
    return WordingSuggestion(
        round=number,
        original=wording.original.strip(),
        replacement=wording.replacement.strip(),
        verdict="dropped" if idle else verdict,
        reason=problem,
        judge="guard" if problem else "",
    )


def objection(original: str, replacement: str, text: str, state: LoopState) -> str:
    """Why code cannot put a wording into a text, or vetoes it; empty if neither.

    Without the extension `edit_by_code` the simplifier is shown any wording.
    """
    if has_extension("edit_by_code", state) and not occurrences(text, original):
        return "The text does not contain the original; copy it exactly."
    return _veto(original, replacement, text, stored_text(state["source"])) if has_extension("veto", state) else ""


def _veto(original: str, replacement: str, text: str, source: str) -> str:
    before = [detail["text"] for detail in lost_content(source, text)]
    after = lost_content(source, substitute(text, original, replacement))
    lost = [detail["text"] for detail in after if detail["text"] not in before]
    if lost:
        return f"The text would lose: {', '.join(lost)}."
    added = [fact["text"] for fact in unsupported_facts(replacement, f"{source}\n\n{original}")]
    return f"It adds what the abstract does not say: {', '.join(added)}." if added else ""


def _proposed(state: LoopState, wordings: Wordings, calls: list[CallRecord]) -> LoopState:
    number = state["loop_round"] + 1
    each_once = {(wording.original.strip(), wording.replacement.strip()): wording for wording in wordings.suggestions}
    new = [_screened(wording, number, state) for wording in each_once.values()]
    return {
        "loop_round": number,
        "exchange": in_exchange(state, suggestions=[*state["exchange"]["suggestions"], *new]),
        "loop_calls": [*state["loop_calls"], *calls],
    }
