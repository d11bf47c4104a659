"""Two rows, or two runs, over the samples that both have."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from evals.metrics.bootstrap import Difference, paired_difference, paired_p_value
from evals.scores import Values


class Comparison(NamedTuple):
    """One row less another, or one run less another."""

    samples: int
    difference: Difference
    p_value: float
    """Of a paired randomisation test, two-sided, not corrected."""


def compared(one: Values, other: Values, *, seed: int, among: Collection[str] | None = None) -> Comparison | None:
    """`one` less `other` over the samples that both have; None if there is none.

    Args:
        one: Values by sample.
        other: Likewise.
        seed: Of the resampling.
        among: The samples to choose from, if not all.
    """
    both = [key for key in one if key in other and (among is None or key in among)]
    if not both:
        return None
    ours, theirs = [one[key] for key in both], [other[key] for key in both]
    difference = paired_difference(ours, theirs, seed=seed)
    return Comparison(len(both), difference, paired_p_value(ours, theirs, seed=seed))
