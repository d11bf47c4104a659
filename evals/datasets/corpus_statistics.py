"""How large a corpus is, beside what the papers print of it, so that a wrong or cut corpus is seen at once."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from evals.datasets.corpora import PUBLISHED
from tools.jobs import Record

_TEXTS = ("abstract", "summary", "source", "target", "paper", "paragraph", "feedback")


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
