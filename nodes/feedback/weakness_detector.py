"""The weakness detector: "nothing worth raising" is an answer (ours; SWIF2T asks for one in its limitations)."""

from __future__ import annotations

from typing import Annotated

from nodes.feedback.agent import ask_as, evidence_shown, shown
from nodes.shared import AgentAnswer
from state.errors import Unanswered
from state.feedback import Candidate, ParagraphState, Weakness
from state.model_settings import AtMost
from tools.checks.quotes import locate_or_closest


class NoticedWeakness(AgentAnswer):
    """A weakness: first the words, then what is wrong with them."""

    quote: Annotated[str, AtMost("quote_words")]
    problem: Annotated[str, AtMost("note_words")]
    label: Weakness


class Weaknesses(AgentAnswer):
    """The weaknesses of a paragraph; none is an answer.

    The assessment comes first, or the form decides: where a server decodes JSON without spaces, Qwen2.5-Coder-1.5B
    gave an empty list for 5 of 18 paragraphs that a person had criticised; with spaces, for none.
    """

    assessment: Annotated[str, AtMost("review_words")]
    weaknesses: Annotated[list[NoticedWeakness], AtMost("weaknesses")]


async def detect_weaknesses(state: ParagraphState) -> ParagraphState:
    """List weaknesses of the paragraph; those that quote nothing of it are dropped, and without any the run ends."""
    variables: dict[str, object] = {
        "evidence": evidence_shown(state),
        "paragraph": shown(state["target"]["text"], state),
    }
    try:
        answer = await ask_as("weakness_detector", "detect_weaknesses", state, variables, Weaknesses)
    except Unanswered as error:
        note = f"The weakness detector gave no usable answer ({error.problem}), so the reviewer decided alone."
        return {"notes": [note], "calls": error.spent}
    text = state["target"]["text"]
    places = [(item, locate_or_closest(item.quote, text)) for item in answer.value.weaknesses]
    candidates = [
        Candidate(quote=place.of(text), label=item.label, problem=item.problem.strip())
        for item, place in places
        if place
    ]
    news: ParagraphState = {"candidates": candidates, "calls": answer.calls}
    if not places:
        return {**news, "outcome": "nothing worth raising", "problem": "The weakness detector found nothing."}
    if not candidates:
        note = "The weaknesses that were noticed quote nothing of the paragraph; the reviewer decided alone."
        return {**news, "notes": [note]}
    return news
