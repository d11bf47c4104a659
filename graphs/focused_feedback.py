"""Focused feedback: plan, re-rank, control, investigate, review, verify.

SWIF2T of Chamoun, Schlichtkrull and Vlachos ("Automated Focused Feedback Generation for Scientific Writing
Assistance"). Use it from Python:

    from graphs.focused_feedback import graph
    result = await graph.ainvoke({"paper": "draft.pdf"}, context={"execution": "sequential"})

`paragraph_review` is the paper's system with `--preset paper`. Computed checks, the number reader, the weakness
detector and the verifier are extensions (`state/extensions.py`), and answering independent questions together is ours.
Each chosen paragraph of the paper goes through it, many at once.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from nodes.feedback.computed_checks import answer_from_checks, compute_from_readings
from nodes.feedback.conclude import conclude, rank_comments
from nodes.feedback.controller import control_steps
from nodes.feedback.initialise import (
    PAPER_ROLES,
    DeviationLister,
    build_paragraph_state,
    initialise,
    list_swif2t_deviations,
)
from nodes.feedback.investigator import answer_from_literature, answer_from_paper
from nodes.feedback.planner import edit_plan, propose_plans, rank_plans
from nodes.feedback.reviewer import write_review
from nodes.feedback.verifier import verify_comment
from nodes.feedback.weakness_detector import detect_weaknesses
from nodes.numbers.reader import read_passage, send_passages
from state.feedback import (
    FeedbackInput,
    FeedbackOutput,
    FeedbackState,
    ParagraphOutput,
    ParagraphState,
    QuestionState,
    Step,
)
from state.settings import FeedbackContext, FeedbackRole

INVESTIGATION_NODES = {
    "ask_paper": "answer_from_paper",
    "ask_checks": "answer_from_checks",
    "ask_literature": "answer_from_literature",
}


def route_after_planning(state: ParagraphState) -> Literal["rank_plans", "edit_plan", "control_steps", "conclude"]:
    """The trained re-ranker chooses among several plans; a person may edit the chosen one."""
    if state["outcome"]:
        return "conclude"
    rerank = state["settings"]["feedback"]["rerank"] and len(state["plans"]) > 1
    return "rank_plans" if rerank else route_after_ranking(state)


def route_after_ranking(state: ParagraphState) -> Literal["edit_plan", "control_steps"]:
    """A person may edit the plan before it is followed."""
    return "edit_plan" if state["settings"]["feedback"]["pause"] else "control_steps"


def route_after_control(state: ParagraphState) -> list[Send] | str:
    """Ask what the controller wants asked, go on with the plan, or come to the review or, without one, to the end."""
    if state["outcome"]:
        return "conclude"
    if state["wave"]:
        return [Send(INVESTIGATION_NODES[step["action"]], build_question_state(state, step)) for step in state["wave"]]
    if state["remaining"]:
        return "control_steps"
    return route_before_review(state)


def route_before_review(state: ParagraphState) -> Literal["detect_weaknesses", "write_review"]:
    """A weakness detector looks at the paragraph first, if an extension does that."""
    return "detect_weaknesses" if "detect" in state["settings"]["feedback"]["extensions"] else "write_review"


def build_question_state(state: ParagraphState, step: Step) -> QuestionState:
    """What the investigator is sent out with."""
    return QuestionState(
        step=step,
        target=state["target"],
        document=state["document"],
        findings=state["findings"],
        computed=state["computed"],
        settings=state["settings"],
    )


def route_after_detection(state: ParagraphState) -> Literal["write_review", "conclude"]:
    """A paragraph without weaknesses gets no comment."""
    return "conclude" if state["outcome"] else "write_review"


def route_after_review(state: ParagraphState) -> Literal["verify_comment", "conclude"]:
    """A comment is checked, if an extension does that."""
    checks = not {"verify", "instructions"}.isdisjoint(state["settings"]["feedback"]["extensions"])
    return "verify_comment" if state["comment"] and checks else "conclude"


paragraph_review = StateGraph(ParagraphState, context_schema=FeedbackContext, output_schema=ParagraphOutput)
for node in (
    propose_plans,
    rank_plans,
    edit_plan,
    control_steps,
    answer_from_paper,
    answer_from_checks,
    answer_from_literature,
    detect_weaknesses,
    write_review,
    verify_comment,
    conclude,
):
    paragraph_review.add_node(node)

paragraph_review.add_edge(START, "propose_plans")
paragraph_review.add_conditional_edges("propose_plans", route_after_planning)
paragraph_review.add_conditional_edges("rank_plans", route_after_ranking)
paragraph_review.add_edge("edit_plan", "control_steps")
paragraph_review.add_conditional_edges(
    "control_steps",
    route_after_control,
    [*INVESTIGATION_NODES.values(), "control_steps", "detect_weaknesses", "write_review", "conclude"],
)
for investigation in INVESTIGATION_NODES.values():
    paragraph_review.add_edge(investigation, "control_steps")
paragraph_review.add_conditional_edges("detect_weaknesses", route_after_detection)
paragraph_review.add_conditional_edges("write_review", route_after_review)
paragraph_review.add_edge("verify_comment", "conclude")
paragraph_review.add_edge("conclude", END)


def send_paragraphs(state: FeedbackState) -> list[Send]:
    """Send every chosen paragraph out for review."""
    return [Send("review_paragraph", build_paragraph_state(target, state)) for target in state["targets"]]


def route_after_initialise(state: FeedbackState) -> list[Send]:
    """A model reads the numbers of the paragraphs before they are reviewed, if an extension does that."""
    return send_passages(state) or send_paragraphs(state)


def build_paper_graph(
    review: StateGraph[Any, Any, Any, Any], name: str, roles: tuple[FeedbackRole, ...], departures: DeviationLister
) -> StateGraph[Any, Any, Any, Any]:
    """Build the graph of a paper whose paragraphs are reviewed by a subgraph that returns `ParagraphOutput`.

    Args:
        review: The subgraph.
        name: Of the subgraph.
        roles: The paper's agents in it.
        departures: Lists what of this system is not as published.
    """
    builder = StateGraph(
        FeedbackState, context_schema=FeedbackContext, input_schema=FeedbackInput, output_schema=FeedbackOutput
    )
    builder.add_node(
        "initialise", partial(initialise, roles=roles, list_own_deviations=departures), input_schema=FeedbackInput
    )
    builder.add_node(read_passage)
    builder.add_node(compute_from_readings)
    builder.add_node("review_paragraph", review.compile(name=name))
    builder.add_node(rank_comments)
    builder.add_edge(START, "initialise")
    builder.add_conditional_edges("initialise", route_after_initialise, ["read_passage", "review_paragraph"])
    builder.add_edge("read_passage", "compute_from_readings")
    builder.add_conditional_edges("compute_from_readings", send_paragraphs, ["review_paragraph"])
    builder.add_edge("review_paragraph", "rank_comments")
    builder.add_edge("rank_comments", END)
    return builder


builder = build_paper_graph(paragraph_review, "paragraph_review", PAPER_ROLES, list_swif2t_deviations)
graph = builder.compile(name="focused_feedback")
