"""The bootstrap (Efron): how far an estimate would vary if other samples had been drawn.

    estimates = [fmean(drawn) for drawn in resamples(scores)]
    low, high = percentile_interval(estimates)

What is drawn is whatever is independent: samples, pairs of samples, or whole groups of samples that are alike, such as
the paragraphs of a paper (`grouped`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from random import Random
from statistics import quantiles
from typing import NamedTuple, TypeVar

RESAMPLES = 2000

_Unit = TypeVar("_Unit")


class Bounds(NamedTuple):
    """Of an interval."""

    low: float
    high: float


def resamples(units: Sequence[_Unit], *, seed: int = 0, number: int = RESAMPLES) -> Iterator[list[_Unit]]:
    """As many units as there are, drawn with replacement, again and again.

    Args:
        units: At least one.
        seed: The same units and seed always give the same draws.
        number: How many draws.
    """
    random = Random(seed)  # noqa: S311 - statistics, not secrets
    for _ in range(number):
        yield random.choices(units, k=len(units))


def percentile_interval(estimates: Sequence[float]) -> Bounds:
    """The middle 95% of estimates from resamples, at least two."""
    cuts = quantiles(estimates, n=40, method="inclusive")  # at 2.5%, 5%, ... 97.5%
    return Bounds(cuts[0], cuts[-1])


def grouped(values: Sequence[_Unit], groups: Sequence[Hashable]) -> list[list[_Unit]]:
    """Values by their group, in the order in which the groups first occur.

    Args:
        values: One for each sample.
        groups: The group of each, such as its paper.
    """
    found: dict[Hashable, list[_Unit]] = {}
    for value, group in zip(values, groups, strict=True):
        found.setdefault(group, []).append(value)
    return list(found.values())
