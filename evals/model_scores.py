"""What models find of the texts of a run: a judge's grades, and the share of sentences that a source entails.

Both are asked for when the systems have ended, and kept in the run's folder: `judgements.jsonl` and `support.jsonl`, a
line for each text. The papers asked people; a model is no substitute for them, but can be asked of every text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from evals.metrics.judge import judge
from evals.task import Item, Measure, Table, Task
from runs.many import Job, Key, Record, read_results, run_jobs
from state.errors import SettingsError
from state.settings import ModelSettings
from tools.models import close_clients

if TYPE_CHECKING:
    from evals.metrics.entailment import SupportCheck

ModelScores = Mapping[tuple[str, str], Mapping[str, float]]
"""By the sample's id and the row's name; what could not be scored is missing."""

NO_MODEL_SCORES: ModelScores = MappingProxyType({})
Texts = Mapping[tuple[str, str], Item]
"""To be scored, by the sample's id and the row's name."""

_FIELDS = ("id", "row")
_GRADES = ("faithfulness", "information", "interest")
_ENTAILED = "entailed %"


def _model_score(name: str, item: Item) -> float | None:
    return item.model_scores.get(name)


MEASURES = [Measure(name, "higher", partial(_model_score, name)) for name in (*_GRADES, _ENTAILED)]


def model_scores_table(task: Task, rows: Sequence[str]) -> Table:
    """The table of what models find."""
    return Table(
        title="What models find: a judge's grades from 1 to 5, and sentences that the source entails",
        rows=rows,
        measures=[measure.name for measure in MEASURES],
        published={},
        baseline=task.tables[0].baseline,
    )


def read_model_scores(folder: Path) -> ModelScores:
    """All model scores of a run. Of several of one text the newest count."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for result in (*_read(folder / "judgements.jsonl"), *_read(folder / "support.jsonl")):
        scores = result.get("grades") or {}
        if result.get("percent") is not None:
            scores = {_ENTAILED: result["percent"]}
        found.setdefault((result["id"], result["row"]), {}).update(scores)
    return found


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
    jobs: dict[Key, Job] = {key: partial(_judged, task, item, model) for key, item in texts.items()}
    try:
        await run_jobs(jobs, folder / "judgements.jsonl", model.concurrency, fields=_FIELDS, tell=tell)
    finally:
        await close_clients()


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


async def _judged(task: Task, item: Item, model: ModelSettings) -> Record:
    return {**await judge(item.sample[task.made_from], item.text, model), "judge": model.model}


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


def _read(file: Path) -> list[Record]:
    return [result for result in read_results(file) if "error" not in result]
