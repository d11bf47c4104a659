"""Focused feedback and its two baselines as the command sees them: three graphs with one kind of state."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.graph import StateGraph

from draftroom.records import RunInput
from draftroom.rendering.data import json_of
from draftroom.rendering.feedback.annotations import to_annotated_pdf
from draftroom.rendering.feedback.html import to_html
from draftroom.rendering.feedback.markdown import to_markdown
from draftroom.rendering.feedback.story import UNIT, about, notices, ranked_comments
from draftroom.rendering.feedback.terminal import print_comments, print_findings, print_review_story
from draftroom.systems.system import Dialogue, Subgraph, System, Values
from graphs.baselines import chain_of_verification_builder, single_model_builder
from graphs.focused_feedback import builder as focused_feedback_builder
from state.feedback import Comment, FeedbackContext, FeedbackOutput, ParagraphReview
from state.records import CallRecord

LONGEST_QUOTE = 60
"""Characters of a quote in a line of progress."""
_SHARED = ("reviews", "calls")
"""What the review of a paragraph adds to, as the run does."""


def graph_input(run_input: RunInput) -> dict[str, Any]:
    """What the graph starts from: the paper, and which of its paragraphs are meant."""
    return {"paper": run_input["path"], **run_input.get("request", {})}


def context(settings: Mapping[str, Any]) -> FeedbackContext:
    """The settings as they are, whatever files and variables say by now."""
    return FeedbackContext(resolved=dict(settings))


def with_subgraphs(values: Values, subgraphs: Sequence[Subgraph]) -> dict[str, Any]:
    """The state with what the paragraphs under way have come to."""
    parts = [values, *(part for subgraph in subgraphs for part in (subgraph.values, *subgraph.written))]
    return {**values, **{key: [item for part in parts for item in part.get(key, [])] for key in _SHARED}}


def is_finished(values: Values) -> bool:
    """Whether the comments were ranked."""
    return bool(values.get("finished"))


def calls(values: Values) -> list[CallRecord]:
    """The calls of all paragraphs."""
    return list(values.get("calls", []))


def results(values: Values) -> dict[str, Any]:
    """How many paragraphs, the comments, what came of each paragraph, and what a reader should know."""
    return {
        "paragraphs": len(values.get("targets", [])),
        "comments": [_comment_in_short(ranked.comment) for ranked in ranked_comments(values)],
        "reviews": [_review_in_short(review) for review in values.get("reviews", [])],
        "findings": len(values.get("findings", [])),
        "notes": notices(values),
    }


def progress(found: dict[str, Any]) -> tuple[str, str]:
    """Paragraphs so far of all, and how many comments."""
    if not found.get("paragraphs"):
        return "", ""
    comments = len(found["comments"])
    return f"{len(found['reviews'])}/{found['paragraphs']}", f"{comments} comment{'' if comments == 1 else 's'}"


def milestone(node: str, update: Values, values: Values) -> str:
    """A line after each paragraph."""
    if node != "conclude":
        return ""
    review: ParagraphReview = update["reviews"][-1]
    section = f" ({review['section']})" if review["section"] else ""
    count = f"{len(values['reviews'])} of {len(values['targets'])}"
    return f"Paragraph {review['paragraph']}{section}: {_outcome(review)}; {count} done"


def describe_question(question: Values) -> str:
    """The questions of a paused run, numbered, under the paragraph that they are about."""
    questions = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The paragraph:\n{textwrap.indent(question['paragraph'], '  ')}\nThe questions about it:\n{questions}"


def answer(lines: list[str] | None) -> dict[str, Any]:
    """Questions instead of the planner's, or None to keep them."""
    return {"advice": lines}


def _outcome(review: ParagraphReview) -> str:
    comment = review["comment"]
    if comment and review["outcome"] == "comment":
        short: Comment = {**comment, "quote": textwrap.shorten(comment["quote"], LONGEST_QUOTE)}
        return f"comment on {about(short)}, {comment['label']}"
    return f"{review['outcome']}{': ' if review['problem'] else ''}{review['problem']}"


def _comment_in_short(comment: Comment) -> dict[str, Any]:
    """What it says; the evidence is in the checkpoints."""
    kept = {key: comment[key] for key in ("id", "paragraph", "label", "quote")}
    return {**kept, "verdict": comment["verification"]["verdict"]}


def _review_in_short(review: ParagraphReview) -> dict[str, Any]:
    """Its outcome, the score of every plan in the order in which they were ranked, and its questions."""
    questions = [record for record in review["log"] if record["step"]["action"] != "write_review"]
    return {
        "paragraph": review["paragraph"],
        "outcome": review["outcome"],
        "problem": review["problem"],
        "plans": [{"number": plan["number"], "score": plan["score"]} for plan in review["plans"]],
        "asked": sum(record["outcome"] != "skipped" for record in questions),
        "answered": sum(record["outcome"] == "answered" for record in questions),
        "rewrites": review["rewrites"],
    }


def _system(name: str, builder: StateGraph[Any, Any, Any, Any], dialogue: Dialogue | None = None) -> System:
    return System(
        name=name,
        unit=UNIT,
        builder=builder,
        graph_input=graph_input,
        context=context,
        is_finished=is_finished,
        calls=calls,
        results=results,
        progress=progress,
        milestone=milestone,
        print_result=print_comments,
        print_warnings=print_findings,
        print_details=print_review_story,
        formats={
            ".md": to_markdown,
            ".markdown": to_markdown,
            ".html": to_html,
            ".json": json_of(FeedbackOutput),
            ".pdf": to_annotated_pdf,
        },
        with_subgraphs=with_subgraphs,
        dialogue=dialogue,
    )


FOCUSED_FEEDBACK = _system(
    "focused_feedback",
    focused_feedback_builder,
    Dialogue(describe_question, answer, these="these questions", line="question"),
)
SINGLE_MODEL = _system("single_model", single_model_builder)
CHAIN_OF_VERIFICATION = _system("chain_of_verification", chain_of_verification_builder)
