"""Paragraphs of papers and what human reviewers said of them: which of such records are taken, where not all are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from runs.many import Record


def choose_pairs(pairs: Sequence[Record], split: str, limit: int) -> list[Record]:
    """Pairs of a split that have feedback, of as many papers as possible: the same ones every time."""
    return in_turns(pair for pair in pairs if pair["split"] == split and pair["feedback"])[:limit]


def in_turns(records: Iterable[Record]) -> list[Record]:
    """The first record of each paper, then the second of each, and so on: paragraphs of one paper are alike.

    Args:
        records: With the `paper_id` that they belong to; those without one have only themselves, by their `id`.
    """
    turns: list[tuple[int, Record]] = []
    seen = Counter[str]()
    for record in records:
        paper: str = record.get("paper_id") or record["id"]
        turns.append((seen[paper], record))
        seen[paper] += 1
    return [record for _, record in sorted(turns, key=lambda each: each[0])]
