"""How sure figures are, and how far labels agree: intervals, a paired test of systems, F1 and kappa.

Intervals are Efron's percentile bootstrap at 95%, but for shares that say they are Wilson's, and the same for the same
figures and seed. What is drawn is whatever is independent: samples, pairs of samples, or whole groups of values that
are alike, such as the paragraphs of a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain, combinations
from math import nan
from statistics import fmean
from typing import Any, NamedTuple, TypeVar
from warnings import catch_warnings

import numpy as np
from scipy.stats import DegenerateDataWarning, binomtest, bootstrap, permutation_test
from sklearn.metrics import cohen_kappa_score

BOOTSTRAP_RESAMPLES = 2000
MAX_PERMUTATIONS = 10_000
"""Most ways of exchanging two systems' scores that are tried; all of them for up to 13 samples."""

SIGNIFICANCE_LEVEL = 0.05
"""A difference is beyond chance if its corrected p-value is below this."""

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


class Interval(NamedTuple):
    """A figure and its 95% interval."""

    value: float
    low: float
    high: float


class PairedTest(NamedTuple):
    """What one system scored more than another, over the samples that both have."""

    difference: Interval
    samples: int
    p_value: float
    """Of a paired randomisation test, two-sided."""

    @property
    def beyond_chance(self) -> bool:
        """Whether the difference is unlikely to be luck of the samples."""
        return self.p_value < SIGNIFICANCE_LEVEL


class Kappa(NamedTuple):
    """Cohen's kappa, averaged over pairs of raters."""

    kappa: float | None
    """None if no two raters have answered the same, or chance alone would have them agree always."""
    shared: int
    """Answers that two raters have in common, summed over the pairs of raters that enter."""


def estimate_mean(values: Iterable[float], *, seed: int = 0) -> Interval:
    """The mean of values, at least one, with its interval over resampled values."""
    return estimate_clustered_mean([[value] for value in values], seed=seed)


def estimate_clustered_mean(clusters: Collection[Sequence[float]], *, seed: int = 0) -> Interval:
    """The mean of all values with its interval, where whole clusters are resampled.

    What several raters say of one sample is not independent: resampled one by one, their answers would make the
    interval too narrow.

    Args:
        clusters: The values of each sample, at least one; none is empty.
        seed: Of the resampling: the same values always give the same interval.
    """
    mean = fmean(chain.from_iterable(clusters))
    if len(clusters) < 2:
        return Interval(mean, mean, mean)
    sums, sizes = ([float(count(values)) for values in clusters] for count in (sum, len))
    found = bootstrap(
        (sums, sizes),
        lambda sums, sizes, axis: sums.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        n_resamples=BOOTSTRAP_RESAMPLES,
        method="percentile",
        rng=seed,
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high))


def estimate_share(values: Collection[float]) -> Interval:
    """A percentage of samples with its Wilson interval (1927), which is right for few samples and near 0 and 100.

    Args:
        values: 100 for each sample that counts, and 0 for each that does not; at least one.
    """
    found = binomtest(sum(value > 0 for value in values), len(values)).proportion_ci(method="wilson")
    return Interval(fmean(values), 100 * float(found.low), 100 * float(found.high))


def group_values(values: Sequence[_Item], groups: Sequence[Hashable]) -> list[list[_Item]]:
    """Values by their group, in the order in which the groups first occur.

    Args:
        values: One for each sample.
        groups: The group of each, such as its paper.
    """
    found: dict[Hashable, list[_Item]] = {}
    for value, group in zip(values, groups, strict=True):
        found.setdefault(group, []).append(value)
    return list(found.values())


def estimate_statistic(
    items: Sequence[_Item], statistic: Callable[[Sequence[_Item]], float | None], *, seed: int = 0
) -> Interval:
    """A statistic of all items together, as corpus BLEU and F1 are, with its interval over resampled items.

    Args:
        items: One for each sample, at least one.
        statistic: Of some items; None where it has no value. It must have one for all items, and resamples for which
            it has none are left out.
        seed: Of the resampling.

    Raises:
        ValueError: The statistic has no value for all items.
    """
    value = statistic(items)
    if value is None:
        raise ValueError("the statistic has no value for these items")
    if len(items) < 2:
        return Interval(value, value, value)

    def of_drawn(places: Any) -> float:
        estimate = statistic([items[place] for place in places])
        return nan if estimate is None else estimate

    with catch_warnings(action="ignore", category=DegenerateDataWarning):  # for resamples without a value
        drawn = bootstrap(
            (range(len(items)),),
            of_drawn,
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
    """`ours` less `theirs` over the samples that both have; None if there is none.

    Args:
        ours: Scores by sample.
        theirs: The other system's.
        seed: Of the resampling: the same scores always give the same interval.
    """
    differences = [ours[key] - theirs[key] for key in ours if key in theirs]
    if not differences:
        return None
    return PairedTest(
        estimate_mean(differences, seed=seed), len(differences), compute_paired_p_value(differences, seed=seed)
    )


def compute_paired_p_value(differences: Iterable[float], *, seed: int = 0) -> float:
    """How likely a mean difference at least this large is, either way, if it were chance which system wrote which text.

    Fisher's randomisation test for pairs: of the ways to exchange the two scores of some samples, the share that gives
    such a difference. All ways are tried if there are at most `MAX_PERMUTATIONS`; else as many drawn by lot, and the
    difference that was found counts as one more of them, so that no p value is 0 (Phipson and Smyth 2010).

    Args:
        differences: Between the two scores of each sample.
        seed: Of the lot.

    Returns:
        The two-sided p value. 1 if the scores do not differ, or there are none.
    """
    found = np.array([difference for difference in differences if difference])
    if len(found) < 2:
        return 1.0
    test = permutation_test(
        (found / np.abs(found).sum(),),
        # SciPy takes statistics for equal that differ by a tiny share of them. With 1 added, the share is never one of
        # 0, and sums of the same numbers in another order are equal.
        lambda signed, axis: 1 + np.abs(signed.sum(axis=axis)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=MAX_PERMUTATIONS,
        batch=1000,
        rng=seed,
    )
    return float(test.pvalue)


def apply_holm_correction(tests: Mapping[_Key, PairedTest]) -> dict[_Key, PairedTest]:
    """Several tests with p values that are corrected for there being several (Holm 1979).

    The smallest is multiplied by their number, the next one by one less, and so on; none becomes smaller than the one
    before it. Each may be compared with the level that all of them together are to keep. It is our own, because that of
    statsmodels collects all garbage of the process at every call.
    """
    so_far, corrected = 0.0, dict(tests)
    for rank, key in enumerate(sorted(tests, key=lambda key: tests[key].p_value)):
        so_far = max(so_far, min(1.0, (len(tests) - rank) * tests[key].p_value))
        corrected[key] = tests[key]._replace(p_value=so_far)
    return corrected


def compute_label_f1(gold: Sequence[str], predicted: Sequence[str | None], label: str) -> float:
    """Harmonic mean of precision and recall of one label; 0 if no item has it and none was given it.

    An item without a prediction (None) is one that a system said nothing about. It is wrong: it counts against the
    recall of its label, but against the precision of none. So no system gains by keeping silent.

    Args:
        gold: The annotated label of each item.
        predicted: The label that it was given, if any.
        label: Which one is asked about.

    Returns:
        0 to 100.
    """
    right = sum(true == guess == label for true, guess in zip(gold, predicted, strict=True))
    either = sum(true == label for true in gold) + sum(guess == label for guess in predicted)
    return 100 * 2 * right / either if either else 0.0


def compute_cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two raters (Cohen 1960, "A coefficient of agreement for nominal scales").

    Args:
        pairs: What the one and the other said of each thing that both have judged.

    Returns:
        1 for perfect agreement, 0 for what chance brings about; None if there is nothing to compare, or both always
        said the same one thing, where chance would have them agree as well.
    """
    if len({*chain.from_iterable(pairs)}) < 2:
        return None
    return float(cohen_kappa_score(*zip(*pairs, strict=True)))


def compute_mean_kappa(answers: Mapping[str, Mapping[_Key, str]]) -> Kappa:
    """Cohen's kappa of every two raters over what both have judged, averaged with the number of shared answers.

    Weighted, because a pair of raters with a handful of answers in common would otherwise count as much as one with
    hundreds; for two raters it is their kappa. Pairs whose kappa is undefined are left out.

    Args:
        answers: By rater, then by what was judged.
    """
    found = []
    for one, other in combinations(answers.values(), 2):
        shared = one.keys() & other.keys()
        kappa = compute_cohen_kappa([(one[thing], other[thing]) for thing in shared])
        if kappa is not None:
            found.append((kappa, len(shared)))
    total = sum(shared for _, shared in found)
    return Kappa(sum(kappa * shared for kappa, shared in found) / total if total else None, total)
