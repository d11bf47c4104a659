"""The planner samples several plans for the paragraph, and the plan re-ranker picks one (SWIF2T, Section 3).

The planner's prompt holds the golden rules of a plan: each step is for the investigator or the reviewer; questions to
the paper come first, then those to the literature, then the review; a question asks about one thing, and a question to
the literature can be understood by itself and ends with "?". Code changes only steps that cannot be executed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, create_model

from nodes.feedback.agent import (
    ask_feedback_role,
    fail_paragraph,
    format_extension_flag,
    format_prompt_text,
    get_feedback_settings,
    list_literature_sources,
    list_question_actions,
    make_list_field,
)
from nodes.feedback.weakness_detector import format_weaknesses
from nodes.shared import AgentAnswer, ask_person, get_model_settings
from state.errors import NoUsableAnswer
from state.feedback import Action, ParagraphState, Plan, Step
from state.model_settings import LengthLimit
from tools.reranking import choose_weights_folder, load_reranker
from tools.text import format_numbered_list


class UnnumberedStep(NamedTuple):
    """A step of a plan before it is numbered: its action and its question."""

    action: Action
    question: str


def normalize_plan(steps: Sequence[UnnumberedStep], most: int) -> tuple[list[UnnumberedStep], list[str]]:
    """Return a pair: the plan, repaired so that it can be followed, and a sentence for each repair.

    At most `most` questions come before the review, which may stand alone.
    """
    repairs: list[str] = []
    questions = [
        UnnumberedStep(step.action, " ".join(step.question.split())) for step in steps if step.action != "write_review"
    ]
    if not all(step.question for step in questions):
        repairs.append("A step without a question was left out.")
        questions = [step for step in questions if step.question]
    if len(questions) > most:
        repairs.append(f"Questions beyond the first {most} were left out.")
    if [step.action for step in steps].count("write_review") != 1 or steps[-1].action != "write_review":
        repairs.append("The review was made the last step, and the only one.")
    return [*questions[:most], UnnumberedStep("write_review", "")], repairs


def number_steps(asked: Sequence[UnnumberedStep], origin: str, *, first: int = 1) -> list[Step]:
    """Return the steps of a plan with the ids s1, s2, ..., counted from `first`.

    The `origin` is who proposed them: `planner`, `controller` or `person`.
    """
    return [
        Step(id=f"s{number}", action=step.action, question=step.question, origin=origin)  # type: ignore[typeddict-item]
        for number, step in enumerate(asked, start=first)
    ]


# The investigator's sources, as prompts and people name them.
SOURCE_NAMES: Mapping[Action, str] = {"ask_paper": "paper", "ask_checks": "checks", "ask_literature": "literature"}


def describe_step(step: Step) -> str:
    """Describe a step in a line, for the prompts and the re-ranker."""
    if step["action"] == "write_review":
        return "Reviewer: write the review."
    return f"Investigator: answer from the {SOURCE_NAMES[step['action']]}: {step['question']}"


def build_plan_schema(actions: Sequence[str], steps: Any) -> type[BaseModel]:
    """Build the schema of a plan from the actions that a step may have, and the field of its steps."""
    question: Any = (Annotated[str, LengthLimit("note_words")], ...)
    step = create_model(
        "ProposedStep",
        __base__=AgentAnswer,
        action=(Literal[tuple(actions)], ...),  # type: ignore[arg-type] # known only now
        question=question,
    )
    reasoning: Any = (Annotated[str, LengthLimit("advice_words")], ...)
    return create_model("ProposedPlan", __base__=AgentAnswer, reasoning=reasoning, steps=(list[step], steps))


async def propose_plans(state: ParagraphState) -> ParagraphState:
    """Sample plans, repair those that cannot be followed, and follow the first unless they are ranked."""
    chosen, model = get_feedback_settings(state), get_model_settings("planner", state)
    if chosen.plans > 1:  # at a low temperature all samples would be the same plan
        model = model.model_copy(update={"temperature": max(model.temperature or 0, chosen.plan_temperature)})
    steps_field = make_list_field(chosen.max_questions + 1, "planner", state)
    schema = build_plan_schema((*list_question_actions(state), "write_review"), steps_field)
    variables: dict[str, object] = {
        "paragraph": format_prompt_text(state["target"]["text"], state),
        "suspicions": format_prompt_text(format_weaknesses(state["suspicions"]), state),
        "most": chosen.max_questions,
        "literature": "yes" if list_literature_sources(chosen) else "",
        "checks": format_extension_flag("computed_checks", state),
    }
    try:
        # `most` is a number, so nothing is trimmed, for a paragraph that is too long here fits no later prompt.
        samples = await ask_feedback_role(
            "planner", "propose_plans", state, variables, schema, trim="most", model=model, number=chosen.plans
        )
    except NoUsableAnswer as error:
        return fail_paragraph("planner", error)
    plans: list[Plan] = []
    for number, proposal in enumerate(samples.values, start=1):
        asked = [UnnumberedStep(step["action"], step["question"]) for step in proposal.model_dump()["steps"]]
        steps, repairs = normalize_plan(asked, chosen.max_questions)
        plans.append(Plan(number=number, steps=number_steps(steps, "planner"), repairs=repairs, score=None))
    notes = [f"{len(plans)} of {chosen.plans} plans could be used."] if len(plans) < chosen.plans else []
    return {"plans": plans, "remaining": plans[0]["steps"], "notes": notes, "calls": samples.calls}


async def edit_plan(state: ParagraphState) -> ParagraphState:
    """Pause the run for a person, whose questions replace those of the best plan; None keeps it."""
    plan = state["plans"][0]
    lines = [f"{SOURCE_NAMES[step['action']]}: {step['question']}" for step in plan["steps"][:-1]]
    question, example = "Which questions should be asked before the review?", ["paper: ...?", "literature: ...?"]
    own = ask_person(question, lines, example, check=parse_step, paragraph=state["target"]["text"])
    if own is None or own == lines:
        return {"remaining": plan["steps"]}
    most = get_feedback_settings(state).max_questions
    steps, repairs = normalize_plan([*map(parse_step, own), UnnumberedStep("write_review", "")], most)
    edited: Plan = {**plan, "steps": number_steps(steps, "person"), "repairs": repairs}
    return {"plans": [edited, *state["plans"][1:]], "remaining": edited["steps"]}


def parse_step(line: str) -> UnnumberedStep:
    """Parse a person's line, such as "literature: QUESTION", into a step; one that names no source asks the paper.

    Raises:
        ValueError: There is no question behind the source, or the source is misspelt.
    """
    source, colon, question = (part.strip() for part in line.partition(":"))
    actions = {name: action for action, name in SOURCE_NAMES.items()}
    name = source.lower() if colon else ""
    if name in actions:
        if not question:
            raise ValueError(f"the line {line!r} asks nothing")
        return UnnumberedStep(actions[name], question)
    if meant := get_close_matches(name, actions, n=1):
        raise ValueError(f"{source!r} is no source; write {meant[0]!r}")
    return UnnumberedStep("ask_paper", line)


async def rank_plans(state: ParagraphState) -> ParagraphState:
    """Score each plan with the trained re-ranker, and put the best first; its steps remain to be done.

    Raises:
        SettingsError: If the weights are missing or damaged; plans are never ranked by chance.
    """
    plans = state["plans"]
    # The re-ranker was trained on plans in this form: one numbered step a line.
    texts = [format_numbered_list(map(describe_step, plan["steps"])) for plan in plans]
    reranker = await asyncio.to_thread(load_reranker, choose_weights_folder(get_feedback_settings(state)))
    scores = await asyncio.to_thread(reranker.predict_scores, state["target"]["text"], texts)
    scored: list[Plan] = [{**plan, "score": score} for plan, score in zip(plans, scores, strict=True)]
    ranked = sorted(scored, key=lambda plan: -float(plan["score"]))  # type: ignore[arg-type] # just set
    return {"plans": ranked, "remaining": ranked[0]["steps"]}
