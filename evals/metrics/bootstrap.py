"""How sure a difference between two systems is, by the paired bootstrap over samples (Efron; Koehn 2004 for BLEU)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import fmean, quantiles
from typing import NamedTuple

_RESAMPLES = 2000


class Difference(NamedTuple):
    """A mean difference and its 95% interval."""

    mean: float
    low: float
    high: float


def paired_difference(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0) -> Difference:
    """Mean of `ours` minus `theirs`, with its 95% percentile interval over resampled samples.

    Args:
        ours: A score for each sample, at least one.
        theirs: The other system's scores for the same samples, in the same order.
        seed: Of the resampling: the same scores always give the same interval.
    """
    differences = [our - their for our, their in zip(ours, theirs, strict=True)]
    random = Random(seed)  # noqa: S311 - statistics, not secrets
    means = [fmean(random.choices(differences, k=len(differences))) for _ in range(_RESAMPLES)]
    cuts = quantiles(means, n=40, method="inclusive")  # at 2.5%, 5%, ... 97.5%
    return Difference(fmean(differences), cuts[0], cuts[-1])
