"""Draftroom's own format: JSON Lines with the fields of `evals.datasets.schema`, one sample a line.

`corpus` may be left out; it then is the name of the file. So may the `paper` of a paragraph, if `papers.jsonl` beside
the file has it. Paragraphs without feedback are left out: what the reviewer thought of them is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from evals.datasets.corpora import corpus_name
from evals.datasets.files import LocatedRecord, RecordFormat, checked
from evals.datasets.papers import with_papers
from evals.datasets.schema import FeedbackSample, JournalismSample, Sample, SimplificationSample
from runs.many import Record


def _has(fields: set[str], record: Record) -> bool:
    return fields <= record.keys()


def _samples(schema: type[Sample], entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    default = {"corpus": corpus_name(path)}
    return [checked(schema, where, {**default, **record}) for where, record in entries]


def _feedback(entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    criticised = [_of_dataset(entry) for entry in entries if entry.record.get("feedback")]
    return _samples(FeedbackSample, with_papers(criticised, path), path)


def _of_dataset(entry: LocatedRecord) -> LocatedRecord:
    """Pairs that were compiled from several corpora say so in `source_dataset`."""
    dataset = entry.record.get("source_dataset")
    return entry._replace(record={"corpus": dataset, **entry.record}) if dataset else entry


JOURNALISM = RecordFormat(
    "JSON Lines with `id`, `abstract` and, where there are any, `summary` and `title`",
    partial(_has, {"id", "abstract"}),
    partial(_samples, JournalismSample),
)
SIMPLIFICATION = RecordFormat(
    "JSON Lines with `id`, `source` and `target`",
    partial(_has, {"id", "source", "target"}),
    partial(_samples, SimplificationSample),
)
FEEDBACK = RecordFormat(
    "JSON Lines with `id`, `paper_id`, `paragraph`, `feedback`, and `paper` or a papers.jsonl beside them",
    partial(_has, {"id", "paper_id", "paragraph", "feedback"}),
    _feedback,
)
