"""Paragraph-review pairs: what a comment becomes, and what is done with all of them before they are written.

Two filters keep the pairs that SWIF2T's dataset has: what a review sentence is for, and which weakness it is about. A
pair that says of a paragraph what another pair says of it already is dropped: a review is repeated where a second
report quotes the first one, or a decision letter its reviewers. Comments on different paragraphs are never compared: a
sentence that quotes two paragraphs is a comment on each. What is left is divided so that no paper is in two splits.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Annotated, Final, NamedTuple, Protocol, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypedDict

from state.feedback import Weakness
from training.review_filters.linking import CommentSentence, ReviewComment
from training.review_filters.papers import Paper, Split
from training.review_filters.verbatim import keys, words


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


FEEDBACK_PURPOSES: Final = frozenset({"Weakness", "Todo"})
"""Of sentences that criticise or ask for something; Recap, Strength, Structure and Other are left out."""
WEAKNESSES: Final = frozenset[str](get_args(Weakness))


class LabelProbability(Protocol):
    """A label and its probability."""

    @property
    def label(self) -> str:
        """The most probable one."""

    @property
    def probability(self) -> float:
        """Between 0 and 1."""


Classify = Callable[[Sequence[str]], Sequence[LabelProbability]]
"""A classifier of sentences: one prediction each, in their order."""


def keep_purposes(pairs: Sequence[Pair], classify: Classify) -> list[Pair]:
    """Pairs with a sentence that criticises or asks for something; those sentences become the `feedback`."""
    labelled = _label(pairs, lambda _: True, classify, _with_purpose)
    return [
        {**pair, "feedback": " ".join(sentence["text"] for sentence in feedback)}
        for pair in labelled
        if (feedback := [sentence for sentence in pair["review_sentences"] if sentence["label"] in FEEDBACK_PURPOSES])
    ]


def keep_aspects(pairs: Sequence[Pair], classify: Classify) -> list[Pair]:
    """Pairs about one of the five weaknesses.

    The aspect of a pair is that of most sentences of its feedback, of equally many the one with the higher sum of
    probabilities. Where no purpose filter was used, all its sentences count.
    """
    labelled = _label(pairs, _is_feedback, classify, _with_aspect)
    return [pair for pair in map(_of_the_majority, labelled) if pair["aspect"] in WEAKNESSES]


def _is_feedback(sentence: PairSentence) -> bool:
    return sentence["label"] is None or sentence["label"] in FEEDBACK_PURPOSES


def _with_purpose(sentence: PairSentence, found: LabelProbability) -> PairSentence:
    return {**sentence, "label": found.label, "probability": found.probability}


def _with_aspect(sentence: PairSentence, found: LabelProbability) -> PairSentence:
    return {**sentence, "aspect": found.label, "aspect_probability": found.probability}


def _label(
    pairs: Sequence[Pair],
    which: Callable[[PairSentence], bool],
    classify: Classify,
    labelled: Callable[[PairSentence, LabelProbability], PairSentence],
) -> list[Pair]:
    """Label those sentences that are asked for; each text is classified once."""
    texts = dict.fromkeys(
        sentence["text"] for pair in pairs for sentence in pair["review_sentences"] if which(sentence)
    )
    found = dict(zip(texts, classify(list(texts)), strict=True)) if texts else {}

    def sentences(pair: Pair) -> list[PairSentence]:
        return [labelled(each, found[each["text"]]) if which(each) else each for each in pair["review_sentences"]]

    return [{**pair, "review_sentences": sentences(pair)} for pair in pairs]


def _of_the_majority(pair: Pair) -> Pair:
    votes = defaultdict[str, list[float]](list)
    for sentence in pair["review_sentences"]:
        aspect, probability = sentence.get("aspect"), sentence.get("aspect_probability")
        if aspect is not None and probability is not None:
            votes[aspect].append(probability)
    aspect = max(votes, key=lambda label: (len(votes[label]), sum(votes[label])))
    return {**pair, "aspect": aspect, "aspect_probability": fmean(votes[aspect])}


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


_Share = Annotated[float, Field(ge=0, le=1)]


class SplitRules(BaseModel):
    """How papers are divided."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    dev: _Share = Field(0.1, description="Share of the papers.")
    test: _Share = Field(0.1, description="Share of the papers.")
    redraw: bool = Field(
        default=False, description="Draw papers that were published with a split as well; by default they keep it."
    )

    @model_validator(mode="after")
    def _leave_some_to_train(self) -> Self:
        if self.dev + self.test > 1:
            raise ValueError("the shares of dev and test are more than all papers")
        return self


def split_by_paper(pairs: Sequence[Pair], published: Mapping[str, Split | None], rules: SplitRules) -> list[Pair]:
    """Give every pair the split of its paper.

    A published split is kept, so that what was trained on its train part (a filter, for one) is not measured on a
    paper that it has seen. Papers without one are drawn: shares count papers that have a pair.

    Args:
        pairs: Of any number of papers.
        published: The split that a paper was published with.
        rules: Shares and seed. One seed gives one division of the same papers, whatever their order.
    """
    kept = {} if rules.redraw else {paper: split for paper, split in published.items() if split}
    papers = sorted({pair["paper_id"] for pair in pairs} - kept.keys())
    random.Random(rules.seed).shuffle(papers)  # noqa: S311 - no secret
    dev, test = round(rules.dev * len(papers)), round(rules.test * len(papers))
    splits: dict[str, Split] = dict.fromkeys(papers, "train")
    splits.update(dict.fromkeys(papers[:dev], "dev"))
    splits.update(dict.fromkeys(papers[dev:][:test], "test"))
    splits.update(kept)
    return [{**pair, "split": splits[pair["paper_id"]]} for pair in pairs]
