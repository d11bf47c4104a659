"""Last node of a paragraph: all that was done for it, as one record."""

from __future__ import annotations

from state.feedback import ParagraphReview, ParagraphState


async def conclude(state: ParagraphState) -> ParagraphState:
    """Hand the review of the paragraph back to the run."""
    target = state["target"]
    review = ParagraphReview(
        paragraph=target["id"],
        section=target["section"],
        page=target["page"],
        outcome=state["outcome"] or "nothing worth raising",
        problem=state["problem"],
        comment=state["comment"],
        plans=state["plans"],
        log=state["log"],
        evidence=state["evidence"],
        rewrites=state["rewrites"],
        candidates=state["candidates"],
        notes=state["notes"],
    )
    return {"reviews": [review]}
