"""The golden rules of a plan (SWIF2T, Section 3, "Planner"), which stand in the planner's prompt, and what code does.

Every step asks the investigator or the reviewer for something; questions to the paper come first, then those to the
literature, and the last step is the review; a question to the literature can be understood by itself and ends with
"?"; each question asks about one thing only. A plan is followed as it was written, but for what cannot be executed;
that code repairs what breaks a rule is an aid.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from state.aids import FeedbackAid
from state.feedback import Action, Step

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


REPAIRS: tuple[FeedbackAid, ...] = ("repair_plans", "reroute_literature")
"""The aids that change questions and their order."""


def keep_golden_rules(
    steps: Sequence[Asked], *, most: int, literature: bool = True, aids: Collection[FeedbackAid] = REPAIRS
) -> RepairedSteps:
    """The plan as it is followed.

    Args:
        steps: As the planner, the controller or a person wrote them.
        most: Most questions.
        literature: Whether there is any literature to look in; without `repair_plans`, questions to it stay, and have
            no answer.
        aids: Those that are on.

    Returns:
        The plan; without any question left, it is the review alone.
    """
    repairs: list[str] = []
    questions = [Asked(step.action, " ".join(step.question.split())) for step in steps if step.action != "write_review"]
    if "repair_plans" in aids:
        questions = _distinct([_one_question(step, repairs) for step in questions], repairs)
    if "reroute_literature" in aids:
        questions = [_rerouted(step, repairs) for step in questions]
    if "repair_plans" in aids:
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
