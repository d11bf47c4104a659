"""A whole paper: every chosen paragraph is reviewed by the same subgraph, many at once, and the comments are ranked."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from nodes.feedback.initialise import begin_paragraph, initialise
from nodes.feedback.ranking import rank_comments
from state.contexts import FeedbackContext
from state.feedback import FeedbackInput, FeedbackOutput, FeedbackState


def each_paragraph(state: FeedbackState) -> list[Send]:
    """Send every chosen paragraph out for review."""
    return [Send("review_paragraph", begin_paragraph(target, dict(state))) for target in state["targets"]]


def for_whole_paper(review: StateGraph[Any, Any, Any, Any], name: str) -> StateGraph[Any, Any, Any, Any]:
    """The graph of a paper whose paragraphs are reviewed by `review`, a subgraph that returns `ParagraphOutput`."""
    builder = StateGraph(
        FeedbackState, context_schema=FeedbackContext, input_schema=FeedbackInput, output_schema=FeedbackOutput
    )
    builder.add_node(initialise)
    builder.add_node("review_paragraph", review.compile(name=name))
    builder.add_node(rank_comments)
    builder.add_edge(START, "initialise")
    builder.add_conditional_edges("initialise", each_paragraph, ["review_paragraph"])
    builder.add_edge("review_paragraph", "rank_comments")
    builder.add_edge("rank_comments", END)
    return builder
