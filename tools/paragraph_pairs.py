"""Paragraphs of papers and what human reviewers said of them: the records that SWIF2T is trained and measured on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tools.jobs import Record


def choose_pairs(pairs: Sequence[Record], split: str, limit: int) -> list[Record]:
    """Pairs of a split that have feedback, of as many papers as possible: the same ones every time.

    The first pair of each paper is taken, then the second of each, and so on.
    """
    usable = [pair for pair in pairs if pair["split"] == split and pair["feedback"]]
    seen = Counter[str]()
    turns = []
    for pair in usable:
        turns.append(seen[pair["paper_id"]])
        seen[pair["paper_id"]] += 1
    in_turn = sorted(zip(turns, usable, strict=True), key=lambda each: each[0])
    return [pair for _, pair in in_turn][:limit]
