"""Drops a pair that says of a paragraph what another pair says of it already.

A review is repeated where a second report quotes the first one, or a decision letter its reviewers. Comments on
different paragraphs are never compared: a sentence that quotes two paragraphs is a comment on each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from training.review_filters.pairs import Pair
from training.review_filters.verbatim_words import keys, words

_ALIKE: Final = 0.9
"""Share of their words that near-identical reviews have in common (Jaccard)."""


class _Content(NamedTuple):
    words: frozenset[str]
    quoting: frozenset[tuple[str, ...]]
    """Its sentences that quote the paragraph."""

    def repeats(self, other: _Content) -> bool:
        """It is near-identical to another one, or quotes in sentences of the other one only."""
        shared = len(self.words & other.words)
        return shared >= _ALIKE * len(self.words | other.words) or self.quoting <= other.quoting


def deduplicate(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs without repetitions, in their order; of two that are alike the longer one is kept, or the first."""
    kept = defaultdict[tuple[str, str], list[_Content]](list)
    numbers: list[int] = []
    for number in sorted(range(len(pairs)), key=lambda number: -len(pairs[number]["review"])):
        pair = pairs[number]
        content = _content(pair)
        others = kept[pair["paper_id"], pair["paragraph_id"]]
        if not any(content.repeats(other) for other in others):
            others.append(content)
            numbers.append(number)
    return [pairs[number] for number in sorted(numbers)]


def _content(pair: Pair) -> _Content:
    quoting = (sentence["text"] for sentence in pair["review_sentences"] if sentence["link_types"])
    return _Content(frozenset(_keys(pair["review"])), frozenset(map(_keys, quoting)))


def _keys(text: str) -> tuple[str, ...]:
    return tuple(keys(words(text)))
