"""The texts of a run, as candidates for people to judge."""

from __future__ import annotations

from collections.abc import Sequence

from evals.evaluation import Evaluation
from evals.human.candidates import Candidate
from evals.task import Item
from state.errors import BadInput
from tools.jobs import Record

_SILENT = "No comment on this paragraph."
"""A system that has nothing to say has said that."""


def candidates_of(evaluation: Evaluation, rows: Sequence[str]) -> list[Candidate]:
    """The texts of rows for each sample that all of them have.

    Raises:
        BadInput: There is no such sample.
    """
    found = [
        _candidate(sample, name, items[name])
        for sample in evaluation.samples
        for items in [evaluation.items(sample)]
        if set(rows) <= items.keys()
        for name in rows
    ]
    if not found:
        raise BadInput(f"No sample has a text of each of {', '.join(rows)}: name rows that were run.")
    return found


def _candidate(sample: Record, row: str, item: Item) -> Candidate:
    return Candidate(
        id=sample["id"],
        system=row,
        text=item.text or _SILENT,
        title=sample.get("title") or "",
        paragraph=sample.get("paragraph") or "",
        link=sample.get("link") or "",
    )
