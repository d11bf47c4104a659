"""Focused feedback: plan, re-rank, control, investigate, review, verify.

SWIF2T of Chamoun, Schlichtkrull and Vlachos ("Automated Focused Feedback Generation for Scientific Writing
Assistance"). Use it from Python:

    from graphs.focused_feedback import graph
    result = await graph.ainvoke({"paper": "draft.pdf"}, context={"execution": "sequential"})

Each chosen paragraph goes through `paragraph_review`, many at once; with the preset `paper` that is the paper's system.
The screener, computed checks, the number reader, the weakness detector and the verifier are extensions
(`state/extensions.toml`). The setting `execution`, which answers independent questions together, is not in it either.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, cast

from langchain_core.runnables import RunnableLambda
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
from nodes.feedback.screener import choose_suspicions, screen_section, send_parts, summarize_paper
from nodes.feedback.verifier import verify_comment
from nodes.feedback.weakness_detector import detect_weaknesses
from nodes.numbers.reader import read_passage, send_passages
from nodes.shared import refuse_sync_call
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

# The node that answers each kind of question.
INVESTIGATION_NODES = {
    "ask_paper": "answer_from_paper",
    "ask_checks": "answer_from_checks",
    "ask_literature": "answer_from_literature",
}


def route_after_planning(state: ParagraphState) -> Literal["rank_plans", "edit_plan", "control_steps", "conclude"]:
    """Route several plans to the re-ranker if it is on, else as `route_after_ranking`; a failure to `conclude`."""
    if state["outcome"]:
        return "conclude"
    rerank = state["settings"]["feedback"]["rerank"] and len(state["plans"]) > 1
    return "rank_plans" if rerank else route_after_ranking(state)


def route_after_ranking(state: ParagraphState) -> Literal["edit_plan", "control_steps"]:
    """Route to a person's edit of the plan if the run was started with `pause`, else to the controller."""
    return "edit_plan" if state["settings"]["feedback"]["pause"] else "control_steps"


def route_after_control(state: ParagraphState) -> list[Send] | str:
    """Route to the controller's questions, else back to it while steps remain, else to the review or a failed end."""
    if state["outcome"]:
        return "conclude"
    if state["wave"]:
        return [Send(INVESTIGATION_NODES[step["action"]], build_question_state(state, step)) for step in state["wave"]]
    if state["remaining"]:  # the controller has only skipped or rewritten steps
        return "control_steps"
    return route_before_review(state)


def route_before_review(state: ParagraphState) -> Literal["detect_weaknesses", "write_review"]:
    """Route to the detection of weaknesses if the extension is on, else to the review."""
    return "detect_weaknesses" if "detect" in state["settings"]["feedback"]["extensions"] else "write_review"


def build_question_state(state: ParagraphState, step: Step) -> QuestionState:
    """Return the state that a question is sent with, without what other questions have found."""
    whole: dict[str, Any] = {**state, "step": step}
    return cast("QuestionState", {key: whole[key] for key in QuestionState.__annotations__})


def route_after_detection(state: ParagraphState) -> Literal["write_review", "conclude"]:
    """Route to the review, or to the end of a paragraph that has an outcome, as without weaknesses."""
    return "conclude" if state["outcome"] else "write_review"


def route_after_review(state: ParagraphState) -> Literal["verify_comment", "conclude"]:
    """Route a comment to its verification if an extension asks for it, else to the end."""
    checks = not {"verify", "instructions"}.isdisjoint(state["settings"]["feedback"]["extensions"])
    return "verify_comment" if state["comment"] and checks else "conclude"


paragraph_review = StateGraph(ParagraphState, context_schema=FeedbackContext, output_schema=ParagraphOutput)
for node in (propose_plans, rank_plans, edit_plan, control_steps):
    paragraph_review.add_node(node)
for investigation in (answer_from_paper, answer_from_checks, answer_from_literature):
    paragraph_review.add_node(investigation)
    # The controller decides after each wave of answers.
    paragraph_review.add_edge(investigation.__name__, "control_steps")
for node in (detect_weaknesses, write_review, verify_comment, conclude):
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
paragraph_review.add_conditional_edges("detect_weaknesses", route_after_detection)
paragraph_review.add_conditional_edges("write_review", route_after_review)
paragraph_review.add_edge("verify_comment", "conclude")
paragraph_review.add_edge("conclude", END)


def send_paragraphs(state: FeedbackState) -> list[Send] | str:
    """Return a `Send` to the review for every chosen paragraph; without any the name of the last node."""
    chosen = [Send("review_paragraph", build_paragraph_state(target, state)) for target in state["targets"]]
    return chosen or "rank_comments"


def route_to_reviews(state: FeedbackState) -> list[Send] | str:
    """Route passages to the number reader, else a paper to its screening or, if long, summary, else to reviews."""
    is_divided = len(state["parts"]) > 1
    return send_passages(state) or ("summarize_paper" if is_divided else send_parts(state) or send_paragraphs(state))


def build_paper_graph(
    review: StateGraph[Any, Any, Any, Any],
    name: str,
    roles: tuple[FeedbackRole, ...],
    list_own_deviations: DeviationLister,
) -> StateGraph[Any, Any, Any, Any]:
    """Return the graph, not compiled, of a paper whose paragraphs the subgraph `review` reviews.

    `review` returns `ParagraphOutput`, and `name` is for the compiled subgraph; `roles` are its agents in the paper,
    and `list_own_deviations` lists its deviations from the paper. A caller can compile the graph with a checkpointer.
    """
    builder = StateGraph(
        FeedbackState, context_schema=FeedbackContext, input_schema=FeedbackInput, output_schema=FeedbackOutput
    )
    begin = partial(initialise, roles=roles, list_own_deviations=list_own_deviations)
    builder.add_node("initialise", RunnableLambda(refuse_sync_call, begin), input_schema=FeedbackInput)
    for node in (read_passage, compute_from_readings, summarize_paper, screen_section, choose_suspicions):
        builder.add_node(node)
    builder.add_node("review_paragraph", review.compile(name=name))
    builder.add_node(rank_comments)
    builder.add_edge(START, "initialise")
    # The targets are named, because LangGraph cannot tell where a router sends to.
    begins = ["read_passage", "summarize_paper", "screen_section", "review_paragraph"]
    builder.add_conditional_edges("initialise", route_to_reviews, begins)
    builder.add_edge("read_passage", "compute_from_readings")
    builder.add_conditional_edges("compute_from_readings", route_to_reviews, begins[1:])
    builder.add_conditional_edges("summarize_paper", send_parts, ["screen_section"])
    builder.add_edge("screen_section", "choose_suspicions")
    builder.add_conditional_edges("choose_suspicions", send_paragraphs, ["review_paragraph", "rank_comments"])
    # Comments are ranked when all paragraphs are reviewed.
    builder.add_edge("review_paragraph", "rank_comments")
    builder.add_edge("rank_comments", END)
    return builder


builder = build_paper_graph(paragraph_review, "paragraph_review", PAPER_ROLES, list_swif2t_deviations)
graph = builder.compile(name="focused_feedback")
