"""The words that a review has in common with a paper: how words are compared, and which runs of them are found.

Two words are the same if they differ in nothing but case, accents, ligatures and other compatibility forms (NFKD), so
that curly and straight quotation marks, dashes, punctuation and white space never count. A hyphen divides two words
("self-reported" is "self reported") unless the text to compare with has them as one: "infor- mation", as it comes out
of a PDF, is "information" where that word is known, and "co-operation" is "cooperation".

The words of all texts of a paper are indexed by word n-grams, so that a sentence costs what it has in common with the
paper, not the length of the paper. What several papers say in the same words is not quoted from one of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from training.review_filters.papers import Paper

_PIECE: Final = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u200b-\u200d\u2060\ufeff])*")
"""Letters and digits, with combining accents and characters without a width inside."""
_HYPHEN: Final = re.compile(r"[-\u00ad\u2010-\u2013\u2212]\s*")


class PlacedWord(NamedTuple):
    """A word and where it stands."""

    start: int
    end: int
    key: str
    """What it is compared by; not empty."""


def words(text: str, known: Collection[str] = frozenset()) -> list[PlacedWord]:
    """The words of a text.

    Args:
        text: Of a paper or a review.
        known: The `vocabulary` of all texts that are compared; pieces around a hyphen are one word if it is in there.
    """
    found: list[PlacedWord] = []
    for match in _PIECE.finditer(text):
        word = PlacedWord(match.start(), match.end(), _key(match[0]))
        if found and _HYPHEN.fullmatch(text, found[-1].end, word.start) and _joined(found[-1], word) in known:
            found[-1] = PlacedWord(found[-1].start, word.end, _joined(found[-1], word))
        elif word.key:
            found.append(word)
    return found


def keys(found: Iterable[PlacedWord]) -> list[str]:
    """What the words are compared by."""
    return [word.key for word in found]


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """Every word of the texts that stands in one piece there."""
    return frozenset(key for text in texts for piece in _PIECE.findall(text) if (key := _key(piece)))


def _joined(before: PlacedWord, after: PlacedWord) -> str:
    """Empty for numbers: 3-5 is not 35."""
    return before.key + after.key if before.key[-1].isalpha() and after.key[:1].isalpha() else ""


def _key(piece: str) -> str:
    if piece.isascii():
        return piece.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", piece).casefold())
    return "".join(character for character in plain if character.isalnum())


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


Phrase = tuple[str, ...]


def phrases(own: Sequence[str], size: int) -> Iterator[Phrase]:
    """All runs of `size` words in a text."""
    return (tuple(own[start : start + size]) for start in range(len(own) - size + 1))


def common_phrases(corpus: Sequence[Paper], size: int) -> frozenset[Phrase]:
    """Phrases of the reviews that are in several papers; versions of one paper, by their title, count as one.

    Args:
        corpus: Papers with their reviews. What has to be kept in memory grows with the reviews only.
        size: Words of a phrase.
    """
    in_reviews = {phrase for paper in corpus for phrase in _phrases(_reviews(paper), size)}
    seen_in: dict[Phrase, str] = {}
    common: set[Phrase] = set()
    for paper in corpus:
        for phrase in _phrases(_paragraphs(paper), size):
            if phrase in in_reviews and seen_in.setdefault(phrase, paper.title.casefold()) != paper.title.casefold():
                common.add(phrase)
    return frozenset(common)


def _phrases(texts: Iterable[str], size: int) -> Iterator[Phrase]:
    return (phrase for text in texts for phrase in phrases(keys(words(text)), size))


def _reviews(paper: Paper) -> Iterator[str]:
    return (text for review in paper.reviews for text in review.paragraphs)


def _paragraphs(paper: Paper) -> Iterator[str]:
    return (paragraph.text for section in paper.sections for paragraph in section.paragraphs)
