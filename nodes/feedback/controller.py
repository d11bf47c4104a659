"""The controller: executes, skips or replaces steps, or rewrites those that remain (SWIF2T, Section 3, "Controller").

`sequential` is the paper's: it decides about one step after the other. `parallel` (ours) sends questions that do not
depend on each other out together and looks after each such wave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, create_model

from nodes.feedback.agent import ask_as, has_literature, options
from nodes.feedback.evidence import evidence_shown, unanswered_shown
from nodes.feedback.golden_rules import Asked, in_words, keep_golden_rules, numbered_steps
from nodes.feedback.paper import shown
from state.errors import Unanswered
from state.feedback import Action, Decision, Evidence, ParagraphState, Step, StepRecord
from state.records import CallRecord
from tools.prompts import numbered

MEANINGS: dict[Decision, str] = {
    "execute": "carry the step out, perhaps with a better question",
    "skip": "leave the step out, because it is answered already, impossible or of no use",
    "replace": "ask another question instead",
    "rewrite": "give up all remaining questions and write new ones, because the answers have made them obsolete",
}


class NewStep(BaseModel):
    """A question of a rewritten plan."""

    model_config = ConfigDict(extra="forbid")

    action: Literal["ask_paper", "ask_literature"]
    question: str = Field(max_length=240)


class Ruling(NamedTuple):
    """What the controller has decided about the steps that it was shown."""

    because: str
    decisions: list[tuple[Decision, str]]
    """For each step, in order, with the question as it is to be asked."""
    rewritten: list[Asked]
    """New questions that stand for all remaining ones; empty if the plan stays."""
    calls: list[CallRecord]
    note: str = ""


async def control_steps(state: ParagraphState) -> dict[str, Any]:
    """Log what the last wave has brought, and decide what is asked next.

    The wave is empty where the controller only skipped or rewrote: then it is asked again. Without a remaining step
    all is asked, and the review can be written.
    """
    news = _logged(state)
    now: ParagraphState = {**state, **news}  # type: ignore[typeddict-item]
    now["log"] = [*state["log"], *news["log"]]
    shown_steps = _shown_steps(now)
    ruling = await _rule(now, shown_steps)
    return {**news, **_followed(now, shown_steps, ruling, news["log"])}


def _logged(state: ParagraphState) -> dict[str, Any]:
    """The records of the last wave's steps with their outcomes, in the order of the plan."""
    answers = {answer["step"]: answer for answer in state["answers"]}
    log: list[StepRecord] = []
    evidence: list[Evidence] = list(state["evidence"])
    for record in state["decided"]:
        answer = answers[record["step"]["id"]]
        found = answer["evidence"]
        log.append({**record, "outcome": "answered" if found else "unanswered", "note": answer["note"]})
        evidence += [found] if found else []
    return {"log": log, "evidence": evidence, "decided": [], "wave": []}


def _shown_steps(state: ParagraphState) -> list[Step]:
    """The steps to decide about now: the next one, or those that do not depend on each other."""
    remaining = state["remaining"]
    if options(state).execution == "sequential" or len(remaining) < 2:
        return remaining[:1]
    if not state["log"]:  # the first wave: questions to the paper, or to the literature if there are no others
        return [step for step in remaining[:-1] if step["action"] == remaining[0]["action"]]
    return remaining[:-1]


def open_decisions(state: ParagraphState, steps: Sequence[Step]) -> list[Decision]:
    """What may be decided: the review can neither be skipped nor replaced, and rewrites are bounded."""
    for_review = all(step["action"] == "write_review" for step in steps)
    choices: list[Decision] = ["execute"] if for_review else ["execute", "skip", "replace"]
    return [*choices, "rewrite"] if state["rewrites"] < options(state).max_rewrites else choices


async def _rule(state: ParagraphState, steps: list[Step]) -> Ruling:
    """Ask the model, unless there is nothing to decide: a wave of its own making, or a review that must come now."""
    choices = open_decisions(state, steps)
    as_planned: list[tuple[Decision, str]] = [("execute", step["question"]) for step in steps]
    parallel = options(state).execution == "parallel"
    own = all(step["origin"] == "controller" for step in steps) and steps[0]["action"] != "write_review"
    if choices == ["execute"] or (parallel and (not state["log"] or own)):
        return Ruling("", as_planned, [], [])
    try:
        if parallel and steps[0]["action"] != "write_review":
            return await _rule_wave(state, steps, choices)
        return await _rule_step(state, steps[0], choices)
    except Unanswered as error:
        note = f"The controller gave no usable answer ({error.problem}), so the plan was followed."
        return Ruling("", as_planned, [], error.spent, note)


async def _rule_step(state: ParagraphState, step: Step, choices: list[Decision]) -> Ruling:
    variables = {
        **_variables(state, choices),
        "next_step": in_words(step),
        "remaining": numbered(map(in_words, state["remaining"][1:])) or "There are none.",
    }
    answer = await ask_as("controller", "control_step", state, variables, step_decision(choices, _most(state)))
    value = answer.value.model_dump()
    rewritten = _new_steps(value) if value["decision"] == "rewrite" else []
    return Ruling(value["explanation"], [(value["decision"], value["question"])], rewritten, answer.calls)


async def _rule_wave(state: ParagraphState, steps: list[Step], choices: list[Decision]) -> Ruling:
    variables = {**_variables(state, choices), "remaining": numbered(map(in_words, steps))}
    schema = wave_decision(choices, len(steps), _most(state))
    answer = await ask_as("controller", "control_wave", state, variables, schema)
    value = answer.value.model_dump()
    given = {item["step"]: (item["decision"], item["question"]) for item in value["decisions"]}
    decisions = [given.get(number, ("execute", "")) for number in range(1, len(steps) + 1)]
    return Ruling(value["explanation"], decisions, _new_steps(value), answer.calls)


def step_decision(choices: Sequence[Decision], most: int) -> type[BaseModel]:
    """The schema of a decision about one step, which allows the open choices only."""
    return create_model(
        "StepDecision",
        __config__=ConfigDict(extra="forbid"),
        explanation=(str, Field(min_length=5, max_length=240)),
        decision=(Literal[tuple(choices)], ...),  # type: ignore[arg-type] # known only now
        question=(str, Field(max_length=240)),
        **_steps_field(choices, most),
    )


def wave_decision(choices: Sequence[Decision], number: int, most: int) -> type[BaseModel]:
    """The schema of decisions about `number` steps."""
    per_step = tuple(choice for choice in choices if choice != "rewrite")
    decision = create_model(
        "DecisionOnStep",
        __config__=ConfigDict(extra="forbid"),
        step=(Literal[tuple(range(1, number + 1))], ...),  # type: ignore[arg-type]
        decision=(Literal[per_step], ...),  # type: ignore[arg-type]
        question=(str, Field(max_length=240)),
    )
    return create_model(
        "WaveDecision",
        __config__=ConfigDict(extra="forbid"),
        explanation=(str, Field(min_length=5, max_length=240)),
        decisions=(list[decision], Field(min_length=1, max_length=number)),
        **_steps_field(choices, most),
    )


def _steps_field(choices: Sequence[Decision], most: int) -> dict[str, Any]:
    return {"steps": (list[NewStep], Field(max_length=most))} if "rewrite" in choices else {}


def _new_steps(value: dict[str, Any]) -> list[Asked]:
    return [Asked(step["action"], step["question"]) for step in value.get("steps", [])]


def _most(state: ParagraphState) -> int:
    return options(state).max_questions


def _variables(state: ParagraphState, choices: Sequence[Decision]) -> dict[str, object]:
    return {
        "paragraph": shown(state["target"]["text"]),
        "evidence": evidence_shown(state["evidence"]),
        "log": unanswered_shown(state["log"]),
        "choices": "\n".join(f"  - `{choice}`: {MEANINGS[choice]}" for choice in choices),
    }


def _followed(state: ParagraphState, steps: list[Step], ruling: Ruling, log: list[StepRecord]) -> dict[str, Any]:
    """What the ruling makes of the plan."""
    news: dict[str, Any] = {"calls": ruling.calls, "notes": [ruling.note] if ruling.note else []}
    new = _new_plan(state, ruling.rewritten) if state["rewrites"] < options(state).max_rewrites else []
    if len(new) > 1:
        dropped = [_record(step, "rewrite", ruling.because, outcome="skipped") for step in state["remaining"][:-1]]
        return {**news, "log": [*log, *dropped], "rewrites": state["rewrites"] + 1, "remaining": new}
    wave: list[StepRecord] = []
    skipped: list[StepRecord] = []
    for step, (decision, question) in zip(steps, ruling.decisions, strict=True):
        if step["action"] == "write_review":
            return {**news, "remaining": []}
        if decision == "skip":
            skipped.append(_record(step, decision, ruling.because, outcome="skipped"))
        else:
            wave.append(_decided(step, decision, question, ruling.because))
    asked = [record["step"] for record in wave]
    return {
        **news,
        "log": [*log, *skipped],
        "decided": wave,
        "wave": asked,
        "remaining": state["remaining"][len(steps) :],
    }


def _decided(step: Step, decision: Decision, question: str, because: str) -> StepRecord:
    """A step as it is to be carried out: in the controller's words if they keep the golden rules."""
    action: Action = step["action"]
    asked = keep_golden_rules([Asked(action, question), Asked("write_review", "")], most=1).steps
    if len(asked) < 2 or asked[0].question == step["question"]:  # no better question, so the planned one
        return _record(step, "execute", because)
    changed: Step = {**step, "action": asked[0].action, "question": asked[0].question, "origin": "controller"}
    return _record(changed, decision, because)


def _new_plan(state: ParagraphState, asked: list[Asked]) -> list[Step]:
    """Rewritten steps that keep the golden rules, without what was asked before; the review is the last of them."""
    whole = [*asked, Asked("write_review", "")]
    kept = keep_golden_rules(whole, most=_most(state), literature=has_literature(state)).steps
    asked_before = {record["step"]["question"].casefold() for record in state["log"]}
    known = [*(record["step"] for record in state["log"]), *state["remaining"]]
    first = 1 + max(int(step["id"][1:]) for step in known)
    return numbered_steps(
        [step for step in kept if step.question.casefold() not in asked_before], "controller", first=first
    )


def _record(
    step: Step, decision: Decision, because: str, *, outcome: Literal["unanswered", "skipped"] = "unanswered"
) -> StepRecord:
    return StepRecord(step=step, decision=decision, because=because, outcome=outcome, note="")
