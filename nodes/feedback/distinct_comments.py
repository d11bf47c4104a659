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

from nodes.feedback.agent import ask_as, options, shown
from nodes.feedback.initialise import begin_paragraph
from nodes.shared import AgentAnswer
from state.errors import RetrievalUnavailable, Unanswered
from state.feedback import Comment, FeedbackState
from state.model_settings import AtMost
from state.records import CallRecord
from tools.models import Answer

NEAR = 0.5
"""Cosine from which two comments may say the same, as all-MiniLM-L6-v2 sees them (docs/results/extensions.md)."""
NONE = "none"


class Repetition(AgentAnswer):
    """Which earlier comment says the same as a new one."""

    explanation: Annotated[str, AtMost("note_words")]


async def distinct(
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
        near = await asyncio.to_thread(_near, ranked, state)
    except RetrievalUnavailable as error:
        note = f"Whether an earlier comment says the same was not asked: {error}"
        return [*ranked[:1], *(_with_note(comment, note) for comment in ranked[1:])], calls
    for comment in ranked:
        if len(kept) == most:
            break
        others = [other for other in kept if other["id"] in near[comment["id"]]]
        if not others:
            kept.append(comment)
            continue
        try:
            answer = await _compare(comment, others, state)
        except Unanswered as error:
            kept.append(_with_note(comment, "Whether an earlier comment says the same could not be asked."))
            calls += error.spent
        else:
            kept += [comment] if answer.value.model_dump()["same_as"] == NONE else []
            calls += answer.calls
    return kept, calls


def _near(ranked: Sequence[Comment], state: FeedbackState) -> dict[str, set[str]]:
    """For each comment the ids of those that it might repeat.

    Raises:
        RetrievalUnavailable: If the embedding model cannot be used.
    """
    from tools.retrieval import Embedding, cosines  # noqa: PLC0415 - loads Chroma

    ids, said = [comment["id"] for comment in ranked], tuple(_said(comment) for comment in ranked)
    of_each: Any = cosines(said, said, Embedding(**options(state).embedding.model_dump())) if said else []
    return {
        own: {other for other, cosine in zip(ids, row, strict=True) if cosine >= NEAR}
        for own, row in zip(ids, of_each, strict=True)
    }


async def _compare(comment: Comment, others: Sequence[Comment], state: FeedbackState) -> Answer[Repetition]:
    [target] = [target for target in state["targets"] if target["id"] == comment["paragraph"]]
    variables: dict[str, object] = {
        "said": shown(_said(comment), state),
        "others": "\n\n".join(f"[{other['id']}] {shown(_said(other), state)}" for other in others),
    }
    choices: Any = Literal[(*(other["id"] for other in others), NONE)]
    schema = create_model("Repetition", __base__=Repetition, same_as=choices)
    paragraph = begin_paragraph(target, state)
    return await ask_as("verifier", "compare_comments", paragraph, variables, schema, trim="others")


def _with_note(comment: Comment, note: str) -> Comment:
    verification = comment["verification"]
    return {**comment, "verification": {**verification, "notes": [*verification["notes"], note]}}


def _said(comment: Comment) -> str:
    """A comment as an author reads it, with the words that it is about."""
    about = f"“{comment['quote']}” " if comment["quote"] else ""
    return f"{about}{comment['review']} {comment['suggestion']}".strip()
