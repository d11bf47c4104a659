"""Chain of verification, the paper's baseline: questions, answers and cross-checks from the model's own knowledge.

The Factor+Revise form: each question is answered by itself, each answer is compared with the paragraph by itself, and
the review is written from the pairs (Dhuliawala et al. 2023, as adapted by SWIF2T, Section 5). Nothing is retrieved.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, create_model

from nodes.feedback.agent import (
    ask_feedback_role,
    fail_paragraph,
    format_prompt_text,
    get_feedback_settings,
    make_bounded_list_field,
    make_evidence_id,
    make_step_record,
)
from nodes.feedback.investigator import PlainAnswer, is_actual_answer
from nodes.feedback.planner import ProposedStep, number_steps
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer
from state.feedback import Evidence, ParagraphState, QuestionAnswer, QuestionState
from state.model_settings import LengthLimit
from state.records import CallRecord


class CrossCheck(AgentAnswer):
    """Whether the paragraph agrees with an answer."""

    explanation: Annotated[str, LengthLimit("note_words")]
    verdict: Literal["consistent", "inconsistent", "open"]


def build_questions_schema(state: ParagraphState) -> type[BaseModel]:
    """The schema of questions whose answers show whether a paragraph is sound."""
    questions = make_bounded_list_field(get_feedback_settings(state).max_questions, "planner", state)
    question = Annotated[str, LengthLimit("note_words")]
    return create_model("VerificationQuestions", __base__=AgentAnswer, questions=(list[question], questions))


async def plan_questions(state: ParagraphState) -> ParagraphState:
    """Plan what to verify."""
    most = get_feedback_settings(state).max_questions
    variables = {"paragraph": format_prompt_text(state["target"]["text"], state), "most": most}
    try:
        answer = await ask_feedback_role(
            "planner", "plan_questions", state, variables, build_questions_schema(state), trim="paragraph"
        )
    except NoUsableAnswer as error:
        return {**fail_paragraph("planner", error.problem), "calls": error.spent}
    questions = list(dict.fromkeys(filter(str.strip, answer.value.model_dump()["questions"])))
    notes = [f"Questions beyond the first {most} were left out."] if len(questions) > most else []
    asked = [ProposedStep("ask_literature", question) for question in questions[:most]]
    wave = number_steps(asked, "planner")
    decided = [make_step_record(step, "execute", "") for step in wave]
    return {"wave": wave, "decided": decided, "notes": notes, "calls": answer.calls}


async def verify_question(state: QuestionState) -> ParagraphState:
    """Answer one question from the model's own knowledge, and compare the paragraph with the answer."""
    step = state["step"]
    try:
        own = await ask_feedback_role(
            "investigator", "answer_alone", state, {"question": step["question"]}, PlainAnswer, trim="question"
        )
    except NoUsableAnswer as error:
        return _build_unanswered_update(state, error.problem, error.spent)
    if not is_actual_answer(own.value.answer):
        return _build_unanswered_update(state, "the model does not know", own.calls)
    variables: dict[str, object] = {
        "paragraph": format_prompt_text(state["target"]["text"], state),
        "question": step["question"],
        "answer": own.value.answer,
    }
    try:
        check = await ask_feedback_role("verifier", "cross_check", state, variables, CrossCheck, trim="paragraph")
    except NoUsableAnswer as error:
        return _build_unanswered_update(state, error.problem, [*own.calls, *error.spent])
    answer = f"{own.value.answer} The paragraph is {check.value.verdict} with this: {check.value.explanation}"
    evidence = Evidence(
        id=make_evidence_id(step["id"]),
        source="model",
        question=step["question"],
        answer=answer,
        quote="",
        title="",
        section="",
        page=0,
        address="",
    )
    answered = QuestionAnswer(step=step["id"], evidence=evidence, note="")
    return {"answers": [answered], "calls": [*own.calls, *check.calls]}


def _build_unanswered_update(state: QuestionState, note: str, calls: list[CallRecord]) -> ParagraphState:
    """A question that does not reach the reviewer."""
    return {"answers": [QuestionAnswer(step=state["step"]["id"], evidence=None, note=note)], "calls": calls}
