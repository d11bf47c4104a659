"""Finds what a review says of which paragraph of its paper (SWIF2T, "The dataset").

A sentence quotes a paragraph if it has a run of `minimum_words` of its words, or a whole passage in quotation marks of
`quoted_words`. What has no space or dash inside counts as one word ("https://example.org/a", "coil-to-helix"). Of many
paragraphs the one with the longest run is quoted; where that leaves more than one (an abstract and the sentence that it
repeats), none is. Words of the title or a heading, and runs that other papers have as well, are no quotation either.

A comment is a quoting sentence with the sentences of the same review paragraph or list item that go on about it: those
that quote the same paragraph, and up to `following` others after each, until one quotes something else. What follows
may be in the next paragraph if the sentence is a quotation and nothing else. On F1000RD the
sentence after a quotation is about the same paragraph twice as often as about another one, the second one after it more
often about another; what stands before a quotation is mostly about something else as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from training.review_filters.papers import Paper, PaperParagraph, PaperReview
from training.review_filters.review_sentences import ReviewSentence, is_bare, parts, quotations, review_sentences
from training.review_filters.verbatim import Phrase, VerbatimIndex, WordRun, choose, keys, phrases, vocabulary, words

_GAP: Final = re.compile(r"[\s—]")


class LinkRules(BaseModel):
    """What counts as a quotation, and what belongs to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    minimum_words: int = Field(6, ge=1, description="Fewest words of a verbatim run without quotation marks.")
    quoted_words: int = Field(2, ge=1, description="Fewest words of a passage in quotation marks.")
    following: int = Field(1, ge=0, description="Most sentences in a row that belong to a quotation before them.")


class Quote(NamedTuple):
    """Words that a sentence takes from a paragraph."""

    words: int
    text: str
    """As the review has them."""
    marked: bool
    """Most of them stand in quotation marks."""


class Quotes(NamedTuple):
    """What a sentence takes from a paper."""

    of: dict[int, list[Quote]]
    """By the number of the paragraph."""
    ambiguous: int
    """Runs that several paragraphs have."""
    headings: int
    """Runs that are of the title or a heading."""
    common: int
    """Runs that other papers have as well."""
    bare: bool
    """The sentence is nothing but a quotation: what the reviewer says of it must come next."""


class QuoteFinder:
    """Finds quotations of one paper in sentences of its reviews.

    Args:
        paper: With its reviews: a word that is divided in one place is known whole from another.
        rules: What counts as a quotation.
        common: Phrases of `minimum_words` that other papers have as well.
    """

    def __init__(self, paper: Paper, rules: LinkRules, common: Collection[Phrase] = ()) -> None:
        paragraphs = [paragraph.text for section in paper.sections for paragraph in section.paragraphs]
        headings = {part for section in paper.sections for part in section.heading.split(" > ")}
        texts = [*paragraphs, paper.title, *sorted(headings)]
        self._paragraphs = len(paragraphs)
        self._known = vocabulary([*texts, *(text for review in paper.reviews for text in review.paragraphs)])
        fewest = min(rules.minimum_words, rules.quoted_words)
        self._index = VerbatimIndex([keys(words(text, self._known)) for text in texts], fewest)
        self._rules = rules
        self._common = common

    def quotes(self, text: str) -> Quotes:
        """What a sentence quotes."""
        sentence = _Sentence(text, self._known, self._rules)
        runs = (piece for run in self._index.runs(sentence.keys) for piece in sentence.claimed(run))
        chosen, ambiguous = choose(runs, sentence.counts)
        of: dict[int, list[Quote]] = {}
        headings, common = 0, 0
        for run in chosen:
            if run.text >= self._paragraphs:
                headings += 1
            elif self._is_common(sentence.keys[run.start : run.end]) and not sentence.is_marked(run):
                common += 1
            else:
                of.setdefault(run.text, []).append(sentence.quote(run))
        return Quotes(of, len(ambiguous), headings, common, is_bare(text))

    def _is_common(self, run: Sequence[str]) -> bool:
        found = list(phrases(run, self._rules.minimum_words))
        return bool(found) and all(phrase in self._common for phrase in found)


class _Sentence:
    def __init__(self, text: str, known: Collection[str], rules: LinkRules) -> None:
        self._text = text
        self._words = words(text, known)
        self._rules = rules
        self.keys = keys(self._words)

    def counts(self, run: WordRun) -> bool:
        """It is a quotation, as far as its length goes."""
        return self._length(run.start, run.end) >= self._rules.minimum_words or any(
            run.start <= part.start and part.stop <= run.end for part in self._marked_parts
        )

    def claimed(self, run: WordRun) -> list[WordRun]:
        """What of a run is meant as a quotation: a word more outside the quotation marks is there by chance."""
        inside = (run._replace(start=max(run.start, part.start), end=min(run.end, part.stop)) for part in self._marked)
        return [piece for piece in inside if piece.length > 0 and self.counts(piece)] or [run]

    def is_marked(self, run: WordRun) -> bool:
        """More than half of it stands in quotation marks."""
        return 2 * sum(number in part for part in self._marked for number in range(run.start, run.end)) > run.length

    def quote(self, run: WordRun) -> Quote:
        """The words of a run."""
        first, last = self._words[run.start], self._words[run.end - 1]
        return Quote(self._length(run.start, run.end), self._text[first.start : last.end], self.is_marked(run))

    @cached_property
    def _marked(self) -> list[range]:
        """The pieces of its quotations, as ranges of its words."""
        return list(self._ranges())

    @cached_property
    def _marked_parts(self) -> list[range]:
        """Those that are long enough to be told by themselves."""
        return [part for part in self._marked if self._length(part.start, part.stop) >= self._rules.quoted_words]

    def _ranges(self) -> Iterator[range]:
        for quotation in quotations(self._text):
            for part in parts(quotation, self._text):
                inside = [
                    at for at, word in enumerate(self._words) if part.start <= word.start and word.end <= part.end
                ]
                if inside:
                    yield range(inside[0], inside[-1] + 1)

    def _length(self, start: int, end: int) -> int:
        """How many words a reader sees."""
        return self._gaps[end - 1] - self._gaps[start] + 1

    @cached_property
    def _gaps(self) -> list[int]:
        """How many spaces or dashes stand before each word."""
        between = (_GAP.search(self._text, before.end, after.start) for before, after in pairwise(self._words))
        return list(accumulate(map(bool, between), initial=0))


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
