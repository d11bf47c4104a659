"""What a trained classifier came to, beside its baselines: for programs as JSON, for people as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from evals.statistics import clustered_mean, grouped
from training.review_filters.labelled_sentences import LabelledSentence, Task


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


class Report(BaseModel):
    """What `evaluation.json` says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: Task
    encoder: str
    best_epoch: int
    dev: ClassifierEvaluation
    unseen: ClassifierEvaluation | None
    """Of the dev sentences whose text does not occur in the training data; None if all do."""
    majority: ClassifierEvaluation
    nearest_centroid: ClassifierEvaluation
    transfer: ClassifierEvaluation | None
    """On DISAPERE, which no classifier is trained on."""


def markdown(report: Report) -> str:
    """The report as tables."""
    rows: dict[str, ClassifierEvaluation | None] = {
        "classifier": report.dev,
        "classifier, sentences not in the training data": report.unseen,
        "classifier, on DISAPERE": report.transfer,
        "majority label": report.majority,
        "nearest centroid, untrained encoder": report.nearest_centroid,
    }
    return "\n".join(
        [
            f"# {report.task.capitalize()} classifier on {report.encoder} (epoch {report.best_epoch})",
            "",
            *_summary({name: evaluation for name, evaluation in rows.items() if evaluation}),
            "",
            *_labels(report.dev),
            "",
            "Annotated (rows) and predicted (columns):",
            "",
            *_confusion(report.dev),
            "",
        ]
    )


def _summary(rows: Mapping[str, ClassifierEvaluation]) -> Iterator[str]:
    yield "| | sentences | papers | accuracy (95% interval) | macro F1 |"
    yield "|---|---|---|---|---|"
    for name, each in rows.items():
        low, high = each.interval
        yield (
            f"| {name} | {each.sentences} | {each.papers} | {each.accuracy:.1%} ({low:.1%} to {high:.1%}) "
            f"| {each.macro_f1:.3f} |"
        )


def _labels(evaluation: ClassifierEvaluation) -> Iterator[str]:
    yield "| label | precision | recall | F1 | sentences |"
    yield "|---|---|---|---|---|"
    for label, each in evaluation.labels.items():
        yield f"| {label} | {each.precision:.3f} | {each.recall:.3f} | {each.f1:.3f} | {each.support} |"


def _confusion(evaluation: ClassifierEvaluation) -> Iterator[str]:
    labels = list(evaluation.confusion)
    yield f"| | {' | '.join(labels)} |"
    yield "|---" * (len(labels) + 1) + "|"
    for gold, row in evaluation.confusion.items():
        yield f"| {gold} | {' | '.join(str(row[guess]) for guess in labels)} |"
