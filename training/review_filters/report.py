"""What a trained classifier came to, beside its baselines: for programs as JSON, for people as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict

from training.review_filters.labels import Task
from training.review_filters.measures import ClassifierEvaluation


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
