"""SWIF2T's pairs: a table (CSV or JSON) with an id, a paper id, a paragraph, a human review and its aspect.

The paper names these fields and not their columns, and the authors' repository does not hold the data; so columns are
known by their letters (`Paper ID`, `paper_id` and `paperId` are one). The papers themselves are no part of it: put a
`papers.jsonl` beside the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, get_args

from evals.datasets.files import LocatedRecord, RecordFormat, checked
from evals.datasets.papers import with_papers
from evals.datasets.schema import FeedbackSample
from runs.many import Record
from state.feedback import Weakness


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


_FIELDS: Final = {
    "id": "id",
    "paperid": "paper_id",
    "paragraph": "paragraph",
    "review": "feedback",
    "humanreview": "feedback",
    "label": "aspect",
    "aspect": "aspect",
    "url": "link",
    "link": "link",
}
"""Fields of a sample, by the letters of a column's name; of two columns for one field the later one here is taken."""

_ASPECTS: Final = {
    **{_letters(name): name for name in get_args(Weakness)},
    "soundness": "Empirical and Theoretical Soundness",  # as SWIF2T's Table 5 has it
}


def _renamed(record: Record) -> Record:
    names = {_letters(name): name for name in record}
    return {field: record[names[letters]] for letters, field in _FIELDS.items() if letters in names}


def _fits(record: Record) -> bool:
    return {"id", "paper_id", "paragraph", "feedback"} <= _renamed(record).keys()


def _samples(entries: Sequence[LocatedRecord], path: Path) -> list[FeedbackSample]:
    pairs = [entry._replace(record=_renamed(entry.record)) for entry in entries]
    return [_sample(where, record) for where, record in with_papers(pairs, path)]


def _sample(where: str, record: Record) -> FeedbackSample:
    aspect = record.get("aspect")
    known = _ASPECTS.get(_letters(aspect), aspect) if isinstance(aspect, str) else aspect
    return checked(FeedbackSample, where, {**record, "corpus": "SWIF2T", "aspect": known})


SWIF2T = RecordFormat(
    "SWIF2T's pairs (CSV or JSON with id, paper id, paragraph, human review and aspect, and papers.jsonl beside it)",
    _fits,
    _samples,
)
