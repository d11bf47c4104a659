"""Last nodes of focused feedback: `conclude` for each paragraph, and `rank_comments` for the paper."""

from __future__ import annotations

from typing import Any, cast

from nodes.feedback.agent import format_extension_flag, get_feedback_settings
from nodes.feedback.distinct_comments import deduplicate_comments
from state.computed_findings import DEFAULT_SEVERITY, SEVERITIES
from state.errors import NoUsableResultError
from state.feedback import Comment, EarlierComment, FeedbackState, ParagraphReview, ParagraphState
from state.records import CallRecord
from tools.injection import list_suppression_warnings


async def conclude(state: ParagraphState) -> ParagraphState:
    """Add the review of the paragraph to the state of the run."""
    notes = state["notes"]
    if state["comment"] is None and state["outcome"] != "failed" and format_extension_flag("instructions", state):
        # The paragraph may contain an instruction to say nothing about it.
        notes = [*notes, *list_suppression_warnings(state["target"]["id"], state["findings"])]
    whole: dict[str, Any] = {**state, "outcome": state["outcome"] or "nothing worth raising", "notes": notes}
    review = {key: whole[key] for key in ParagraphReview.__annotations__}
    return {"reviews": [cast("ParagraphReview", review)]}


async def rank_comments(state: FeedbackState) -> FeedbackState:
    """Rank the comments of all paragraphs, cut the list to the number that is wanted, and finish the review.

    Raises:
        NoUsableResultError: If no paragraph could be reviewed, and there is no finding to show.
    """
    reviews, computed = state["reviews"], state["computed"]
    shown = any(item["shown"] for item in computed)
    if not shown and reviews and all(review["outcome"] == "failed" for review in reviews):
        raise NoUsableResultError("No paragraph could be reviewed", problem=reviews[-1]["problem"])
    # The gravest first, by the reviewer and then by the screener, then the best supported: kept by the verifier, with
    # evidence, without notes.
    suspected = {item["paragraph"]: SEVERITIES.index(item["severity"]) for item in reversed(state["suspicions"])}
    ranked = sorted(
        list_raised_comments(reviews),
        key=lambda comment: (
            -SEVERITIES.index(comment.get("severity", DEFAULT_SEVERITY)),
            -suspected.get(comment["paragraph"], 0),
            comment["verification"]["verdict"] == "kept",
            sum(item["source"] != "model" for item in comment["evidence"]),
            -len(comment["verification"]["notes"]),
        ),
        reverse=True,
    )
    chosen, calls = get_feedback_settings(state), list[CallRecord]()
    if "distinct_comments" in chosen.extensions or state["parts"]:
        ranked, calls = await deduplicate_comments(ranked, state, chosen.max_comments)
    wordings = {key: words for review in reviews for key, words in review["wordings"].items()}
    return {
        "comments": ranked[: chosen.max_comments],
        "computed": [{**item, "wording": wordings.get(item["id"], "")} for item in computed],
        "earlier": [update_earlier_comment(item, reviews) for item in state["earlier"]],
        "calls": calls,
        "finished": True,
    }


def update_earlier_comment(earlier: EarlierComment, reviews: list[ParagraphReview]) -> EarlierComment:
    """Return a copy of a comment on an earlier version of the paper with its status in this one."""
    if not earlier["paragraph"]:
        return {**earlier, "status": "gone"}
    if earlier["before"].split() == earlier["now"].split():
        return {**earlier, "status": "open"}
    again = [comment for comment in list_raised_comments(reviews) if comment["paragraph"] == earlier["paragraph"]]
    is_open = any(comment["label"] == earlier["comment"]["label"] for comment in again)
    return {**earlier, "status": "open" if is_open else "addressed"}


def list_raised_comments(reviews: list[ParagraphReview]) -> list[Comment]:
    """List the comments of reviews that raise one, in the order of the paper."""
    # By length first, so that p10 comes after p9.
    in_order = sorted(reviews, key=lambda review: (len(review["paragraph"]), review["paragraph"]))
    return [review["comment"] for review in in_order if review["comment"] and review["outcome"] == "comment"]
