"""Focused feedback and its two baselines, three graphs with one kind of state, as runs and the command know them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from draftroom.systems import LazyImport, System
from runs.runnable import RunnableGraph, Subgraph
from state.records import Values

if TYPE_CHECKING:  # takes time to import
    from state.feedback import Comment, ParagraphReview


_ACCUMULATED_KEYS = ("reviews", "calls")
"""What the review of a paragraph adds to, as the run does."""
_FINDING_KEYS = {"id", "paragraph", "kind", "severity", "quote"}


def merge_paragraph_values(values: Values, subgraphs: Sequence[Subgraph]) -> dict[str, Any]:
    """The state with what the paragraphs under way have come to."""
    parts = [values, *(part for subgraph in subgraphs for part in (subgraph.values, *subgraph.written))]
    return {**values, **{key: [item for part in parts for item in part.get(key, [])] for key in _ACCUMULATED_KEYS}}


def is_review_finished(values: Values) -> bool:
    """Whether the comments were ranked."""
    return bool(values.get("finished"))


def list_comments(values: Values) -> list[Comment]:
    """The comment on each paragraph that has one."""
    reviews: list[ParagraphReview] = values.get("reviews", [])
    return [review["comment"] for review in reviews if review["comment"] and review["outcome"] == "comment"]


def list_ranked_comments(values: Values) -> list[Comment]:
    """The comments of the run, best supported first; of a run that has not ranked them yet, those that there are."""
    return values.get("comments") or list_comments(values)


def list_notices(values: Values) -> list[str]:
    """What could not be read of the paper or done for paragraphs, each once, without a full stop."""
    document = values.get("document")
    paragraphs: dict[str, list[str]] = {}
    for review in values.get("reviews", []):
        for note in review["notes"]:
            paragraphs.setdefault(note, []).append(review["paragraph"])
    notes = [f"{', '.join(dict.fromkeys(ids))}: {note}" for note, ids in paragraphs.items()]
    return [notice.removesuffix(".") for notice in (*(document["warnings"] if document else []), *notes)]


def build_review_results(values: Values) -> dict[str, Any]:
    """How many paragraphs, the comments, what was computed, what came of each paragraph, and notes for a reader."""
    return {
        "paragraphs": len(values.get("targets", [])),
        "comments": [  # their evidence is in the checkpoints
            {key: comment[key] for key in ("id", "paragraph", "label", "quote")}
            | {"verdict": comment["verification"]["verdict"]}
            for comment in list_ranked_comments(values)
        ],
        "reviews": [_summarize_paragraph_review(review) for review in values.get("reviews", [])],
        "findings": len(values.get("findings", [])),
        "computed": [
            {key: value for key, value in found.items() if key in _FINDING_KEYS}
            for found in values.get("computed", [])
            if found["shown"]
        ],
        "notes": list_notices(values),
    }


def _summarize_paragraph_review(review: ParagraphReview) -> dict[str, Any]:
    """Its outcome, the score of every plan in the order in which they were ranked, and its questions to a model."""
    questions = [record for record in review["log"] if record["step"]["action"] in ("ask_paper", "ask_literature")]
    return {
        "paragraph": review["paragraph"],
        "outcome": review["outcome"],
        "problem": review["problem"],
        "plans": [{"number": plan["number"], "score": plan["score"]} for plan in review["plans"]],
        "asked": sum(record["outcome"] != "skipped" for record in questions),
        "answered": sum(record["outcome"] == "answered" for record in questions),
        "rewrites": review["rewrites"],
    }


def _build_runnable_graph(address: str) -> RunnableGraph:
    return RunnableGraph(address, is_review_finished, build_review_results, with_subgraphs=merge_paragraph_values)


FOCUSED_FEEDBACK_GRAPH = _build_runnable_graph("graphs.focused_feedback:builder")
SINGLE_MODEL_GRAPH = _build_runnable_graph("graphs.baselines:single_model_builder")
CHAIN_OF_VERIFICATION_GRAPH = _build_runnable_graph("graphs.baselines:chain_of_verification_builder")


def format_review_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Paragraphs so far of all, and how many comments."""
    if not results.get("paragraphs"):
        return "", ""
    comments = len(results["comments"])
    return f"{len(results['reviews'])}/{results['paragraphs']}", f"{comments} comment{'' if comments == 1 else 's'}"


def collect_review_scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """How many paragraphs were reviewed, comments on them, and findings that were computed."""
    return {
        "paragraphs": results["paragraphs"],
        "comments": len(results["comments"]),
        "computed": len(results["computed"]),
    }


FOCUSED_FEEDBACK = System(
    name="focused_feedback",
    table="feedback",
    progress=format_review_progress,
    graph=FOCUSED_FEEDBACK_GRAPH,
    asked=("execution", "plans", "max_questions", "extensions", "pause", "max_comments"),
    begin_address="draftroom.commands.review:prepare_review",
    rendering_address="draftroom.rendering.feedback:RENDERING",
    commands={
        "review": LazyImport(
            "draftroom.commands.review:review",
            "Comment on the weaknesses of a draft, with evidence from the paper and from other studies.",
        )
    },
    wanted_address="draftroom.commands.review:build_review_request",
    scores=collect_review_scores,
    evaluation=LazyImport(
        "evals.tasks.focused_feedback:FOCUSED_FEEDBACK",
        "Comments on paragraphs beside those of reviewers: Tables 5 and 6 of SWIF2T.",
    ),
)
_BASELINE = replace(
    FOCUSED_FEEDBACK,
    asked=(),
    commands={},
    evaluation=None,
    rendering_address="draftroom.rendering.feedback:BASELINE_RENDERING",
)
SINGLE_MODEL = replace(_BASELINE, name="single_model", graph=SINGLE_MODEL_GRAPH)
CHAIN_OF_VERIFICATION = replace(_BASELINE, name="chain_of_verification", graph=CHAIN_OF_VERIFICATION_GRAPH)
SYSTEMS = (FOCUSED_FEEDBACK, SINGLE_MODEL, CHAIN_OF_VERIFICATION)
