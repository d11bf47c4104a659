"""Chain of verification, the paper's baseline: questions, answers and cross-checks from the model's own knowledge.

The Factor+Revise form: each question is answered by itself, each answer is compared with the paragraph by itself, and
the review is written from the pairs (Dhuliawala et al. 2023, as adapted by SWIF2T, Section 5). Nothing is retrieved.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nodes.feedback.agent import ask_as, failed, options
from nodes.feedback.golden_rules import Asked, numbered_steps
from nodes.feedback.paper import shown
from state.errors import Unanswered
from state.feedback import Answered, Evidence, ParagraphState, QuestionState


class VerificationQuestions(BaseModel):
    """Questions whose answers show whether a paragraph is sound."""

    model_config = ConfigDict(extra="forbid")

    questions: list[Annotated[str, Field(min_length=10, max_length=240)]] = Field(min_length=1, max_length=12)


class OwnAnswer(BaseModel):
    """An answer from general knowledge."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(min_length=1, max_length=500)


class CrossCheck(BaseModel):
    """Whether the paragraph agrees with an answer."""

    model_config = ConfigDict(extra="forbid")

    explanation: str = Field(min_length=5, max_length=400)
    verdict: Literal["consistent", "inconsistent", "open"]


async def plan_questions(state: ParagraphState) -> dict[str, Any]:
    """Plan what to verify."""
    most = options(state).max_questions
    target = state["target"]
    variables = {"section": target["section"], "paragraph": shown(target["text"]), "most": most}
    try:
        answer = await ask_as("planner", "plan_questions", state, variables, VerificationQuestions, trim="paragraph")
    except Unanswered as error:
        return {**failed("planner", error.problem), "calls": error.spent}
    asked = [Asked("ask_literature", question) for question in dict.fromkeys(answer.value.questions)][:most]
    return {"wave": numbered_steps(asked, "planner"), "calls": answer.calls}


async def verify_question(state: QuestionState) -> dict[str, Any]:
    """Answer one question from the model's own knowledge, and compare the paragraph with the answer."""
    step = state["step"]
    try:
        own = await ask_as(
            "investigator", "answer_alone", state, {"question": step["question"]}, OwnAnswer, trim="question"
        )
    except Unanswered as error:
        return {"answers": [Answered(step=step["id"], evidence=None, note=error.problem)], "calls": error.spent}
    variables: dict[str, object] = {
        "paragraph": shown(state["target"]["text"]),
        "question": step["question"],
        "answer": own.value.answer,
    }
    try:
        check = await ask_as("verifier", "cross_check", state, variables, CrossCheck, trim="paragraph")
    except Unanswered as error:
        note = Answered(step=step["id"], evidence=None, note=error.problem)
        return {"answers": [note], "calls": [*own.calls, *error.spent]}
    answer = f"{own.value.answer} The paragraph is {check.value.verdict} with this: {check.value.explanation}"
    evidence = Evidence(
        id=f"e{step['id'][1:]}",
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


async def gather_answers(state: ParagraphState) -> dict[str, Any]:
    """Put the answers into the order of their questions, on record."""
    answers = {answer["step"]: answer for answer in state["answers"]}
    log = [
        {
            "step": step,
            "decision": "execute",
            "because": "",
            "outcome": "answered" if answers[step["id"]]["evidence"] else "unanswered",
            "note": answers[step["id"]]["note"],
        }
        for step in state["wave"]
    ]
    found = [answers[step["id"]]["evidence"] for step in state["wave"]]
    return {"log": log, "evidence": [item for item in found if item], "wave": []}
