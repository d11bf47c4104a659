"""What an evaluation begins with: samples drawn from corpora, and the folder that they are written to."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from evals.datasets.corpora import draw, load, load_examples
from evals.run_folder import Corpus, RunFolder
from evals.runner import Choices, describe_run
from evals.task import Task
from runs.many import Record
from state.errors import BadInput, SettingsError
from state.settings import Settings

ALL = "all"
RENAMED = {"sequential": "swif2t", "parallel": "swif2t-parallel"}
"""Rows of earlier versions."""


class Wanted(NamedTuple):
    """What a person asks for."""

    data: Sequence[Path]
    """Corpora; none: the examples that ship."""
    rows: str | None
    """Names with commas between them, `all`, or none for the usual ones."""
    limit: int | None
    seed: int
    split: str | None


def prepare(task: Task, wanted: Wanted, settings: Settings, path: Path) -> RunFolder:
    """Draws the samples and begins the folder of the run, or takes up the one that is there.

    Raises:
        BadInput: If a corpus cannot be read, or two samples have one id.
        SettingsError: If a row is unknown, lacks what it needs, or the folder holds another run.
        StateError: If the folder cannot be written.
    """
    rows = rows_of(task, wanted.rows)
    for system in task.systems_of(rows):
        if check := task.systems[system].check:
            check(settings)
    everything = [load(each, task.kind, wanted.split) for each in wanted.data] or [load_examples(task.kind)]
    names = [each.name for each in wanted.data] or ["examples"]
    corpora, samples = [], []
    for file, available in zip(names, everything, strict=True):
        drawn = draw(available, wanted.limit, wanted.seed)
        corpora += _corpora(file, available, drawn)
        samples += drawn
    _refuse_doubles(samples)
    folder = RunFolder(path)
    folder.begin(describe_run(task, Choices(rows, wanted.limit, wanted.seed), corpora, settings), samples)
    return folder


def rows_of(task: Task, names: str | None) -> list[str]:
    """The rows that are asked for.

    Raises:
        SettingsError: If one is unknown.
    """
    known = [row.name for row in task.rows]
    if names is None:
        return list(task.usual)
    chosen = known if names == ALL else [name.strip() for name in names.split(",")]
    if unknown := set(chosen) - set(known):
        named = ", ".join(map(repr, sorted(unknown)))
        renamed = "".join(f" `{name}` is called `{RENAMED[name]}` now." for name in sorted(unknown & set(RENAMED)))
        choices = f"choose from {', '.join(known)}, or `{ALL}` without others."
        raise SettingsError(f"There is no row {named}; {choices}{renamed}")
    return chosen


def _corpora(file: str, available: Sequence[Record], drawn: Sequence[Record]) -> list[Corpus]:
    """A file usually holds one corpus."""
    names = list(dict.fromkeys(sample["corpus"] for sample in available))
    return [
        Corpus(
            name=name,
            file=file,
            sha256=_sha256([sample for sample in available if sample["corpus"] == name]),
            available=sum(sample["corpus"] == name for sample in available),
            drawn=sum(sample["corpus"] == name for sample in drawn),
        )
        for name in names
    ]


def _sha256(samples: Sequence[Record]) -> str:
    return hashlib.sha256(json.dumps(samples, sort_keys=True).encode()).hexdigest()


def _refuse_doubles(samples: Sequence[Record]) -> None:
    counts = Counter(sample["id"] for sample in samples)
    if doubles := [name for name, count in counts.items() if count > 1]:
        raise BadInput(f"Two samples have the id {doubles[0]}: give each sample of all corpora an id of its own.")
