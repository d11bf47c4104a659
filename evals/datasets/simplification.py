"""The corpora of medical simplification: the release of Cochrane, and Draftroom's own format.

The Cochrane corpus is that of Devaraj, Marshall, Wallace and Li (NAACL 2021);
AshOlogn/Paragraph-level-Simplification-of-Medical-Texts, folder data/data-1024: train, val and test, each as three
files with a line for each sample: `.source` (abstracts), `.target` (plain-language summaries), `.doi`.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from evals.datasets.samples import (
    FolderFormat,
    RecordFormat,
    SimplificationSample,
    Split,
    checked,
    files_of,
    has_fields,
    names_of,
    own_samples,
)
from state.errors import BadInput
from state.files import read_text


def _fits(folder: Path) -> bool:
    return any(folder.glob("*.source"))


def _samples(folder: Path, split: Split) -> list[SimplificationSample]:
    sources = files_of(folder, split, [".source"])
    if not sources:
        wanted = " or ".join(f"{name}.source" for name in names_of(split))
        raise BadInput(f"{folder} has no {wanted}; choose another split, or name the folder data-1024 of the release.")
    return [sample for source in sources for sample in _of_part(source)]


def _of_part(source: Path) -> list[SimplificationSample]:
    abstracts = _lines(source)
    summaries = _as_many(source.with_suffix(".target"), source, len(abstracts))
    doi = source.with_suffix(".doi")
    numbers = [f"{source.stem}-{number}" for number in range(1, len(abstracts) + 1)]
    ids = _as_many(doi, source, len(abstracts)) if doi.is_file() else numbers
    return [
        checked(
            SimplificationSample,
            f"Line {number} of {source} with its target and doi",
            {"id": identity, "corpus": "Cochrane", "source": abstract, "target": summary},
        )
        for number, (identity, abstract, summary) in enumerate(zip(ids, abstracts, summaries, strict=True), start=1)
    ]


def _as_many(path: Path, source: Path, expected: int) -> list[str]:
    lines = _lines(path)
    if len(lines) != expected:
        raise BadInput(
            f"{path} has {len(lines)} lines and {source.name} {expected}; they must have one for each sample."
        )
    return lines


def _lines(path: Path) -> list[str]:
    return read_text(path, "file of the corpus").removesuffix("\n").split("\n")


COCHRANE = FolderFormat(
    "the folder data-1024 of the Cochrane release ({train,val,test}.source, .target and .doi)", _fits, _samples
)

OWN = RecordFormat(
    "JSON Lines with `id`, `source` and `target`",
    partial(has_fields, {"id", "source", "target"}),
    partial(own_samples, SimplificationSample),
)
