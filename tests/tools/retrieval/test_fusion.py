"""Reciprocal rank fusion."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.retrieval.fusion import reciprocal_rank_fusion

RANKINGS = st.lists(st.lists(st.integers(0, 9), unique=True), max_size=4)


def test_scores_are_sums_of_reciprocal_ranks() -> None:
    fused = dict(reciprocal_rank_fusion([["a", "b"], ["b", "c"]]))
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


def test_what_two_rankings_agree_on_comes_before_the_best_of_one() -> None:
    assert [item for item, _ in reciprocal_rank_fusion([["a", "b"], ["c", "b"]])] == ["b", "a", "c"]


@settings(deadline=None)
@given(RANKINGS)
def test_every_item_is_there_once_best_first(rankings: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion(rankings)
    assert sorted(item for item, _ in fused) == sorted({item for ranking in rankings for item in ranking})
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)


@settings(deadline=None)
@given(st.lists(st.integers(), unique=True))
def test_a_single_ranking_keeps_its_order(ranking: list[int]) -> None:
    assert [item for item, _ in reciprocal_rank_fusion([ranking, []])] == ranking
