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

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict, Field, create_model

import nodes.feedback
from nodes.feedback.planner import Asked, keep_golden_rules, numbered_steps, plan_in_words, steps_of
from runs.many import Record
from state.errors import BadInput
from state.feedback import Plan, Weakness
from state.model_settings import AtMost, ModelSettings
from state.records import CallRecord
from tools.models import Caller, ask

GENERIC_COMMENTS: dict[Weakness, str] = {
    "Replicability": "More detail should be given, because a reader could not repeat this as it stands.",
    "Originality": "It does not become clear what is new here, and how far it goes beyond what is known already.",
    "Empirical and Theoretical Soundness": "The conclusion is not fully supported, and other explanations remain open.",
    "Meaningful Comparison": "There should be a comparison with other work, so that a reader can judge the result.",
    "Substance": "Too little was done to make the point; more evidence would be needed.",
}


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
        {**_subject(assignment), "most": most, "literature": "yes", "about": "yes", "checks": "", "instructions": ""},
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


_QUESTIONS = (2, 4)
"""Fewest and most questions of a plan."""


def in_scope(pairs: Sequence[Record]) -> list[Record]:
    """Those pairs whose review criticises something, and is about one of the five types of weakness.

    Raises:
        BadInput: If nobody has said what a pair is about.
    """
    criticised = [pair for pair in pairs if pair["feedback"]]
    if untyped := [pair["id"] for pair in criticised if not pair.get("aspect")]:
        raise BadInput(
            f"{len(untyped)} pairs have no aspect, {untyped[0]} for one; "
            "python -m training.review_filters.label_aspects labels them."
        )
    return [pair for pair in criticised if pair["aspect"] in GENERIC_COMMENTS]


def assignment_of(pair: Record, criterion: Criterion, pairs: Sequence[Record], model: ModelSettings) -> Assignment:
    """What the plan of a paragraph is written from; the same every time.

    Raises:
        BadInput: There is no other paper to take a comment from.
    """
    return Assignment(
        paragraph=pair["paragraph"],
        comment=_comment(pair, criterion, pairs),
        questions=_chance(pair).randint(*_QUESTIONS),
        structured=criterion != "structure",
        model=model,
    )


def _comment(pair: Record, criterion: Criterion, pairs: Sequence[Record]) -> str:
    if criterion == "specificity":
        return GENERIC_COMMENTS[pair["aspect"]]
    if criterion == "coherence":
        others = [
            other
            for other in pairs
            if (other["split"], other["paper_id"] == pair["paper_id"]) == (pair["split"], False)
        ]
        if not others:
            raise BadInput(f"The pairs of the split {pair['split']} are all of one paper; give pairs of more papers.")
        pair = _chance(pair).choice(others)
    return str(pair["feedback"])


def _chance(pair: Record) -> random.Random:
    return random.Random(pair["id"])  # noqa: S311 - no secret
