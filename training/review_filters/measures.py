"""How well sentences are classified: accuracy, precision, recall, F1 and the confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from evals.statistics import clustered_mean, grouped
from training.review_filters.sentences import LabelledSentence


class LabelFigures(BaseModel):
    """Of one label."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    precision: float
    """0 where it was never predicted."""
    recall: float
    f1: float
    support: int
    """Sentences that have it."""


class ClassifierEvaluation(BaseModel):
    """Of some sentences."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sentences: int
    papers: int
    accuracy: float
    interval: tuple[float, float]
    """95%, by the bootstrap over papers: sentences about one paper are no independent sample."""
    macro_f1: float
    """Mean F1 of the labels that some sentence has."""
    labels: dict[str, LabelFigures]
    confusion: dict[str, dict[str, int]]
    """How many sentences of a label (first key) were given a label (second key)."""


def evaluate(
    sentences: Sequence[LabelledSentence], predicted: Sequence[str], labels: Sequence[str]
) -> ClassifierEvaluation:
    """Compare predicted labels with the annotated ones.

    Args:
        sentences: At least one.
        predicted: A label for each.
        labels: All there are, in the order in which they are to be told.
    """
    counts = Counter((each.label, guess) for each, guess in zip(sentences, predicted, strict=True))
    confusion = {gold: {guess: counts[gold, guess] for guess in labels} for gold in labels}
    figures = {label: _label_figures(label, confusion) for label in labels}
    hits = [each.label == guess for each, guess in zip(sentences, predicted, strict=True)]
    papers = [each.paper_id for each in sentences]
    accuracy, low, high = clustered_mean(grouped(hits, papers))
    return ClassifierEvaluation(
        sentences=len(sentences),
        papers=len(set(papers)),
        accuracy=accuracy,
        interval=(low, high),
        macro_f1=fmean(each.f1 for each in figures.values() if each.support),
        labels=figures,
        confusion=confusion,
    )


def _label_figures(label: str, confusion: dict[str, dict[str, int]]) -> LabelFigures:
    right = confusion[label][label]
    support = sum(confusion[label].values())
    guessed = sum(row[label] for row in confusion.values())
    return LabelFigures(
        precision=right / guessed if guessed else 0.0,
        recall=right / support if support else 0.0,
        f1=2 * right / (support + guessed) if support + guessed else 0.0,
        support=support,
    )
