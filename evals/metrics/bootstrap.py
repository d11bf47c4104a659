"""How sure figures are: intervals by the bootstrap (Efron; Koehn 2004 for BLEU), and a paired test between two systems.

With thirty samples most differences between systems are noise, so no figure should stand alone. All of it is 95%, over
samples, and the same for the same scores and seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, product
from random import Random
from statistics import fmean
from typing import NamedTuple, TypeVar

from tools.bootstrap import RESAMPLES, percentile_interval, resamples

PERMUTATIONS = 10_000
"""Most ways of exchanging two systems' scores that are tried; all of them for up to 13 samples."""

_ROUNDING = 1e-9
"""Sums of the same numbers in another order differ by less than this share of them, and count as the same."""

_Item = TypeVar("_Item")


class Interval(NamedTuple):
    """A figure and its 95% interval."""

    value: float
    low: float
    high: float


class Difference(NamedTuple):
    """A mean difference and its 95% interval."""

    mean: float
    low: float
    high: float


def mean_interval(scores: Sequence[float], *, seed: int = 0) -> Interval:
    """Mean of scores, at least one, with its 95% percentile interval over resampled samples."""
    return Interval(fmean(scores), *percentile_interval([fmean(drawn) for drawn in resamples(scores, seed=seed)]))


def statistic_interval(
    items: Sequence[_Item],
    statistic: Callable[[Sequence[_Item]], float | None],
    *,
    seed: int = 0,
    number: int = RESAMPLES,
) -> Interval:
    """A statistic of all items together, as corpus BLEU and F1 are, with its 95% interval over resampled items.

    Args:
        items: One for each sample, at least one.
        statistic: Of some items; None where it has no value. It must have one for all items, and resamples for which
            it has none are left out.
        seed: Of the resampling.
        number: Of resamples.

    Raises:
        ValueError: The statistic has no value for all items.
    """
    value = statistic(items)
    if value is None:
        raise ValueError("the statistic has no value for these items")
    found = (statistic(drawn) for drawn in resamples(items, seed=seed, number=number))
    estimates = [estimate for estimate in found if estimate is not None]
    return Interval(value, *percentile_interval(estimates if len(estimates) > 1 else [value, value]))


def paired_difference(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0) -> Difference:
    """Mean of `ours` minus `theirs`, with its 95% percentile interval over resampled samples.

    Args:
        ours: A score for each sample, at least one.
        theirs: The other system's scores for the same samples, in the same order.
        seed: Of the resampling: the same scores always give the same interval.
    """
    return Difference(*mean_interval(_differences(ours, theirs), seed=seed))


def paired_p_value(ours: Sequence[float], theirs: Sequence[float], *, seed: int = 0) -> float:
    """How likely a mean difference at least this large is, either way, if it were chance which system wrote which text.

    Fisher's randomisation test for pairs: of the ways to exchange the two scores of some samples, the share that gives
    such a difference. All ways are tried if there are at most `PERMUTATIONS`; else as many drawn by lot, and then the
    difference that was found counts as one more of them, so that no p value is 0 (Phipson and Smyth 2010).

    Args:
        ours: A score for each sample.
        theirs: The other system's scores for the same samples, in the same order.
        seed: Of the lot.

    Returns:
        The two-sided p value. 1 if the scores do not differ, or there are none.
    """
    differences = [difference for difference in _differences(ours, theirs) if difference]
    total = sum(differences)
    observed = abs(total) - _ROUNDING * sum(map(abs, differences))
    exact = 2 ** len(differences) <= PERMUTATIONS
    exchanges = _all_exchanges(len(differences)) if exact else _drawn_exchanges(len(differences), seed)
    found = [abs(total - 2 * sum(compress(differences, exchanged))) >= observed for exchanged in exchanges]
    return fmean(found) if exact else (sum(found) + 1) / (len(found) + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """P values of several comparisons, corrected for there being several (Holm 1979), in their order.

    The smallest is multiplied by their number, the next one by one less, and so on; none becomes smaller than the one
    before it. Each may be compared with the level that all comparisons together are to keep.
    """
    corrected = [0.0] * len(p_values)
    so_far = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = so_far
    return corrected


def _differences(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    return [our - their for our, their in zip(ours, theirs, strict=True)]


def _all_exchanges(samples: int) -> Iterator[Sequence[bool]]:
    """Every way to exchange the two scores of some samples: which ones are."""
    return product((False, True), repeat=samples)


def _drawn_exchanges(samples: int, seed: int) -> Iterator[Sequence[bool]]:
    random = Random(seed)  # noqa: S311 - statistics, not secrets
    for _ in range(PERMUTATIONS):
        yield random.choices((False, True), k=samples)
