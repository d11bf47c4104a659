"""The planner: samples several plans for the paragraph (SWIF2T, Section 3, "Planner")."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, get_args

from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, create_model

from nodes.feedback.agent import PROMPTS, failed, has_literature, model_of, options
from nodes.feedback.golden_rules import Asked, Repaired, in_words, keep_golden_rules, numbered_steps
from nodes.feedback.paper import abstract_of, shown
from state.errors import Unanswered
from state.feedback import Action, ParagraphState, Plan
from state.limits import Limits
from state.settings import ModelSettings
from tools.models import Caller, sample

Proposal = dict[str, Any]
"""A step as the planner wrote it."""
TOP_P = 0.95
"""With which plans are sampled: at the usual 0.4 they are all the same."""


def plan_of(most: int, *, literature: bool) -> type[BaseModel]:
    """The schema of a plan of up to `most` questions and the review."""
    actions = get_args(Action) if literature else ("ask_paper", "write_review")
    return steps_of(actions, fewest=2, most=most + 1)


def steps_of(actions: Sequence[str], *, fewest: int, most: int) -> type[BaseModel]:
    """The schema of `fewest` to `most` steps.

    `about` comes first in a step: a small model otherwise copies words of the paragraph instead of asking about them.
    """
    step = create_model(
        "ProposedStep",
        __config__=ConfigDict(extra="forbid"),
        about=(str, Field(max_length=80)),
        action=(Literal[tuple(actions)], ...),  # type: ignore[arg-type] # known only now
        question=(str, Field(max_length=240)),
    )
    return create_model(
        "ProposedPlan",
        __config__=ConfigDict(extra="forbid"),
        steps=(list[step], Field(min_length=fewest, max_length=most)),
    )


async def propose_plans(state: ParagraphState) -> dict[str, Any]:
    """Sample plans, and repair what breaks the golden rules; a plan without any question is dropped."""
    chosen = options(state)
    variables: dict[str, object] = {
        "title": state["document"]["title"] or "unknown",
        "abstract": await abstract_of(state),
        "section": state["target"]["section"],
        "paragraph": shown(state["target"]["text"]),
        "most": chosen.max_questions,
        "literature": "yes" if has_literature(state) else "",
        "comment": "",  # known only when the re-ranker's training plans are written
    }
    try:
        samples = await sample(
            Caller("planner", "propose_plans", state["target"]["number"]),
            PROMPTS / "propose_plans.md",
            variables,
            plan_of(chosen.max_questions, literature=has_literature(state)),
            _sampling(model_of("planner", state), chosen.plans, chosen.plan_temperature),
            number=chosen.plans,
            trim="abstract",
            limits=Limits(**state["settings"]["limits"]),
        )
    except Unanswered as error:
        return {**failed("planner", error.problem), "calls": error.spent}
    proposals = [proposal.model_dump()["steps"] for proposal in samples.values]
    plans = await asyncio.to_thread(_plans, proposals, state)
    usable = [plan for plan in plans if len(plan["steps"]) > 1]
    notes = [f"{len(usable)} of {chosen.plans} plans could be used."] if len(usable) < chosen.plans else []
    if not usable:
        problem = "no plan asks anything that keeps the golden rules"
        return {**failed("planner", problem), "plans": plans, "calls": samples.calls}
    return {"plans": usable, "remaining": usable[0]["steps"], "notes": notes, "calls": samples.calls}


async def edit_plan(state: ParagraphState) -> dict[str, Any]:
    """Let a person edit the plan that will be followed."""
    plan = state["plans"][0]
    lines = [line_of(Asked(step["action"], step["question"])) for step in plan["steps"][:-1]]
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
    asked = _kept([*map(step_of, own), Asked("write_review", "")], state)
    edited: Plan = {**plan, "steps": numbered_steps(asked.steps, "person"), "repairs": asked.repairs}
    return {"plans": [edited, *state["plans"][1:]], "remaining": edited["steps"]}


def line_of(step: Asked) -> str:
    """A question as a person edits it."""
    return f"{'paper' if step.action == 'ask_paper' else 'literature'}: {step.question}"


def step_of(line: str) -> Asked:
    """A person's line as a step; a line that names no source asks the paper."""
    source, colon, question = str(line).partition(":")
    if colon and source.strip().lower() in {"paper", "literature"}:
        return Asked("ask_literature" if source.strip().lower() == "literature" else "ask_paper", question)
    return Asked("ask_paper", str(line))


def plan_in_words(plan: Plan) -> str:
    """A plan as the re-ranker reads it: one numbered step a line."""
    return "\n".join(f"{number}. {in_words(step)}" for number, step in enumerate(plan["steps"], start=1))


def _kept(steps: list[Asked], state: ParagraphState) -> Repaired:
    return keep_golden_rules(steps, most=options(state).max_questions, literature=has_literature(state))


def _plans(proposals: Sequence[list[Proposal]], state: ParagraphState) -> list[Plan]:
    """The plans, without questions about something else than the paragraph: a small model repeats those of an example.

    If nothing else was asked, they stay.
    """
    from tools.retrieval.bm25 import words  # noqa: PLC0415 - takes seconds, and belongs to an extra

    paragraph = set(words(state["target"]["text"]))

    def fits(step: Proposal) -> bool:
        about = words(f"{step['about']} {step['question']}")
        return step["action"] != "ask_paper" or not paragraph.isdisjoint(about)

    fitting = [list(filter(fits, steps)) for steps in proposals]
    asks = any(step["action"] != "write_review" for steps in fitting for step in steps)
    kept = zip(proposals, fitting if asks else proposals, strict=True)
    return [_plan(number, steps, fit, state) for number, (steps, fit) in enumerate(kept, start=1)]


def _plan(number: int, proposed: list[Proposal], fitting: list[Proposal], state: ParagraphState) -> Plan:
    asked = _kept([Asked(step["action"], step["question"]) for step in fitting], state)
    left_out = [
        f"“{step['question']}” asks about nothing in the paragraph and was left out."
        for step in proposed
        if step not in fitting
    ]
    return Plan(
        number=number, steps=numbered_steps(asked.steps, "planner"), repairs=[*left_out, *asked.repairs], score=None
    )


def _sampling(model: ModelSettings, plans: int, temperature: float) -> ModelSettings:
    """Several plans are sampled warm, whatever the role is set to: otherwise they are one plan several times."""
    return model if plans == 1 else model.model_copy(update={"temperature": temperature, "top_p": TOP_P})
