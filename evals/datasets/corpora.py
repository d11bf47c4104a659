"""The published corpora: their names, and their sizes beside those that the papers print.

A wrong or cut corpus is seen at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from evals.datasets.files import PART_NAMES
from runs.many import Record


class PublishedSize(NamedTuple):
    """Statistics of a whole corpus, all its parts together."""

    samples: int
    mean_words: Mapping[str, float]
    """By field."""


class FieldStatistics(NamedTuple):
    """Of one text field of a corpus."""

    corpus: str
    field: str
    samples: int
    """That have the field."""
    mean_words: float
    """Words are what stands between white space."""
    published_samples: int | None
    """Of the whole corpus, all its parts together; None if the papers print nothing of it."""
    published_mean_words: float | None


PUBLISHED: Final = {
    # Jiang, Shi and Luo, LLM-CLBR, "Corpora".
    "SCITech": PublishedSize(2431, {"abstract": 216.8, "summary": 176.1}),
    "eLife": PublishedSize(4828, {"abstract": 166.3, "summary": 347.6}),
    "PLOS": PublishedSize(27525, {"abstract": 268.3, "summary": 175.6}),
    # Devaraj, Marshall, Wallace and Li (NAACL 2021); SoMS gives no mean words.
    "Cochrane": PublishedSize(4459, {}),
    # Chamoun, Schlichtkrull and Vlachos, the hand-checked test set; SWIF2T gives no mean words.
    "SWIF2T": PublishedSize(300, {}),
}

_IN_NAMES: Final = {"scitech": "SCITech", "elife": "eLife", "plos": "PLOS", "cochrane": "Cochrane", "swif2t": "SWIF2T"}
_TEXTS = ("abstract", "summary", "source", "target", "paper", "paragraph", "feedback")


def corpus_name(path: Path) -> str:
    """The corpus that a file belongs to, by its name, or by that of its folder if the file is named for a part of it.

    `elife.jsonl` and `eLife/val.json` are of eLife; a file with a name that says nothing is a corpus of that name.
    """
    name = path.resolve().parent.name if path.stem in PART_NAMES else path.stem
    return next((corpus for known, corpus in _IN_NAMES.items() if known in name.lower()), name)


def statistics(samples: Sequence[Record]) -> list[FieldStatistics]:
    """Count the samples and the mean words of each text field, corpus by corpus."""
    corpora = dict.fromkeys(sample["corpus"] for sample in samples)
    rows = (
        _row(corpus, field, [sample[field] for sample in samples if sample["corpus"] == corpus and sample.get(field)])
        for corpus in corpora
        for field in _TEXTS
    )
    return [row for row in rows if row is not None]


def _row(corpus: str, field: str, texts: Sequence[str]) -> FieldStatistics | None:
    if not texts:
        return None
    published = PUBLISHED.get(corpus)
    return FieldStatistics(
        corpus=corpus,
        field=field,
        samples=len(texts),
        mean_words=fmean(len(text.split()) for text in texts),
        published_samples=published.samples if published else None,
        published_mean_words=published.mean_words.get(field) if published else None,
    )
