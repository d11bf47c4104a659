"""The medical expert: the function agent that answers questions, judges removals and checks accuracy (SoMS)."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Literal

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import (
    as_loop_node,
    ask_simplification_role,
    build_text_variables,
    format_memory,
    has_extension,
    update_exchange,
)
from state.model_settings import LengthLimit
from state.simplification import LoopState, Redundancy
from tools.checks.omissions import find_lost_details
from tools.documents.reading import load_source_text
from tools.text import format_numbered_list


class ExpertAnswer(AgentAnswer):
    """The answer to one question, with what it is about in as few words as possible."""

    question: int = Field(ge=1)
    about: Annotated[str, LengthLimit("note_words")]
    answer: Annotated[str, LengthLimit("answer_words")]


class Answers(AgentAnswer):
    """The expert's answers to the layperson."""

    answers: Annotated[list[ExpertAnswer], LengthLimit("questions")] = Field(min_length=1)


class RemovalVerdict(AgentAnswer):
    """Whether a quoted part is truly redundant: first why, then the verdict, for decoding follows this order."""

    number: int = Field(ge=1)
    justification: Annotated[str, LengthLimit("note_words")]
    remove: bool


class RemovalVerdicts(AgentAnswer):
    """The expert's verdict on each quoted part."""

    verdicts: Annotated[list[RemovalVerdict], LengthLimit("redundancies")] = Field(min_length=1)


class AccuracyCheck(AgentAnswer):
    """What is medically wrong in a rewritten text; an empty list is the statement that it is accurate."""

    comments: Annotated[list[Annotated[str, LengthLimit("advice_words")]], LengthLimit("comments")]


@as_loop_node
async def answer_questions(state: LoopState) -> LoopState:
    """Answer the layperson's questions from the source and from general medical knowledge."""
    questions = state["exchange"]["questions"]
    variables: dict[str, object] = {
        **build_text_variables(state),
        "memory": format_memory("medical_expert", state),
        "questions": format_numbered_list(question["text"] for question in questions),
    }
    answer = await ask_simplification_role("medical_expert", "answer_questions", state, variables, Answers)
    answered = {question["number"]: question for question in questions}
    for item in answer.value.answers:
        if question := answered.get(item.question):  # an answer may name a question that was not asked
            answered[item.question] = {**question, "term": item.about.strip(), "answer": item.answer.strip()}
    return {"exchange": update_exchange(state, questions=list(answered.values())), "loop_calls": answer.calls}


@as_loop_node
async def validate_redundancies(state: LoopState) -> LoopState:
    """Judge whether each quoted part is redundant and inessential; a part without a verdict is kept."""
    parts = state["exchange"]["redundancies"]
    variables: dict[str, object] = {
        **build_text_variables(state),
        "memory": format_memory("medical_expert", state),
        "redundancies": format_numbered_list(f'"{part["quote"]}" ({part["reason"]})' for part in parts),
    }
    answer = await ask_simplification_role("medical_expert", "validate_redundancies", state, variables, RemovalVerdicts)
    verdicts = {verdict.number: verdict for verdict in answer.value.verdicts}
    redundancies = list[Redundancy]()
    for number, part in enumerate(parts, start=1):
        given = verdicts.get(number)
        # A part without a verdict is not validated, so it stays.
        justification = given.justification if given else "The expert gave no verdict."
        verdict: Literal["validated", "kept"] = "validated" if given and given.remove else "kept"
        redundancies.append({**part, "verdict": verdict, "justification": justification, "judge": "medical_expert"})
    return {"exchange": update_exchange(state, redundancies=redundancies), "loop_calls": answer.calls}


@as_loop_node
async def check_accuracy(state: LoopState) -> LoopState:
    """Review the rewritten text: list its medical errors, or state that it is accurate."""
    earlier = state["exchange"]["comments"]
    variables: dict[str, object] = {
        **build_text_variables(state),
        "memory": format_memory("medical_expert", state),
        "earlier_comments": format_numbered_list(earlier),
        "lost_details": "",
    }
    if has_extension("lost_details", state):
        lost = find_lost_details(load_source_text(state["source"]), state["text"])
        variables["lost_details"] = format_numbered_list(
            ", ".join(f'"{detail["text"]}"' for detail in details) + f" in: {sentence}"
            for sentence, details in groupby(lost, key=lambda detail: detail["sentence"])
        )
    answer = await ask_simplification_role("medical_expert", "check_accuracy", state, variables, AccuracyCheck)
    comments = [comment.strip() for comment in answer.value.comments if comment.strip()]
    return {
        "to_correct": comments,
        "loop_round": state["loop_round"] + 1,
        "exchange": update_exchange(state, comments=[*earlier, *comments], accurate=not comments),
        "loop_calls": answer.calls,
    }
