"""A language model as a judge of a text made from a source: is it true to it, does it tell enough, would one read on?

The papers have people say this; a model's grades are cheap, and rough. Give the role `judge` a model of its own: one
that grades its own texts likes them. A verdict that cannot be read after one re-ask leaves the text unscored; it never
counts as a low grade.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, get_args

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from runs.many import Record
from state.errors import ModelOutputError
from state.limits import AtMost
from state.records import CallRecord
from state.settings import ModelSettings
from tools.models import Caller, ask

PROMPT = Path(__file__).parent / "prompts" / "judge.md"

Criterion = Literal["faithfulness", "information", "interest"]
_CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


class Mark(BaseModel):
    """A grade. The reason comes first, so that it is not made up for a grade that is there already."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str, AtMost("note_words")]
    grade: Literal[1, 2, 3, 4, 5]


class Verdict(BaseModel):
    """What the judge says."""

    model_config = ConfigDict(extra="forbid")

    faithfulness: Mark
    """Says only what the source says."""
    information: Mark
    """Tells what matters of the source."""
    interest: Mark
    """Makes a reader without the field's knowledge want to read on."""


class JudgedText(TypedDict):
    """A text that was judged."""

    grades: dict[Criterion, int] | None
    """1 (worst) to 5 (best); None: unscored."""
    reasons: dict[Criterion, str]
    """A sentence each; empty if unscored."""
    problem: str
    """Why it is unscored; empty if it is not."""
    trimmed: bool
    """The source did not fit the judge's context, so what only its end says looks made up to the judge."""
    calls: list[CallRecord]


class _Case(TypedDict):
    source: str
    text: str
    model: ModelSettings


async def judge(source: str, text: str, model: ModelSettings) -> JudgedText:
    """Have a text graded.

    Args:
        source: What the text was made from.
        text: Markdown or plain text.
        model: The judge: settings of the role `judge`.

    Raises:
        ModelUnavailable: The endpoint does not answer, after all retries, or does not serve the model.
        ContextOverflow: The text does not fit the context, even with the source trimmed.
        SettingsError: The endpoint does not accept the request.
    """
    try:
        answer: Record = await _ask_judge.ainvoke(_Case(source=source, text=text, model=model))
    except ModelOutputError as error:
        return _judged(None, error.spent, problem=error.problem)
    return _judged(Verdict.model_validate(answer["verdict"]), answer["calls"])


@entrypoint()
async def _ask_judge(case: _Case) -> Record:
    variables: dict[str, object] = {"source": case["source"], "text": case["text"]}
    answer = await ask(Caller("judge", "judge", 1), PROMPT, variables, Verdict, case["model"], trim="source")
    return {"verdict": answer.value.model_dump(), "calls": answer.calls}


def _judged(verdict: Verdict | None, calls: list[CallRecord], *, problem: str = "") -> JudgedText:
    marks: dict[Criterion, Mark] = {criterion: getattr(verdict, criterion) for criterion in _CRITERIA if verdict}
    return JudgedText(
        grades={criterion: mark.grade for criterion, mark in marks.items()} or None,
        reasons={criterion: mark.reason for criterion, mark in marks.items()},
        problem=problem,
        trimmed=any(call["trims"] for call in calls),
        calls=calls,
    )
