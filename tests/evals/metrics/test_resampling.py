"""The bootstrap that intervals of evaluations and of training are made of."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from random import Random
from statistics import fmean

import pytest

from tools.bootstrap import RESAMPLES, grouped, percentile_interval, resamples


def test_each_resample_is_as_large_and_drawn_with_replacement() -> None:
    drawn = list(resamples("abc", number=300))
    assert {len(each) for each in drawn} == {3}
    counts = Counter(chain.from_iterable(drawn))
    assert all(count == pytest.approx(300, rel=0.2) for count in counts.values())
    assert any(len(set(each)) < 3 for each in drawn)


def test_the_seed_decides() -> None:
    assert list(resamples("abc", seed=1, number=9)) == list(resamples("abc", seed=1, number=9))
    assert list(resamples("abc", seed=1, number=9)) != list(resamples("abc", seed=2, number=9))
    assert sum(1 for _ in resamples("abc")) == RESAMPLES


def test_an_interval_leaves_out_a_fortieth_on_either_side() -> None:
    assert percentile_interval([float(number) for number in range(1001)]) == (25.0, 975.0)


def test_groups_keep_their_order() -> None:
    assert grouped([1, 2, 3, 4], ["b", "a", "b", "a"]) == [[1, 3], [2, 4]]
    assert grouped([], []) == []
    with pytest.raises(ValueError, match="longer"):
        grouped([1], ["a", "b"])


def test_groups_of_like_values_widen_an_interval() -> None:
    random = Random(1)
    papers = [paper for paper in range(30) for _ in range(10)]
    quality = [random.gauss(0, 1) for _ in range(30)]
    values = [quality[paper] + random.gauss(0, 0.1) for paper in papers]
    low, high = percentile_interval([fmean(drawn) for drawn in resamples(values, number=500)])
    wide = [fmean(chain.from_iterable(drawn)) for drawn in resamples(grouped(values, papers), number=500)]
    wide_low, wide_high = percentile_interval(wide)
    assert wide_high - wide_low > 2 * (high - low)
