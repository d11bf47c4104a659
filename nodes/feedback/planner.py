"""The planner samples several plans for the paragraph, and the plan re-ranker picks one (SWIF2T, Section 3).

The golden rules of a plan stand in the planner's prompt: every step asks the investigator or the reviewer for
something; questions to the paper come first, then those to the literature, and the last step is the review; a question
to the literature can be understood by itself and ends with "?"; each question asks about one thing only. A plan is
followed as it was written, but for what cannot be executed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from langgraph.types import interrupt
from pydantic import BaseModel, create_model

from nodes.feedback.agent import (
    PROMPTS,
    about_one_paragraph,
    at_most,
    failed,
    has_literature,
    options,
    questions_to,
    shown,
    switch,
)
from nodes.shared import AgentAnswer, limits_of, model_of
from state.errors import Unanswered
from state.feedback import Action, ParagraphState, Plan, Step
from state.model_settings import AtMost
from state.settings import FeedbackSettings
from tools.models import Caller, sample


class Asked(NamedTuple):
    """A step as an agent wrote it."""

    action: Action
    question: str


class NormalizedPlan(NamedTuple):
    """Steps that can be followed."""

    steps: list[Asked]
    """The last one is the review, all others are questions."""
    repairs: list[str]
    """What was wrong, one sentence each."""


def normalize_plan(steps: Sequence[Asked], most: int) -> NormalizedPlan:
    """Make a plan one that can be followed: at most so many questions, then the review.

    Args:
        steps: As the planner, the controller or a person wrote them.
        most: Most questions.

    Returns:
        The plan; without any question left, it is the review alone.
    """
    repairs: list[str] = []
    questions = [Asked(step.action, " ".join(step.question.split())) for step in steps if step.action != "write_review"]
    if not all(step.question for step in questions):
        repairs.append("A step without a question was left out.")
        questions = [step for step in questions if step.question]
    if len(questions) > most:
        repairs.append(f"Questions beyond the first {most} were left out.")
    if [step.action for step in steps].count("write_review") != 1 or steps[-1].action != "write_review":
        repairs.append("The review was made the last step, and the only one.")
    return NormalizedPlan([*questions[:most], Asked("write_review", "")], repairs)


def numbered_steps(asked: Sequence[Asked], origin: str, *, first: int = 1) -> list[Step]:
    """Steps with ids, counted from `first`."""
    return [
        Step(id=f"s{number}", action=step.action, question=step.question, origin=origin)  # type: ignore[typeddict-item]
        for number, step in enumerate(asked, start=first)
    ]


SOURCES: Mapping[Action, str] = {"ask_paper": "paper", "ask_checks": "checks", "ask_literature": "literature"}
"""What the investigator can ask, as prompts and people call it."""


def in_words(step: Step) -> str:
    """A step as the prompts and the re-ranker read it."""
    if step["action"] == "write_review":
        return "Reviewer: write the review."
    return f"Investigator: answer from the {SOURCES[step['action']]}: {step['question']}"


def steps_of(actions: Sequence[str], steps: Any) -> type[BaseModel]:
    """The schema of a plan, by what a step can be and the field of the list of steps."""
    question: Any = (Annotated[str, AtMost("note_words")], ...)
    step = create_model(
        "ProposedStep",
        __base__=AgentAnswer,
        action=(Literal[tuple(actions)], ...),  # type: ignore[arg-type] # known only now
        question=question,
    )
    reasoning: Any = (Annotated[str, AtMost("advice_words")], ...)
    return create_model("ProposedPlan", __base__=AgentAnswer, reasoning=reasoning, steps=(list[step], steps))


async def propose_plans(state: ParagraphState) -> ParagraphState:
    """Sample plans, and make them such as can be followed."""
    chosen, model = options(state), model_of("planner", state)
    if chosen.plans > 1:  # sampled warm, however cold the role is set: otherwise they are one plan several times
        model = model.model_copy(update={"temperature": max(model.temperature or 0, chosen.plan_temperature)})
    schema = steps_of((*questions_to(state), "write_review"), at_most(chosen.max_questions + 1, "planner", state))
    variables: dict[str, object] = {
        "paragraph": shown(state["target"]["text"], state),
        "most": chosen.max_questions,
        "literature": "yes" if has_literature(state) else "",
        "checks": switch("computed_checks", state),
        "instructions": switch("instructions", state),
    }
    try:
        with about_one_paragraph():
            samples = await sample(
                Caller("planner", "propose_plans", state["target"]["number"]),
                PROMPTS / "propose_plans.md",
                variables,
                schema,
                model,
                number=chosen.plans,
                trim="most",  # nothing: a paragraph that does not fit here fits none of the later prompts either
                limits=limits_of(state),
            )
    except Unanswered as error:
        return {**failed("planner", error.problem), "calls": error.spent}
    plans: list[Plan] = []
    for number, proposal in enumerate(samples.values, start=1):
        asked = [Asked(step["action"], step["question"]) for step in proposal.model_dump()["steps"]]
        steps, repairs = normalize_plan(asked, chosen.max_questions)
        plans.append(Plan(number=number, steps=numbered_steps(steps, "planner"), repairs=repairs, score=None))
    notes = [f"{len(plans)} of {chosen.plans} plans could be used."] if len(plans) < chosen.plans else []
    return {"plans": plans, "remaining": plans[0]["steps"], "notes": notes, "calls": samples.calls}


async def edit_plan(state: ParagraphState) -> ParagraphState:
    """Let a person edit the plan that will be followed."""
    plan = state["plans"][0]
    lines = [f"{SOURCES[step['action']]}: {step['question']}" for step in plan["steps"][:-1]]
    answer = interrupt(
        {
            "question": "These questions will be asked before the review is written. Answer with "
            '{"advice": null} to keep them, or {"advice": ["paper: ...?", "literature: ...?"]} for your own.',
            "advice": lines,
            "paragraph": state["target"]["text"],
        }
    )
    own = answer.get("advice") if isinstance(answer, dict) else None
    if own is None or own == lines:
        return {"remaining": plan["steps"]}
    asked = normalize_plan([*map(step_of, own), Asked("write_review", "")], options(state).max_questions)
    edited: Plan = {**plan, "steps": numbered_steps(asked.steps, "person"), "repairs": asked.repairs}
    return {"plans": [edited, *state["plans"][1:]], "remaining": edited["steps"]}


def step_of(line: str) -> Asked:
    """A person's line as a step; a line that names no source asks the paper."""
    source, colon, question = str(line).partition(":")
    for action, name in SOURCES.items():
        if colon and source.strip().lower() == name:
            return Asked(action, question)
    return Asked("ask_paper", str(line))


def plan_in_words(plan: Plan) -> str:
    """A plan as the re-ranker reads it: one numbered step a line."""
    return "\n".join(f"{number}. {in_words(step)}" for number, step in enumerate(plan["steps"], start=1))


async def rank_plans(state: ParagraphState) -> ParagraphState:
    """Score each plan by itself and put the best first.

    Raises:
        SettingsError: The weights are missing or damaged; plans are never ranked by chance.
    """
    plans = state["plans"]
    texts = [plan_in_words(plan) for plan in plans]
    scores = await asyncio.to_thread(_score, options(state), state["target"]["text"], texts)
    scored: list[Plan] = [{**plan, "score": score} for plan, score in zip(plans, scores, strict=True)]
    ranked = sorted(scored, key=lambda plan: -float(plan["score"]))  # type: ignore[arg-type] # just set
    return {"plans": ranked, "remaining": ranked[0]["steps"]}


def _score(chosen: FeedbackSettings, paragraph: str, plans: list[str]) -> list[float]:
    from tools.reranking import load_reranker, weights_folder  # noqa: PLC0415 - only runs that rank plans need it

    return load_reranker(weights_folder(chosen)).score(paragraph, plans)
