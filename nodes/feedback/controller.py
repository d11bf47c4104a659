"""The controller: executes, skips or replaces steps, or rewrites those that remain (SWIF2T, Section 3, "Controller").

`sequential`, as in the paper, decides about each step in turn, the review included. `parallel`, an extension, sends
independent questions out together, and asks the controller after each wave, before the review only if a question has no
answer. Rewriting the remaining steps is an extension, too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import create_model

from nodes.feedback.agent import (
    ask_feedback_role,
    format_prompt_text,
    format_step_log,
    get_feedback_settings,
    list_question_actions,
    log_answers,
    make_list_field,
)
from nodes.feedback.planner import UnnumberedStep, describe_step, normalize_plan, number_steps
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer
from state.feedback import Action, Decision, ParagraphState, Step, StepRecord
from state.model_settings import LengthLimit
from state.records import CallRecord
from tools.text import format_numbered_list

# Actions of the investigator and the reviewer, and two of the controller's own.
Choice = Literal["ask_paper", "ask_checks", "ask_literature", "write_review", "skip", "rewrite"]
Actor = Literal["Investigator", "Reviewer", "Controller"]
_MEANINGS = tomllib.loads((Path(__file__).parent / "choices.toml").read_text(encoding="utf-8"))
CHOICE_MEANINGS: dict[Choice, str] = _MEANINGS["question"]
LAST_CHOICE_MEANINGS: dict[Choice, str] = {**CHOICE_MEANINGS, **_MEANINGS["last"]}

_QUESTION: Any = (Annotated[str, LengthLimit("note_words")], ...)
_EXPLANATION: Any = (Annotated[str, LengthLimit("advice_words")], ...)


class ControllerDecision(NamedTuple):
    """Result of asking the controller: a choice for each step that it was shown, or new questions, and the calls."""

    because: str
    choices: list[tuple[Choice, str]]
    """The choice for each step, in order, and a question in place of the plan's; empty if it stays."""
    rewritten: list[dict[str, Any]]
    """New questions in place of all remaining ones, with `action` and `question`; empty if the plan stays."""
    calls: list[CallRecord]
    note: str = ""


async def control_steps(state: ParagraphState) -> ParagraphState:
    """Log the answers of the last wave, and decide which step follows.

    A wave is empty if the controller only skipped or rewrote steps; then this node runs again. If no step remains, the
    review follows, unless the controller has skipped it.
    """
    # 1. The controller reads the log with the last wave in it; the state's log grows by the new records only.
    news = await log_answers(state)
    now: ParagraphState = {**state, **news}
    now["log"] = [*state["log"], *news["log"]]
    # 2. Select the steps to decide about: the next step, or several that do not depend on each other.
    remaining = now["remaining"]
    if get_feedback_settings(now).execution == "sequential" or len(remaining) < 2:
        steps = remaining[:1]
    elif now["log"]:
        steps = remaining[:-1]
    else:  # the first wave: questions to the paper, or to the literature if there are no others
        elsewhere = remaining[0]["action"] == "ask_literature"
        steps = [step for step in remaining[:-1] if (step["action"] == "ask_literature") == elsewhere]
    # 3. Decide.
    decision = await _decide_steps(now, steps)
    update = _rewrite_plan(now, decision) or _follow_decision(now, steps, decision)
    return {**news, **update, "log": [*news["log"], *update["log"]], "calls": decision.calls}


async def _decide_steps(state: ParagraphState, steps: list[Step]) -> ControllerDecision:
    """Return the model's decision, or one to follow the plan if it is not to be asked or gives no usable answer."""
    chosen, is_last = get_feedback_settings(state), steps[0]["action"] == "write_review"
    as_planned: list[tuple[Choice, str]] = [(step["action"], "") for step in steps]
    # 1. Nothing is to be decided about the first wave, nor about questions that the controller has just written, nor
    # about the review after answers to all of them: the reviewer reads these, and may find that none is needed.
    is_parallel, outcomes = chosen.execution == "parallel", {record["outcome"] for record in state["log"]}
    is_wave = is_parallel and not is_last
    is_own = not outcomes or all(step["origin"] == "controller" for step in steps)
    if (is_wave and is_own) or (is_parallel and is_last and outcomes == {"answered"}):
        return ControllerDecision("", as_planned, [], [])
    # 2. List the choices. A review before its turn needs an answer to build on.
    is_answered = "answered" in outcomes
    questions: Sequence[Choice] = () if is_last else list_question_actions(state)
    review: Sequence[Choice] = ("write_review",) if is_last or is_answered else ()
    rewrite: Sequence[Choice] = ("rewrite",) if state["rewrites"] < chosen.max_rewrites else ()
    choices: list[Choice] = [*questions, *review, "skip", *rewrite]
    # 3. Ask.
    try:
        if is_wave:
            return await _ask_wave_decision(state, steps, choices)
        return await _ask_step_decision(state, steps[0], choices)
    except NoUsableAnswer as error:
        note = f"The controller gave no usable answer ({error.problem}), so the plan was followed."
        return ControllerDecision("", as_planned, [], error.spent, note)


async def _ask_step_decision(state: ParagraphState, step: Step, choices: list[Choice]) -> ControllerDecision:
    """Ask for a decision about one step, in the paper's four parts, with the open choices only."""
    parameters = create_model(
        "Parameters", __base__=AgentAnswer, question=_QUESTION, **_build_steps_field(state, choices)
    )
    schema = create_model(
        "StepDecision",
        __base__=AgentAnswer,
        explanation=_EXPLANATION,
        actor=(Actor, ...),
        action=(Literal[tuple(choices)], ...),  # type: ignore[arg-type] # known only now
        parameters=(parameters, ...),
    )
    variables = {
        **_build_controller_variables(state, choices),
        "asking": "yes" if "ask_paper" in choices else "",
        "next_step": describe_step(step),
        "remaining": format_numbered_list(map(describe_step, state["remaining"])),
    }
    answer = await ask_feedback_role("controller", "control_step", state, variables, schema, trim="log")
    value = answer.value.model_dump()
    # The schema allows new steps beside every action; they count for a rewrite only.
    rewritten = value["parameters"]["steps"] if value["action"] == "rewrite" else []
    choice = (value["action"], value["parameters"]["question"])
    return ControllerDecision(value["explanation"], [choice], rewritten, answer.calls)


async def _ask_wave_decision(state: ParagraphState, steps: list[Step], choices: list[Choice]) -> ControllerDecision:
    """Ask for a decision about each of several questions, or for new questions in place of all."""
    of_each = [choice for choice in choices if choice not in {"write_review", "rewrite"}]
    decision = create_model(
        "DecisionOnStep",
        __base__=AgentAnswer,
        step=(Literal[tuple(range(1, len(steps) + 1))], ...),  # type: ignore[arg-type]
        action=(Literal[tuple(of_each)], ...),  # type: ignore[arg-type]
        question=_QUESTION,
    )
    schema = create_model(
        "WaveDecision",
        __base__=AgentAnswer,
        explanation=_EXPLANATION,
        decisions=(list[decision], make_list_field(len(steps), "controller", state)),
        **_build_steps_field(state, choices),
    )
    variables = {
        **_build_controller_variables(state, of_each),
        "remaining": format_numbered_list(map(describe_step, steps)),
        "most": get_feedback_settings(state).max_questions if "rewrite" in choices else 0,
    }
    answer = await ask_feedback_role("controller", "control_wave", state, variables, schema, trim="log")
    value = answer.value.model_dump()
    given = {item["step"]: (item["action"], item["question"]) for item in value["decisions"]}
    # A step that the answer does not mention is carried out as planned.
    decided = [given.get(number, (step["action"], "")) for number, step in enumerate(steps, start=1)]
    return ControllerDecision(value["explanation"], decided, value.get("steps", []), answer.calls)


def _build_steps_field(state: ParagraphState, choices: Sequence[Choice]) -> dict[str, Any]:
    """Return the schema field `steps` for new questions; empty if rewriting is not among the choices."""
    if "rewrite" not in choices:
        return {}
    actions: Any = Literal[list_question_actions(state)]
    step = create_model("NewStep", __base__=AgentAnswer, action=(actions, ...), question=_QUESTION)
    most = get_feedback_settings(state).max_questions
    return {"steps": (list[step], make_list_field(most, "controller", state))}


def _build_controller_variables(state: ParagraphState, choices: Sequence[Choice]) -> dict[str, object]:
    """Return the variables that the prompts for a step and for a wave share."""
    known = CHOICE_MEANINGS if "ask_paper" in choices else LAST_CHOICE_MEANINGS
    meanings = [known[choice].format(most=get_feedback_settings(state).max_questions) for choice in choices]
    return {
        "paragraph": format_prompt_text(state["target"]["text"], state),
        "log": format_step_log(state),
        "choices": "\n".join(f"  - {meaning}" for meaning in meanings),
    }


def _rewrite_plan(state: ParagraphState, decision: ControllerDecision) -> ParagraphState | None:
    """Return the update that replaces the remaining questions by the decision's, less those in the log; or None."""
    if not decision.rewritten:
        return None
    most = get_feedback_settings(state).max_questions
    questions = [UnnumberedStep(step["action"], step["question"]) for step in decision.rewritten]
    steps, repairs = normalize_plan([*questions, UnnumberedStep("write_review", "")], most)
    asked_before = {record["step"]["question"].casefold() for record in state["log"]}
    new = [step for step in steps if step.question.casefold() not in asked_before]
    if len(new) < 2:  # only the review
        return None
    known = [*(record["step"] for record in state["log"]), *state["remaining"]]
    first = 1 + max(int(step["id"][1:]) for step in known)
    return {
        "notes": [*([decision.note] if decision.note else []), *repairs],
        "rewrites": state["rewrites"] + 1,
        "remaining": number_steps(new, "controller", first=first),
        "log": [_make_skipped_record(step, "rewrite", decision.because) for step in state["remaining"][:-1]],
    }


def _follow_decision(state: ParagraphState, steps: list[Step], decision: ControllerDecision) -> ParagraphState:
    """Return the update that sorts the steps into those to carry out, those to skip and those that remain."""
    notes, because = [decision.note] if decision.note else [], decision.because
    if (steps[0]["action"], decision.choices[0][0]) == ("write_review", "skip"):
        return {"outcome": "nothing worth raising", "problem": because, "remaining": [], "notes": notes, "log": []}
    wave: list[StepRecord] = []
    skipped: list[Step] = []
    remaining = state["remaining"][len(steps) :]
    for step, (choice, question) in zip(steps, decision.choices, strict=True):
        if choice == "write_review":
            # The review now: all questions that are left are skipped.
            skipped, remaining = [other for other in state["remaining"] if other["action"] != "write_review"], []
        elif choice == "skip":
            skipped.append(step)
        elif step["action"] != "write_review":
            wave.append(_make_decided_record(step, choice, question, because))
    return {
        "notes": notes,
        "log": [_make_skipped_record(step, "skip", because) for step in skipped],
        "decided": wave,
        "wave": [record["step"] for record in wave],
        "remaining": [] if all(step["action"] == "write_review" for step in steps) else remaining,
    }


def _make_skipped_record(step: Step, decision: Literal["skip", "rewrite"], because: str) -> StepRecord:
    """Return the record of a step that is not carried out."""
    return StepRecord(step=step, decision=decision, because=because, outcome="skipped", note="")


def _make_decided_record(step: Step, choice: Choice, question: str, because: str) -> StepRecord:
    """Return the record of a step to carry out: as planned, with a better question, or to another source."""
    action: Action = choice if choice in {"ask_paper", "ask_checks", "ask_literature"} else step["action"]
    asked = " ".join((question or step["question"]).split())
    decision: Decision = "execute" if action == step["action"] else "replace"
    if asked and (action, asked) != (step["action"], step["question"]):
        step = {**step, "action": action, "question": asked, "origin": "controller"}
    else:
        decision = "execute"
    return StepRecord(step=step, decision=decision, because=because, outcome="unanswered", note="")
