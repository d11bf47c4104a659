"""Statistics of evaluations: confidence intervals, a paired test of systems, F1 and Cohen's kappa.

Intervals are 95% intervals by Efron's percentile bootstrap, except Wilson's interval for shares. The same values and
seed always give the same interval. Resampling draws independent units: samples, pairs of scores of a sample, or
clusters of dependent values, such as the paragraphs of a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain, combinations
from math import nan
from statistics import fmean
from typing import Any, NamedTuple, TypeVar
from warnings import catch_warnings

import numpy as np
from pandas import Series
from scipy.stats import DegenerateDataWarning, binomtest, bootstrap, permutation_test
from sklearn.metrics import cohen_kappa_score

BOOTSTRAP_RESAMPLES = 2000
MAX_PERMUTATIONS = 10_000  # enough for an exact test of up to 13 samples (2 ** 13 permutations)
SIGNIFICANCE_LEVEL = 0.05  # of corrected p-values

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


class Interval(NamedTuple):
    """A figure and its 95% interval."""

    value: float
    low: float
    high: float


class PairedTest(NamedTuple):
    """The mean difference between two systems over the samples that both have, with its p-value."""

    difference: Interval
    samples: int
    p_value: float
    """From a two-sided paired randomisation test."""

    @property
    def beyond_chance(self) -> bool:
        """Whether the p-value is below the significance level."""
        return self.p_value < SIGNIFICANCE_LEVEL


class Kappa(NamedTuple):
    """Cohen's kappa, averaged over pairs of raters."""

    kappa: float | None
    """None if no two raters share an item, or chance agreement is perfect for all pairs of raters."""
    shared: int
    """Number of answers that two raters share, summed over the pairs of raters with a kappa."""


def estimate_mean(values: Collection[float], *, seed: int = 0) -> Interval:
    """Estimate the mean of independent values, at least one, with its 95% interval."""
    return estimate_clustered_mean(values, range(len(values)), seed=seed)


def estimate_clustered_mean(values: Collection[float], clusters: Collection[Hashable], *, seed: int = 0) -> Interval:
    """Estimate the mean of at least one value with its 95% interval, resampling whole clusters, given by value.

    Ratings of one sample by several raters are not independent. Resampling them singly would make the interval too
    narrow.
    """
    mean = fmean(values)
    grouped = Series([*values], dtype=float).groupby([*clusters], sort=False)
    if len(grouped) < 2:
        return Interval(mean, mean, mean)
    found = bootstrap(
        (grouped.sum().to_numpy(), grouped.size().to_numpy()),
        lambda sums, sizes, axis: sums.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        n_resamples=BOOTSTRAP_RESAMPLES,
        method="percentile",
        rng=seed,
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high))


def estimate_share(hits: Collection[bool]) -> Interval:
    """Estimate the percentage of hits, with Wilson's interval (1927), which holds for few samples; at least one."""
    found = binomtest(sum(hits), len(hits)).proportion_ci(method="wilson")
    return Interval(100 * fmean(hits), 100 * float(found.low), 100 * float(found.high))


def estimate_statistic(
    items: Sequence[_Item], statistic: Callable[[Sequence[_Item]], float | None], *, seed: int = 0
) -> Interval | None:
    """Estimate a statistic of all items together, such as corpus BLEU, with its 95% interval, resampling the items.

    It is None if the statistic is undefined (None) for the items; resamples for which it is undefined are left out.
    """
    value = statistic(items)
    if value is None:
        return None
    if len(items) < 2:
        return Interval(value, value, value)

    def compute_for_resample(places: Any) -> float:
        estimate = statistic([items[place] for place in places])
        return nan if estimate is None else estimate

    # SciPy warns of undefined resamples, and its own interval would be NaN; nanpercentile leaves them out.
    with catch_warnings(action="ignore", category=DegenerateDataWarning):
        drawn = bootstrap(
            (range(len(items)),),
            compute_for_resample,
            n_resamples=BOOTSTRAP_RESAMPLES,
            method="percentile",
            vectorized=False,
            rng=seed,
        )
    low, high = np.nanpercentile(drawn.bootstrap_distribution, [2.5, 97.5])
    return Interval(value, float(low), float(high))


def compare_paired_scores(
    ours: Mapping[str, float], theirs: Mapping[str, float], *, seed: int = 0
) -> PairedTest | None:
    """Test the mean difference, `ours` minus `theirs`, of scores by sample; None if they share no sample."""
    differences = [ours[key] - theirs[key] for key in ours if key in theirs]
    if not differences:
        return None
    mean, p_value = estimate_mean(differences, seed=seed), compute_paired_p_value(differences, seed=seed)
    return PairedTest(mean, len(differences), p_value)


def compute_paired_p_value(differences: Iterable[float], *, seed: int = 0) -> float:
    """Compute the two-sided p-value of Fisher's randomisation test from the differences of paired scores.

    It is the share of permutations, each of which swaps the two scores of some samples, whose mean difference is at
    least as large as the observed one. All permutations are tried if there are at most `MAX_PERMUTATIONS`. Otherwise
    that many are drawn, and the observed one is added so that no p-value is 0 (Phipson and Smyth 2010). The p-value is
    1 if there are no differences.
    """
    # Equal scores do not change under permutation; without them more tests are exact.
    found = np.array([difference for difference in differences if difference])
    if len(found) < 2:
        return 1.0
    test = permutation_test(
        (found / np.abs(found).sum(),),
        # SciPy treats statistics as equal if they differ by a tiny share of their value. Adding 1 keeps that share
        # above rounding errors, so sums of the same numbers in another order are equal, near 0 as well.
        lambda signed, axis: 1 + np.abs(signed.sum(axis=axis)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=MAX_PERMUTATIONS,
        batch=1000,
        rng=seed,
    )
    return float(test.pvalue)


def apply_holm_correction(tests: Mapping[_Key, PairedTest]) -> dict[_Key, PairedTest]:
    """Return copies of several tests with their p-values corrected (raised) by Holm's method (1979)."""
    # Not statsmodels' multipletests, because it runs the garbage collector of the whole process at every call.
    largest, corrected = 0.0, dict(tests)
    for rank, key in enumerate(sorted(tests, key=lambda key: tests[key].p_value)):
        # No corrected p-value may be smaller than that of a test with a smaller p-value.
        largest = max(largest, min(1.0, (len(tests) - rank) * tests[key].p_value))
        corrected[key] = tests[key]._replace(p_value=largest)
    return corrected


def compute_label_f1(gold: Sequence[str], predicted: Sequence[str | None], label: str) -> float:
    """Compute the F1 of a label, 0 to 100; 0 if the label is neither annotated nor predicted.

    An item without a prediction (None) counts against the recall of its label, but against no precision. So no system
    gains by predicting less.
    """
    correct = sum(true == guess == label for true, guess in zip(gold, predicted, strict=True))
    total = sum(true == label for true in gold) + sum(guess == label for guess in predicted)
    return 100 * 2 * correct / total if total else 0.0


def compute_mean_kappa(answers: Mapping[str, Mapping[_Key, str]]) -> Kappa:
    """Compute the mean of Cohen's kappa (1960) over all pairs of raters, weighted by the number of items they share.

    Without weights, a pair of raters with few shared items would count as much as a pair with hundreds. Pairs with an
    undefined kappa are left out. The answers are given by rater and item.
    """
    found = []
    for one, other in combinations(answers.values(), 2):
        pairs = [(one[item], other[item]) for item in one.keys() & other.keys()]
        # If all answers are equal, or there are none, chance agreement is perfect and kappa undefined.
        if len({*chain.from_iterable(pairs)}) > 1:
            found.append((float(cohen_kappa_score(*zip(*pairs, strict=True))), len(pairs)))
    total = sum(shared for _, shared in found)
    return Kappa(sum(kappa * shared for kappa, shared in found) / total if total else None, total)
