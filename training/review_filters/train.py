"""Trains the purpose and the aspect classifier. Importing this module loads torch and transformers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from pydantic import Field
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize
from transformers import DataCollatorWithPadding, set_seed

from state.files import write_atomically
from tools.bert import PACKAGED_ENCODER
from training.fitting import Fitted, fit
from training.review_filters.classifier import ReviewClassifier
from training.review_filters.evaluation import ClassifierEvaluation, Report, evaluate, markdown
from training.review_filters.labelled_sentences import (
    LABELS,
    LabelledSentence,
    SentenceSplit,
    Task,
    read_disapere,
    read_split,
    sha256_of,
    unseen,
)
from training.run_record import FitConfig, TrainingRecord


def majority(split: SentenceSplit) -> list[str]:
    """The commonest label of the training data, for every dev sentence."""
    commonest = Counter(each.label for each in split.train).most_common(1)[0][0]
    return [commonest] * len(split.dev)


def nearest_centroid(classifier: ReviewClassifier, split: SentenceSplit) -> list[str]:
    """For every dev sentence the label whose training sentences are nearest to it in the mean (cosine similarity)."""
    train = normalize(classifier.embed([each.text for each in split.train]))
    dev = normalize(classifier.embed([each.text for each in split.dev]))
    labels = sorted({each.label for each in split.train})
    rows = [[each.label == label for each in split.train] for label in labels]
    centroids = normalize(torch.stack([train[torch.tensor(row)].mean(dim=0) for row in rows]))
    return [labels[int(best)] for best in (dev @ centroids.T).argmax(dim=1)]


class ClassifierFit(FitConfig):
    """How a classifier is trained: what `training/configs/purpose.toml` and the files like it hold."""

    encoder: str = PACKAGED_ENCODER
    max_length: int = Field(default=128, ge=8, le=512)
    balance: float = Field(default=0.0, ge=0, le=1)
    """0: every sentence weighs the same in the loss; 1: every label does; between: n ** -balance for n sentences."""
    metric: Literal["accuracy", "macro_f1"] = "accuracy"
    """On the dev sentences; chooses the epoch."""


class TrainedClassifier(NamedTuple):
    """A classifier, how it came about, and what it came to."""

    classifier: ReviewClassifier
    record: TrainingRecord
    report: Report


def train_classifier(
    task: Task, config: ClassifierFit, data: Path, out: Path, *, transfer: Path | None = None
) -> TrainedClassifier:
    """Train a classifier, or take up the same run in `out`.

    Args:
        task: "purpose" or "aspect".
        config: Hyperparameters.
        data: F1000RD's labelled sentences for the purpose, those of Peer-Review-Analyze for the aspect; JSON Lines.
        out: For `weights.safetensors`, `config.json`, `record.json`, `evaluation.json` and `evaluation.md`.
        transfer: DISAPERE's sentences, to measure on them too.

    Raises:
        BadInput: A file of sentences is not what it should be.
        SettingsError: The encoder cannot be had, or `out` holds another run or a finished one.
        StateError: `out` cannot be written, or another process trains in it.
    """
    split = read_split(task, data)
    foreign = read_disapere(task, transfer) if transfer else []
    set_seed(config.seed)
    classifier = ReviewClassifier(
        task, LABELS[task], config.encoder, dropout=config.dropout, max_length=config.max_length
    )
    fitted = _fit(classifier, split, config, out)
    classifier.eval()
    centroid = nearest_centroid(ReviewClassifier(task, LABELS[task], config.encoder), split)
    report = Report(
        task=task,
        encoder=config.encoder,
        best_epoch=fitted.record.best_epoch,
        dev=_measured(classifier, split.dev),
        unseen=_measured(classifier, rest) if (rest := unseen(split.dev, split.train)) else None,
        majority=evaluate(split.dev, majority(split), classifier.labels),
        nearest_centroid=evaluate(split.dev, centroid, classifier.labels),
        transfer=_measured(classifier, foreign) if foreign else None,
    )
    _save(classifier, fitted.record, report, out)
    fitted.weights.unlink()
    return TrainedClassifier(classifier, fitted.record, report)


def _fit(classifier: ReviewClassifier, split: SentenceSplit, config: ClassifierFit, out: Path) -> Fitted:
    weights = torch.tensor(label_weights(split.train, classifier.labels, config.balance))

    def loss(model: ReviewClassifier, batch: Mapping[str, Tensor]) -> Tensor:
        logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"])
        return cross_entropy(logits, batch["gold"], weight=weights.to(logits.device))

    def measure(model: ReviewClassifier) -> dict[str, float]:
        measured = _measured(model, split.dev)
        return {"accuracy": measured.accuracy, "macro_f1": measured.macro_f1}

    return fit(
        classifier,
        _examples(classifier, split.train),
        _examples(classifier, split.dev),
        config=config,
        out=out,
        collate=DataCollatorWithPadding(classifier.tokenizer),
        compute_loss=loss,
        measure=measure,
        metric=config.metric,
        data={"train_sha256": sha256_of(split.train), "dev_sha256": sha256_of(split.dev)},
        length=lambda example: len(example["input_ids"]),
    )


def _examples(classifier: ReviewClassifier, sentences: Sequence[LabelledSentence]) -> list[dict[str, Any]]:
    number = {label: index for index, label in enumerate(classifier.labels)}
    tokens = classifier.tokens([each.text for each in sentences])
    return [{"input_ids": ids, "gold": number[each.label]} for ids, each in zip(tokens, sentences, strict=True)]


def label_weights(sentences: Sequence[LabelledSentence], labels: Sequence[str], balance: float) -> list[float]:
    """Weights of the labels in the loss, such that a sentence weighs 1 in the mean.

    Args:
        sentences: To be learnt from.
        labels: In the order of the weights; one that no sentence has weighs 0.
        balance: From 0, all the same, to 1, inversely to how many sentences have a label.
    """
    counts = Counter(each.label for each in sentences)
    raw = {label: counts[label] ** -balance for label in labels if counts[label]}
    scale = len(sentences) / sum(counts[label] * weight for label, weight in raw.items())
    return [scale * raw.get(label, 0.0) for label in labels]


def _measured(classifier: ReviewClassifier, sentences: Sequence[LabelledSentence]) -> ClassifierEvaluation:
    predicted = classifier.classify([each.text for each in sentences])
    return evaluate(sentences, [each.label for each in predicted], classifier.labels)


def _save(classifier: ReviewClassifier, record: TrainingRecord, report: Report, out: Path) -> None:
    classifier.save(
        out, {"data": record.data, "dev_accuracy": report.dev.accuracy, "dev_macro_f1": report.dev.macro_f1}
    )
    write_atomically(out / "evaluation.json", report.model_dump_json(indent=2).encode() + b"\n")
    write_atomically(out / "evaluation.md", markdown(report).encode())
