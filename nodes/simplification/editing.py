"""The simplifier, editing: it judges wordings, and enters accepted wordings, removals and comments in the text (SoMS).

The paper's simplifier rewrites the whole text for each of them. With the extension `apply_edits` code first makes the
edits whose words stand in the text, so that nothing else changes, and the simplifier makes only the others.
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
    get_simplification_settings,
    has_extension,
    update_exchange,
)
from nodes.simplification.language_clarifier import list_round_suggestions
from nodes.simplification.simplifier import make_text_change, rewrite_entire_text
from state.model_settings import LengthLimit
from state.simplification import LoopState, Redundancy, WordingSuggestion
from tools.text import find_occurrences, find_verbatim_matches, format_numbered_list, remove_verbatim, replace_verbatim

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
    new = list_round_suggestions(state)
    variables: dict[str, object] = {
        **build_text_variables(state),
        "suggestions": format_numbered_list(f'"{item["original"]}" -> "{item["replacement"]}"' for item in new),
        "memory": format_memory("simplifier", state, state["exchange"]),
    }
    answer = await ask_simplification_role("simplifier", "judge_wordings", state, variables, WordingVerdicts)
    verdicts = {verdict.number: verdict for verdict in answer.value.verdicts}
    # A rejected wording goes back to the clarifier, unless this was the last round.
    is_last = state["loop_round"] >= get_simplification_settings(state).revision_rounds
    rejection: Literal["rejected", "dropped"] = "dropped" if is_last else "rejected"
    suggestions = [item for item in state["exchange"]["suggestions"] if item["round"] != state["loop_round"]]
    for number, item in enumerate(new, start=1):
        given = verdicts.get(number)
        # A suggestion without a verdict is rejected.
        reason = given.reason if given else "The simplifier gave no verdict."
        verdict = "accepted" if given and given.accept else rejection
        suggestions.append({**item, "verdict": verdict, "reason": reason, "judge": "simplifier"})
    return {"exchange": update_exchange(state, suggestions=suggestions), "loop_calls": answer.calls}


async def apply_wordings(state: LoopState) -> LoopState:
    """Enter the accepted wordings whose words the text has exactly, by code (the extension `apply_edits`)."""
    text, changes, suggestions = state["text"], list(state["changes"]), list[WordingSuggestion]()
    for item in state["exchange"]["suggestions"]:
        original = item["original"]
        if item["verdict"] == "accepted" and find_verbatim_matches(text, original):
            text = replace_verbatim(text, original, item["replacement"])
            change = make_text_change(state, "substitution")
            changes.append({**change, "before": original, "after": item["replacement"], "because": item["reason"]})
            suggestions.append(item)
        elif item["verdict"] == "accepted" and _is_abandoned_edit(original, text, state):
            suggestions.append({**item, "verdict": "dropped", "reason": MISSING_WORDS_REASON, "judge": "guard"})
        else:
            suggestions.append(item)
    news = update_exchange(state, suggestions=suggestions)
    return {"text": text, "changes": changes, "exchange": news, "loop_round": 0}  # as in `enter_wordings`


def list_pending_wordings(state: LoopState) -> list[WordingSuggestion]:
    """List the accepted wordings of all rounds that are not among the changes of the text yet."""
    applied = {change["before"] for change in state["changes"]}
    suggestions = state["exchange"]["suggestions"]
    return [item for item in suggestions if item["verdict"] == "accepted" and item["original"] not in applied]


@as_loop_node
async def enter_wordings(state: LoopState) -> LoopState:
    """Ask the simplifier for the whole text with the accepted wordings that it does not have yet."""
    accepted = list_pending_wordings(state)
    wordings = [f'"{item["original"]}" -> "{item["replacement"]}"' for item in accepted]
    reasons = [f"{wording}: {item['reason']}" for wording, item in zip(wordings, accepted, strict=True)]
    variables: dict[str, object] = {"wordings": format_numbered_list(wordings)}
    news = await rewrite_entire_text("enter_wordings", state, variables, reasons, "substitution")
    return {**news, "loop_round": 0}  # the rounds of the review are counted anew


async def remove_redundancies(state: LoopState) -> LoopState:
    """Remove the validated parts that the text has exactly once, by code (the extension `apply_edits`)."""
    text, changes, redundancies = state["text"], list(state["changes"]), list[Redundancy]()
    for part in state["exchange"]["redundancies"]:
        quote = part["quote"]
        if part["verdict"] == "validated" and len(find_verbatim_matches(text, quote)) == 1:
            text = remove_verbatim(text, quote)
            changes.append({**make_text_change(state, "removal"), "before": quote, "because": part["reason"]})
            redundancies.append({**part, "verdict": "removed"})
        elif part["verdict"] == "validated" and _is_abandoned_edit(quote, text, state):
            redundancies.append({**part, "verdict": "kept", "justification": MISSING_WORDS_REASON, "judge": "guard"})
        else:
            redundancies.append(part)
    return {"text": text, "changes": changes, "exchange": update_exchange(state, redundancies=redundancies)}


def _is_abandoned_edit(piece: str, text: str, state: LoopState) -> bool:
    """Return whether no agent will make an edit that code could not: its words are gone, or texts are not rewritten."""
    # An earlier edit has changed the words, or the extension rules out that the text is rewritten as a whole.
    is_overlapped = not find_verbatim_matches(text, piece) and bool(find_verbatim_matches(state["text"], piece))
    return is_overlapped or has_extension("sentence_by_sentence", state)


@as_loop_node
async def leave_out_redundancies(state: LoopState) -> LoopState:
    """Ask the simplifier for the whole text without the parts that the expert validated."""
    parts = state["exchange"]["redundancies"]
    reasons = [f'"{part["quote"]}": {part["reason"]}' for part in parts if part["verdict"] == "validated"]
    variables: dict[str, object] = {"parts": format_numbered_list(reasons)}
    news = await rewrite_entire_text("leave_out_redundancies", state, variables, reasons, "removal")
    updated: list[Redundancy] = []
    for part in parts:
        if part["verdict"] == "validated" and not find_occurrences(state["text"], part["quote"]):
            updated.append({**part, "verdict": "kept", "justification": MISSING_WORDS_REASON, "judge": "guard"})
        elif part["verdict"] == "validated" and not find_occurrences(news["text"], part["quote"]):
            updated.append({**part, "verdict": "removed"})
        else:  # a validated part that the new text still has stays `validated`
            updated.append(part)
    return {**news, "exchange": update_exchange(state, redundancies=updated)}


@as_loop_node
async def correct_text(state: LoopState) -> LoopState:
    """Rewrite the text as the medical expert's comments ask."""
    comments = state["to_correct"]
    before = [comment for comment in state["exchange"]["comments"] if comment not in comments]
    # The memory includes this entry, so that the simplifier does not undo its answers and accepted wordings.
    memory = format_memory("simplifier", state, update_exchange(state, comments=before))
    variables: dict[str, object] = {"comments": format_numbered_list(comments), "memory": memory}
    return await rewrite_entire_text("correct_text", state, variables, comments, "correction")
