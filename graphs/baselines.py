"""The baselines of SWIF2T (Section 5) and LLM-CLBR (Table 1), with the input and output of the systems.

`single_model` is the reviewer alone, with nothing but the paragraph, which the extension `detect` looks at first.
`chain_of_verification` plans questions, answers them from the model's own knowledge, cross-checks each pair, and then
reviews. Both have the reviewer prompt of `focused_feedback`. For SWIF2T without re-ranking, run `focused_feedback` with
`rerank` off.

Of a whole paper, `one_call_builder` comments in a single call, and `screener_builder` screens it and reviews nothing.

`sequence_to_sequence_builder` is "BART fine-tuned": a sequence-to-sequence model in this process writes the article in
one pass, without agents and rounds.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from graphs.focused_feedback import build_paper_graph, build_question_state, route_after_detection, route_before_review
from nodes.feedback.agent import log_answers
from nodes.feedback.conclude import conclude
from nodes.feedback.initialise import initialise as begin_review
from nodes.feedback.reviewer import write_review
from nodes.feedback.verification_chain import plan_questions, verify_question
from nodes.feedback.weakness_detector import detect_weaknesses
from nodes.feedback.whole_paper import review_whole_paper
from nodes.journalism.assessment import assess_draft, choose_draft
from nodes.journalism.initialise import initialise
from nodes.journalism.journalist import write_without_prompt
from nodes.shared import refuse_sync_call
from state.feedback import FeedbackInput, FeedbackOutput, FeedbackState, ParagraphOutput, ParagraphState
from state.journalism import JournalismInput, JournalismOutput, JournalismState
from state.settings import FeedbackContext, FeedbackSettings, JournalismContext


def list_chain_deviations(chosen: FeedbackSettings) -> list[str]:
    """List the deviations of the chain of verification from the paper, as sentences for the reader."""
    return [
        f"The paper names no number of questions (here at most {chosen.max_questions}); an unanswered one is dropped.",
        "The questions are planned with a prompt of Draftroom's own, not with that of SWIF2T's planner.",
    ]


def route_after_questions(state: ParagraphState) -> list[Send] | Literal["write_review", "conclude"]:
    """Route each question to its answer and check; without questions to the review, a failure to `conclude`."""
    if state["outcome"]:
        return "conclude"
    return [Send("verify_question", build_question_state(state, step)) for step in state["wave"]] or "write_review"


# SWIF2T's baseline without planning and investigation.
reviewer_alone = StateGraph(ParagraphState, context_schema=FeedbackContext, output_schema=ParagraphOutput)
for node in (detect_weaknesses, write_review, conclude):
    reviewer_alone.add_node(node)
reviewer_alone.add_conditional_edges(START, route_before_review)
reviewer_alone.add_conditional_edges("detect_weaknesses", route_after_detection)
reviewer_alone.add_edge("write_review", "conclude")
reviewer_alone.add_edge("conclude", END)

verification_chain = StateGraph(ParagraphState, context_schema=FeedbackContext, output_schema=ParagraphOutput)
for step in (plan_questions, verify_question, log_answers, write_review, conclude):
    verification_chain.add_node(step)
verification_chain.add_edge(START, "plan_questions")
verification_chain.add_conditional_edges(
    "plan_questions", route_after_questions, ["verify_question", "write_review", "conclude"]
)
verification_chain.add_edge("verify_question", "log_answers")
verification_chain.add_edge("log_answers", "write_review")
verification_chain.add_edge("write_review", "conclude")
verification_chain.add_edge("conclude", END)

single_model_builder = build_paper_graph(reviewer_alone, "reviewer_alone", ("reviewer",), lambda _: [])
chain_of_verification_builder = build_paper_graph(
    verification_chain, "verification_chain", ("planner", "investigator", "verifier", "reviewer"), list_chain_deviations
)

# Baselines of a whole paper. A review that ends at once leaves the screening alone.
no_review = StateGraph(ParagraphState, context_schema=FeedbackContext, output_schema=ParagraphOutput)
no_review.add_sequence([conclude])
no_review.add_edge(START, "conclude")
screener_builder = build_paper_graph(no_review, "no_review", ("screener",), lambda _: [])
one_call_builder = StateGraph(
    FeedbackState, context_schema=FeedbackContext, input_schema=FeedbackInput, output_schema=FeedbackOutput
)
begin_call = RunnableLambda(
    refuse_sync_call, partial(begin_review, roles=("reviewer",), list_own_deviations=lambda _: [])
)
one_call_builder.add_node("initialise", begin_call, input_schema=FeedbackInput)
one_call_builder.add_node(review_whole_paper)
one_call_builder.add_edge(START, "initialise")
one_call_builder.add_edge("initialise", "review_whole_paper")

single_model = single_model_builder.compile(name="single_model")
chain_of_verification = chain_of_verification_builder.compile(name="chain_of_verification")

sequence_to_sequence_builder = StateGraph(
    JournalismState, context_schema=JournalismContext, input_schema=JournalismInput, output_schema=JournalismOutput
)
begin = RunnableLambda(refuse_sync_call, partial(initialise, has_agents=False))
sequence_to_sequence_builder.add_node("initialise", begin, input_schema=JournalismInput)
# The draft is measured, so that its results have the form of the system's.
sequence_to_sequence_builder.add_sequence([write_without_prompt, assess_draft, choose_draft])
sequence_to_sequence_builder.add_edge(START, "initialise")
sequence_to_sequence_builder.add_edge("initialise", "write_without_prompt")
sequence_to_sequence_builder.add_edge("choose_draft", END)
