"""Joins rankings whose scores cannot be compared.

Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods", SIGIR 2009, which also found k = 60.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def reciprocal_rank_fusion(rankings: Iterable[Sequence[Item]], k: int = 60) -> list[tuple[Item, float]]:
    """Score each item with the sum of 1 / (k + rank) over the rankings that hold it, ranks from 1.

    Returns:
        Items and scores, best first; equal ones in the order in which they were first met.
    """
    scores: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: scored[1], reverse=True)
