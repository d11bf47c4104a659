"""Overlap metrics, 0 to 100: BLEU by sacrebleu, ROUGE by rouge-score, METEOR by NLTK, and SARI.

BLEU and ROUGE work offline: of NLTK, rouge-score uses only the Porter stemmer, which needs no data.

METEOR is that of Lavie and Agarwal (2007: alpha 0.9, beta 3, gamma 0.5). Words are matched exactly, then by their
Porter stems, then as synonyms (which NLTK looks up by the stem). Synonyms need WordNet, which NLTK would download, so
that stage runs only if WordNet is installed. Scores with and without it cannot be compared, and each score names the
stages that ran. Tokens are the runs of letters and digits of the lower-cased text in NFC; punctuation does not count.
A text that equals its reference scores slightly less than 100, because METEOR penalises even a single chunk.

SARI measures how well a simplification keeps, deletes and adds the n-grams that its references keep, delete and add,
for n from 1 to 4 (Xu, Napoles, Pavlick, Chen and Callison-Burch, "Optimizing Statistical Machine Translation for Text
Simplification", TACL 2016, equations 2 to 8). Scores differ between implementations; this implementation follows the
widely used sentence-level implementation of Hugging Face `evaluate`, so that figures can be compared:

- DELETE is a precision, as in the paper, so a text that deletes little scores well. `delete_f1` is its F1, EASSE's
  default, which also counts n-grams that should have been deleted; `sari_f1` is SARI with that F1.
- 0/0 counts as 1: an operation that neither the text nor a reference makes is correct. The authors' script counts 0.
  A text that equals its source therefore has a DELETE of 100, and its SARI is not informative.
- For KEEP and DELETE, an n-gram that r of k references contain counts r/k. Their precisions are means over distinct
  n-grams, as in the authors' script; the recall of KEEP is over all n-grams, as in the paper. ADD counts distinct
  n-grams only.
- Source, text and references are lower-cased and split by sacrebleu's 13a tokeniser.
- The F1 is computed for each n, then averaged; a corpus' score is the mean over its samples (EASSE sums the counts of
  the whole corpus first).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from statistics import fmean, harmonic_mean
from typing import Literal, NamedTuple
from unicodedata import normalize

from nltk.corpus import wordnet
from nltk.translate.meteor_score import single_meteor_score
from nltk.util import ngrams
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import BLEU, corpus_bleu
from sacrebleu.metrics.bleu import BLEUScore
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

_ROUGE_TYPES = ["rouge1", "rouge2", "rougeL"]
_ROUGE_SCORER = RougeScorer(_ROUGE_TYPES, use_stemmer=True)
_WORD = re.compile(r"\w+")
_NGRAM_ORDERS = (1, 2, 3, 4)
_TOKENIZER = Tokenizer13a()  # type: ignore[no-untyped-call]

Ngrams = Counter[tuple[str, ...]]


class Rouge(NamedTuple):
    """F1 of ROUGE-1, ROUGE-2 and ROUGE-L, 0 to 100."""

    rouge1: float
    rouge2: float
    rouge_l: float
    """Longest common subsequence of the whole texts, not of their sentences."""


class Meteor(NamedTuple):
    """A METEOR score, 0 to 100, and the matching stages that ran."""

    score: float
    stages: Literal["exact+stem", "exact+stem+synonym"]


class _EmptyWordnet:
    """A WordNet without words, which switches the synonym stage of NLTK off."""

    def synsets(self, word: str) -> list[object]:  # noqa: ARG002 - NLTK's signature
        return []


def compute_corpus_bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Compute corpus BLEU (0 to 100) of at least one text, with a reference each and sacrebleu's defaults.

    The defaults are n-grams of 1 to 4 cased 13a tokens and exponential smoothing.
    """
    # The counts of each text are cached: the bootstrap (`evals.statistics`) computes BLEU of thousands of resamples.
    counts = [_count_bleu_ngrams(text, reference) for text, reference in zip(texts, references, strict=True)]
    score = BLEU.compute_bleu(
        correct=[sum(column) for column in zip(*(each.counts for each in counts), strict=True)],
        total=[sum(column) for column in zip(*(each.totals for each in counts), strict=True)],
        sys_len=sum(each.sys_len for each in counts),
        ref_len=sum(each.ref_len for each in counts),
        smooth_method="exp",
    )
    return float(score.score)


@cache
def _count_bleu_ngrams(text: str, reference: str) -> BLEUScore:
    """Return sacrebleu's BLEU of one text, with the n-gram counts that corpus BLEU adds up; cached."""
    return corpus_bleu([text], [[reference]])


def compute_rouge(text: str, reference: str) -> Rouge:
    """Compute the F1 of ROUGE-1, -2 and -L (0 to 100) with stemmed words; a corpus's are the means over its texts."""
    scores = _ROUGE_SCORER.score(reference, text)
    return Rouge(*(100 * scores[measure].fmeasure for measure in _ROUGE_TYPES))


def compute_meteor(text: str, reference: str) -> Meteor:
    """Compute METEOR of a text (0 to 100), with the stages that ran; that of a corpus is the mean over its texts."""
    reference_words, words = (_WORD.findall(normalize("NFC", each).lower()) for each in (reference, text))
    known = _has_wordnet()
    score = single_meteor_score(reference_words, words, wordnet=wordnet if known else _EmptyWordnet())
    return Meteor(100 * score, "exact+stem+synonym" if known else "exact+stem")


@cache
def _has_wordnet() -> bool:
    """Return whether WordNet is installed, which METEOR needs for synonyms; cached."""
    try:
        wordnet.ensure_loaded()
    except LookupError:
        return False
    return True


class Sari(NamedTuple):
    """SARI and its components, 0 to 100."""

    sari: float
    keep: float
    delete: float
    add: float
    delete_f1: float

    @property
    def sari_f1(self) -> float:
        """SARI with the F1 of DELETE in place of its precision."""
        return (self.keep + self.delete_f1 + self.add) / 3


def compute_sari(source: str, text: str, references: Sequence[str]) -> Sari:
    """Compute SARI and its parts (0 to 100) of a text that simplifies the source, given one reference or more."""
    tokens = [str(_TOKENIZER(each.lower())).split() for each in (source, text, *references)]
    parts = zip(*(_score_operations(n, *tokens) for n in _NGRAM_ORDERS), strict=True)
    keep, delete, add, delete_f1 = (100 * fmean(part) for part in parts)
    return Sari((keep + delete + add) / 3, keep, delete, add, delete_f1)


def _score_operations(
    n: int, source_tokens: list[str], text_tokens: list[str], *reference_tokens: list[str]
) -> tuple[float, float, float, float]:
    """Return KEEP, DELETE, ADD and the F1 of DELETE for n-grams of one length, each 0 to 1."""
    # Counts of source and text are multiplied rather than those of the references divided: whole numbers are exact.
    source, text = (_count_ngrams(n, tokens, times=len(reference_tokens)) for tokens in (source_tokens, text_tokens))
    references = sum((_count_ngrams(n, tokens) for tokens in reference_tokens), Ngrams())

    kept, to_keep = source & text, source & references
    correct = kept & references
    keep = harmonic_mean([_compute_mean_share(correct, kept), _compute_share(correct.total(), to_keep.total())])

    deleted, to_delete = source - text, source - references
    correct = deleted - references
    delete = _compute_mean_share(correct, deleted)
    delete_f1 = harmonic_mean([delete, _compute_share(correct.total(), to_delete.total())])

    # ADD counts distinct n-grams.
    added, to_add = text.keys() - source.keys(), references.keys() - source.keys()
    common = len(added & to_add)
    add = harmonic_mean([_compute_share(common, len(added)), _compute_share(common, len(to_add))])
    return keep, delete, add, delete_f1


def _count_ngrams(n: int, tokens: list[str], times: int = 1) -> Ngrams:
    """Count the n-grams of tokens, with every count multiplied by `times`."""
    return Counter({ngram: count * times for ngram, count in Counter(ngrams(tokens, n)).items()})


def _compute_mean_share(part: Ngrams, whole: Ngrams) -> float:
    """Compute the mean of part / whole over the distinct n-grams of `whole`, 0 to 1; 1 if there are none."""
    return fmean(part[ngram] / count for ngram, count in whole.items()) if whole else 1.0


def _compute_share(part: int, whole: int) -> float:
    """Return part / whole, or 1 for 0/0 (see the docstring of the module)."""
    return part / whole if whole else 1.0
