"""Overlap of texts with their references: BLEU by sacrebleu and ROUGE by rouge-score, 0 to 100.

Both work offline: of NLTK, rouge-score uses the Porter stemmer only, which needs no data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import BLEU, corpus_bleu

_MEASURES = ["rouge1", "rouge2", "rougeL"]


class Rouge(NamedTuple):
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-L, 0 to 100."""

    rouge1: float
    rouge2: float
    rouge_l: float
    """Longest common subsequence of the whole texts, not of their sentences."""


class _Counts(NamedTuple):
    """What BLEU needs to know of a text and its reference."""

    matches: tuple[int, ...]
    """N-grams that are in the reference, for n from 1 to 4."""
    ngrams: tuple[int, ...]
    words: int
    reference_words: int


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU with sacrebleu's defaults: n-grams of 1 to 4 cased 13a tokens, exponential smoothing.

    What is counted of a text is kept, so that BLEU of a resample of texts (`evals.metrics.bootstrap`) costs little.

    Args:
        texts: At least one.
        references: One for each text, in the same order.
    """
    counts = [_counts(text, reference) for text, reference in zip(texts, references, strict=True)]
    score = BLEU.compute_bleu(
        correct=[sum(column) for column in zip(*(each.matches for each in counts), strict=True)],
        total=[sum(column) for column in zip(*(each.ngrams for each in counts), strict=True)],
        sys_len=sum(each.words for each in counts),
        ref_len=sum(each.reference_words for each in counts),
        smooth_method="exp",
    )
    return float(score.score)


def rouge(text: str, reference: str) -> Rouge:
    """ROUGE-1, ROUGE-2 and ROUGE-L of one text; words are stemmed, a corpus' score is the mean over its texts."""
    scores = _scorer().score(reference, text)
    return Rouge(*(100 * scores[measure].fmeasure for measure in _MEASURES))


@cache
def _counts(text: str, reference: str) -> _Counts:
    score = corpus_bleu([text], [[reference]])
    return _Counts(tuple(score.counts), tuple(score.totals), score.sys_len, score.ref_len)


@cache
def _scorer() -> RougeScorer:
    return RougeScorer(_MEASURES, use_stemmer=True)
