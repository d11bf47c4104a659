"""The corpora that tasks are run on: samples from files and published releases, and a few that ship with Draftroom."""

from __future__ import annotations

from pathlib import Path

from evals.datasets.corpora import FieldStatistics, statistics
from evals.datasets.loading import draw, load
from evals.datasets.schema import Kind
from runs.many import Record

__all__ = ["FieldStatistics", "Kind", "draw", "load", "load_examples", "statistics"]

_EXAMPLES = Path(__file__).parent / "examples"


def load_examples(kind: Kind) -> list[Record]:
    """The samples that ship with Draftroom, for tests and a first try. All studies in them are invented."""
    return load(_EXAMPLES / f"{kind}.jsonl", kind, "all")
