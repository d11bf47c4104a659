"""Last node: choose the draft that is returned."""

from __future__ import annotations

from typing import Any

from nodes.journalism.agent import options
from state.journalism import Assessment, JournalismState

PAPERS_CHOICE = 3
"""The paper keeps the third revision: readability falls steeply until then and levels off after it."""


async def choose_draft(state: JournalismState) -> dict[str, Any]:
    """Pick by `select`, and say why."""
    last = state["drafts"][-1]["round"]
    match options(state).select:
        case "best":
            number, because = best_round(state["assessments"])
        case "third" if last >= PAPERS_CHOICE:
            number, because = PAPERS_CHOICE, "the third revision, as in the paper"
        case "third":
            number, because = last, "the last draft, because there is no third revision"
        case _:
            number, because = last, "the last draft"
    article = next(draft["text"] for draft in reversed(state["drafts"]) if draft["round"] == number)
    return {"article": article, "selected_round": number, "selected_because": because}


def best_round(assessments: list[Assessment]) -> tuple[int, str]:
    """The easiest draft among those that say nothing unsupported, or, if there is none, among those that say least."""
    fewest = min(len(assessment["unsupported"]) for assessment in assessments)
    candidates = [assessment for assessment in assessments if len(assessment["unsupported"]) == fewest]
    best = min(candidates, key=lambda assessment: assessment["mean_grade"])
    detail = "no detail that the paper does not support" if fewest == 0 else f"only {fewest} unsupported details"
    return best["round"], f"the easiest of {len(candidates)} drafts with {detail}"
