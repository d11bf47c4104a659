"""What several comments on one paper say is said once (an extension).

Which ones might is told by their nearness in meaning, and whether they do by the verifier, who reads them together: a
model of nearness does not tell the same point from a like point about another number or figure
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
from tools.models import Answer

MIN_SIMILARITY = 0.5
"""Cosine from which two comments may say the same, as all-MiniLM-L6-v2 sees them (docs/results/extensions.md)."""
NO_REPETITION = "none"


class Repetition(AgentAnswer):
    """Which earlier comment says the same as a new one."""

    explanation: Annotated[str, LengthLimit("note_words")]


async def deduplicate_comments(
    ranked: Sequence[Comment], state: FeedbackState, most: int | None
) -> tuple[list[Comment], list[CallRecord]]:
    """Leave out each comment that says what one ranked before it has said, and tell what the comparisons cost.

    One whose comparison fails is kept, with a note: a repeated comment costs an author less than a lost one.

    Args:
        ranked: The comments, the best first.
        state: Of the run.
        most: How many are wanted, the rest is not compared; None: all.
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
            kept.append(_add_verification_note(comment, "Whether an earlier comment says the same could not be asked."))
            calls += error.spent
        else:
            kept += [comment] if answer.value.model_dump()["same_as"] == NO_REPETITION else []
            calls += answer.calls
    return kept, calls


def _find_similar_comments(ranked: Sequence[Comment], state: FeedbackState) -> dict[str, set[str]]:
    """For each comment the ids of those that it might repeat.

    Raises:
        RetrievalUnavailable: If the embedding model cannot be used.
    """
    from tools.retrieval import EmbeddingModel, compute_cosines  # noqa: PLC0415 - loads Chroma

    ids, said = [comment["id"] for comment in ranked], tuple(_format_comment(comment) for comment in ranked)
    of_each: Any = (
        compute_cosines(said, said, EmbeddingModel(**get_feedback_settings(state).embedding.model_dump()))
        if said
        else []
    )
    return {
        own: {other for other, cosine in zip(ids, row, strict=True) if cosine >= MIN_SIMILARITY}
        for own, row in zip(ids, of_each, strict=True)
    }


async def _ask_for_repetition(comment: Comment, others: Sequence[Comment], state: FeedbackState) -> Answer[Repetition]:
    [target] = [target for target in state["targets"] if target["id"] == comment["paragraph"]]
    variables: dict[str, object] = {
        "said": format_prompt_text(_format_comment(comment), state),
        "others": "\n\n".join(
            f"[{other['id']}] {format_prompt_text(_format_comment(other), state)}" for other in others
        ),
    }
    choices: Any = Literal[(*(other["id"] for other in others), NO_REPETITION)]
    schema = create_model("Repetition", __base__=Repetition, same_as=choices)
    paragraph = build_paragraph_state(target, state)
    return await ask_feedback_role("verifier", "compare_comments", paragraph, variables, schema, trim="others")


def _add_verification_note(comment: Comment, note: str) -> Comment:
    verification = comment["verification"]
    return {**comment, "verification": {**verification, "notes": [*verification["notes"], note]}}


def _format_comment(comment: Comment) -> str:
    """A comment as an author reads it, with the words that it is about."""
    about = f"“{comment['quote']}” " if comment["quote"] else ""
    return f"{about}{comment['review']} {comment['suggestion']}".strip()
