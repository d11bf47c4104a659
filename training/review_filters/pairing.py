"""Finds what a review says of which paragraph of its paper (SWIF2T, "The dataset").

Links that people have annotated count. In a review without any, a sentence is about the paragraph that it quotes.

What counts as quoting is ours. A sentence quotes a paragraph if it has a passage of it in quotation marks, or six of
its words in a row. Of several paragraphs it is the one with the longest run; where two have it (an abstract, and the
sentence that it repeats), none is quoted. Case, accents, punctuation and white space never count. The sentence after a
quotation belongs to it unless it quotes something itself: on F1000RD it is about the same paragraph twice as often as
about another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tools.text import sentence_ends, without_accents
from training.review_filters.papers import Paper, PaperParagraph, PaperReview

_FEWEST_WORDS: Final = 6
"""Of a run without quotation marks."""
_FEWEST_MARKED_WORDS: Final = 2
_FOLLOWING: Final = 1
"""Most sentences in a row that belong to a quotation before them."""
# An opening mark never follows a letter or a digit, so neither an apostrophe nor 5" opens a quotation. Reviews are
# typed: a closing mark of one kind may end what another kind began.
_QUOTATION: Final = re.compile(r"(?:``|(?<!\w)[\"“„«])([^\"“”„«»]+?)(?:''|[\"”“»])")
_LEFT_OUT: Final = re.compile(r"…|\.\.\.|\[[^\]]*\]")
"""Dots for words that the reviewer left out, and words of his own in square brackets."""
_WORD: Final = re.compile(r"[^\W_]+")


class ReviewComment(NamedTuple):
    """What a review says of a paragraph at one place."""

    section: str
    paragraph: PaperParagraph
    review: PaperReview
    sentences: list[str]


def comments_on(paper: Paper) -> list[ReviewComment]:
    """The comments of a paper's reviews on its paragraphs, in the order of the reviews."""
    paragraphs = [(section.heading, paragraph) for section in paper.sections for paragraph in section.paragraphs]
    places = {paragraph.id: number for number, (_, paragraph) in enumerate(paragraphs)}
    texts = [_in_row(words(paragraph.text)) for _, paragraph in paragraphs]
    found: list[ReviewComment] = []
    for review in paper.reviews:
        # A release also links whole sections, figures and tables.
        linked = [
            (places[link.paragraph_id], link.sentences) for link in review.links or [] if link.paragraph_id in places
        ]
        quoting = (each for paragraph in review.paragraphs for each in _comments(split(paragraph), texts))
        pairs = quoting if review.links is None else linked
        found += [ReviewComment(*paragraphs[number], review, sentences) for number, sentences in pairs]
    return found


def split(paragraph: str) -> list[str]:
    """The sentences of a review's paragraph; a quotation of several belongs to the sentence that quotes it."""
    quotations = [match.span() for match in _QUOTATION.finditer(paragraph)]
    ends = [end for end in sentence_ends(paragraph) if not any(start < end < stop for start, stop in quotations)]
    return [text for start, end in pairwise([0, *ends, len(paragraph)]) if (text := paragraph[start:end].strip())]


def words(text: str) -> list[str]:
    """What the words of a text are compared by."""
    return _WORD.findall(without_accents(text).casefold())


def quoted(sentence: str, texts: Sequence[str]) -> int | None:
    """The number of the text that a sentence quotes; None if there is none, or more than one.

    Args:
        sentence: Of a review.
        texts: The words of each paragraph with a space around each.
    """
    own = words(sentence)
    passages = [words(part) for marked in _QUOTATION.findall(sentence) for part in _LEFT_OUT.split(marked)]
    passages = [passage for passage in passages if len(passage) >= _FEWEST_MARKED_WORDS]
    lengths = [max(_longest_run(own, text), *(_has(text, passage) for passage in passages), 0) for text in texts]
    longest = max(lengths, default=0)
    return lengths.index(longest) if longest and lengths.count(longest) == 1 else None


def _comments(sentences: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Comments with the number of their paragraph."""
    current: int | None = None
    members: list[str] = []
    silent = 0
    for sentence in sentences:
        number = quoted(sentence, texts)
        silent = silent + 1 if number is None else 0
        if (number is None and silent > _FOLLOWING) or number not in {None, current}:
            if current is not None:
                yield current, members
            current, members = number, []
        if current is not None:
            members.append(sentence)
    if current is not None:
        yield current, members


def _longest_run(own: Sequence[str], text: str) -> int:
    longest = 0
    for start in range(len(own)):
        end = start + max(_FEWEST_WORDS, longest + 1)
        while end <= len(own) and _has(text, own[start:end]):
            longest = end - start
            end += 1
    return longest


def _has(text: str, passage: Sequence[str]) -> int:
    """How long a passage is, if a text has it."""
    return len(passage) if _in_row(passage) in text else 0


def _in_row(found: Sequence[str]) -> str:
    return f" {' '.join(found)} "
