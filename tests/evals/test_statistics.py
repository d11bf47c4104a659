"""Intervals, the paired test, and agreement against published worked examples and what can be counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from statistics import NormalDist, fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.statistics import (
    Interval,
    Kappa,
    PairedTest,
    apply_holm_correction,
    compute_mean_kappa,
    compute_paired_p_value,
    estimate_share,
    estimate_statistic,
)

scores = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=8)

# Shares


def test_the_interval_of_a_share_is_wilsons() -> None:
    """15 of 148 is example e of Newcombe (1998), "Two-sided confidence intervals for the single proportion"."""
    found = estimate_share([True] * 15 + [False] * 133)
    assert found == pytest.approx((10.14, 6.24, 16.05), abs=0.01)


# Means and statistics


def test_a_statistic_is_of_the_resampled_items_together() -> None:
    interval = estimate_statistic(["a"] * 9 + ["b"], lambda items: float(len(set(items))))
    assert interval == (2.0, 1.0, 2.0)


def defined_for_b(items: Sequence[str]) -> float | None:
    return 1.0 if "b" in items else None


def test_resamples_without_a_value_are_left_out() -> None:
    assert estimate_statistic(["a", "b"], defined_for_b) == (1.0, 1.0, 1.0)
    assert estimate_statistic(["b"], defined_for_b) == (1.0, 1.0, 1.0)
    assert estimate_statistic(["a"], defined_for_b) is None


# The paired test


def exact(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Fisher's test by its definition: every way to exchange scores, counted in means of whole systems."""
    ways = []
    for exchanged in product([False, True], repeat=len(ours)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(ours, theirs, exchanged, strict=True)]
        ways.append(abs(fmean(a for a, _ in pairs) - fmean(b for _, b in pairs)))
    observed = abs(fmean(ours) - fmean(theirs))
    return fmean(way >= observed - 1e-9 for way in ways)


@given(scores, st.data())
@settings(deadline=None)
def test_the_test_is_that_of_its_definition(ours: list[float], data: st.DataObject) -> None:
    theirs = data.draw(st.lists(st.integers(-5, 5).map(float), min_size=len(ours), max_size=len(ours)))
    differences = [one - other for one, other in zip(ours, theirs, strict=True)]
    assert compute_paired_p_value(differences) == pytest.approx(exact(ours, theirs))
    assert compute_paired_p_value(differences) == compute_paired_p_value([-each for each in differences])


def test_sums_that_are_the_same_but_for_rounding_count_as_the_same() -> None:
    # No way to exchange them gives less than 0.05. But 0.1 + 0.2 - 0.3 is not quite 0, so some seem to.
    assert compute_paired_p_value([0.1, 0.2, -0.3, 0.05]) == 1.0
    assert compute_paired_p_value([0.1, 0.2, -0.3]) == 1.0


@pytest.mark.parametrize("differences", [[], [0.0], [0.0] * 40, [2.0]])
def test_systems_that_do_not_differ_or_on_one_sample_have_a_p_value_of_1(differences: list[float]) -> None:
    assert compute_paired_p_value(differences) == 1.0


def test_many_samples_are_tested_by_lot() -> None:
    random = Random(3)
    ours = [random.gauss(0.5, 1) for _ in range(20)]
    drawn = compute_paired_p_value(ours)
    assert drawn == compute_paired_p_value(ours)
    assert drawn == pytest.approx(compute_paired_p_value(ours, seed=1), abs=0.02)
    assert drawn == pytest.approx(normal_p_value(ours), abs=0.03)


def normal_p_value(differences: Sequence[float]) -> float:
    """What the test tends to for many samples: the sum of signed differences is normal."""
    spread = sum(each**2 for each in differences) ** 0.5
    return 2 * (1 - NormalDist(0, spread).cdf(abs(sum(differences))))


# Holm


def holms(p_values: Sequence[float]) -> list[float]:
    tests = {str(number): PairedTest(Interval(0, 0, 0), 1, p_value) for number, p_value in enumerate(p_values)}
    corrected = apply_holm_correction(tests)
    assert list(corrected) == list(tests)
    return [test.p_value for test in corrected.values()]


def test_holm_by_hand() -> None:
    # 0.01 x 4; 0.02 x 3; 0.03 x 2 would be no larger than the one before; 0.9 x 1
    assert holms([0.03, 0.9, 0.01, 0.02]) == pytest.approx([0.06, 0.9, 0.04, 0.06])


# Groups of values that are alike


# Agreement


YES_AND_NO = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
"""A textbook table (Wikipedia, "Cohen's kappa"): 35 of 50 agree where 25 would by chance."""


def test_the_mean_kappa_weighs_pairs_of_raters_by_what_they_share() -> None:
    ada = {str(number): one for number, (one, _) in enumerate(YES_AND_NO)}
    bob = {str(number): other for number, (_, other) in enumerate(YES_AND_NO)}
    # Cleo shares a yes and a no with Ada and agrees on both, and is at odds with Bob about the no.
    cleo = {"0": "yes", "25": "no", "else": "yes"}
    assert compute_mean_kappa({"ada": ada, "bob": bob}) == Kappa(pytest.approx(0.4), 50)
    together = compute_mean_kappa({"ada": ada, "bob": bob, "cleo": cleo})
    assert together == Kappa(pytest.approx((0.4 * 50 + 1 * 2 + 0 * 2) / 54), 54)


def test_raters_who_share_nothing_or_give_one_answer_have_no_kappa() -> None:
    assert compute_mean_kappa({"ada": {"a": "yes"}, "bob": {"b": "yes"}}) == Kappa(None, 0)
    assert compute_mean_kappa({"ada": {"a": "yes"}, "bob": {"a": "yes"}}) == Kappa(None, 0)
    assert compute_mean_kappa({}) == Kappa(None, 0)


GOLD = ["a", "a", "a", "b", "b", "c"]
PREDICTED = ["a", "a", "b", "b", None, "a"]
