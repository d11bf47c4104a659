r"""The corpora of science journalism: the published releases, and Draftroom's own format.

eLife and PLOS (Goldsack, Zhang, Lin and Scarton, EMNLP 2022; TGoldsack1/Corpora_for_Lay_Summarisation): train.json,
val.json and test.json each hold a list of articles, with `id`, `title`, and `abstract` and `summary` as lists of
sentences. Where these are tokenised (a space before the full stop) they stay so.

SciTechNews, the corpus SCITech (Cardenas and others, EMNLP 2023; ronaldahmed/scitechnews): train.json, valid.json and
test.json hold press releases (`pr-*`) and the papers that they are about (`sc-*`). Most of the training part has no
paper, and cannot be used. Sentences are divided by `\n` in the tokenised release.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from evals.datasets.samples import (
    JournalismSample,
    LocatedRecord,
    RecordFormat,
    checked,
    corpus_name,
    has_fields,
    in_one,
    own_samples,
)
from runs.many import Record


def _is_lay_summaries(record: Record) -> bool:
    return isinstance(record.get("abstract"), list) and isinstance(record.get("summary"), list)


def _read_lay_summaries(entries: Sequence[LocatedRecord], path: Path) -> list[JournalismSample]:
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
    _is_lay_summaries,
    _read_lay_summaries,
)


def _read_scitech(entries: Sequence[LocatedRecord], path: Path) -> list[JournalismSample]:
    return [_scitech_sample(where, record, path) for where, record in entries if in_one(record.get("sc-abstract"))]


def _scitech_sample(where: str, record: Record, path: Path) -> JournalismSample:
    values = {
        "id": f"{path.stem}-{record.get('id')}",  # numbers, which begin anew in each part
        "corpus": "SCITech",
        "abstract": in_one(record["sc-abstract"]),
        "summary": in_one(record.get("pr-summary")),
        "title": in_one(record.get("sc-title")),
    }
    return checked(JournalismSample, where, values)


SCITECH = RecordFormat(
    "the release of SciTechNews ({train,valid,test}.json, `sc-abstract` and `pr-summary`)",
    partial(has_fields, {"id", "sc-abstract", "pr-summary"}),
    _read_scitech,
)

OWN = RecordFormat(
    "JSON Lines with `id`, `abstract` and, where there are any, `summary` and `title`",
    partial(has_fields, {"id", "abstract"}),
    partial(own_samples, JournalismSample),
)
