"""Finds the texts of a paper that a review sentence takes words from, in the same order and without gaps.

The words of all texts are indexed by word n-grams, so that a sentence costs what it has in common with the paper, not
the length of the paper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple


class WordRun(NamedTuple):
    """Words in a row that a sentence has in common with a text."""

    text: int
    """Number of the text."""
    start: int
    """First word in the sentence."""
    end: int
    """After the last word in the sentence."""

    @property
    def length(self) -> int:
        """In words."""
        return self.end - self.start


class VerbatimIndex:
    """Where the texts of a paper have which words in a row.

    Args:
        texts: The words of each text.
        size: Words of the shortest run that is looked for, 1 or more.
    """

    def __init__(self, texts: Sequence[Sequence[str]], size: int) -> None:
        self._texts = texts
        self._size = size
        self._places = defaultdict[tuple[str, ...], list[tuple[int, int]]](list)
        for number, words in enumerate(texts):
            for at in range(len(words) - size + 1):
                self._places[tuple(words[at : at + size])].append((number, at))

    def runs(self, sentence: Sequence[str]) -> Iterator[WordRun]:
        """Every run of at least `size` words that is part of no longer one at the same place of the same text."""
        for start in range(len(sentence) - self._size + 1):
            for number, at in self._places.get(tuple(sentence[start : start + self._size]), ()):
                words = self._texts[number]
                if not (start and at and sentence[start - 1] == words[at - 1]):
                    yield WordRun(number, start, start + self._common(sentence, start, words, at))

    def _common(self, sentence: Sequence[str], start: int, words: Sequence[str], at: int) -> int:
        length = self._size
        while start + length < len(sentence) and at + length < len(words):
            if sentence[start + length] != words[at + length]:
                break
            length += 1
        return length


class MatchedRuns(NamedTuple):
    """What the runs of a sentence come to; no two of them share a word."""

    runs: list[WordRun]
    """Each in one text only, in the order of the sentence."""
    ambiguous: list[WordRun]
    """The longest at their place, but in several texts; one text of each is named."""


def choose(runs: Iterable[WordRun], counts: Callable[[WordRun], bool]) -> MatchedRuns:
    """Give every word of a sentence to the longest run that has it.

    A run that shares words with a longer one keeps the others. Runs of the very same words in several texts are
    ambiguous, and so is nothing else: where one text has a word more, it is the one.

    Args:
        runs: Of one sentence.
        counts: Whether a run, or what is left of it, is long enough to be a quotation.
    """
    chosen: list[WordRun] = []
    ambiguous: list[WordRun] = []
    remaining = {run for run in runs if counts(run)}
    while remaining:
        longest = min(remaining, key=lambda run: (-run.length, run.start, run.text))
        same = [run for run in remaining if (run.start, run.end) == (longest.start, longest.end)]
        (ambiguous if len(same) > 1 else chosen).append(longest)
        left = (rest for run in remaining for rest in _without(run, longest))
        remaining = {run for run in left if counts(run)}
    return MatchedRuns(sorted(chosen, key=lambda run: run.start), ambiguous)


def _without(run: WordRun, taken: WordRun) -> Iterator[WordRun]:
    """What is left of a run to the left and to the right of another."""
    if run.start < taken.start:
        yield run._replace(end=min(run.end, taken.start))
    if run.end > taken.end:
        yield run._replace(start=max(run.start, taken.end))
