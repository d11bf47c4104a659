"""Loading the corpora of the evaluations in any known format, and drawing samples from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from evals.datasets import abstracts, feedback, whole_papers
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

# Tried in this order: Draftroom's own formats come last, because their fields may occur in a release, too.
_FILE_FORMATS: Final[dict[SampleKind, list[RecordFormat]]] = {
    "journalism": [abstracts.LAY_SUMMARIES, abstracts.SCITECH, abstracts.OWN_JOURNALISM],
    "simplification": [abstracts.OWN_SIMPLIFICATION],
    "feedback": [feedback.OWN_FEEDBACK],
    "whole_paper": [whole_papers.REVIEWED_PAPERS, whole_papers.PAIRS_BY_PAPER],
}

_FOLDER_FORMATS: Final[dict[SampleKind, list[FolderFormat]]] = {
    "journalism": [],
    "simplification": [abstracts.COCHRANE],
    "feedback": [feedback.F1000RD],
    "whole_paper": [whole_papers.F1000RD_BY_PAPER],
}

_SUFFIXES: Final = (".json", ".jsonl", ".csv")


def load_corpus(path: Path, kind: SampleKind, split: str | None = None) -> list[Record]:
    """Read a split of a corpus as dictionaries with all fields of their schema (`evals.datasets.samples`).

    The path is a file, the folder of a published release, or a folder with a file for each part, such as `val.json`.
    The format is recognised from the content. The split is train, dev (by any name that releases give it; the default),
    test or all. A file that is not divided into parts is read whole.

    Raises:
        InputError: The corpus cannot be read, has an unknown format, or has no samples in this split.
    """
    part = normalize_split(split)
    samples: Sequence[Sample]
    if not path.is_dir():
        samples = _read_corpus_file(path, kind, part)
    elif release := next((known for known in _FOLDER_FORMATS[kind] if known.fits(path)), None):
        samples = release.samples(path, part)
    elif files := list_split_files(path, part, _SUFFIXES):
        samples = [sample for file in files for sample in _read_corpus_file(file, kind, "all")]
    else:
        raise _build_format_error(path, kind, f"There is no file in it that is named for the split {part!r}.")
    if not samples:
        raise InputError(
            f"{path} has no {kind} samples in its part {part!r}; choose another split.", kind="empty_input"
        )
    return [sample.model_dump() for sample in samples]


def load_examples(kind: SampleKind) -> list[Record]:
    """Load the examples of a kind that ship with Draftroom, as dictionaries; all their studies are invented."""
    name = "feedback" if kind == "whole_paper" else kind  # its papers are those of the pairs
    return load_corpus(_EXAMPLES_FOLDER / f"{name}.jsonl", kind, "all")


def _read_corpus_file(path: Path, kind: SampleKind, split: Split) -> Sequence[Sample]:
    """Read a file's samples of a split, in the first format that fits the first record; InputError if none does."""
    entries = select_split(read_entries(path), split, path)
    first = entries[0].record
    for known in _FILE_FORMATS[kind]:
        if known.fits(first):
            return known.samples(entries, path)
    raise _build_format_error(path, kind, f"Its first record has the fields {', '.join(sorted(first)) or '(none)'}.")


def _build_format_error(path: Path, kind: SampleKind, found: str) -> InputError:
    """Build, but do not raise, the error that lists the formats of a kind; `found` tells what is there instead."""
    formats: list[RecordFormat | FolderFormat] = [*_FILE_FORMATS[kind], *_FOLDER_FORMATS[kind]]
    layouts = "; ".join(known.layout for known in formats)
    return InputError(f"{path} is none of the formats that {kind} samples are read from: {layouts}. {found}")


def draw_samples(samples: Sequence[Record], limit: int | None = None, seed: int = 0) -> list[Record]:
    """Draw up to `limit` samples (None: all) at random, from all papers in turns.

    A larger limit only adds samples: the first ones stay.
    """
    drawn = list(samples)
    Random(seed).shuffle(drawn)  # noqa: S311 - no secret
    # Paragraphs of a paper are alike, so a limit should cut few papers. A sample without `paper_id` is its own paper.
    turns: list[tuple[int, Record]] = []
    seen = Counter[str]()
    for sample in drawn:
        paper: str = sample.get("paper_id") or sample["id"]
        turns.append((seen[paper], sample))
        seen[paper] += 1
    return [sample for _, sample in sorted(turns, key=lambda each: each[0])][:limit]
