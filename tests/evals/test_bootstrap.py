"""Intervals, and the paired test."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from statistics import NormalDist, fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.metrics.bootstrap import (
    PERMUTATIONS,
    holm,
    mean_interval,
    paired_difference,
    paired_p_value,
    statistic_interval,
)

scores = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=8)

# Paired difference


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


# Means and statistics


def test_the_interval_of_a_mean_is_that_of_the_normal_theory_for_many_samples() -> None:
    random = Random(2)
    interval = mean_interval([random.gauss(40, 20) for _ in range(400)])
    assert interval.value == pytest.approx(40, abs=3)
    assert interval.value - interval.low == pytest.approx(1.96 * 20 / 20, rel=0.15)
    assert interval.high - interval.value == pytest.approx(1.96 * 20 / 20, rel=0.15)


def test_one_score_has_no_width() -> None:
    assert mean_interval([7.0]) == (7.0, 7.0, 7.0)


def test_a_mean_is_a_statistic() -> None:
    found = [3.0, 1.0, 4.0, 1.0, 5.0]
    assert statistic_interval(found, fmean) == mean_interval(found)
    assert statistic_interval(found, fmean, seed=1) == mean_interval(found, seed=1)


def test_a_statistic_is_of_the_resampled_items_together() -> None:
    interval = statistic_interval(["a"] * 9 + ["b"], lambda items: float(len(set(items))))
    assert interval == (2.0, 1.0, 2.0)


def defined_for_b(items: Sequence[str]) -> float | None:
    return 1.0 if "b" in items else None


def test_resamples_without_a_value_are_left_out() -> None:
    assert statistic_interval(["a", "b"], defined_for_b) == (1.0, 1.0, 1.0)
    assert statistic_interval(["a", "b"], defined_for_b, number=1) == (1.0, 1.0, 1.0)


def test_a_statistic_must_have_a_value_for_all_items() -> None:
    with pytest.raises(ValueError, match="no value for these items"):
        statistic_interval(["a"], defined_for_b)


@given(scores)
def test_an_interval_lies_within_the_scores(values: list[float]) -> None:
    interval = mean_interval(values)
    assert min(values) <= interval.low <= interval.high <= max(values)


# The paired test


def exact(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Fisher's test by its definition: every way to exchange scores, counted in means of whole systems."""
    ways = []
    for exchanged in product([False, True], repeat=len(ours)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(ours, theirs, exchanged, strict=True)]
        ways.append(abs(fmean(a for a, _ in pairs) - fmean(b for _, b in pairs)))
    observed = abs(fmean(ours) - fmean(theirs))
    return fmean(way >= observed - 1e-9 for way in ways)


def test_few_samples_are_tested_exactly() -> None:
    # Five samples, all better: of 32 ways to exchange scores only two give as large a difference.
    assert paired_p_value([2.0, 3.0, 4.0, 5.0, 6.0], [1.0] * 5) == 2 / 32


@given(scores, st.data())
def test_the_test_is_that_of_its_definition(ours: list[float], data: st.DataObject) -> None:
    theirs = data.draw(st.lists(st.integers(-5, 5).map(float), min_size=len(ours), max_size=len(ours)))
    assert paired_p_value(ours, theirs) == pytest.approx(exact(ours, theirs))
    assert paired_p_value(ours, theirs) == paired_p_value(theirs, ours)


def test_sums_that_are_the_same_but_for_rounding_count_as_the_same() -> None:
    # No way to exchange them gives less than 0.05. But 0.1 + 0.2 - 0.3 is not quite 0, so some seem to.
    assert paired_p_value([0.1, 0.2, -0.3, 0.05], [0.0] * 4) == 1.0


@pytest.mark.parametrize("texts", [[], [1.0], [3.0] * 40])
def test_systems_that_do_not_differ_have_a_p_value_of_1(texts: list[float]) -> None:
    assert paired_p_value(texts, texts) == 1.0


def test_many_samples_are_tested_by_lot() -> None:
    random = Random(3)
    ours = [random.gauss(0.5, 1) for _ in range(20)]
    zeros = [0.0] * 20
    drawn = paired_p_value(ours, zeros)
    assert drawn == paired_p_value(ours, zeros)
    assert drawn == pytest.approx(paired_p_value(ours, zeros, seed=1), abs=0.02)
    assert drawn == pytest.approx(normal_p_value(ours), abs=0.03)


def normal_p_value(differences: Sequence[float]) -> float:
    """What the test tends to for many samples: the sum of signed differences is normal."""
    spread = sum(each**2 for each in differences) ** 0.5
    return 2 * (1 - NormalDist(0, spread).cdf(abs(sum(differences))))


def test_no_p_value_is_zero() -> None:
    assert paired_p_value([1.0] * 40, [0.0] * 40) == 1 / (PERMUTATIONS + 1)


def test_without_a_difference_p_values_are_not_small() -> None:
    random = Random(4)
    found = [paired_p_value([random.gauss(0, 1) for _ in range(6)], [0.0] * 6) for _ in range(300)]
    assert 0.35 < median(found) < 0.65
    assert fmean(p_value <= 0.05 for p_value in found) < 0.1


# Holm


def test_holm_by_hand() -> None:
    # 0.01 x 4; 0.02 x 3; 0.03 x 2 would be no larger than the one before; 0.9 x 1
    assert holm([0.03, 0.9, 0.01, 0.02]) == pytest.approx([0.06, 0.9, 0.04, 0.06])


def test_no_corrected_p_value_exceeds_1() -> None:
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([0.04]) == [0.04]


@given(st.lists(st.floats(0, 1), max_size=9))
def test_holm_lies_between_none_and_bonferroni_and_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for raw, each in zip(p_values, corrected, strict=True):
        assert raw <= each <= min(1.0, len(p_values) * raw)
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    assert [corrected[index] for index in order] == sorted(corrected)
