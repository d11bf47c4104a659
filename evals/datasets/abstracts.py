r"""The corpora of abstracts with plain texts: the published releases, and Draftroom's own formats.

eLife and PLOS (Goldsack, Zhang, Lin and Scarton, EMNLP 2022; TGoldsack1/Corpora_for_Lay_Summarisation): train.json,
val.json and test.json each hold a list of articles, with `id`, `title`, and `abstract` and `summary` as lists of
sentences. Where these are tokenised (a space before the full stop) they stay so.

SciTechNews, the corpus SCITech (Cardenas and others, EMNLP 2023; ronaldahmed/scitechnews): train.json, valid.json and
test.json hold press releases (`pr-*`) and the papers that they are about (`sc-*`). Most of the training part has no
paper, and cannot be used. Sentences are divided by `\n` in the tokenised release.

Cochrane (Devaraj, Marshall, Wallace and Li, NAACL 2021; AshOlogn/Paragraph-level-Simplification-of-Medical-Texts,
folder data/data-1024): train, val and test, each as three files with a line for each sample: `.source` (abstracts),
`.target` (plain-language summaries), `.doi`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from evals.datasets.samples import (
    FolderFormat,
    JournalismSample,
    LocatedRecord,
    RecordFormat,
    SimplificationSample,
    Split,
    convert_own_records,
    derive_corpus_name,
    has_fields,
    join_sentences,
    list_part_names,
    list_split_files,
    validate_record,
)
from runs.jobs import Record
from state.errors import InputError
from state.files import read_text


def _is_lay_summary_record(record: Record) -> bool:
    return isinstance(record.get("abstract"), list) and isinstance(record.get("summary"), list)


def _read_lay_summaries(entries: Sequence[LocatedRecord], path: Path) -> list[JournalismSample]:
    corpus = derive_corpus_name(path)
    return [
        validate_record(
            JournalismSample,
            where,
            {
                **record,
                "corpus": corpus,
                "abstract": join_sentences(record.get("abstract")),
                "summary": join_sentences(record.get("summary")),
            },
        )
        for where, record in entries
    ]


LAY_SUMMARIES = RecordFormat(
    "the release of eLife or PLOS ({train,val,test}.json, `abstract` and `summary` as lists of sentences)",
    _is_lay_summary_record,
    _read_lay_summaries,
)


def _read_scitech(entries: Sequence[LocatedRecord], path: Path) -> list[JournalismSample]:
    return [
        _build_scitech_sample(where, record, path)
        for where, record in entries
        if join_sentences(record.get("sc-abstract"))
    ]


def _build_scitech_sample(where: str, record: Record, path: Path) -> JournalismSample:
    values = {
        "id": f"{path.stem}-{record.get('id')}",  # numbers, which begin anew in each part
        "corpus": "SCITech",
        "abstract": join_sentences(record["sc-abstract"]),
        "summary": join_sentences(record.get("pr-summary")),
        "title": join_sentences(record.get("sc-title")),
    }
    return validate_record(JournalismSample, where, values)


SCITECH = RecordFormat(
    "the release of SciTechNews ({train,valid,test}.json, `sc-abstract` and `pr-summary`)",
    partial(has_fields, {"id", "sc-abstract", "pr-summary"}),
    _read_scitech,
)

OWN_JOURNALISM = RecordFormat(
    "JSON Lines with `id`, `abstract` and, where there are any, `summary` and `title`",
    partial(has_fields, {"id", "abstract"}),
    partial(convert_own_records, JournalismSample),
)


def _read_cochrane(folder: Path, split: Split) -> list[SimplificationSample]:
    sources = list_split_files(folder, split, [".source"])
    if not sources:
        wanted = " or ".join(f"{name}.source" for name in list_part_names(split))
        raise InputError(
            f"{folder} has no {wanted}; choose another split, or name the folder data-1024 of the release."
        )
    return [sample for source in sources for sample in _read_cochrane_part(source)]


def _read_cochrane_part(source: Path) -> list[SimplificationSample]:
    abstracts = _read_corpus_lines(source)
    summaries = _read_matching_lines(source.with_suffix(".target"), source, len(abstracts))
    doi = source.with_suffix(".doi")
    numbers = [f"{source.stem}-{number}" for number in range(1, len(abstracts) + 1)]
    ids = _read_matching_lines(doi, source, len(abstracts)) if doi.is_file() else numbers
    return [
        validate_record(
            SimplificationSample,
            f"Line {number} of {source} with its target and doi",
            {"id": identity, "corpus": "Cochrane", "source": abstract, "target": summary},
        )
        for number, (identity, abstract, summary) in enumerate(zip(ids, abstracts, summaries, strict=True), start=1)
    ]


def _read_matching_lines(path: Path, source: Path, expected: int) -> list[str]:
    lines = _read_corpus_lines(path)
    if len(lines) != expected:
        raise InputError(
            f"{path} has {len(lines)} lines and {source.name} {expected}; they must have one for each sample."
        )
    return lines


def _read_corpus_lines(path: Path) -> list[str]:
    return read_text(path, "file of the corpus").removesuffix("\n").split("\n")


COCHRANE = FolderFormat(
    "the folder data-1024 of the Cochrane release ({train,val,test}.source, .target and .doi)",
    lambda folder: any(folder.glob("*.source")),
    _read_cochrane,
)

OWN_SIMPLIFICATION = RecordFormat(
    "JSON Lines with `id`, `source` and `target`",
    partial(has_fields, {"id", "source", "target"}),
    partial(convert_own_records, SimplificationSample),
)
