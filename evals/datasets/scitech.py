r"""The release of SciTechNews, the corpus SCITech (Cardenas and others, EMNLP 2023; ronaldahmed/scitechnews).

train.json, valid.json and test.json hold press releases (`pr-*`) and the papers that they are about (`sc-*`). Most of
the training part has no paper, and cannot be used. Sentences are divided by `\n` in the tokenised release.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evals.datasets.entries import Entry, checked, in_one
from evals.datasets.formats import RecordFormat
from evals.datasets.schema import JournalismSample
from tools.jobs import Record


def _fits(record: Record) -> bool:
    return {"id", "sc-abstract", "pr-summary"} <= record.keys()


def _samples(entries: Sequence[Entry], path: Path) -> list[JournalismSample]:
    return [_sample(where, record, path) for where, record in entries if in_one(record.get("sc-abstract"))]


def _sample(where: str, record: Record, path: Path) -> JournalismSample:
    values = {
        "id": f"{path.stem}-{record.get('id')}",  # numbers, which begin anew in each part
        "corpus": "SCITech",
        "abstract": in_one(record["sc-abstract"]),
        "summary": in_one(record.get("pr-summary")),
        "title": in_one(record.get("sc-title")),
    }
    return checked(JournalismSample, where, values)


SCITECH = RecordFormat(
    "the release of SciTechNews ({train,valid,test}.json, `sc-abstract` and `pr-summary`)", _fits, _samples
)
