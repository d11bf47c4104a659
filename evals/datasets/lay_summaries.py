"""The release of eLife and PLOS (Goldsack, Zhang, Lin and Scarton, EMNLP 2022).

TGoldsack1/Corpora_for_Lay_Summarisation: train.json, val.json and test.json each hold a list of articles, with `id`,
`title`, and `abstract` and `summary` as lists of sentences. Where these are tokenised (a space before the full stop)
they stay so: the papers graded them as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evals.datasets.corpora import corpus_name
from evals.datasets.entries import Entry, checked, in_one
from evals.datasets.formats import RecordFormat
from evals.datasets.schema import JournalismSample
from tools.jobs import Record


def _fits(record: Record) -> bool:
    return isinstance(record.get("abstract"), list) and isinstance(record.get("summary"), list)


def _samples(entries: Sequence[Entry], path: Path) -> list[JournalismSample]:
    corpus = corpus_name(path)
    return [
        checked(
            JournalismSample,
            where,
            {
                **record,
                "corpus": corpus,
                "abstract": in_one(record.get("abstract")),
                "summary": in_one(record.get("summary")),
            },
        )
        for where, record in entries
    ]


LAY_SUMMARIES = RecordFormat(
    "the release of eLife or PLOS ({train,val,test}.json, `abstract` and `summary` as lists of sentences)",
    _fits,
    _samples,
)
