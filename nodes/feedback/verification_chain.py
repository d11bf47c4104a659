"""Chain of verification, a baseline of the paper: questions, answers and cross-checks from the model's own knowledge.

In the Factor+Revise form each question is answered by itself, each answer is compared with the paragraph by itself, and
the review is written from the pairs (Dhuliawala et al. 2023, as adapted by SWIF2T, Section 5). Nothing is retrieved.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import create_model

from nodes.feedback.agent import (
    ask_feedback_role,
    build_evidence,
    fail_paragraph,
    format_prompt_text,
    get_feedback_settings,
    make_list_field,
)
from nodes.feedback.investigator import PlainAnswer, is_actual_answer
from nodes.feedback.planner import UnnumberedStep, number_steps
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer
from state.feedback import Evidence, ParagraphState, QuestionAnswer, QuestionState, StepRecord
from state.model_settings import LengthLimit
from state.records import CallRecord


class CrossCheck(AgentAnswer):
    """Whether the paragraph agrees with an answer."""

    explanation: Annotated[str, LengthLimit("note_words")]
    verdict: Literal["consistent", "inconsistent", "open"]


async def plan_questions(state: ParagraphState) -> ParagraphState:
    """Ask the model for questions that test the claims of the paragraph, and make all of them one wave of steps."""
    most = get_feedback_settings(state).max_questions
    variables = {"paragraph": format_prompt_text(state["target"]["text"], state), "most": most}
    field = make_list_field(most, "planner", state)
    question = Annotated[str, LengthLimit("note_words")]
    schema = create_model("VerificationQuestions", __base__=AgentAnswer, questions=(list[question], field))
    try:
        answer = await ask_feedback_role("planner", "plan_questions", state, variables, schema, trim="paragraph")
    except NoUsableAnswer as error:
        return fail_paragraph("planner", error)
    questions = list(dict.fromkeys(filter(str.strip, answer.value.model_dump()["questions"])))
    notes = [f"Questions beyond the first {most} were left out."] if len(questions) > most else []
    # The action has no effect: the graph sends all questions to `verify_question`.
    wave = number_steps([UnnumberedStep("ask_literature", question) for question in questions[:most]], "planner")
    decided = [StepRecord(step=step, decision="execute", because="", outcome="unanswered", note="") for step in wave]
    return {"wave": wave, "decided": decided, "notes": notes, "calls": answer.calls}


async def verify_question(state: QuestionState) -> ParagraphState:
    """Answer one question from the model's own knowledge, and compare the paragraph with the answer."""
    step, calls, note = state["step"], list[CallRecord](), ""
    evidence: Evidence | None = None
    try:
        # 1. Answer without the paragraph, so that it does not lead the model.
        own = await ask_feedback_role(
            "investigator", "answer_alone", state, {"question": step["question"]}, PlainAnswer, trim="question"
        )
        calls += own.calls
        answer = own.value.answer
        # 2. Compare the paragraph with the answer, if there is any.
        if is_actual_answer(answer):
            paragraph = format_prompt_text(state["target"]["text"], state)
            variables: dict[str, object] = {"paragraph": paragraph, "question": step["question"], "answer": answer}
            check = await ask_feedback_role("verifier", "cross_check", state, variables, CrossCheck, trim="paragraph")
            calls += check.calls
            answer = f"{answer} The paragraph is {check.value.verdict} with this: {check.value.explanation}"
            evidence = build_evidence(step, "model", answer)
        else:
            note = "the model does not know"
    except NoUsableAnswer as error:
        calls, note = [*calls, *error.spent], error.problem
    answered = QuestionAnswer(step=step["id"], evidence=evidence, note=note)
    return {"answers": [answered], "calls": calls}
