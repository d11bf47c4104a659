"""Turns quotations into comments: what a review says of a paragraph at one place (SWIF2T, "The dataset").

A comment is a quoting sentence with the sentences of the same review paragraph or list item that go on about it: those
that quote the same paragraph, and up to `following` others after each, until one quotes something else. What follows
may be in the next paragraph if the sentence is a quotation and nothing else. On F1000RD the
sentence after a quotation is about the same paragraph twice as often as about another one, the second one after it more
often about another; what stands before a quotation is mostly about something else as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from training.review_filters.common_phrases import Phrase
from training.review_filters.papers import Paper, PaperParagraph, PaperReview
from training.review_filters.quoting import LinkRules, Quote, QuoteFinder, Quotes
from training.review_filters.review_sentences import ReviewSentence, review_sentences


class CommentSentence(NamedTuple):
    """A sentence of a comment."""

    sentence: ReviewSentence
    quotes: list[Quote]
    """From the comment's paragraph; empty if the sentence only belongs to one that quotes."""


class ReviewComment(NamedTuple):
    """What a review says of a paragraph at one place."""

    section: str
    paragraph: PaperParagraph
    review: PaperReview
    sentences: list[CommentSentence]


class Linked(NamedTuple):
    """The comments on a paper, and what was looked at."""

    comments: list[ReviewComment]
    sentences: list[Quotes]
    """What each sentence of the reviews quotes."""


class _Quoting(NamedTuple):
    sentence: ReviewSentence
    quotes: Quotes


def link_reviews(paper: Paper, rules: LinkRules, common: Collection[Phrase] = ()) -> Linked:
    """Find the comments of a paper's reviews on its paragraphs.

    Args:
        paper: With its reviews.
        rules: What counts as a quotation, and what belongs to it.
        common: `common_phrases` of the corpus.
    """
    paragraphs = [(section.heading, paragraph) for section in paper.sections for paragraph in section.paragraphs]
    finder = QuoteFinder(paper, rules, common)
    linked = Linked([], [])
    for review in paper.reviews:
        sentences = review_sentences(review.review_id, review.paragraphs)
        quoting = [_Quoting(sentence, finder.quotes(sentence.text)) for sentence in sentences]
        for number, members in _comments(quoting, rules.following):
            linked.comments.append(ReviewComment(*paragraphs[number], review, members))
        linked.sentences.extend(quotes for _, quotes in quoting)
    return linked


def _comments(sentences: Iterable[_Quoting], following: int) -> list[tuple[int, list[CommentSentence]]]:
    """Comments with the number of their paragraph, in the order in which they begin."""
    found: list[tuple[int, list[CommentSentence]]] = []
    under_way: dict[int, list[CommentSentence]] = {}
    item, silent, bare = 0, 0, False
    for sentence, quotes in sentences:
        if sentence.item != item and not bare:
            under_way = {}
        item, bare = sentence.item, quotes.bare
        silent = 0 if quotes.of else silent + 1
        if quotes.of:
            begun: dict[int, list[CommentSentence]] = {number: [] for number in quotes.of if number not in under_way}
            found += begun.items()
            under_way = {**begun, **{number: under_way[number] for number in quotes.of if number in under_way}}
        elif quotes.ambiguous or quotes.headings or silent > following:
            under_way = {}
        for number, members in under_way.items():
            members.append(CommentSentence(sentence, quotes.of.get(number, [])))
    return found
