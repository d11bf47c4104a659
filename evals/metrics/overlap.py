"""Overlap of texts with their references: BLEU by sacrebleu and ROUGE by rouge-score, 0 to 100.

Both work offline: of NLTK, rouge-score uses the Porter stemmer only, which needs no data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import corpus_bleu


class Rouge(NamedTuple):
    """F1 of ROUGE-1 and ROUGE-2, 0 to 100."""

    rouge1: float
    rouge2: float


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU with sacrebleu's defaults: n-grams of 1 to 4 cased 13a tokens, exponential smoothing.

    Args:
        texts: At least one.
        references: One for each text, in the same order.
    """
    return float(corpus_bleu(texts, [references]).score)


def rouge(text: str, reference: str) -> Rouge:
    """ROUGE-1 and ROUGE-2 of one text; words are stemmed, and a corpus' score is the mean over its texts."""
    scores = _scorer().score(reference, text)
    return Rouge(100 * scores["rouge1"].fmeasure, 100 * scores["rouge2"].fmeasure)


@cache
def _scorer() -> RougeScorer:
    return RougeScorer(["rouge1", "rouge2"], use_stemmer=True)
