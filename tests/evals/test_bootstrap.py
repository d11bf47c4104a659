"""The interval of a paired difference."""

from __future__ import annotations

from random import Random

import pytest

from evals.metrics.bootstrap import paired_difference


def test_a_constant_difference_has_no_width() -> None:
    assert paired_difference([3.0, 5.0, 9.0], [1.0, 3.0, 7.0]) == (2.0, 2.0, 2.0)


def test_the_interval_is_that_of_the_normal_theory_for_many_samples() -> None:
    random = Random(1)
    theirs = [random.gauss(40, 20) for _ in range(400)]
    ours = [score + random.gauss(1, 3) for score in theirs]
    difference = paired_difference(ours, theirs)
    assert difference.mean - difference.low == pytest.approx(1.96 * 3 / 20, rel=0.15)
    assert difference.high - difference.mean == pytest.approx(1.96 * 3 / 20, rel=0.15)


def test_the_same_scores_give_the_same_interval() -> None:
    ours, theirs = [1.1, 4.7, 2.9, 8.3, 5.2, 3.1, 0.4], [2.0] * 7
    assert paired_difference(ours, theirs) == paired_difference(ours, theirs)
    assert paired_difference(ours, theirs) != paired_difference(ours, theirs, seed=1)


def test_scores_must_be_in_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1.0, 2.0], [1.0])
