"""The corpora that tasks are run on: read in whatever format they are, and drawn from.

A few samples ship with Draftroom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Final

from evals.datasets import abstracts, feedback
from evals.datasets.samples import (
    FolderFormat,
    RecordFormat,
    Sample,
    SampleKind,
    Split,
    list_split_files,
    normalize_split,
    read_entries,
    select_split,
)
from runs.jobs import Record
from state.errors import InputError

_EXAMPLES_FOLDER: Final = Path(__file__).parent / "examples"

_FILE_FORMATS: Final[dict[SampleKind, list[RecordFormat]]] = {
    "journalism": [abstracts.LAY_SUMMARIES, abstracts.SCITECH, abstracts.OWN_JOURNALISM],
    "simplification": [abstracts.OWN_SIMPLIFICATION],
    "feedback": [feedback.OWN_FEEDBACK],
}
"""In the order in which they are tried."""

_FOLDER_FORMATS: Final[dict[SampleKind, list[FolderFormat]]] = {
    "journalism": [],
    "simplification": [abstracts.COCHRANE],
    "feedback": [feedback.F1000RD],
}

_SUFFIXES: Final = (".json", ".jsonl", ".csv")


def load_corpus(path: Path, kind: SampleKind, split: str | None = None) -> list[Record]:
    """Read the samples of a corpus.

    Args:
        path: A file, or the folder of a published release; which one is recognised by what is there. A folder may also
            hold a file for each part, such as `val.json`.
        kind: What the samples must hold.
        split: The part to read: train, dev (also by the names that releases give it), test, or all; dev if none is
            named. A file that is not divided is read whole.

    Returns:
        Samples with all fields of their schema (`evals.datasets.samples`), in the order of the corpus.

    Raises:
        BadInput: The corpus cannot be read, is in no format that is known, or has nothing of this split.
    """
    part = normalize_split(split)
    samples = _read_corpus_folder(path, kind, part) if path.is_dir() else _read_corpus_file(path, kind, part)
    if not samples:
        raise InputError(
            f"{path} has no {kind} samples in its part {part!r}; choose another split.", kind="empty_input"
        )
    identity, times = Counter(sample.id for sample in samples).most_common(1)[0]
    if times > 1:
        raise InputError(f"{times} samples of {path} have the id {identity!r}; give each its own.")
    return [sample.model_dump() for sample in samples]


def load_examples(kind: SampleKind) -> list[Record]:
    """The samples that ship with Draftroom, for tests and a first try. All studies in them are invented."""
    return load_corpus(_EXAMPLES_FOLDER / f"{kind}.jsonl", kind, "all")


def _read_corpus_folder(path: Path, kind: SampleKind, split: Split) -> Sequence[Sample]:
    for known in _FOLDER_FORMATS[kind]:
        if known.fits(path):
            return known.samples(path, split)
    files = list_split_files(path, split, _SUFFIXES)
    if not files:
        raise _build_format_error(path, kind, f"There is no file in it that is named for the split {split!r}.")
    return [sample for file in files for sample in _read_corpus_file(file, kind, "all")]


def _read_corpus_file(path: Path, kind: SampleKind, split: Split) -> Sequence[Sample]:
    entries = select_split(read_entries(path), split, path)
    first = entries[0].record
    for known in _FILE_FORMATS[kind]:
        if known.fits(first):
            return known.samples(entries, path)
    raise _build_format_error(path, kind, f"Its first record has the fields {', '.join(sorted(first)) or '(none)'}.")


def _build_format_error(path: Path, kind: SampleKind, found: str) -> InputError:
    formats: list[RecordFormat | FolderFormat] = [*_FILE_FORMATS[kind], *_FOLDER_FORMATS[kind]]
    layouts = "; ".join(known.layout for known in formats)
    return InputError(f"{path} is none of the formats that {kind} samples are read from: {layouts}. {found}")


def draw_samples(samples: Sequence[Record], limit: int | None = None, seed: int | None = 0) -> list[Record]:
    """Draw samples by lot, of as many papers as possible.

    Of samples that are paragraphs of papers, the first one of each paper is taken, then the second one of each, and so
    on. The first of a larger number of samples are the same as with a smaller limit.

    Args:
        samples: Of a corpus.
        limit: How many to take; None for all.
        seed: Of the lot: the same samples and seed always give the same ones. None keeps the order of the corpus.
    """
    drawn = list(samples)
    if seed is not None:
        Random(seed).shuffle(drawn)  # noqa: S311 - no secret
    return order_round_robin(drawn)[:limit]


def order_round_robin(records: Iterable[Record]) -> list[Record]:
    """The first record of each paper, then the second of each, and so on: paragraphs of one paper are alike.

    Args:
        records: With the `paper_id` that they belong to; those without one have only themselves, by their `id`.
    """
    turns: list[tuple[int, Record]] = []
    seen = Counter[str]()
    for record in records:
        paper: str = record.get("paper_id") or record["id"]
        turns.append((seen[paper], record))
        seen[paper] += 1
    return [record for _, record in sorted(turns, key=lambda each: each[0])]
