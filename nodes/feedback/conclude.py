"""The last node of a paragraph, all that was done for it as one record; and that of the paper, its comments ranked."""

from __future__ import annotations

from typing import Any, cast

from nodes.feedback.agent import format_extension_flag, get_feedback_settings
from nodes.feedback.distinct_comments import deduplicate_comments
from state.errors import NoUsableResultError
from state.feedback import Comment, EarlierComment, FeedbackState, ParagraphReview, ParagraphState
from tools.injection import list_suppression_warnings


async def conclude(state: ParagraphState) -> ParagraphState:
    """Hand the review of the paragraph back to the run."""
    notes = state["notes"]
    if state["comment"] is None and state["outcome"] != "failed" and format_extension_flag("instructions", state):
        # The paragraph may have asked that nothing be said about it.
        notes = [*notes, *list_suppression_warnings(state["target"]["id"], state["findings"])]
    whole: dict[str, Any] = {**state, "outcome": state["outcome"] or "nothing worth raising", "notes": notes}
    review = {key: whole[key] for key in ParagraphReview.__annotations__}
    return {"reviews": [cast("ParagraphReview", review)]}


async def rank_comments(state: FeedbackState) -> FeedbackState:
    """Rank the comments; with the extension `distinct_comments`, without those that say what an earlier one says.

    Raises:
        NothingUsable: If no paragraph could be reviewed, and nothing was computed.
    """
    reviews, computed = state["reviews"], state["computed"]
    shown = any(item["shown"] for item in computed)
    if not shown and reviews and all(review["outcome"] == "failed" for review in reviews):
        raise NoUsableResultError("No paragraph could be reviewed", problem=reviews[-1]["problem"])
    ranked = sorted(list_raised_comments(reviews), key=score_comment_support, reverse=True)
    chosen = get_feedback_settings(state)
    said_once = "distinct_comments" in chosen.extensions
    comments, calls = await deduplicate_comments(ranked, state, chosen.max_comments) if said_once else (ranked, [])
    wordings = {key: words for review in reviews for key, words in review["wordings"].items()}
    return {
        "comments": comments[: chosen.max_comments],
        "computed": [{**item, "wording": wordings.get(item["id"], "")} for item in computed],
        "earlier": [update_earlier_comment(item, reviews) for item in state["earlier"]],
        "calls": calls,
        "finished": True,
    }


def update_earlier_comment(earlier: EarlierComment, reviews: list[ParagraphReview]) -> EarlierComment:
    """A comment on the version before, with what became of it in this one."""
    if not earlier["paragraph"]:
        return {**earlier, "status": "gone"}
    if earlier["before"].split() == earlier["now"].split():
        return {**earlier, "status": "open"}
    again = [comment for comment in list_raised_comments(reviews) if comment["paragraph"] == earlier["paragraph"]]
    is_open = any(comment["label"] == earlier["comment"]["label"] for comment in again)
    return {**earlier, "status": "open" if is_open else "addressed"}


def list_raised_comments(reviews: list[ParagraphReview]) -> list[Comment]:
    """The comments, in the order of the paper."""
    in_order = sorted(reviews, key=lambda review: (len(review["paragraph"]), review["paragraph"]))
    return [review["comment"] for review in in_order if review["comment"] and review["outcome"] == "comment"]


def score_comment_support(comment: Comment) -> tuple[bool, int, int]:
    """What a comment rests on: unsoftened first, then evidence from the literature and the paper, then its notes."""
    found = [item for item in comment["evidence"] if item["source"] != "model"]
    kept = comment["verification"]["verdict"] == "kept"
    return kept, len(found), -len(comment["verification"]["notes"])
