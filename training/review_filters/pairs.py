"""Paragraph-review pairs: the records that the plan re-ranker's training data is made from."""

from __future__ import annotations

from typing_extensions import TypedDict

from training.review_filters.linking import CommentSentence, ReviewComment
from training.review_filters.papers import Paper, Split


class PairSentence(TypedDict):
    """A sentence of a pair's review."""

    id: str
    text: str
    label: str | None
    """Communicative purpose; null if no purpose filter was used."""
    probability: float | None
    """Of the label."""
    aspect: str | None
    """Null if no aspect filter was used, or the sentence is not part of the feedback."""
    aspect_probability: float | None
    link_types: list[str]
    """`verbatim_quoted` in quotation marks, `verbatim_shared` without; empty if it only belongs to one that quotes."""


class VerbatimSpan(TypedDict):
    """Words that a review takes from the paragraph."""

    verbatim_words: int
    verbatim_span: str
    """As the review has them."""


class Pair(TypedDict):
    """A paragraph and a comment of a human reviewer that quotes it."""

    id: str
    """Of the paper, the paragraph and the comment's first sentence."""
    paper_id: str
    paper_title: str
    paragraph_id: str
    section: str
    paragraph: str
    review: str
    """Every sentence of the comment."""
    feedback: str | None
    """Its Weakness and Todo sentences only; null if no purpose filter was used."""
    aspect: str | None
    aspect_probability: float | None
    """Mean over the sentences of that aspect."""
    review_sentences: list[PairSentence]
    review_context: list[str]
    """The review's paragraphs that the sentences stand in."""
    quotes: list[VerbatimSpan]
    review_id: str
    link_types: list[str]
    source_dataset: str | None
    domain: str | None
    split: Split | None
    """Null until the papers are split."""
    license: str | None
    """Of the review, or else of the paper."""


def pair_of(paper: Paper, comment: ReviewComment) -> Pair:
    """The pair of a comment, before any filter and without a split."""
    sentences = [_sentence(member) for member in comment.sentences]
    context = dict.fromkeys(member.sentence.paragraph for member in comment.sentences)
    return Pair(
        id=f"{paper.paper_id}/{comment.paragraph.id}/{sentences[0]['id']}",
        paper_id=paper.paper_id,
        paper_title=paper.title,
        paragraph_id=comment.paragraph.id,
        section=comment.section,
        paragraph=comment.paragraph.text,
        review=" ".join(sentence["text"] for sentence in sentences),
        feedback=None,
        aspect=None,
        aspect_probability=None,
        review_sentences=sentences,
        review_context=[comment.review.paragraphs[number] for number in context],
        quotes=[
            VerbatimSpan(verbatim_words=quote.words, verbatim_span=quote.text)
            for member in comment.sentences
            for quote in member.quotes
        ],
        review_id=comment.review.review_id,
        link_types=sorted({kind for sentence in sentences for kind in sentence["link_types"]}),
        source_dataset=paper.source_dataset,
        domain=paper.domain,
        split=None,
        license=comment.review.license or paper.license,
    )


def _sentence(member: CommentSentence) -> PairSentence:
    kinds = {"verbatim_quoted" if quote.marked else "verbatim_shared" for quote in member.quotes}
    return PairSentence(
        id=member.sentence.id,
        text=member.sentence.text,
        label=None,
        probability=None,
        aspect=None,
        aspect_probability=None,
        link_types=sorted(kinds),
    )
