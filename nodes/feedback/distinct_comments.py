"""Remove repetitions among the comments on a paper (the extension `distinct_comments`).

Nearness in meaning selects comments that may repeat each other, and the verifier, who reads them together, decides. An
embedding alone cannot tell the same point from a similar point about another number or figure
(docs/results/extensions.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import create_model

from nodes.feedback.agent import ask_feedback_role, format_prompt_text, get_feedback_settings
from nodes.feedback.initialise import build_paragraph_state
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer, RetrievalUnavailableError
from state.feedback import Comment, FeedbackState
from state.model_settings import LengthLimit
from state.records import CallRecord
from tools.models.ask import Answer

# Cosine by all-MiniLM-L6-v2 from which two comments may repeat each other (docs/results/extensions.md).
MIN_SIMILARITY = 0.5
NO_REPETITION = "none"


class Repetition(AgentAnswer):
    """Verifier's answer on whether a comment repeats another; the schema that is asked for adds `same_as`."""

    explanation: Annotated[str, LengthLimit("note_words")]


async def deduplicate_comments(
    ranked: Sequence[Comment], state: FeedbackState, most: int | None
) -> tuple[list[Comment], list[CallRecord]]:
    """Return a pair: the comments without repetitions of better ranked ones, and the calls of the comparisons.

    Once `most` comments are kept, the others are left out without a comparison; None compares all. Without embeddings
    all comments stay, with a note.
    """
    kept, calls = list[Comment](), list[CallRecord]()
    try:
        near = await asyncio.to_thread(_find_similar_comments, ranked, state)
    except RetrievalUnavailableError as error:
        note = f"Whether an earlier comment says the same was not asked: {error}"
        return [*ranked[:1], *(_add_verification_note(comment, note) for comment in ranked[1:])], calls
    for comment in ranked:
        if len(kept) == most:
            break
        others = [other for other in kept if other["id"] in near[comment["id"]]]
        if not others:
            kept.append(comment)
            continue
        try:
            answer = await _ask_for_repetition(comment, others, state)
        except NoUsableAnswer as error:
            # A repeated comment costs an author less than a lost comment.
            kept.append(_add_verification_note(comment, "Whether an earlier comment says the same could not be asked."))
            calls += error.spent
        else:
            kept += [comment] if answer.value.model_dump()["same_as"] == NO_REPETITION else []
            calls += answer.calls
    return kept, calls


def _find_similar_comments(ranked: Sequence[Comment], state: FeedbackState) -> dict[str, set[str]]:
    """Return by comment id the ids of the comments that are near in meaning, its own among them."""
    from tools.retrieval.embedders import compute_cosines  # noqa: PLC0415 - its packages are those of an extra

    if not ranked:
        return {}
    ids, texts = [comment["id"] for comment in ranked], tuple(map(_format_comment, ranked))
    model = get_feedback_settings(state).embedding
    similar: dict[str, set[str]] = {}
    for own, row in zip(ids, compute_cosines(texts, texts, model), strict=True):
        similar[own] = {other for other, cosine in zip(ids, row, strict=True) if cosine >= MIN_SIMILARITY}
    return similar


async def _ask_for_repetition(comment: Comment, others: Sequence[Comment], state: FeedbackState) -> Answer[Repetition]:
    """Ask the verifier which of the others says the same as a comment; `same_as` in the answer is its id or "none"."""
    [target] = [target for target in state["targets"] if target["id"] == comment["paragraph"]]
    earlier = [f"[{other['id']}] {format_prompt_text(_format_comment(other), state)}" for other in others]
    variables: dict[str, object] = {
        "said": format_prompt_text(_format_comment(comment), state),
        "others": "\n\n".join(earlier),
    }
    choices: Any = Literal[(*(other["id"] for other in others), NO_REPETITION)]
    schema = create_model("Repetition", __base__=Repetition, same_as=choices)
    paragraph = build_paragraph_state(target, state)
    return await ask_feedback_role("verifier", "compare_comments", paragraph, variables, schema, trim="others")


def _add_verification_note(comment: Comment, note: str) -> Comment:
    """Return a copy of a comment with one more note."""
    verification = comment["verification"]
    return {**comment, "verification": {**verification, "notes": [*verification["notes"], note]}}


def _format_comment(comment: Comment) -> str:
    """Format a comment, after the words that it is about unless its review quotes them."""
    about = "" if comment["quote"] in comment["review"] else f"“{comment['quote']}” "
    return f"{about}{comment['review']} {comment['suggestion']}".strip()
