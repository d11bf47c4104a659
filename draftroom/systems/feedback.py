"""Focused feedback and its two baselines as the command knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems.system import Lazy, System
from runs.runnable import feedback


def progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Paragraphs so far of all, and how many comments."""
    if not results.get("paragraphs"):
        return "", ""
    comments = len(results["comments"])
    return f"{len(results['reviews'])}/{results['paragraphs']}", f"{comments} comment{'' if comments == 1 else 's'}"


def scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """How many paragraphs were reviewed, comments on them, and findings that were computed."""
    return {
        "paragraphs": results["paragraphs"],
        "comments": len(results["comments"]),
        "computed": len(results["computed"]),
    }


FOCUSED_FEEDBACK = System(
    name="focused_feedback",
    table="feedback",
    progress=progress,
    graph=feedback.FOCUSED_FEEDBACK,
    asked=("execution", "plans", "max_questions", "aids", "pause", "max_comments"),
    begin_address="draftroom.beginning:feedback_run",
    rendering_address="draftroom.rendering.feedback:RENDERING",
    commands={
        "review": Lazy(
            "draftroom.commands.review:review",
            "Comment on the weaknesses of a draft, with evidence from the paper and from other studies.",
        )
    },
    wanted_address="draftroom.commands.review:wanted",
    scores=scores,
    evaluation=Lazy(
        "evals.tasks.focused_feedback:FOCUSED_FEEDBACK",
        "Comments on paragraphs beside those of reviewers: Tables 5 and 6 of SWIF2T.",
    ),
)
SINGLE_MODEL = System(
    name="single_model",
    table="feedback",
    progress=progress,
    scores=scores,
    graph=feedback.SINGLE_MODEL,
    begin_address="draftroom.beginning:feedback_run",
    rendering_address="draftroom.rendering.feedback:BASELINE_RENDERING",
)
CHAIN_OF_VERIFICATION = System(
    name="chain_of_verification",
    table="feedback",
    progress=progress,
    scores=scores,
    graph=feedback.CHAIN_OF_VERIFICATION,
    begin_address="draftroom.beginning:feedback_run",
    rendering_address="draftroom.rendering.feedback:BASELINE_RENDERING",
)
SYSTEMS = (FOCUSED_FEEDBACK, SINGLE_MODEL, CHAIN_OF_VERIFICATION)
