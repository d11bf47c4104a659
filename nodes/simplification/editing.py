"""The simplifier, editing: it judges wordings, and what was accepted, validated or commented on enters the text (SoMS).

The paper's simplifier writes the whole text anew with it. With the extension `apply_edits` code first puts in what
stands in the text word for word, so that nothing else changes, and the simplifier is asked for the rest only.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import ask_as, has_extension, in_exchange, loop_node, memory_of, texts_of
from nodes.simplification.language_clarifier import of_round, rejection
from nodes.simplification.simplifier import write_anew
from state.model_settings import AtMost
from state.simplification import LoopState, Redundancy, TextChange, WordingSuggestion
from tools.models.prompts import numbered
from tools.text import occurrences, remove, substitute, verbatim

NOT_THERE = "The text does not contain these words."


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
    return {"exchange": in_exchange(state, suggestions=suggestions), "loop_calls": answer.calls}


async def apply_wordings(state: LoopState) -> LoopState:
    """Put the accepted wordings that stand in the text word for word into it by code (the extension `apply_edits`).

    A wording that an earlier one has made impossible is dropped; with `sentence_by_sentence`, so is one for words that
    the text does not have.
    """
    text, changes, suggestions = state["text"], list(state["changes"]), list[WordingSuggestion]()
    for item in state["exchange"]["suggestions"]:
        original = item["original"]
        if item["verdict"] == "accepted" and verbatim(text, original):
            text = substitute(text, original, item["replacement"])
            changes.append(_change_of(state, "substitution", original, item["replacement"], item["reason"]))
            suggestions.append(item)
        elif item["verdict"] == "accepted" and _is_given_up(original, text, state):
            suggestions.append({**item, "verdict": "dropped", "reason": NOT_THERE, "judge": "guard"})
        else:
            suggestions.append(item)
    news = in_exchange(state, suggestions=suggestions)
    return {"text": text, "changes": changes, "exchange": news, "loop_round": 0}  # as in `enter_wordings`


def wordings_to_enter(state: LoopState) -> list[WordingSuggestion]:
    """The accepted wordings of all rounds that code has not put in."""
    applied = {change["before"] for change in state["changes"]}
    suggestions = state["exchange"]["suggestions"]
    return [item for item in suggestions if item["verdict"] == "accepted" and item["original"] not in applied]


@loop_node
async def enter_wordings(state: LoopState) -> LoopState:
    """Write the text anew with the accepted wordings in it."""
    accepted = wordings_to_enter(state)
    wordings = [f'"{item["original"]}" -> "{item["replacement"]}"' for item in accepted]
    reasons = [f"{wording}: {item['reason']}" for wording, item in zip(wordings, accepted, strict=True)]
    news = await write_anew("enter_wordings", state, {"wordings": numbered(wordings)}, reasons, "substitution")
    return {**news, "loop_round": 0}  # there are as many rounds to review the text as there were to agree on wordings


async def remove_redundancies(state: LoopState) -> LoopState:
    """Take out what the expert validated and the text has once, by code (the extension `apply_edits`).

    A part that an earlier removal has made impossible is kept; with `sentence_by_sentence`, so is one that the text
    does not have once.
    """
    text, changes, redundancies = state["text"], list(state["changes"]), list[Redundancy]()
    for part in state["exchange"]["redundancies"]:
        quote = part["quote"]
        if part["verdict"] == "validated" and len(verbatim(text, quote)) == 1:
            text = remove(text, quote)
            changes.append(_change_of(state, "removal", quote, "", part["reason"]))
            redundancies.append({**part, "verdict": "removed"})
        elif part["verdict"] == "validated" and _is_given_up(quote, text, state):
            redundancies.append({**part, "verdict": "kept", "justification": NOT_THERE, "judge": "guard"})
        else:
            redundancies.append(part)
    return {"text": text, "changes": changes, "exchange": in_exchange(state, redundancies=redundancies)}


def _is_given_up(piece: str, text: str, state: LoopState) -> bool:
    """Whether nobody edits what code could not: an earlier edit has changed it, or texts are not written as a whole."""
    is_overlapped = not verbatim(text, piece) and bool(verbatim(state["text"], piece))
    return is_overlapped or has_extension("sentence_by_sentence", state)


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


def _change_of(
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


def _judged(item: WordingSuggestion, verdict: WordingVerdict | None, state: LoopState) -> WordingSuggestion:
    if verdict and verdict.accept:
        return {**item, "verdict": "accepted", "reason": verdict.reason, "judge": "simplifier"}
    reason = verdict.reason if verdict else "The simplifier gave no verdict."
    return {**item, "verdict": rejection(state["loop_round"], state), "reason": reason, "judge": "simplifier"}
