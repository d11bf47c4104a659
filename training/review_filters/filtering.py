"""The two filters of SWIF2T's dataset: what a review sentence is for, and which weakness it is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Final, Protocol, get_args

from state.feedback import Weakness
from training.review_filters.pairs import Pair, PairSentence

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
