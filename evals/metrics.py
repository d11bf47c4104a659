"""Overlap of texts with their references, 0 to 100: BLEU by sacrebleu, ROUGE by rouge-score, METEOR by NLTK, and SARI.

BLEU and ROUGE work offline: of NLTK, rouge-score uses the Porter stemmer only, which needs no data.

METEOR is that of Lavie and Agarwal (2007: alpha 0.9, beta 3, gamma 0.5). Words are matched exactly, then by their
Porter stems, then as synonyms (which NLTK looks up by the stem). Synonyms come from WordNet, data that NLTK would have
to download, so that stage runs only where it is installed already: figures with and without it cannot be compared, and
each score names the stages that ran. Its tokens are the runs of letters and digits of the lower-cased text, composed
(NFC); punctuation does not count. A text that equals its reference scores a little less than 100: it is one chunk, and
chunks are penalised.

SARI tells how well a simplification adds, deletes and keeps what its references do, for n-grams of 1 to 4 tokens (Xu,
Napoles, Pavlick, Chen and Callison-Burch, "Optimizing Statistical Machine Translation for Text Simplification", TACL
2016, equations 2 to 8). Scores differ between implementations; this one makes the choices of the widely used
sentence-level one (Hugging Face `evaluate`), so that figures can be compared:

- DELETE is the precision, as the paper has it, so a text that hardly deletes scores well. `delete_f1` is the F1 of
  it, which EASSE takes by default and which sees what was not deleted; `sari_f1` is SARI with that.
- 0/0 counts as 1: an operation that neither the text nor a reference makes was done right. The authors' own script
  counts 0. A text that equals its source therefore has a DELETE of 100, and its SARI says little.
- For KEEP and DELETE, an n-gram that r of k references contain counts r/k. Their precisions are means over distinct
  n-grams, as in the authors' script; the recall of KEEP is over all n-grams, as in the paper. ADD looks at distinct
  n-grams only.
- Source, text and references are lower-cased and split by sacrebleu's 13a tokeniser.
- The F1 is taken for each n, then averaged; a corpus' score is the mean over its samples (EASSE adds up the counts
  of the whole corpus first).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from statistics import fmean
from typing import Literal, NamedTuple
from unicodedata import normalize

from nltk.corpus import wordnet
from nltk.translate.meteor_score import single_meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import BLEU, corpus_bleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

_ROUGE_TYPES = ["rouge1", "rouge2", "rougeL"]
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


class _BleuCounts(NamedTuple):
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


class _EmptyWordnet:
    """Stands for a WordNet that knows no word."""

    def synsets(self, word: str) -> list[object]:  # noqa: ARG002 - NLTK's signature
        return []


def compute_corpus_bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU with sacrebleu's defaults: n-grams of 1 to 4 cased 13a tokens, exponential smoothing.

    What is counted of a text is kept, so that BLEU of a resample of texts (`evals.statistics`) costs little.

    Args:
        texts: At least one.
        references: One for each text, in the same order.
    """
    counts = [_count_bleu_matches(text, reference) for text, reference in zip(texts, references, strict=True)]
    score = BLEU.compute_bleu(
        correct=[sum(column) for column in zip(*(each.matches for each in counts), strict=True)],
        total=[sum(column) for column in zip(*(each.ngrams for each in counts), strict=True)],
        sys_len=sum(each.words for each in counts),
        ref_len=sum(each.reference_words for each in counts),
        smooth_method="exp",
    )
    return float(score.score)


def compute_rouge(text: str, reference: str) -> Rouge:
    """ROUGE-1, ROUGE-2 and ROUGE-L of one text; words are stemmed, a corpus' score is the mean over its texts."""
    scores = _make_rouge_scorer().score(reference, text)
    return Rouge(*(100 * scores[measure].fmeasure for measure in _ROUGE_TYPES))


@cache
def _count_bleu_matches(text: str, reference: str) -> _BleuCounts:
    score = corpus_bleu([text], [[reference]])
    return _BleuCounts(tuple(score.counts), tuple(score.totals), score.sys_len, score.ref_len)


@cache
def _make_rouge_scorer() -> RougeScorer:
    return RougeScorer(_ROUGE_TYPES, use_stemmer=True)


def compute_meteor(text: str, reference: str) -> Meteor:
    """METEOR of one text; a corpus' score is the mean over its texts."""
    known = _has_wordnet()
    score = single_meteor_score(
        _tokenize_for_meteor(reference), _tokenize_for_meteor(text), wordnet=wordnet if known else _EmptyWordnet()
    )
    return Meteor(100 * score, "exact+stem+synonym" if known else "exact+stem")


def _tokenize_for_meteor(text: str) -> list[str]:
    return _WORD.findall(normalize("NFC", text).lower())


@cache
def _has_wordnet() -> bool:
    try:
        wordnet.ensure_loaded()
    except LookupError:
        return False
    return True


class Sari(NamedTuple):
    """SARI and its three parts, 0 to 100."""

    sari: float
    keep: float
    delete: float
    add: float
    delete_f1: float

    @property
    def sari_f1(self) -> float:
        """SARI with the F1 of DELETE."""
        return (self.keep + self.delete_f1 + self.add) / 3


def compute_sari(source: str, text: str, references: Sequence[str]) -> Sari:
    """SARI of one simplification.

    Args:
        source: What was simplified: a sentence or a paragraph.
        text: The simplification.
        references: Simplifications by people, at least one.
    """
    tokens = [_tokenize_for_sari(each) for each in (source, text, *references)]
    parts = zip(*(_score_operations(n, *tokens) for n in _NGRAM_ORDERS), strict=True)
    keep, delete, add, delete_f1 = (100 * fmean(part) for part in parts)
    return Sari((keep + delete + add) / 3, keep, delete, add, delete_f1)


def _tokenize_for_sari(text: str) -> list[str]:
    return str(_TOKENIZER(text.lower())).split()


def _score_operations(
    n: int, source: list[str], text: list[str], *references: list[str]
) -> tuple[float, float, float, float]:
    # Counts of source and text are multiplied rather than those of the references divided: whole numbers are exact.
    of_source, of_text = (_count_ngrams(n, tokens, times=len(references)) for tokens in (source, text))
    of_references = sum((_count_ngrams(n, tokens) for tokens in references), Ngrams())
    precision, recall = _score_delete(of_source, of_text, of_references)
    return (
        _score_keep(of_source, of_text, of_references),
        precision,
        _score_add(of_source, of_text, of_references),
        _compute_harmonic_mean(precision, recall),
    )


def _count_ngrams(n: int, tokens: list[str], times: int = 1) -> Ngrams:
    counts = Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))
    return Counter({ngram: count * times for ngram, count in counts.items()})


def _score_keep(source: Ngrams, text: Ngrams, references: Ngrams) -> float:
    kept, due = source & text, source & references
    rightly = kept & references
    return _compute_harmonic_mean(_compute_mean_share(rightly, kept), _compute_share(rightly.total(), due.total()))


def _score_delete(source: Ngrams, text: Ngrams, references: Ngrams) -> tuple[float, float]:
    """Precision, and the recall of what no reference has."""
    deleted, due = source - text, source - references
    rightly = deleted - references
    return _compute_mean_share(rightly, deleted), _compute_share(rightly.total(), due.total())


def _score_add(source: Ngrams, text: Ngrams, references: Ngrams) -> float:
    added, due = text.keys() - source.keys(), references.keys() - source.keys()
    rightly = len(added & due)
    return _compute_harmonic_mean(_compute_share(rightly, len(added)), _compute_share(rightly, len(due)))


def _compute_mean_share(part: Ngrams, whole: Ngrams) -> float:
    return fmean(part[ngram] / count for ngram, count in whole.items()) if whole else 1.0


def _compute_share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _compute_harmonic_mean(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
