"""The controller: executes, skips or replaces steps, or rewrites those that remain (SWIF2T, Section 3, "Controller").

`sequential` is the paper's: it decides about one step after the other, the review included. `parallel` (ours) sends
questions that do not depend on each other out together and looks after each such wave, and at the review. Rewriting
the remaining steps is ours, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, create_model

from nodes.feedback.agent import (
    ask_feedback_role,
    format_prompt_text,
    format_step_log,
    get_feedback_settings,
    list_question_actions,
    log_answers,
    make_bounded_list_field,
    make_step_record,
)
from nodes.feedback.planner import ProposedStep, describe_step, normalize_plan, number_steps
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer
from state.feedback import Action, ParagraphState, Step, StepRecord
from state.model_settings import LengthLimit
from state.records import CallRecord
from tools.models.prompts import format_numbered_list

Choice = Literal["ask_paper", "ask_checks", "ask_literature", "write_review", "skip", "rewrite"]
"""What the controller can do about a step: an action of the investigator or the reviewer, or one of its own."""
Actor = Literal["Investigator", "Reviewer", "Controller"]
CHOICE_MEANINGS: dict[Choice, str] = {
    "ask_paper": "`Investigator`, `ask_paper`: answer a question from the paper",
    "ask_checks": "`Investigator`, `ask_checks`: bring what was computed over the whole paper",
    "ask_literature": "`Investigator`, `ask_literature`: answer a question from other publications",
    "write_review": "`Reviewer`, `write_review`: write the comment now, without the questions that remain",
    "skip": "`Controller`, `skip`: leave the step out",
    "rewrite": "`Controller`, `rewrite`: give up all remaining questions, because the answers have made them obsolete, "
    "and put up to {most} new ones in their place, in `steps` of `parameters`; each has `action` and `question`",
}
LAST_CHOICE_MEANINGS: dict[Choice, str] = {
    **CHOICE_MEANINGS,
    "write_review": "`Reviewer`, `write_review`: write the comment",
    "skip": "`Controller`, `skip`: write no comment, because what was found leaves nothing to raise",
    "rewrite": "`Controller`, `rewrite`: ask up to {most} more questions before the review, in `steps` of "
    "`parameters`; each has `action` and `question`",
}
"""What the choices mean once the review alone is left."""

_QUESTION: Any = (Annotated[str, LengthLimit("note_words")], ...)
_EXPLANATION: Any = (Annotated[str, LengthLimit("advice_words")], ...)


class ControllerDecision(NamedTuple):
    """What the controller has decided about the steps that it was shown."""

    because: str
    choices: list[tuple[Choice, str]]
    """For each step, in order, with the question as it is to be asked; empty if it is that of the plan."""
    rewritten: list[ProposedStep]
    """New questions that stand for all remaining ones; empty if the plan stays."""
    calls: list[CallRecord]
    note: str = ""


async def control_steps(state: ParagraphState) -> ParagraphState:
    """Log what the last wave has brought, and decide what is asked next.

    The wave is empty where the controller only skipped or rewrote: then it is asked again. Without a remaining step
    all is asked, and the review can be written, unless the controller has skipped that, too.
    """
    news = await log_answers(state)
    now: ParagraphState = {**state, **news}
    now["log"] = [*state["log"], *news["log"]]
    shown_steps = _select_due_steps(now)
    ruling = await _decide_steps(now, shown_steps)
    return {**news, **_apply_decision(now, shown_steps, ruling, news["log"])}


def _select_due_steps(state: ParagraphState) -> list[Step]:
    """The steps to decide about now: the next one, or those that do not depend on each other."""
    remaining = state["remaining"]
    if get_feedback_settings(state).execution == "sequential" or len(remaining) < 2:
        return remaining[:1]
    if not state["log"]:  # the first wave: questions to the paper, or to the literature if there are no others
        elsewhere = remaining[0]["action"] == "ask_literature"
        return [step for step in remaining[:-1] if (step["action"] == "ask_literature") == elsewhere]
    return remaining[:-1]


def list_step_choices(state: ParagraphState, steps: Sequence[Step]) -> list[Choice]:
    """What may be done: a review while questions remain needs an answer to build on, and rewrites are bounded."""
    is_last = steps[0]["action"] == "write_review"
    is_answered = any(record["outcome"] == "answered" for record in state["log"])
    questions: Sequence[Choice] = () if is_last else list_question_actions(state)
    review: Sequence[Choice] = ("write_review",) if is_last or is_answered else ()
    choices: list[Choice] = [*questions, *review, "skip"]
    return [*choices, "rewrite"] if state["rewrites"] < get_feedback_settings(state).max_rewrites else choices


async def _decide_steps(state: ParagraphState, steps: list[Step]) -> ControllerDecision:
    """Ask the model, unless there is nothing to decide: the first wave, or one of its own making."""
    choices = list_step_choices(state, steps)
    as_planned: list[tuple[Choice, str]] = [(step["action"], "") for step in steps]
    is_wave = get_feedback_settings(state).execution == "parallel" and steps[0]["action"] != "write_review"
    if is_wave and (not state["log"] or all(step["origin"] == "controller" for step in steps)):
        return ControllerDecision("", as_planned, [], [])
    try:
        if is_wave:
            return await _ask_wave_decision(state, steps, choices)
        return await _ask_step_decision(state, steps[0], choices)
    except NoUsableAnswer as error:
        note = f"The controller gave no usable answer ({error.problem}), so the plan was followed."
        return ControllerDecision("", as_planned, [], error.spent, note)


async def _ask_step_decision(state: ParagraphState, step: Step, choices: list[Choice]) -> ControllerDecision:
    variables = {
        **_build_controller_variables(state, choices),
        "asking": "yes" if "ask_paper" in choices else "",
        "next_step": describe_step(step),
        "remaining": format_numbered_list(map(describe_step, state["remaining"])),
    }
    answer = await ask_feedback_role(
        "controller", "control_step", state, variables, build_step_decision_schema(state, choices), trim="log"
    )
    value = answer.value.model_dump()
    asked = value["parameters"]["question"]
    rewritten = _list_new_steps(value["parameters"]) if value["action"] == "rewrite" else []
    return ControllerDecision(value["explanation"], [(value["action"], asked)], rewritten, answer.calls)


async def _ask_wave_decision(state: ParagraphState, steps: list[Step], choices: list[Choice]) -> ControllerDecision:
    of_each = [choice for choice in choices if choice not in {"write_review", "rewrite"}]
    variables = {
        **_build_controller_variables(state, of_each),
        "remaining": format_numbered_list(map(describe_step, steps)),
        "most": get_feedback_settings(state).max_questions if "rewrite" in choices else 0,
    }
    schema = build_wave_decision_schema(state, choices, len(steps))
    answer = await ask_feedback_role("controller", "control_wave", state, variables, schema, trim="log")
    value = answer.value.model_dump()
    given: dict[int, tuple[Choice, str]] = {
        item["step"]: (item["action"], item["question"]) for item in value["decisions"]
    }
    decided = [given.get(number, (step["action"], "")) for number, step in enumerate(steps, start=1)]
    return ControllerDecision(value["explanation"], decided, _list_new_steps(value), answer.calls)


def build_step_decision_schema(state: ParagraphState, choices: Sequence[Choice]) -> type[BaseModel]:
    """The schema of a decision about one step (the paper's four parts), which allows the open choices only."""
    parameters = create_model(
        "Parameters", __base__=AgentAnswer, question=_QUESTION, **_build_steps_field(state, choices)
    )
    return create_model(
        "StepDecision",
        __base__=AgentAnswer,
        explanation=_EXPLANATION,
        actor=(Actor, ...),
        action=(Literal[tuple(choices)], ...),  # type: ignore[arg-type] # known only now
        parameters=(parameters, ...),
    )


def build_wave_decision_schema(state: ParagraphState, choices: Sequence[Choice], number: int) -> type[BaseModel]:
    """The schema of decisions about `number` questions; rewriting is about all of them, and so no choice for one."""
    of_each = tuple(choice for choice in choices if choice not in {"write_review", "rewrite"})
    decision = create_model(
        "DecisionOnStep",
        __base__=AgentAnswer,
        step=(Literal[tuple(range(1, number + 1))], ...),  # type: ignore[arg-type]
        action=(Literal[of_each], ...),  # type: ignore[arg-type]
        question=_QUESTION,
    )
    return create_model(
        "WaveDecision",
        __base__=AgentAnswer,
        explanation=_EXPLANATION,
        decisions=(list[decision], make_bounded_list_field(number, "controller", state)),
        **_build_steps_field(state, choices),
    )


def _build_steps_field(state: ParagraphState, choices: Sequence[Choice]) -> dict[str, Any]:
    if "rewrite" not in choices:
        return {}
    actions: Any = Literal[list_question_actions(state)]
    step = create_model("NewStep", __base__=AgentAnswer, action=(actions, ...), question=_QUESTION)
    return {
        "steps": (list[step], make_bounded_list_field(get_feedback_settings(state).max_questions, "controller", state))
    }


def _list_new_steps(value: dict[str, Any]) -> list[ProposedStep]:
    return [ProposedStep(step["action"], step["question"]) for step in value.get("steps", [])]


def _build_controller_variables(state: ParagraphState, choices: Sequence[Choice]) -> dict[str, object]:
    known = CHOICE_MEANINGS if "ask_paper" in choices else LAST_CHOICE_MEANINGS
    meanings = [known[choice].format(most=get_feedback_settings(state).max_questions) for choice in choices]
    return {
        "paragraph": format_prompt_text(state["target"]["text"], state),
        "log": format_step_log(state),
        "choices": "\n".join(f"  - {meaning}" for meaning in meanings),
    }


def _apply_decision(
    state: ParagraphState, steps: list[Step], ruling: ControllerDecision, log: list[StepRecord]
) -> ParagraphState:
    """What the ruling makes of the plan."""
    notes = [ruling.note] if ruling.note else []
    new, repairs = _build_new_plan(state, ruling.rewritten)
    if len(new) > 1:
        dropped = [
            make_step_record(step, "rewrite", ruling.because, outcome="skipped") for step in state["remaining"][:-1]
        ]
        return {
            "calls": ruling.calls,
            "notes": [*notes, *repairs],
            "rewrites": state["rewrites"] + 1,
            "remaining": new,
            "log": [*log, *dropped],
        }
    if (steps[0]["action"], ruling.choices[0][0]) == ("write_review", "skip"):
        ended: ParagraphState = {"outcome": "nothing worth raising", "problem": ruling.because, "remaining": []}
        return {**ended, "calls": ruling.calls, "notes": notes, "log": log}
    wave: list[StepRecord] = []
    skipped: list[StepRecord] = []
    remaining = state["remaining"][len(steps) :]
    for step, (choice, question) in zip(steps, ruling.choices, strict=True):
        if choice == "write_review":
            left = [other for other in state["remaining"] if other["action"] != "write_review"]
            skipped, remaining = (
                [make_step_record(other, "skip", ruling.because, outcome="skipped") for other in left],
                [],
            )
        elif choice == "skip":
            skipped.append(make_step_record(step, "skip", ruling.because, outcome="skipped"))
        elif step["action"] != "write_review":
            wave.append(_make_decided_record(step, choice, question, ruling.because))
    remaining = [] if all(step["action"] == "write_review" for step in steps) else remaining
    return {
        "calls": ruling.calls,
        "notes": notes,
        "log": [*log, *skipped],
        "decided": wave,
        "wave": [record["step"] for record in wave],
        "remaining": remaining,
    }


def _make_decided_record(step: Step, choice: Choice, question: str, because: str) -> StepRecord:
    """A step as it is to be carried out: as planned, with a better question, or replaced by one to the other source."""
    action: Action = choice if choice in {"ask_paper", "ask_checks", "ask_literature"} else step["action"]
    asked = " ".join((question or step["question"]).split())
    if not asked or (action, asked) == (step["action"], step["question"]):
        return make_step_record(step, "execute", because)
    changed: Step = {**step, "action": action, "question": asked, "origin": "controller"}
    return make_step_record(changed, "execute" if action == step["action"] else "replace", because)


def _build_new_plan(state: ParagraphState, asked: list[ProposedStep]) -> tuple[list[Step], list[str]]:
    """Rewritten steps as this run follows them, without what was asked before; the review is the last of them."""
    if not asked:
        return [], []
    kept = normalize_plan([*asked, ProposedStep("write_review", "")], get_feedback_settings(state).max_questions)
    asked_before = {record["step"]["question"].casefold() for record in state["log"]}
    known = [*(record["step"] for record in state["log"]), *state["remaining"]]
    first = 1 + max(int(step["id"][1:]) for step in known)
    new = [step for step in kept.steps if step.question.casefold() not in asked_before]
    return number_steps(new, "controller", first=first), kept.repairs
