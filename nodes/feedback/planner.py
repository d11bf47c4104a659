"""The planner samples several plans for the paragraph, and the plan re-ranker picks one (SWIF2T, Section 3).

The golden rules of a plan stand in the planner's prompt: every step asks the investigator or the reviewer for
something; questions to the paper come first, then those to the literature, and the last step is the review; a question
to the literature can be understood by itself and ends with "?"; each question asks about one thing only. A plan is
followed as it was written, but for what cannot be executed; that code repairs what breaks a rule is an extension.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

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
from state.errors import Unanswered
from state.extensions import FeedbackExtension
from state.feedback import Action, ParagraphState, Plan, Step
from state.model_settings import AtMost, Limits, ModelSettings
from state.settings import FeedbackSettings
from tools.models import Caller, sample

_PAPER = r"(?:paper|study|article|manuscript)"
_NEEDS_THE_PAPER = re.compile(
    rf"\bthis (?:{_PAPER}|paragraph|passage|section|table|figure)\b|\b(?:in|of|by|from) this work\b|"
    rf"\bthe (?:paragraph|present (?:{_PAPER}|work))\b|"
    rf"\bthe {_PAPER}(?=['’]s\b|\s*(?:[?.,;:)]|$)| (?:say|show|report|state|claim|describe|mention|use|give)s?\b)|"
    r"(?<!['’]s )\b(?-i:Table|Figure|Fig\.|Section|Equation|Appendix) [A-Z]?\d(?![\w.]*\s+(?:of|in|by|from)\b)",
    re.IGNORECASE,
)
"""Words that can mean this paper alone, of which a literature service knows nothing.

"We", "above", "the authors" and "Table 2 of Smith et al." also stand in questions to the literature.
"""

_SECOND_QUESTION = re.compile(
    r",?\s+(?:and|or)\s+(?:also\s+)?(?=(?:what|which|who|when|where|why|how|is|are|was|were|does|do|did|can|has|have)\b)",
    re.IGNORECASE,
)
_SHORTEST = 3
"""Words; less is no question."""


class Asked(NamedTuple):
    """A step as an agent wrote it."""

    action: Action
    question: str


class RepairedSteps(NamedTuple):
    """Steps that can be followed."""

    steps: list[Asked]
    """The last one is the review, all others are questions."""
    repairs: list[str]
    """What was wrong, one sentence each."""


REPAIRS: tuple[FeedbackExtension, ...] = ("repair_plans", "reroute_literature")
"""The extensions that change questions and their order."""


def keep_golden_rules(
    steps: Sequence[Asked], *, most: int, literature: bool = True, extensions: Collection[FeedbackExtension] = REPAIRS
) -> RepairedSteps:
    """The plan as it is followed.

    Args:
        steps: As the planner, the controller or a person wrote them.
        most: Most questions.
        literature: Whether there is any literature to look in; without `repair_plans`, questions to it stay, and have
            no answer.
        extensions: Those that are on.

    Returns:
        The plan; without any question left, it is the review alone.
    """
    repairs: list[str] = []
    questions = [Asked(step.action, " ".join(step.question.split())) for step in steps if step.action != "write_review"]
    if "repair_plans" in extensions:
        questions = _distinct([_one_question(step, repairs) for step in questions], repairs)
    if "reroute_literature" in extensions:
        questions = [_rerouted(step, repairs) for step in questions]
    if "repair_plans" in extensions:
        questions = _in_order(questions, repairs, literature=literature)
    if not all(step.question for step in questions):
        repairs.append("A step without a question was left out.")
        questions = [step for step in questions if step.question]
    if len(questions) > most:
        repairs.append(f"Questions beyond the first {most} were left out.")
    if [step.action for step in steps].count("write_review") != 1 or steps[-1].action != "write_review":
        repairs.append("The review was made the last step, and the only one.")
    return RepairedSteps([*questions[:most], Asked("write_review", "")], repairs)


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


def _one_question(step: Asked, repairs: list[str]) -> Asked:
    first, *others = step.question.split("?")
    joined = _SECOND_QUESTION.split(first, maxsplit=1)
    if len(joined) > 1 or any(other.strip() for other in others):
        repairs.append(f"“{step.question}” asked about more than one thing; its first question was kept.")
    return Asked(step.action, joined[0].rstrip(" .,;:") + "?")


def _rerouted(step: Asked, repairs: list[str]) -> Asked:
    if step.action == "ask_literature" and _NEEDS_THE_PAPER.search(step.question):
        repairs.append(f"“{step.question}” cannot be understood without the paper, so the paper is asked.")
        return Asked("ask_paper", step.question)
    return step


def _in_order(questions: list[Asked], repairs: list[str], *, literature: bool) -> list[Asked]:
    if not literature and any(step.action == "ask_literature" for step in questions):
        repairs.append("Questions to the literature were left out, because no literature is set up.")
        questions = [step for step in questions if step.action != "ask_literature"]
    ordered = sorted(questions, key=lambda step: step.action == "ask_literature")
    if ordered != questions:
        repairs.append("Questions to the paper were put before those to the literature.")
    return ordered


def _distinct(steps: list[Asked], repairs: list[str]) -> list[Asked]:
    """Without questions that are none, and without those that were asked before."""
    kept: dict[str, Asked] = {}
    for step in steps:
        key = " ".join(re.findall(r"\w+", step.question.casefold()))
        if len(key.split()) < _SHORTEST:
            repairs.append(f"“{step.question}” is no question and was left out.")
        elif key in kept:
            repairs.append(f"“{step.question}” was asked twice.")
        else:
            kept[key] = step
    return list(kept.values())


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
    return steps_of((*questions_to(state), "write_review"), steps, about="on_topic" in chosen.extensions)


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
    """Which literature stands for what the paper's system, which is that without extensions, asks."""
    literature = chosen.literature
    if chosen.extensions or "google" in literature.providers:
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
    return keep_golden_rules(
        steps, most=chosen.max_questions, literature=has_literature(state), extensions=chosen.extensions
    )


def _plans(proposals: Sequence[list[Proposal]], state: ParagraphState) -> list[Plan]:
    """The plans as they can be followed.

    With the extension `repair_plans`, one that asks nothing is no choice for the re-ranker where others ask something.
    """
    extensions = options(state).extensions
    fitting = _on_topic(proposals, state) if "on_topic" in extensions else proposals
    together = zip(proposals, fitting, strict=True)
    plans = [_plan(number, steps, fit, state) for number, (steps, fit) in enumerate(together, start=1)]
    asking = [plan for plan in plans if len(plan["steps"]) > 1] if "repair_plans" in extensions else []
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
