"""The simplifier, editing: it judges wordings, and code applies what was accepted and validated (SoMS)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from nodes.simplification.agent import ask_as, ends_loop_on_nonsense, in_exchange, memory_of, options
from nodes.simplification.attribution import change_of
from nodes.simplification.language_clarifier import objection, of_round
from nodes.simplification.redundancy_checker import objection as objection_to_removal
from state.simplification import LoopState, Redundancy, Suggestion
from tools.documents import stored_text
from tools.prompts import numbered
from tools.text_edits import remove, substitute


class WordingVerdict(BaseModel):
    """Whether a suggestion is accepted: first why, then the verdict, for decoding follows this order."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(ge=1, le=8)
    reason: str = Field(min_length=5, max_length=160)
    accept: bool


class WordingVerdicts(BaseModel):
    """The simplifier's verdict on each suggestion."""

    model_config = ConfigDict(extra="forbid")

    verdicts: list[WordingVerdict] = Field(min_length=1, max_length=8)


@ends_loop_on_nonsense
async def judge_wordings(state: LoopState) -> dict[str, Any]:
    """Accept or reject each suggestion of this round; one without a verdict is rejected."""
    open_ones = [item for item in of_round(state) if item["verdict"] == "open"]
    variables: dict[str, object] = {
        "text": state["text"],
        "suggestions": numbered(f'"{item["original"]}" -> "{item["replacement"]}"' for item in open_ones),
        "memory": memory_of("simplifier", state),
    }
    answer = await ask_as("simplifier", "judge_wordings", state, variables, WordingVerdicts)
    verdicts = {verdict.number: verdict for verdict in answer.value.verdicts}
    judged = iter([_judged(item, verdicts.get(number)) for number, item in enumerate(open_ones, start=1)])
    suggestions = [next(judged) if item["verdict"] == "open" else item for item in state["exchange"]["suggestions"]]
    return {
        "exchange": in_exchange(state, suggestions=suggestions),
        "loop_calls": [*state["loop_calls"], *answer.calls],
    }


async def apply_wordings(state: LoopState) -> dict[str, Any]:
    """Put the accepted wordings into the text, and drop what is still rejected when the rounds are used up.

    Code does it, so that nothing else changes. A wording that an earlier one has made impossible is rejected.
    """
    text, changes, suggestions = state["text"], list(state["changes"]), list[Suggestion]()
    is_last = state["loop_round"] >= options(state).revision_rounds
    source = stored_text(state["source"])
    for item in state["exchange"]["suggestions"]:
        suggestion = item
        if item["round"] == state["loop_round"] and item["verdict"] == "accepted":
            problem = objection(item["original"], item["replacement"], text, source)
            if problem:
                suggestion = {**item, "verdict": "rejected", "reason": problem, "judge": "guard"}
            else:
                text = substitute(text, item["original"], item["replacement"])
                changes.append(change_of(state, "substitution", item["original"], item["replacement"], item["reason"]))
        if is_last and suggestion["round"] == state["loop_round"] and suggestion["verdict"] == "rejected":
            suggestion = {**suggestion, "verdict": "dropped"}
        suggestions.append(suggestion)
    return {"text": text, "changes": changes, "exchange": in_exchange(state, suggestions=suggestions)}


async def remove_redundancies(state: LoopState) -> dict[str, Any]:
    """Take out what the expert validated and nothing else; code does it.

    A part that an earlier removal has made impossible, because they overlap, is kept.
    """
    text, changes, redundancies = state["text"], list(state["changes"]), list[Redundancy]()
    source = stored_text(state["source"])
    for item in state["exchange"]["redundancies"]:
        part = item
        if item["verdict"] == "removed":
            problem = objection_to_removal(item["quote"], text, source)
            if problem:
                part = {**item, "verdict": "kept", "justification": problem, "judge": "guard"}
            else:
                text = remove(text, item["quote"])
                changes.append(change_of(state, "removal", item["quote"], "", item["reason"]))
        redundancies.append(part)
    return {"text": text, "changes": changes, "exchange": in_exchange(state, redundancies=redundancies)}


def _judged(item: Suggestion, verdict: WordingVerdict | None) -> Suggestion:
    if verdict is None:
        return {**item, "verdict": "rejected", "reason": "The simplifier gave no verdict.", "judge": "simplifier"}
    return {
        **item,
        "verdict": "accepted" if verdict.accept else "rejected",
        "reason": verdict.reason,
        "judge": "simplifier",
    }
