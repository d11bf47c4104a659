"""What a model writes for the re-ranker: of each paragraph a plan that is to lead to the human's comment, and others.

| plan    | comment that it is to lead to            | what it is for                                  |
|---------|------------------------------------------|-------------------------------------------------|
| optimal | the human reviewer's, on this paragraph  | the best one (SWIF2T, "plan re-ranking")        |
| generic | one that could be made of any paper      | lacks specificity                               |
| sampled | none: the planner's own, as in a review  | lacks specificity, where it asks less of the review |

All come from the planner's prompt, with a number of questions that is drawn by lot, and with or without a literature to
ask. All other plans are made of these by code (`training/plan_reranker/plans.py`).

The plans of which the weights that ship have learnt are by a large model, written outside this code from the same
assignments.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal, TypedDict

from langgraph.func import entrypoint
from pydantic import Field

import nodes.feedback
from nodes.feedback.planner import Asked, normalize_plan, numbered_steps, plan_in_words, steps_of
from runs.many import Record
from state.feedback import Plan
from state.model_settings import ModelSettings
from state.records import CallRecord
from tools.models import Caller, ask

GENERIC_COMMENTS = (
    "More detail should be given, because a reader could not repeat this as it stands.",
    "It does not become clear what is new here, and how far it goes beyond what is known already.",
    "The conclusion is not fully supported, and other explanations remain open.",
    "There should be a comparison with other work, so that a reader can judge the result.",
    "Too little was done to make the point; more evidence would be needed.",
    "This is hard to follow and should be explained better.",
    "The limits of this should be discussed.",
    "It should be said why this was chosen, and what else could have been done.",
)

Written = Literal["optimal", "generic", "sampled"]
"""What a model writes of a paragraph."""

QUESTIONS = (2, 6)
"""Fewest and most questions of a plan."""

_PLANNER = Path(nodes.feedback.__file__).parent / "prompts" / "propose_plans.md"


class Assignment(TypedDict):
    """What a plan is written from."""

    paragraph: str
    comment: str
    """Empty for a plan that leads to none."""
    questions: int
    """The same number for all plans of a paragraph, so that it tells nothing."""
    literature: bool
    """Whether there is one to ask; the same for all plans of a paragraph."""
    model: ModelSettings


class WrittenPlan(TypedDict):
    """A plan, and what it cost."""

    plan: str
    """As the re-ranker reads it."""
    repairs: list[str]
    """What of it could not be followed."""
    calls: list[CallRecord]


def assignment_of(pair: Record, written: Written, model: ModelSettings) -> Assignment:
    """What the plan of a paragraph is written from; the same every time."""
    chance = random.Random(pair["id"])  # noqa: S311 - no secret
    questions, literature = chance.randint(*QUESTIONS), chance.random() < 1 / 2
    comments = {"optimal": str(pair["feedback"]), "generic": chance.choice(GENERIC_COMMENTS), "sampled": ""}
    return Assignment(
        paragraph=pair["paragraph"],
        comment=comments[written],
        questions=questions,
        literature=literature,
        model=model,
    )


@entrypoint()
async def write_plan(assignment: Assignment) -> WrittenPlan:
    """Write a plan that leads to a comment, or to none.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError, ModelOutputError: As `tools.models.ask`.
    """
    most, literature = assignment["questions"], assignment["literature"]
    variables = {
        "paragraph": assignment["paragraph"],
        "comment": assignment["comment"],
        "most": most,
        "literature": "yes" if literature else "",
        "checks": "",
        "instructions": "",
    }
    # The schema has questions only: with a fixed number of steps, one question more would crowd the review out.
    actions = ("ask_paper", "ask_literature") if literature else ("ask_paper",)
    schema = steps_of(actions, Field(min_length=most, max_length=most))
    caller = Caller("planner", "propose_plans", 1)
    answer = await ask(caller, _PLANNER, variables, schema, assignment["model"], trim="comment")
    asked = [Asked(step["action"], step["question"]) for step in answer.value.model_dump()["steps"]]
    kept = normalize_plan([*asked, Asked("write_review", "")], most)
    plan = Plan(number=1, steps=numbered_steps(kept.steps, "planner"), repairs=kept.repairs, score=None)
    return WrittenPlan(plan=plan_in_words(plan), repairs=kept.repairs, calls=answer.calls)
