"""Phrases that are nobody's own: what several papers say in the same words is not quoted from one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from training.review_filters.papers import Paper
from training.review_filters.verbatim_words import keys, words

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
