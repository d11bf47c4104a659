"""SARI: how well a simplification adds, deletes and keeps what its references do, for n-grams of 1 to 4 tokens.

Xu, Napoles, Pavlick, Chen and Callison-Burch, "Optimizing Statistical Machine Translation for Text Simplification"
(TACL 2016), equations 2 to 8. Scores differ between implementations; this one makes the choices of the widely used
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

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

_ORDERS = (1, 2, 3, 4)
_TOKENIZER = Tokenizer13a()  # type: ignore[no-untyped-call]

Ngrams = Counter[tuple[str, ...]]


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


def sari(source: str, text: str, references: Sequence[str]) -> Sari:
    """SARI of one simplification.

    Args:
        source: What was simplified: a sentence or a paragraph.
        text: The simplification.
        references: Simplifications by people, at least one.
    """
    tokens = [_tokens(each) for each in (source, text, *references)]
    parts = zip(*(_parts(n, *tokens) for n in _ORDERS), strict=True)
    keep, delete, add, delete_f1 = (100 * fmean(part) for part in parts)
    return Sari((keep + delete + add) / 3, keep, delete, add, delete_f1)


def _tokens(text: str) -> list[str]:
    return str(_TOKENIZER(text.lower())).split()


def _parts(n: int, source: list[str], text: list[str], *references: list[str]) -> tuple[float, float, float, float]:
    # Counts of source and text are multiplied rather than those of the references divided: whole numbers are exact.
    of_source, of_text = (_ngrams(n, tokens, times=len(references)) for tokens in (source, text))
    of_references = sum((_ngrams(n, tokens) for tokens in references), Ngrams())
    precision, recall = _delete(of_source, of_text, of_references)
    return (
        _keep(of_source, of_text, of_references),
        precision,
        _add(of_source, of_text, of_references),
        _f1(precision, recall),
    )


def _ngrams(n: int, tokens: list[str], times: int = 1) -> Ngrams:
    counts = Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))
    return Counter({ngram: count * times for ngram, count in counts.items()})


def _keep(source: Ngrams, text: Ngrams, references: Ngrams) -> float:
    kept, due = source & text, source & references
    rightly = kept & references
    return _f1(_mean_share(rightly, kept), _share(rightly.total(), due.total()))


def _delete(source: Ngrams, text: Ngrams, references: Ngrams) -> tuple[float, float]:
    """Precision, and the recall of what no reference has."""
    deleted, due = source - text, source - references
    rightly = deleted - references
    return _mean_share(rightly, deleted), _share(rightly.total(), due.total())


def _add(source: Ngrams, text: Ngrams, references: Ngrams) -> float:
    added, due = text.keys() - source.keys(), references.keys() - source.keys()
    rightly = len(added & due)
    return _f1(_share(rightly, len(added)), _share(rightly, len(due)))


def _mean_share(part: Ngrams, whole: Ngrams) -> float:
    return fmean(part[ngram] / count for ngram, count in whole.items()) if whole else 1.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
