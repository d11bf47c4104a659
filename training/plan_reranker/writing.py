"""Training plans of the re-ranker: an optimal one, and three that each lack something (SWIF2T, plan re-ranking).

| plan        | prompt      | comment that it is to lead to                    |
|-------------|-------------|--------------------------------------------------|
| optimal     | the planner | the human reviewer's, on this paragraph          |
| coherence   | the planner | a human reviewer's, on a paragraph elsewhere     |
| structure   | free        | the human reviewer's, on this paragraph          |
| specificity | the planner | a generic one of the same weakness type          |

These plans are written with the aids of the preset `embedded`, whatever the settings say, because a small model writes
them: a step says what it is `about`, the number of questions is fixed, and code repairs what breaks a golden rule. The
paper's plans are used as GPT-4 wrote them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict, Field, create_model

import nodes.feedback
from nodes.feedback.golden_rules import Asked, keep_golden_rules, numbered_steps
from nodes.feedback.planner import plan_in_words, steps_of
from state.feedback import Plan
from state.limits import AtMost
from state.records import CallRecord
from state.settings import ModelSettings
from tools.models import Caller, ask

Criterion = Literal["optimal", "coherence", "structure", "specificity"]
"""The optimal plan, or what a plan lacks."""

_PLANNER = Path(nodes.feedback.__file__).parent / "prompts" / "propose_plans.md"
_FREE = Path(__file__).parent / "prompts" / "plan_freely.md"


class Assignment(TypedDict):
    """What a plan is written from."""

    paragraph: str
    comment: str
    questions: int
    """How many a structured plan asks: the same number for all plans of a paragraph, so that it tells nothing."""
    structured: bool
    model: ModelSettings


class WrittenPlan(TypedDict):
    """A plan, and what it cost."""

    plan: str
    """As the re-ranker reads it."""
    repairs: list[str]
    """Golden rules that it broke."""
    calls: list[CallRecord]


_SENTENCE = 70
"""Characters of a sentence of a free plan; a small model, whose schemas have limits, else stops after the first."""


def free_plan_of(sentences: int, model: ModelSettings) -> type[BaseModel]:
    """The schema of a plan without any form; a shorter one than was asked for is an answer, too."""
    shortest: Any = {"minLength": _SENTENCE * sentences} if model.schema_limits else None
    text: Any = Annotated[str, AtMost("answer_words"), Field(min_length=1, json_schema_extra=shortest)]
    return create_model("FreePlan", __config__=ConfigDict(extra="forbid"), plan=text)


@entrypoint()
async def write_plan(assignment: Assignment) -> WrittenPlan:
    """Write a plan that leads to a comment.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError, ModelOutputError: As `tools.models.ask`.
    """
    return await (_structured(assignment) if assignment["structured"] else _free(assignment))


async def _structured(assignment: Assignment) -> WrittenPlan:
    most = assignment["questions"]
    answer = await ask(
        Caller("planner", "propose_plans", 1),
        _PLANNER,
        {**_subject(assignment), "most": most, "literature": "yes", "about": "yes", "instructions": ""},
        steps_of(("ask_paper", "ask_literature"), Field(min_length=most, max_length=most), about=True),
        assignment["model"],
        trim="comment",
    )
    asked = [Asked(step["action"], step["question"]) for step in answer.value.model_dump()["steps"]]
    # The schema has questions only: with a fixed number of steps, one question more would crowd the review out.
    kept = keep_golden_rules([*asked, Asked("write_review", "")], most=most)
    plan = Plan(number=1, steps=numbered_steps(kept.steps, "planner"), repairs=kept.repairs, score=None)
    return WrittenPlan(plan=plan_in_words(plan), repairs=kept.repairs, calls=answer.calls)


async def _free(assignment: Assignment) -> WrittenPlan:
    caller = Caller("planner", "plan_freely", 1)
    sentences = assignment["questions"] + 1
    variables = {**_subject(assignment), "sentences": sentences}
    model = assignment["model"]
    answer = await ask(caller, _FREE, variables, free_plan_of(sentences, model), model, trim="comment")
    return WrittenPlan(plan=answer.value.model_dump()["plan"].strip(), repairs=[], calls=answer.calls)


def _subject(assignment: Assignment) -> dict[str, object]:
    return {"paragraph": assignment["paragraph"], "comment": assignment["comment"]}
