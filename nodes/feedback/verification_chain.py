"""Chain of verification, a baseline of the paper: questions, answers and cross-checks from the model's own knowledge.

In the Factor+Revise form each question is answered by itself, each answer is compared with the paragraph by itself, and
the review is written from the pairs (Dhuliawala et al. 2023, as adapted by SWIF2T, Section 5). Nothing is retrieved.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, create_model

from nodes.feedback.agent import (
    BLANK_EVIDENCE,
    ask_feedback_role,
    fail_paragraph,
    format_prompt_text,
    get_feedback_settings,
    make_bounded_list_field,
    make_evidence_id,
)
from nodes.feedback.investigator import PlainAnswer, is_actual_answer
from nodes.feedback.planner import ProposedStep, number_steps
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer
from state.feedback import Evidence, ParagraphState, QuestionAnswer, QuestionState, StepRecord
from state.model_settings import LengthLimit
from state.records import CallRecord


class CrossCheck(AgentAnswer):
    """Whether the paragraph agrees with an answer."""

    explanation: Annotated[str, LengthLimit("note_words")]
    verdict: Literal["consistent", "inconsistent", "open"]


def build_questions_schema(state: ParagraphState) -> type[BaseModel]:
    """Build the schema of the questions that test whether a paragraph is sound."""
    questions = make_bounded_list_field(get_feedback_settings(state).max_questions, "planner", state)
    question = Annotated[str, LengthLimit("note_words")]
    return create_model("VerificationQuestions", __base__=AgentAnswer, questions=(list[question], questions))


async def plan_questions(state: ParagraphState) -> ParagraphState:
    """Ask for questions that test the claims of the paragraph."""
    most = get_feedback_settings(state).max_questions
    variables = {"paragraph": format_prompt_text(state["target"]["text"], state), "most": most}
    schema = build_questions_schema(state)
    try:
        answer = await ask_feedback_role("planner", "plan_questions", state, variables, schema, trim="paragraph")
    except NoUsableAnswer as error:
        return {**fail_paragraph("planner", error.problem), "calls": error.spent}
    questions = list(dict.fromkeys(filter(str.strip, answer.value.model_dump()["questions"])))
    notes = [f"Questions beyond the first {most} were left out."] if len(questions) > most else []
    # The action has no effect: the graph sends all questions to `verify_question`.
    wave = number_steps([ProposedStep("ask_literature", question) for question in questions[:most]], "planner")
    decided = [StepRecord(step=step, decision="execute", because="", outcome="unanswered", note="") for step in wave]
    return {"wave": wave, "decided": decided, "notes": notes, "calls": answer.calls}


async def verify_question(state: QuestionState) -> ParagraphState:
    """Answer one question from the model's own knowledge, and compare the paragraph with the answer."""
    step, calls = state["step"], list[CallRecord]()
    try:
        # 1. Answer without the paragraph, so that it does not lead the model.
        own = await ask_feedback_role(
            "investigator", "answer_alone", state, {"question": step["question"]}, PlainAnswer, trim="question"
        )
        calls += own.calls
        if not is_actual_answer(own.value.answer):
            return _build_unanswered_update(state, "the model does not know", calls)
        # 2. Compare.
        variables: dict[str, object] = {
            "paragraph": format_prompt_text(state["target"]["text"], state),
            "question": step["question"],
            "answer": own.value.answer,
        }
        check = await ask_feedback_role("verifier", "cross_check", state, variables, CrossCheck, trim="paragraph")
    except NoUsableAnswer as error:
        return _build_unanswered_update(state, error.problem, [*calls, *error.spent])
    evidence: Evidence = {
        **BLANK_EVIDENCE,
        "id": make_evidence_id(step["id"]),
        "source": "model",
        "question": step["question"],
        "answer": f"{own.value.answer} The paragraph is {check.value.verdict} with this: {check.value.explanation}",
    }
    answered = QuestionAnswer(step=step["id"], evidence=evidence, note="")
    return {"answers": [answered], "calls": [*calls, *check.calls]}


def _build_unanswered_update(state: QuestionState, note: str, calls: list[CallRecord]) -> ParagraphState:
    """Record a question without an answer, which the reviewer does not see."""
    return {"answers": [QuestionAnswer(step=state["step"]["id"], evidence=None, note=note)], "calls": calls}
