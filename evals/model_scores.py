"""What models find of the texts of a run: a judge's grades, and the share of sentences that a source entails.

Both are asked for when the systems have ended, and kept in the run's folder: `judgements.jsonl` and `support.jsonl`, a
line for each text. The papers asked people; a model is no substitute for them, but can be asked of every text.

The judge says whether a text is true to its source, tells enough, and makes one read on. Give the role `judge` a model
of its own: one that grades its own texts likes them. A verdict that cannot be read after one re-ask leaves the text
unscored; it never counts as a low grade.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from evals.task import Item, Task
from runs.many import Job, Key, Record, run_jobs
from state.errors import ModelOutputError, SettingsError
from state.model_settings import AtMost, ModelSettings
from state.records import CallRecord
from tools.models import Caller, ask, close_clients

if TYPE_CHECKING:
    from evals.metrics.entailment import SupportCheck

PROMPT = Path(__file__).parent / "prompts" / "judge.md"

Texts = Mapping[tuple[str, str], Item]
"""To be scored, by the sample's id and the row's name."""

_FIELDS = ("id", "row")

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


async def judge_texts(
    task: Task, texts: Texts, folder: Path, model: ModelSettings, tested: Sequence[str], *, tell: Callable[[str], None]
) -> None:
    """Have a model grade texts, those that have no grades yet.

    Args:
        task: Of the texts.
        texts: What is graded.
        folder: Of the run.
        model: The judge.
        tested: Names of the models that wrote the texts.
        tell: Receives a line of progress for each text.

    Raises:
        SettingsError: The judge is one of the models under test, or the task's texts are made from no source.
    """
    _check_made_from(task)
    if model.model in tested:
        raise SettingsError(
            f"{model.model} would judge its own texts, and a model likes those: name another one under [models.judge]."
        )
    jobs: dict[Key, Job] = {key: partial(_graded, task, item, model) for key, item in texts.items()}
    try:
        await run_jobs(jobs, folder / "judgements.jsonl", model.concurrency, fields=_FIELDS, tell=tell)
    finally:
        await close_clients()


async def _graded(task: Task, item: Item, model: ModelSettings) -> Record:
    return {**await judge(item.sample[task.made_from], item.text, model), "judge": model.model}


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


async def check_support(task: Task, texts: Texts, folder: Path, model: str, *, tell: Callable[[str], None]) -> None:
    """Measure which sentences of texts their source entails, by a model of natural language inference.

    Args:
        task: Of the texts.
        texts: What is checked.
        folder: Of the run.
        model: Name or folder of a sequence classifier that knows entailment.
        tell: Receives a line of progress for each text.

    Raises:
        SettingsError: The model is no such classifier, or the task's texts are made from no source.
    """
    from evals.metrics.entailment import SupportCheck  # noqa: PLC0415 - takes seconds

    _check_made_from(task)
    check = await asyncio.to_thread(SupportCheck, model)
    jobs: dict[Key, Job] = {key: partial(_supported, task, item, check, model) for key, item in texts.items()}
    await run_jobs(jobs, folder / "support.jsonl", 1, fields=_FIELDS, tell=tell)


async def _supported(task: Task, item: Item, check: SupportCheck, model: str) -> Record:
    support = await asyncio.to_thread(check, item.sample[task.made_from], item.text)
    found = {"percent": None, "unsupported": []} if support is None else support._asdict()
    return {**found, "model": Path(model).name}


def _check_made_from(task: Task) -> None:
    if not task.made_from:
        raise SettingsError(
            f"The texts of {task.name} are made from no source that they could be held against; name a run of articles "
            "or plain versions."
        )
