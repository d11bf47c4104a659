"""Who judges what: balanced, whole samples, and as many judged twice as were asked for."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.human.answers import CRITERIA
from evals.human.blinding import Allocation, BlindingKey, HiddenItem, allocate, make_key
from state.errors import SettingsError

SYSTEMS = ("CoVe", "SWIF2T", "human reviews", "single")


def key_of(samples: int, seed: int = 0) -> BlindingKey:
    """The key of all comparisons of four systems."""
    hidden = [
        HiddenItem(sample=f"p{number}", systems=pair) for number in range(samples) for pair in combinations(SYSTEMS, 2)
    ]
    return make_key(seed, hidden, together=True)


def samples_of(key: BlindingKey, items: list[str]) -> list[str]:
    """Each once, in the order in which they are shown."""
    return list(dict.fromkeys(key.items[item].sample for item in items))


@given(
    samples=st.integers(1, 40),
    raters=st.integers(1, 7),
    each=st.integers(1, 3),
    double=st.floats(0, 1),
    seed=st.integers(),
)
@settings(deadline=None)
def test_the_work_is_divided_evenly(samples: int, raters: int, each: int, double: float, seed: int) -> None:
    wanted = Allocation(raters, each, double)
    if each + (double > 0) > raters:
        with pytest.raises(SettingsError, match="lower --each or --double"):
            allocate(key_of(1), wanted)
        return
    key = key_of(samples, seed)
    shares = [samples_of(key, items) for items in allocate(key, wanted)]
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    judged = Counter(sample for share in shares for sample in share)
    doubled = round(double * samples)
    assert sorted(judged.values()) == [each] * (samples - doubled) + [each + 1] * doubled


def test_a_rater_makes_all_eighteen_comparisons_of_a_sample_together() -> None:
    key = key_of(10)
    for items in allocate(key, Allocation(3, double=0.5)):
        assert len(set(items)) == len(items)
        samples = [key.items[item].sample for item in items]
        assert Counter(samples) == dict.fromkeys(samples, 6), "6 pairs"
        assert sum(one != other for one, other in pairwise(samples)) == len(set(samples)) - 1
    assert 6 * len(CRITERIA) == 18


def test_every_pair_of_raters_shares_about_as_much() -> None:
    key = key_of(60)
    shares = [set(samples_of(key, items)) for items in allocate(key, Allocation(4, double=0.5))]
    shared = [len(one & other) for one, other in combinations(shares, 2)]
    assert sum(shared) == 30
    assert max(shared) - min(shared) <= 2


def test_raters_see_what_they_share_in_orders_of_their_own() -> None:
    key = key_of(12)
    one, other = (samples_of(key, items) for items in allocate(key, Allocation(2, each=2)))
    assert sorted(one) == sorted(other)
    assert one != other
