r"""Readers of corpora of abstracts with plain-language texts, for science journalism and medical simplification.

eLife and PLOS (Goldsack, Zhang, Lin and Scarton, EMNLP 2022; TGoldsack1/Corpora_for_Lay_Summarisation): train.json,
val.json and test.json are lists of articles with `id`, `title`, and `abstract` and `summary` as lists of sentences.
Tokenised sentences (with a space before the full stop) are not detokenised.

SciTechNews, the corpus SCITech (Cardenas and others, EMNLP 2023; ronaldahmed/scitechnews): train.json, valid.json and
test.json pair press releases (`pr-*`) with their papers (`sc-*`). Most training records have no paper and are left
out. The tokenised release separates sentences by `\n`.

Cochrane (Devaraj, Marshall, Wallace and Li, NAACL 2021; AshOlogn/Paragraph-level-Simplification-of-Medical-Texts,
folder data/data-1024): train, val and test are three files each, with a line for each sample: `.source` (abstracts),
`.target` (plain-language summaries), `.doi`.

Draftroom's own formats are JSON Lines.
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
    join_sentences,
    list_part_names,
    list_split_files,
    validate_record,
)
from state.errors import InputError
from state.files import read_text


def _convert_lay_summaries(entries: Sequence[LocatedRecord], path: Path) -> list[JournalismSample]:
    """Convert the records of an eLife or PLOS file into samples, with the sentences of each text joined."""
    corpus, samples = derive_corpus_name(path), []
    for where, record in entries:
        # A part of a release may lack a text in some records; the schema decides whether it is needed.
        texts = {name: join_sentences(record.get(name)) for name in ("abstract", "summary")}
        samples.append(validate_record(JournalismSample, where, {**record, "corpus": corpus, **texts}))
    return samples


LAY_SUMMARIES = RecordFormat(
    "the release of eLife or PLOS ({train,val,test}.json, `abstract` and `summary` as lists of sentences)",
    lambda record: isinstance(record.get("abstract"), list) and isinstance(record.get("summary"), list),
    _convert_lay_summaries,
)


def _convert_scitech(entries: Sequence[LocatedRecord], path: Path) -> list[JournalismSample]:
    """Convert the records of a SciTechNews file into samples, leaving out those without an abstract."""
    samples = []
    for where, record in entries:
        if abstract := join_sentences(record.get("sc-abstract")):
            values = {
                "id": f"{path.stem}-{record.get('id')}",  # The release numbers the records of each part from the start.
                "corpus": "SCITech",
                "abstract": abstract,
                "summary": join_sentences(record.get("pr-summary")),
                "title": join_sentences(record.get("sc-title")),
            }
            samples.append(validate_record(JournalismSample, where, values))
    return samples


SCITECH = RecordFormat(
    "the release of SciTechNews ({train,valid,test}.json, `sc-abstract` and `pr-summary`)",
    lambda record: {"id", "sc-abstract", "pr-summary"} <= record.keys(),
    _convert_scitech,
)

OWN_JOURNALISM = RecordFormat(
    "JSON Lines with `id`, `abstract` and, where there are any, `summary` and `title`",
    lambda record: {"id", "abstract"} <= record.keys(),
    partial(convert_own_records, JournalismSample),
)


def _read_cochrane(folder: Path, split: Split) -> list[SimplificationSample]:
    """Read the samples of a split from Cochrane's folder; raise an InputError if it has no file for the split."""
    sources = list_split_files(folder, split, [".source"])
    if not sources:
        wanted = " or ".join(f"{name}.source" for name in list_part_names(split))
        raise InputError(
            f"{folder} has no {wanted}; choose another split, or name the folder data-1024 of the release."
        )
    samples = []
    for source in sources:
        abstracts = _read_corpus_lines(source)
        summaries = _read_matching_lines(source.with_suffix(".target"), source, len(abstracts))
        # The ids are the DOIs; copies of the release without them get ids by line.
        doi = source.with_suffix(".doi")
        numbers = [f"{source.stem}-{number}" for number in range(1, len(abstracts) + 1)]
        ids = _read_matching_lines(doi, source, len(abstracts)) if doi.is_file() else numbers
        for number, (identity, abstract, summary) in enumerate(zip(ids, abstracts, summaries, strict=True), start=1):
            where = f"Line {number} of {source} with its target and doi"
            values = {"id": identity, "corpus": "Cochrane", "source": abstract, "target": summary}
            samples.append(validate_record(SimplificationSample, where, values))
    return samples


def _read_matching_lines(path: Path, source: Path, expected: int) -> list[str]:
    """Read the lines of a file, or raise an InputError unless there are `expected`, as many as in `source`."""
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
    lambda record: {"id", "source", "target"} <= record.keys(),
    partial(convert_own_records, SimplificationSample),
)
