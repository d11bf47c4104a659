"""The two filters of review sentences, encoders that are fine-tuned to tell one label from others (SWIF2T, Section 4).

Importing this module loads torch and transformers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from datasets import Dataset
from pydantic import Field
from sklearn.metrics import accuracy_score, classification_report, confusion_matrix, f1_score
from torch.nn.functional import cross_entropy
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EvalPrediction,
    Trainer,
    TrainingArguments,
    pipeline,
    set_seed,
)

from evals.statistics import estimate_clustered_mean, group_values
from state.errors import SettingsError
from state.files import write_atomically
from tools.bert import PACKAGED_ENCODER
from training.fitting import (
    FitConfig,
    build_trainer_arguments,
    check_unfinished,
    compute_file_sha256,
    fit_model,
    load_pretrained,
)
from training.review_filters.labelled_sentences import (
    LABELS,
    LabelledSentence,
    SentenceSplit,
    Task,
    read_sentence_split,
)

MODEL_FOLDER = "model"
"""Folder within the run's that holds the classifier."""
_MODEL_KIND = "encoder like BERT"


class ClassifierConfig(FitConfig):
    """How a classifier is trained: what `training/configs/purpose.toml` and the files like it hold."""

    encoder: str = PACKAGED_ENCODER
    max_length: int = Field(default=128, ge=8, le=512)
    balance: float = Field(default=0.0, ge=0, le=1)
    """0: every sentence weighs the same in the loss; 1: every label does; between: n ** -balance for n sentences."""
    metric: Literal["accuracy", "macro_f1"] = "accuracy"
    """On the dev sentences; chooses the epoch."""


def train_classifier(task: Task, config: ClassifierConfig, data: Path, out: Path) -> str:
    """Train a classifier, or take up the same run in `out`.

    Args:
        task: "purpose" or "aspect".
        config: Hyperparameters.
        data: F1000RD's labelled sentences for the purpose, those of Peer-Review-Analyze for the aspect; JSON Lines.
        out: For `model/`, and what it comes to in `evaluation.md`.

    Returns:
        The evaluation, as Markdown.

    Raises:
        BadInput: The file of sentences is not what it should be.
        SettingsError: The encoder cannot be had, or `out` holds another run or a finished one.
    """
    check_unfinished(out)
    split, labels = read_sentence_split(task, data), LABELS[task]
    set_seed(config.seed)
    model = load_pretrained(
        AutoModelForSequenceClassification,
        config.encoder,
        _MODEL_KIND,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.dropout,
    )
    tokenizer = load_pretrained(AutoTokenizer, config.encoder, _MODEL_KIND)
    longest = min(config.max_length, model.config.max_position_embeddings - 2)  # RoBERTa keeps two to itself
    tokenizer.model_max_length = longest
    train, dev = (_tokenize_sentences(part, tokenizer, labels) for part in split)
    trainer = Trainer(
        model,
        TrainingArguments(
            **build_trainer_arguments(config, out, metric=f"eval_{config.metric}"),
            train_sampling_strategy="group_by_length",
        ),
        data_collator=DataCollatorWithPadding(tokenizer),
        train_dataset=train,
        eval_dataset=dev,
        processing_class=tokenizer,
        compute_loss_func=_build_weighted_loss(compute_label_weights(split.train, labels, config.balance)),
        compute_metrics=_compute_metrics,
    )
    fit_model(
        trainer,
        config,
        out,
        {"sentences": compute_file_sha256(data)},
        lambda: trainer.save_model(str(out / MODEL_FOLDER)),
    )
    predicted = load_classifier(out, task)([each.text for each in split.dev])
    told = "\n".join(_render_evaluation(split, predicted, labels)) + "\n"
    write_atomically(out / "evaluation.md", told.encode())
    return told


def load_classifier(folder: Path, task: Task) -> Callable[[Sequence[str]], list[str]]:
    """A trained classifier: it gives each sentence a label.

    Args:
        folder: Of the run.
        task: What it must tell apart.

    Raises:
        SettingsError: There is none, or it is of another task.
    """
    model = load_pretrained(AutoModelForSequenceClassification, folder / MODEL_FOLDER, f"classifier of {task}s")
    if set(model.config.label2id) != set(LABELS[task]):
        raise SettingsError(f"The classifier in {folder} does not tell {task}s apart; name another folder.")
    classify = pipeline(
        "text-classification", model=model, tokenizer=AutoTokenizer.from_pretrained(folder / MODEL_FOLDER)
    )
    return lambda texts: [each["label"] for each in classify(list(texts), batch_size=32, truncation=True)]


def compute_label_weights(sentences: Sequence[LabelledSentence], labels: Sequence[str], balance: float) -> list[float]:
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


def _tokenize_sentences(sentences: Sequence[LabelledSentence], tokenizer: Any, labels: Sequence[str]) -> Dataset:
    tokens = tokenizer([each.text for each in sentences], truncation=True)
    return Dataset.from_dict({**tokens, "labels": [labels.index(each.label) for each in sentences]})


def _build_weighted_loss(weights: Sequence[float]) -> Callable[..., torch.Tensor]:
    def loss(
        outputs: Mapping[str, torch.Tensor], labels: torch.Tensor, num_items_in_batch: torch.Tensor | None = None
    ) -> torch.Tensor:
        logits = outputs["logits"]
        total = cross_entropy(logits, labels, weight=torch.tensor(weights, device=logits.device), reduction="sum")
        return total / (len(labels) if num_items_in_batch is None else num_items_in_batch)

    return loss


def _compute_metrics(found: EvalPrediction) -> dict[str, float]:
    predicted = np.asarray(found.predictions).argmax(-1)
    return {
        "accuracy": float(accuracy_score(found.label_ids, predicted)),
        "macro_f1": float(f1_score(found.label_ids, predicted, average="macro")),
    }


def _render_evaluation(split: SentenceSplit, predicted: Sequence[str], labels: Sequence[str]) -> Iterator[str]:
    """Accuracy on the dev sentences, with its interval by the bootstrap over papers, and figures of each label."""
    gold = [each.label for each in split.dev]
    commonest = Counter(each.label for each in split.train).most_common(1)[0][0]
    figures = classification_report(gold, predicted, labels=labels, output_dict=True, zero_division=0)
    yield "| | accuracy (95% interval) |\n|---|---|"
    for name, guessed in (("classifier", predicted), ("majority label", [commonest] * len(gold))):
        hits = [guess == label for guess, label in zip(guessed, gold, strict=True)]
        mean, low, high = estimate_clustered_mean(group_values(hits, [each.paper_id for each in split.dev]))
        yield f"| {name} | {mean:.1%} ({low:.1%} to {high:.1%}) |"
    yield "\n| label | precision | recall | F1 | sentences |\n|---|---|---|---|---|"
    for label in (*labels, "macro avg"):
        row = figures[label]
        cells = (f"{row[name]:.3f}" for name in ("precision", "recall", "f1-score"))
        yield f"| {label} | {' | '.join(cells)} | {row['support']:.0f} |"
    yield f"\nAnnotated (rows) and predicted (columns):\n\n| | {' | '.join(labels)} |\n{'|---' * (len(labels) + 1)}|"
    for label, counts in zip(labels, confusion_matrix(gold, predicted, labels=labels), strict=True):
        yield f"| {label} | {' | '.join(map(str, counts))} |"
