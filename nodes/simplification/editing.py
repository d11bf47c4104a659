"""The simplifier, editing: it judges wordings, and what was accepted, validated or commented on enters the text (SoMS).

The paper's simplifier writes the whole text anew with it. With the extension `apply_edits` code first puts in what
stands in the text word for word, so that nothing else changes, and the simplifier is asked for the rest only.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import (
    as_loop_node,
    ask_simplification_role,
    build_text_variables,
    format_memory,
    has_extension,
    update_exchange,
)
from nodes.simplification.language_clarifier import choose_rejection_verdict, list_round_suggestions
from nodes.simplification.simplifier import rewrite_entire_text
from state.model_settings import LengthLimit
from state.simplification import LoopState, Redundancy, TextChange, WordingSuggestion
from tools.models.prompts import format_numbered_list
from tools.text import find_occurrences, find_verbatim_matches, remove_verbatim, replace_verbatim

MISSING_WORDS_REASON = "The text does not contain these words."


class WordingVerdict(AgentAnswer):
    """Whether a suggestion is accepted: first why, then the verdict, for decoding follows this order."""

    number: int = Field(ge=1)
    reason: Annotated[str, LengthLimit("note_words")]
    accept: bool


class WordingVerdicts(AgentAnswer):
    """The simplifier's verdict on each suggestion."""

    verdicts: Annotated[list[WordingVerdict], LengthLimit("wordings")] = Field(min_length=1)


@as_loop_node
async def judge_wordings(state: LoopState) -> LoopState:
    """Accept or reject each suggestion of this round; one without a verdict is rejected."""
    open_ones = [item for item in list_round_suggestions(state) if item["verdict"] == "open"]
    variables: dict[str, object] = {
        **build_text_variables(state),
        "suggestions": format_numbered_list(f'"{item["original"]}" -> "{item["replacement"]}"' for item in open_ones),
        "memory": format_memory("simplifier", state, state["exchange"]),
    }
    answer = await ask_simplification_role("simplifier", "judge_wordings", state, variables, WordingVerdicts)
    verdicts = {verdict.number: verdict for verdict in answer.value.verdicts}
    judged = iter(
        [_apply_wording_verdict(item, verdicts.get(number), state) for number, item in enumerate(open_ones, start=1)]
    )
    suggestions = [next(judged) if item["verdict"] == "open" else item for item in state["exchange"]["suggestions"]]
    return {"exchange": update_exchange(state, suggestions=suggestions), "loop_calls": answer.calls}


async def apply_wordings(state: LoopState) -> LoopState:
    """Put the accepted wordings that stand in the text word for word into it by code (the extension `apply_edits`).

    A wording that an earlier one has made impossible is dropped; with `sentence_by_sentence`, so is one for words that
    the text does not have.
    """
    text, changes, suggestions = state["text"], list(state["changes"]), list[WordingSuggestion]()
    for item in state["exchange"]["suggestions"]:
        original = item["original"]
        if item["verdict"] == "accepted" and find_verbatim_matches(text, original):
            text = replace_verbatim(text, original, item["replacement"])
            changes.append(_make_text_change(state, "substitution", original, item["replacement"], item["reason"]))
            suggestions.append(item)
        elif item["verdict"] == "accepted" and _is_abandoned_edit(original, text, state):
            suggestions.append({**item, "verdict": "dropped", "reason": MISSING_WORDS_REASON, "judge": "guard"})
        else:
            suggestions.append(item)
    news = update_exchange(state, suggestions=suggestions)
    return {"text": text, "changes": changes, "exchange": news, "loop_round": 0}  # as in `enter_wordings`


def list_pending_wordings(state: LoopState) -> list[WordingSuggestion]:
    """The accepted wordings of all rounds that code has not put in."""
    applied = {change["before"] for change in state["changes"]}
    suggestions = state["exchange"]["suggestions"]
    return [item for item in suggestions if item["verdict"] == "accepted" and item["original"] not in applied]


@as_loop_node
async def enter_wordings(state: LoopState) -> LoopState:
    """Write the text anew with the accepted wordings in it."""
    accepted = list_pending_wordings(state)
    wordings = [f'"{item["original"]}" -> "{item["replacement"]}"' for item in accepted]
    reasons = [f"{wording}: {item['reason']}" for wording, item in zip(wordings, accepted, strict=True)]
    news = await rewrite_entire_text(
        "enter_wordings", state, {"wordings": format_numbered_list(wordings)}, reasons, "substitution"
    )
    return {**news, "loop_round": 0}  # there are as many rounds to review the text as there were to agree on wordings


async def remove_redundancies(state: LoopState) -> LoopState:
    """Take out what the expert validated and the text has once, by code (the extension `apply_edits`).

    A part that an earlier removal has made impossible is kept; with `sentence_by_sentence`, so is one that the text
    does not have once.
    """
    text, changes, redundancies = state["text"], list(state["changes"]), list[Redundancy]()
    for part in state["exchange"]["redundancies"]:
        quote = part["quote"]
        if part["verdict"] == "validated" and len(find_verbatim_matches(text, quote)) == 1:
            text = remove_verbatim(text, quote)
            changes.append(_make_text_change(state, "removal", quote, "", part["reason"]))
            redundancies.append({**part, "verdict": "removed"})
        elif part["verdict"] == "validated" and _is_abandoned_edit(quote, text, state):
            redundancies.append({**part, "verdict": "kept", "justification": MISSING_WORDS_REASON, "judge": "guard"})
        else:
            redundancies.append(part)
    return {"text": text, "changes": changes, "exchange": update_exchange(state, redundancies=redundancies)}


def _is_abandoned_edit(piece: str, text: str, state: LoopState) -> bool:
    """Whether nobody edits what code could not: an earlier edit has changed it, or texts are not written as a whole."""
    is_overlapped = not find_verbatim_matches(text, piece) and bool(find_verbatim_matches(state["text"], piece))
    return is_overlapped or has_extension("sentence_by_sentence", state)


@as_loop_node
async def leave_out_redundancies(state: LoopState) -> LoopState:
    """Write the text anew without the parts that the expert validated, in grammatical sentences.

    A part that the new text still has stays `validated` on record, and one that the text never had is `kept`.
    """
    parts = state["exchange"]["redundancies"]
    reasons = [f'"{part["quote"]}": {part["reason"]}' for part in parts if part["verdict"] == "validated"]
    news = await rewrite_entire_text(
        "leave_out_redundancies", state, {"parts": format_numbered_list(reasons)}, reasons, "removal"
    )
    settled: list[Redundancy] = []
    for part in parts:
        if part["verdict"] == "validated" and not find_occurrences(state["text"], part["quote"]):
            settled.append({**part, "verdict": "kept", "justification": MISSING_WORDS_REASON, "judge": "guard"})
        elif part["verdict"] == "validated" and not find_occurrences(news["text"], part["quote"]):
            settled.append({**part, "verdict": "removed"})
        else:
            settled.append(part)
    return {**news, "exchange": update_exchange(state, redundancies=settled)}


@as_loop_node
async def correct_text(state: LoopState) -> LoopState:
    """Write the text anew as the medical expert's comments ask.

    The simplifier remembers this entry, too, so that it does not undo what was clarified or accepted in it.
    """
    comments = state["to_correct"]
    before = [comment for comment in state["exchange"]["comments"] if comment not in comments]
    memory = format_memory("simplifier", state, update_exchange(state, comments=before))
    variables: dict[str, object] = {"comments": format_numbered_list(comments), "memory": memory}
    return await rewrite_entire_text("correct_text", state, variables, comments, "correction")


def _make_text_change(
    state: LoopState, kind: Literal["substitution", "removal"], before: str, after: str, because: str
) -> TextChange:
    """One change that the simplifier made in this entry."""
    return TextChange(
        entry=state["entry"],
        loop=state["exchange"]["loop"],
        round=max(1, state["loop_round"]),
        agent="simplifier",
        kind=kind,
        before=before,
        after=after,
        because=because,
    )


def _apply_wording_verdict(
    item: WordingSuggestion, verdict: WordingVerdict | None, state: LoopState
) -> WordingSuggestion:
    if verdict and verdict.accept:
        return {**item, "verdict": "accepted", "reason": verdict.reason, "judge": "simplifier"}
    reason = verdict.reason if verdict else "The simplifier gave no verdict."
    return {
        **item,
        "verdict": choose_rejection_verdict(state["loop_round"], state),
        "reason": reason,
        "judge": "simplifier",
    }
