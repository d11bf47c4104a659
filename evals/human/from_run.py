"""The texts of a run, as candidates for people to judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evals.datasets import Kind
from evals.evaluation import Evaluation
from evals.human.candidates import Candidate
from evals.task import Item, Task
from state.errors import BadInput
from tools.jobs import Record

_PAPERS: Mapping[Kind, str] = {"journalism": "abstract", "simplification": "source", "feedback": "paper"}
"""The field of a sample that holds the original."""

_SILENT = "No comment on this paragraph."
"""A system that has nothing to say has said that."""


def judged_rows(evaluation: Evaluation) -> list[str]:
    """The rows that people are to judge, those of the paper's own human evaluation, as far as the run has them."""
    had = {name for sample in evaluation.samples for name in evaluation.items(sample)}
    rows = [evaluation.task.row(name) for name in evaluation.task.judged if name in had]
    return [row.name for row in rows] if any(row.system for row in rows) else []


def candidates_of(evaluation: Evaluation, rows: Sequence[str]) -> list[Candidate]:
    """The texts of rows for each sample that all of them have.

    Raises:
        BadInput: There is no such sample.
    """
    found = [
        _candidate(evaluation.task, sample, name, items[name])
        for sample in evaluation.samples
        for items in [evaluation.items(sample)]
        if set(rows) <= items.keys()
        for name in rows
    ]
    if not found:
        raise BadInput(f"No sample has a text of each of {', '.join(rows)}: name rows that were run.")
    return found


def _candidate(task: Task, sample: Record, row: str, item: Item) -> Candidate:
    return Candidate(
        id=sample["id"],
        system=row,
        text=item.text or _SILENT,
        title=sample.get("title") or "",
        paragraph=sample.get("paragraph") or "",
        paper=sample[_PAPERS[task.kind]],
        link=sample.get("link") or "",
    )
