"""How sure a mean over judged samples is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evals.metrics.bootstrap import Interval, statistic_interval


def clustered_mean(clusters: Iterable[Sequence[float]], *, seed: int = 0) -> Interval:
    """The mean of all values with its 95% interval, where whole clusters are resampled.

    What several raters say of one sample is not independent: resampled one by one, their answers would make the
    interval too narrow.

    Args:
        clusters: The values of each sample, at least one; none is empty.
        seed: Of the resampling: the same values always give the same interval.
    """
    return statistic_interval([(sum(values), len(values)) for values in clusters], _mean, seed=seed)


def _mean(sums: Sequence[tuple[float, int]]) -> float:
    return sum(total for total, _ in sums) / sum(count for _, count in sums)
