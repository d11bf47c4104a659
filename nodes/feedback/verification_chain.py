"""Chain of verification, the paper's baseline: questions, answers and cross-checks from the model's own knowledge.

The Factor+Revise form: each question is answered by itself, each answer is compared with the paragraph by itself, and
the review is written from the pairs (Dhuliawala et al. 2023, as adapted by SWIF2T, Section 5). Nothing is retrieved.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, create_model

from nodes.feedback.agent import ask_as, at_most, evidence_id, failed, options, record_step, shown
from nodes.feedback.investigator import PlainAnswer, says_something
from nodes.feedback.planner import Asked, numbered_steps
from nodes.shared import AgentAnswer
from state.errors import Unanswered
from state.feedback import Answered, Evidence, ParagraphState, QuestionState
from state.model_settings import AtMost
from state.records import CallRecord


class CrossCheck(AgentAnswer):
    """Whether the paragraph agrees with an answer."""

    explanation: Annotated[str, AtMost("note_words")]
    verdict: Literal["consistent", "inconsistent", "open"]


def questions_of(state: ParagraphState) -> type[BaseModel]:
    """The schema of questions whose answers show whether a paragraph is sound."""
    questions = at_most(options(state).max_questions, "planner", state)
    question = Annotated[str, AtMost("note_words")]
    return create_model("VerificationQuestions", __base__=AgentAnswer, questions=(list[question], questions))


async def plan_questions(state: ParagraphState) -> ParagraphState:
    """Plan what to verify."""
    most = options(state).max_questions
    variables = {"paragraph": shown(state["target"]["text"], state), "most": most}
    try:
        answer = await ask_as("planner", "plan_questions", state, variables, questions_of(state), trim="paragraph")
    except Unanswered as error:
        return {**failed("planner", error.problem), "calls": error.spent}
    questions = list(dict.fromkeys(filter(str.strip, answer.value.model_dump()["questions"])))
    notes = [f"Questions beyond the first {most} were left out."] if len(questions) > most else []
    asked = [Asked("ask_literature", question) for question in questions[:most]]
    wave = numbered_steps(asked, "planner")
    decided = [record_step(step, "execute", "") for step in wave]
    return {"wave": wave, "decided": decided, "notes": notes, "calls": answer.calls}


async def verify_question(state: QuestionState) -> ParagraphState:
    """Answer one question from the model's own knowledge, and compare the paragraph with the answer."""
    step = state["step"]
    try:
        own = await ask_as(
            "investigator", "answer_alone", state, {"question": step["question"]}, PlainAnswer, trim="question"
        )
    except Unanswered as error:
        return _unanswered(state, error.problem, error.spent)
    if not says_something(own.value.answer):
        return _unanswered(state, "the model does not know", own.calls)
    variables: dict[str, object] = {
        "paragraph": shown(state["target"]["text"], state),
        "question": step["question"],
        "answer": own.value.answer,
    }
    try:
        check = await ask_as("verifier", "cross_check", state, variables, CrossCheck, trim="paragraph")
    except Unanswered as error:
        return _unanswered(state, error.problem, [*own.calls, *error.spent])
    answer = f"{own.value.answer} The paragraph is {check.value.verdict} with this: {check.value.explanation}"
    evidence = Evidence(
        id=evidence_id(step["id"]),
        source="model",
        question=step["question"],
        answer=answer,
        quote="",
        title="",
        section="",
        page=0,
        address="",
    )
    answered = Answered(step=step["id"], evidence=evidence, note="")
    return {"answers": [answered], "calls": [*own.calls, *check.calls]}


def _unanswered(state: QuestionState, note: str, calls: list[CallRecord]) -> ParagraphState:
    """A question that does not reach the reviewer."""
    return {"answers": [Answered(step=state["step"]["id"], evidence=None, note=note)], "calls": calls}
