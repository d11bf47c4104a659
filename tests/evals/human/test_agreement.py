"""Agreement against published worked examples and what can be counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.human.agreement import Kappa, cohen_kappa, krippendorff_alpha, mean_kappa

YES_AND_NO = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
"""A textbook table (Wikipedia, "Cohen's kappa"): 35 of 50 agree where 25 would by chance."""

OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
"""Krippendorff (2011), example C: four observers, twelve units, values missing."""

VALUES = st.lists(st.lists(st.integers(1, 5), max_size=4), max_size=8)


def test_kappa_of_a_textbook_table() -> None:
    assert cohen_kappa(YES_AND_NO) == pytest.approx(0.4)


def test_kappa_of_three_categories_counted_by_hand() -> None:
    # 3 of 5 agree; chance: 2*2 + 2*1 + 1*2 = 8 of 25.
    pairs = [("a", "a"), ("a", "c"), ("b", "b"), ("b", "a"), ("c", "c")]
    assert cohen_kappa(pairs) == pytest.approx((3 / 5 - 8 / 25) / (1 - 8 / 25))


def test_raters_who_always_disagree_are_below_chance() -> None:
    assert cohen_kappa([("a", "b"), ("b", "a")]) == -1


@pytest.mark.parametrize("pairs", [[], [("a", "a")] * 3])
def test_there_is_no_kappa_where_nothing_can_be_told(pairs: list[tuple[str, str]]) -> None:
    assert cohen_kappa(pairs) is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"))))
def test_kappa_does_not_mind_who_is_first(pairs: list[tuple[str, str]]) -> None:
    assert cohen_kappa(pairs) == cohen_kappa([(other, one) for one, other in pairs])


def test_the_mean_kappa_weighs_pairs_of_raters_by_what_they_share() -> None:
    ada = {str(number): one for number, (one, _) in enumerate(YES_AND_NO)}
    bob = {str(number): other for number, (_, other) in enumerate(YES_AND_NO)}
    # Cleo shares a yes and a no with Ada and agrees on both, and is at odds with Bob about the no.
    cleo = {"0": "yes", "25": "no", "else": "yes"}
    assert mean_kappa({"ada": ada, "bob": bob}) == Kappa(pytest.approx(0.4), 50)
    together = mean_kappa({"ada": ada, "bob": bob, "cleo": cleo})
    assert together == Kappa(pytest.approx((0.4 * 50 + 1 * 2 + 0 * 2) / 54), 54)


def test_raters_who_share_nothing_have_no_kappa() -> None:
    assert mean_kappa({"ada": {"a": "yes"}, "bob": {"b": "yes"}}) == Kappa(None, 0)
    assert mean_kappa({"ada": {"a": "yes"}}) == Kappa(None, 0)
    assert mean_kappa({}) == Kappa(None, 0)


def test_alpha_of_krippendorffs_example() -> None:
    units = [[value for value in unit if value is not None] for unit in zip(*OBSERVERS, strict=True)]
    assert krippendorff_alpha(units) == pytest.approx(0.815, abs=0.0005)


def test_alpha_counted_by_hand() -> None:
    # Two raters, values 1, 1, 2, 3: one unit agrees, one is two ranks apart. Ranks: 1 to 2 and 2 to 3 are 1.5 and 1
    # values apart, 1 to 3 are 2.5.
    observed = 2 * 1**2
    expected = 2 * (2 * 1 * 1.5**2 + 2 * 1 * 2.5**2 + 1 * 1 * 1**2) / 3
    assert krippendorff_alpha([[1, 1], [2, 3]]) == pytest.approx(1 - observed / expected)


@pytest.mark.parametrize("units", [[], [[3]], [[], [1], [5]], [[2, 2], [2, 2, 2]]])
def test_there_is_no_alpha_where_nothing_can_be_told(units: list[list[int]]) -> None:
    assert krippendorff_alpha(units) is None


@given(VALUES)
def test_alpha_is_one_only_where_all_agree(units: list[list[int]]) -> None:
    alpha = krippendorff_alpha(units)
    paired = [unit for unit in units if len(unit) > 1]
    agreed = all(len(set(unit)) == 1 for unit in paired)
    if len({value for unit in paired for value in unit}) < 2:
        assert alpha is None
    else:
        assert alpha is not None
        assert (alpha == pytest.approx(1)) == agreed


@given(VALUES)
def test_alpha_knows_ranks_and_not_distances(units: list[list[int]]) -> None:
    stretched = [[value**3 for value in unit] for unit in units]
    turned = [[6 - value for value in unit] for unit in units]
    for other in (stretched, turned):
        assert krippendorff_alpha(other) == pytest.approx(krippendorff_alpha(units))


def test_near_misses_count_less_than_far_ones() -> None:
    spread = [[value, value] for value in range(1, 6)]
    near, far = (krippendorff_alpha([*spread, [1, value]]) for value in (2, 5))
    assert near is not None
    assert far is not None
    assert far < near < 1
