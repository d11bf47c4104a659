"""The weakness detector, an extension: it may find nothing worth raising (SWIF2T names this as future work)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from nodes.feedback.agent import ask_feedback_role, format_evidence, format_prompt_text
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer
from state.feedback import ParagraphState, Weakness, WeaknessCandidate
from state.model_settings import LengthLimit
from tools.checks.quotes import find_closest_quote


class NoticedWeakness(AgentAnswer):
    """A weakness: first the words, then what is wrong with them."""

    quote: Annotated[str, LengthLimit("quote_words")]
    problem: Annotated[str, LengthLimit("note_words")]
    label: Weakness


class Weaknesses(AgentAnswer):
    """The weaknesses of a paragraph; none is an answer.

    The assessment comes first, or the form decides: where a server decodes JSON without spaces, Qwen2.5-Coder-1.5B
    gave an empty list for 5 of 18 paragraphs that a person had criticised; with spaces, for none.
    """

    assessment: Annotated[str, LengthLimit("review_words")]
    weaknesses: Annotated[list[NoticedWeakness], LengthLimit("weaknesses")]


def format_weaknesses(weaknesses: Sequence[WeaknessCandidate]) -> str:
    """Format possible weaknesses, those of the screener with what would settle them."""
    # With the type inside the sentence, small models copy it into their comment.
    return "\n".join(
        f'- words: "{item["quote"]}"\n  problem: {item["problem"]}\n  label: {item["label"]}'
        + (f"\n  settled by: {item['settled_by']}" if "settled_by" in item else "")
        for item in weaknesses
    )


async def detect_weaknesses(state: ParagraphState) -> ParagraphState:
    """List weaknesses of the paragraph for the reviewer; if the model sees none, the paragraph gets no comment."""
    variables: dict[str, object] = {
        "evidence": format_evidence(state),
        "paragraph": format_prompt_text(state["target"]["text"], state),
    }
    try:
        answer = await ask_feedback_role("weakness_detector", "detect_weaknesses", state, variables, Weaknesses)
    except NoUsableAnswer as error:
        note = f"The weakness detector gave no usable answer ({error.problem}), so the reviewer decided alone."
        return {"notes": [note], "calls": error.spent}
    # A weakness counts only if its quote is in the paragraph.
    text = state["target"]["text"]
    places = [(item, find_closest_quote(item.quote, text)) for item in answer.value.weaknesses]
    candidates = [
        WeaknessCandidate(quote=place.slice_text(text), label=item.label, problem=item.problem.strip())
        for item, place in places
        if place
    ]
    news: ParagraphState = {"candidates": candidates, "calls": answer.calls}
    if not places:
        return {**news, "outcome": "nothing worth raising", "problem": "The weakness detector found nothing."}
    if not candidates:  # the model did notice something, so the reviewer looks for it
        note = "The weaknesses that were noticed quote nothing of the paragraph; the reviewer decided alone."
        return {**news, "notes": [note]}
    return news
