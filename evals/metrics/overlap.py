"""Overlap of texts with their references: BLEU by sacrebleu and ROUGE by rouge-score, 0 to 100.

Both work offline: of NLTK, rouge-score uses the Porter stemmer only, which needs no data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import corpus_bleu

_MEASURES = ["rouge1", "rouge2", "rougeL"]


class Rouge(NamedTuple):
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-L, 0 to 100."""

    rouge1: float
    rouge2: float
    rouge_l: float
    """Longest common subsequence of the whole texts, not of their sentences."""


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU with sacrebleu's defaults: n-grams of 1 to 4 cased 13a tokens, exponential smoothing.

    Args:
        texts: At least one.
        references: One for each text, in the same order.
    """
    return float(corpus_bleu(texts, [references]).score)


def rouge(text: str, reference: str) -> Rouge:
    """ROUGE-1, ROUGE-2 and ROUGE-L of one text; words are stemmed, a corpus' score is the mean over its texts."""
    scores = _scorer().score(reference, text)
    return Rouge(*(100 * scores[measure].fmeasure for measure in _MEASURES))


@cache
def _scorer() -> RougeScorer:
    return RougeScorer(_MEASURES, use_stemmer=True)
