"""Overlap of texts with their references, 0 to 100: BLEU by sacrebleu, ROUGE by rouge-score and METEOR by NLTK.

BLEU and ROUGE work offline: of NLTK, rouge-score uses the Porter stemmer only, which needs no data.

METEOR is that of Lavie and Agarwal (2007: alpha 0.9, beta 3, gamma 0.5). Words are matched exactly, then by their
Porter stems, then as synonyms (which NLTK looks up by the stem). Synonyms come from WordNet, data that NLTK would have
to download, so that stage runs only where it is installed already: figures with and without it cannot be compared, and
each score names the stages that ran. Its tokens are the runs of letters and digits of the lower-cased text, composed
(NFC); punctuation does not count. A text that equals its reference scores a little less than 100: it is one chunk, and
chunks are penalised.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple
from unicodedata import normalize

from nltk.corpus import wordnet
from nltk.translate.meteor_score import single_meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import BLEU, corpus_bleu

_MEASURES = ["rouge1", "rouge2", "rougeL"]
_WORD = re.compile(r"\w+")


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


class Meteor(NamedTuple):
    """A score, 0 to 100, and the stages that words were matched by."""

    score: float
    stages: Literal["exact+stem", "exact+stem+synonym"]


class _NoSynonyms:
    """Stands for a WordNet that knows no word."""

    def synsets(self, word: str) -> list[object]:  # noqa: ARG002 - NLTK's signature
        return []


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU with sacrebleu's defaults: n-grams of 1 to 4 cased 13a tokens, exponential smoothing.

    What is counted of a text is kept, so that BLEU of a resample of texts (`evals.statistics`) costs little.

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


def meteor(text: str, reference: str) -> Meteor:
    """METEOR of one text; a corpus' score is the mean over its texts."""
    known = _has_wordnet()
    score = single_meteor_score(_tokens(reference), _tokens(text), wordnet=wordnet if known else _NoSynonyms())
    return Meteor(100 * score, "exact+stem+synonym" if known else "exact+stem")


def _tokens(text: str) -> list[str]:
    return _WORD.findall(normalize("NFC", text).lower())


@cache
def _has_wordnet() -> bool:
    try:
        wordnet.ensure_loaded()
    except LookupError:
        return False
    return True
