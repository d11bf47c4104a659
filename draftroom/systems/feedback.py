"""Registry entries of focused feedback and its two baselines, which share their state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from draftroom.systems import LazyImport, PaperReader, RunRequest, System
from runs.record import RunRecord
from runs.runnable import RunnableGraph, Subgraph
from state.records import Values
from state.settings import LiteratureProvider, Settings

if TYPE_CHECKING:  # takes time to import
    from state.feedback import Comment

LITERATURE_SERVICES = sorted(set(get_args(LiteratureProvider)) - {"folder"})
# Lists that both the run and the review of a paragraph append to.
_ACCUMULATED_KEYS = ("reviews", "calls")
# Recorded of a finding; the rest is in the checkpoints.
_FINDING_KEYS = {"id", "paragraph", "kind", "severity", "quote"}


def merge_paragraph_values(values: Values, subgraphs: Sequence[Subgraph]) -> dict[str, Any]:
    """Return a copy of the state with the reviews and calls of unfinished paragraphs added."""
    parts = [values, *(part for subgraph in subgraphs for part in (subgraph.values, *subgraph.written))]
    return {**values, **{key: [item for part in parts for item in part.get(key, [])] for key in _ACCUMULATED_KEYS}}


def list_comments(values: Values) -> list[Comment]:
    """List the comments of reviews that ended with one, in the order of the reviews."""
    reviews = values.get("reviews", [])
    return [review["comment"] for review in reviews if review["comment"] and review["outcome"] == "comment"]


def list_ranked_comments(values: Values) -> list[Comment]:
    """List the comments that the run has ranked, gravest first, or until then all in the reviews' order."""
    return values.get("comments") or list_comments(values)


def list_notices(values: Values) -> list[str]:
    """List the paper's warnings, then each note of its reviews once, after the ids of its paragraphs."""
    document = values.get("document")
    paragraphs: dict[str, list[str]] = {}
    for review in values.get("reviews", []):
        for note in review["notes"]:
            paragraphs.setdefault(note, []).append(review["paragraph"])
    notes = [f"{', '.join(dict.fromkeys(ids))}: {note}" for note, ids in paragraphs.items()]
    return [notice.removesuffix(".") for notice in (*(document["warnings"] if document else []), *notes)]


def build_review_results(values: Values) -> dict[str, Any]:
    """Return what a run record keeps: comments, computed findings, outcomes of paragraphs, and notices."""
    reviews = []
    for review in values.get("reviews", []):
        questions = [record for record in review["log"] if record["step"]["action"] in ("ask_paper", "ask_literature")]
        reviews.append(
            {
                **{key: review[key] for key in ("paragraph", "outcome", "problem", "rewrites")},
                # In the order of their rank.
                "plans": [{"number": plan["number"], "score": plan["score"]} for plan in review["plans"]],
                "asked": sum(record["outcome"] != "skipped" for record in questions),
                "answered": sum(record["outcome"] == "answered" for record in questions),
            }
        )
    return {
        "paragraphs": len(values.get("targets", [])),
        # The evidence of comments is in the checkpoints.
        "comments": [
            {key: comment[key] for key in ("id", "paragraph", "label", "quote")}
            | {"verdict": comment["verification"]["verdict"]}
            for comment in list_ranked_comments(values)
        ],
        "reviews": reviews,
        "findings": len(values.get("findings", [])),
        "computed": [
            {key: value for key, value in found.items() if key in _FINDING_KEYS}
            for found in values.get("computed", [])
            if found["shown"]
        ],
        "notes": list_notices(values),
    }


FOCUSED_FEEDBACK_GRAPH = RunnableGraph(
    "graphs.focused_feedback:builder",
    lambda values: bool(values.get("finished")),
    build_review_results,
    with_subgraphs=merge_paragraph_values,
)


def format_review_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Return a pair of texts: paragraphs reviewed out of all, such as `3/10`, and the number of comments."""
    if not results.get("paragraphs"):
        return "", ""
    comments = len(results["comments"])
    return f"{len(results['reviews'])}/{results['paragraphs']}", f"{comments} comment{'' if comments == 1 else 's'}"


def collect_review_scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of paragraphs, comments and computed findings, for the table of a batch."""
    return {
        "paragraphs": results["paragraphs"],
        "comments": len(results["comments"]),
        "computed": len(results["computed"]),
    }


class FeedbackSystem(System):
    """Registry entry of focused feedback or a baseline, which review chosen parts of a paper."""

    def build_request(self, flags: Mapping[str, Any]) -> RunRequest:
        """Return a request from the flags of `draftroom review`; a `variant` may choose a baseline instead."""
        from draftroom.systems import review_requests  # noqa: PLC0415 - loads LangGraph and what reads papers

        variants = {"single": SINGLE_MODEL, "cove": CHAIN_OF_VERIFICATION}
        return review_requests.build_review_request(variants.get(flags["variant"], self), flags)

    def prepare_record(self, settings: Settings, take: PaperReader, request: Mapping[str, Any]) -> RunRecord:
        """Read the paper, raise if its review could not start, and return the record of a new run, not saved."""
        from draftroom.systems import review_requests  # noqa: PLC0415 - loads LangGraph and what reads papers

        return review_requests.prepare_review(self, settings, take, request)


FOCUSED_FEEDBACK = FeedbackSystem(
    name="focused_feedback",
    table="feedback",
    progress=format_review_progress,
    graph=FOCUSED_FEEDBACK_GRAPH,
    asked=("execution", "plans", "max_questions", "extensions", "every_paragraph", "pause", "max_comments"),
    rendering_address="draftroom.rendering.feedback:RENDERING",
    commands={
        "review": LazyImport(
            "draftroom.commands.run_commands:review",
            "Comment on the weaknesses of a draft, with evidence from the paper and from other studies.",
        )
    },
    scores=collect_review_scores,
    evaluation=LazyImport(
        "evals.tasks.focused_feedback:FOCUSED_FEEDBACK",
        "Comments on paragraphs beside those of reviewers: Tables 5 and 6 of Chamoun, Schlichtkrull and Vlachos.",
    ),
)
_BASELINE = replace(
    FOCUSED_FEEDBACK,
    asked=(),
    commands={},
    evaluation=None,
    rendering_address="draftroom.rendering.feedback:BASELINE_RENDERING",
)
SINGLE_MODEL = replace(
    _BASELINE,
    name="single_model",
    graph=replace(FOCUSED_FEEDBACK_GRAPH, address="graphs.baselines:single_model_builder"),
)
CHAIN_OF_VERIFICATION = replace(
    _BASELINE,
    name="chain_of_verification",
    graph=replace(FOCUSED_FEEDBACK_GRAPH, address="graphs.baselines:chain_of_verification_builder"),
)
SYSTEMS = (FOCUSED_FEEDBACK, SINGLE_MODEL, CHAIN_OF_VERIFICATION)
