"""The planner: samples several plans for the paragraph (SWIF2T, Section 3, "Planner")."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, create_model

from nodes.feedback.agent import (
    PROMPTS,
    about_one_paragraph,
    at_most,
    failed,
    has_literature,
    model_of,
    options,
    questions_to,
    shown,
    switch,
)
from nodes.feedback.golden_rules import SOURCES, Asked, RepairedSteps, in_words, keep_golden_rules, numbered_steps
from state.errors import Unanswered
from state.feedback import ParagraphState, Plan
from state.limits import AtMost, Limits
from state.model_settings import ModelSettings
from state.settings import FeedbackSettings
from tools.models import Caller, sample

Proposal = dict[str, Any]
"""A step as the planner wrote it."""
_QUESTION: Any = (Annotated[str, AtMost("note_words")], ...)
_WORDS: Any = (Annotated[str, AtMost("quote_words")], ...)
NO_LITERATURE = "No literature is set up, so the paper alone was asked."
NOT_GOOGLE = "The literature that was asked is {asked}, not Google as in the paper."


def plan_of(state: ParagraphState) -> type[BaseModel]:
    """The schema of a plan: questions to what can be asked, and the review."""
    chosen = options(state)
    steps = at_most(chosen.max_questions + 1, "planner", state)
    return steps_of((*questions_to(state), "write_review"), steps, about="on_topic" in chosen.aids)


def steps_of(actions: Sequence[str], steps: Any, *, about: bool) -> type[BaseModel]:
    """The schema of a plan.

    Args:
        actions: What a step can be.
        steps: The field of the list of steps.
        about: Whether a step begins with the words that it is about: a small model otherwise copies words of the
            paragraph instead of asking about them.
    """
    words = {"about": _WORDS} if about else {}
    step = create_model(
        "ProposedStep",
        __config__=ConfigDict(extra="forbid"),
        **words,
        action=(Literal[tuple(actions)], ...),  # type: ignore[arg-type] # known only now
        question=_QUESTION,
    )
    return create_model("ProposedPlan", __config__=ConfigDict(extra="forbid"), steps=(list[step], steps))


async def propose_plans(state: ParagraphState) -> ParagraphState:
    """Sample plans, and make them such as can be followed."""
    chosen = options(state)
    variables: dict[str, object] = {
        "paragraph": shown(state["target"]["text"], state),
        "most": chosen.max_questions,
        "literature": "yes" if has_literature(state) else "",
        "checks": switch("computed_checks", state),
        "about": switch("on_topic", state),
        "instructions": switch("instructions", state),
        "comment": "",  # known only when the re-ranker's training plans are written
    }
    try:
        with about_one_paragraph():
            samples = await sample(
                Caller("planner", "propose_plans", state["target"]["number"]),
                PROMPTS / "propose_plans.md",
                variables,
                plan_of(state),
                _sampling(model_of("planner", state), chosen),
                number=chosen.plans,
                trim="comment",  # nothing: a paragraph that does not fit here fits none of the later prompts either
                limits=Limits(**state["settings"]["limits"]),
            )
    except Unanswered as error:
        return {**failed("planner", error.problem), "calls": error.spent}
    proposals = [proposal.model_dump()["steps"] for proposal in samples.values]
    plans = await asyncio.to_thread(_plans, proposals, state)
    notes = literature_notes(chosen) if has_literature(state) else [NO_LITERATURE]
    if len(plans) < chosen.plans:
        notes.append(f"{len(plans)} of {chosen.plans} plans could be used.")
    return {"plans": plans, "remaining": plans[0]["steps"], "notes": notes, "calls": samples.calls}


def literature_notes(chosen: FeedbackSettings) -> list[str]:
    """Which literature stands for what the paper's system, which is that without aids, asks."""
    literature = chosen.literature
    if chosen.aids or "google" in literature.providers:
        return []
    names = [f"the folder {literature.folder}" if name == "folder" else name for name in literature.providers]
    return [NOT_GOOGLE.format(asked=" and ".join(names))]


async def edit_plan(state: ParagraphState) -> ParagraphState:
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
    asked = followed([*map(step_of, own), Asked("write_review", "")], state)
    edited: Plan = {**plan, "steps": numbered_steps(asked.steps, "person"), "repairs": asked.repairs}
    return {"plans": [edited, *state["plans"][1:]], "remaining": edited["steps"]}


def line_of(step: Asked) -> str:
    """A question as a person edits it."""
    return f"{SOURCES[step.action]}: {step.question}"


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


def followed(steps: Sequence[Asked], state: ParagraphState) -> RepairedSteps:
    """Steps as this run follows them."""
    chosen = options(state)
    return keep_golden_rules(steps, most=chosen.max_questions, literature=has_literature(state), aids=chosen.aids)


def _plans(proposals: Sequence[list[Proposal]], state: ParagraphState) -> list[Plan]:
    """The plans as they can be followed.

    With the aid `repair_plans`, one that asks nothing is no choice for the re-ranker where others ask something.
    """
    aids = options(state).aids
    fitting = _on_topic(proposals, state) if "on_topic" in aids else proposals
    together = zip(proposals, fitting, strict=True)
    plans = [_plan(number, steps, fit, state) for number, (steps, fit) in enumerate(together, start=1)]
    asking = [plan for plan in plans if len(plan["steps"]) > 1] if "repair_plans" in aids else []
    return asking or plans


def _on_topic(proposals: Sequence[list[Proposal]], state: ParagraphState) -> Sequence[list[Proposal]]:
    """Without questions about something else than the paragraph; if nothing else was asked, they stay."""
    from tools.retrieval.bm25 import words  # noqa: PLC0415 - takes seconds, and belongs to an extra

    paragraph = set(words(state["target"]["text"]))

    def fits(step: Proposal) -> bool:
        about = words(f"{step['about']} {step['question']}")
        return step["action"] != "ask_paper" or not paragraph.isdisjoint(about)

    fitting = [list(filter(fits, steps)) for steps in proposals]
    asks = any(step["action"] != "write_review" for steps in fitting for step in steps)
    return fitting if asks else proposals


def _plan(number: int, proposed: list[Proposal], fitting: list[Proposal], state: ParagraphState) -> Plan:
    asked = followed([Asked(step["action"], step["question"]) for step in fitting], state)
    left_out = [
        f"“{step['question']}” asks about nothing in the paragraph and was left out."
        for step in proposed
        if step not in fitting
    ]
    return Plan(
        number=number, steps=numbered_steps(asked.steps, "planner"), repairs=[*left_out, *asked.repairs], score=None
    )


def _sampling(model: ModelSettings, chosen: FeedbackSettings) -> ModelSettings:
    """Several plans are sampled warm, however cold the role is set: otherwise they are one plan several times."""
    if chosen.plans == 1:
        return model
    return model.model_copy(update={"temperature": max(model.temperature or 0, chosen.plan_temperature)})
