"""The simplifier, editing: it judges wordings, and what was accepted, validated or commented on enters the text (SoMS).

The paper's simplifier writes the whole text anew with it. With the extension `edit_by_code` code puts it in, piece by
piece, so that nothing else changes.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import ask_as, in_exchange, loop_node, memory_of, texts_of
from nodes.simplification.language_clarifier import objection, of_round, rejection
from nodes.simplification.redundancy_checker import NOT_THERE
from nodes.simplification.redundancy_checker import objection as objection_to_removal
from nodes.simplification.simplifier import change_of, write_anew
from state.model_settings import AtMost
from state.simplification import LoopState, Redundancy, WordingSuggestion
from tools.models.prompts import numbered
from tools.text import occurrences, remove, substitute


class WordingVerdict(AgentAnswer):
    """Whether a suggestion is accepted: first why, then the verdict, for decoding follows this order."""

    number: int = Field(ge=1)
    reason: Annotated[str, AtMost("note_words")]
    accept: bool


class WordingVerdicts(AgentAnswer):
    """The simplifier's verdict on each suggestion."""

    verdicts: Annotated[list[WordingVerdict], AtMost("wordings")] = Field(min_length=1)


@loop_node
async def judge_wordings(state: LoopState) -> LoopState:
    """Accept or reject each suggestion of this round; one without a verdict is rejected."""
    open_ones = [item for item in of_round(state) if item["verdict"] == "open"]
    variables: dict[str, object] = {
        **texts_of(state),
        "suggestions": numbered(f'"{item["original"]}" -> "{item["replacement"]}"' for item in open_ones),
        "memory": memory_of("simplifier", state, state["exchange"]),
    }
    answer = await ask_as("simplifier", "judge_wordings", state, variables, WordingVerdicts)
    verdicts = {verdict.number: verdict for verdict in answer.value.verdicts}
    judged = iter([_judged(item, verdicts.get(number), state) for number, item in enumerate(open_ones, start=1)])
    suggestions = [next(judged) if item["verdict"] == "open" else item for item in state["exchange"]["suggestions"]]
    return {
        "exchange": in_exchange(state, suggestions=suggestions),
        "loop_calls": answer.calls,
    }


@loop_node
async def enter_wordings(state: LoopState) -> LoopState:
    """Write the text anew with the accepted wordings of all rounds in it."""
    accepted = [item for item in state["exchange"]["suggestions"] if item["verdict"] == "accepted"]
    wordings = [f'"{item["original"]}" -> "{item["replacement"]}"' for item in accepted]
    reasons = [f"{wording}: {item['reason']}" for wording, item in zip(wordings, accepted, strict=True)]
    news = await write_anew("enter_wordings", state, {"wordings": numbered(wordings)}, reasons, "substitution")
    return {**news, "loop_round": 0}  # there are as many rounds to review the text as there were to agree on wordings


async def apply_wordings(state: LoopState) -> LoopState:
    """Put the accepted wordings of all rounds into the text by code (the extension `edit_by_code`).

    A wording that an earlier one has made impossible is dropped.
    """
    text, changes, suggestions = state["text"], list(state["changes"]), list[WordingSuggestion]()
    for item in state["exchange"]["suggestions"]:
        if item["verdict"] != "accepted":
            suggestions.append(item)
        elif problem := objection(item["original"], text, state):
            suggestions.append({**item, "verdict": "dropped", "reason": problem, "judge": "guard"})
        else:
            suggestions.append(item)
            text = substitute(text, item["original"], item["replacement"])
            changes.append(change_of(state, "substitution", item["original"], item["replacement"], item["reason"]))
    return {"text": text, "changes": changes, "exchange": in_exchange(state, suggestions=suggestions)}


@loop_node
async def leave_out_redundancies(state: LoopState) -> LoopState:
    """Write the text anew without the parts that the expert validated, in grammatical sentences.

    A part that the new text still has stays `validated` on record, and one that the text never had is `kept`.
    """
    parts = state["exchange"]["redundancies"]
    reasons = [f'"{part["quote"]}": {part["reason"]}' for part in parts if part["verdict"] == "validated"]
    news = await write_anew("leave_out_redundancies", state, {"parts": numbered(reasons)}, reasons, "removal")
    settled: list[Redundancy] = []
    for part in parts:
        if part["verdict"] == "validated" and not occurrences(state["text"], part["quote"]):
            settled.append({**part, "verdict": "kept", "justification": NOT_THERE, "judge": "guard"})
        elif part["verdict"] == "validated" and not occurrences(news["text"], part["quote"]):
            settled.append({**part, "verdict": "removed"})
        else:
            settled.append(part)
    return {**news, "exchange": in_exchange(state, redundancies=settled)}


async def remove_redundancies(state: LoopState) -> LoopState:
    """Take out what the expert validated and nothing else, by code (the extension `edit_by_code`).

    A part that an earlier removal has made impossible, because they overlap, is kept.
    """
    text, changes, redundancies = state["text"], list(state["changes"]), list[Redundancy]()
    for part in state["exchange"]["redundancies"]:
        if part["verdict"] != "validated":
            redundancies.append(part)
        elif problem := objection_to_removal(part["quote"], text, state):
            redundancies.append({**part, "verdict": "kept", "justification": problem, "judge": "guard"})
        else:
            redundancies.append({**part, "verdict": "removed"})
            text = remove(text, part["quote"])
            changes.append(change_of(state, "removal", part["quote"], "", part["reason"]))
    return {"text": text, "changes": changes, "exchange": in_exchange(state, redundancies=redundancies)}


@loop_node
async def correct_text(state: LoopState) -> LoopState:
    """Write the text anew as the medical expert's comments ask.

    The simplifier remembers this entry, too, so that it does not undo what was clarified or accepted in it.
    """
    comments = state["to_correct"]
    before = [comment for comment in state["exchange"]["comments"] if comment not in comments]
    memory = memory_of("simplifier", state, in_exchange(state, comments=before))
    variables: dict[str, object] = {"comments": numbered(comments), "memory": memory}
    return await write_anew("correct_text", state, variables, comments, "correction")


def _judged(item: WordingSuggestion, verdict: WordingVerdict | None, state: LoopState) -> WordingSuggestion:
    if verdict and verdict.accept:
        return {**item, "verdict": "accepted", "reason": verdict.reason, "judge": "simplifier"}
    reason = verdict.reason if verdict else "The simplifier gave no verdict."
    return {**item, "verdict": rejection(state["loop_round"], state), "reason": reason, "judge": "simplifier"}
