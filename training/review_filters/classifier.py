"""Training and loading of the two review filters, fine-tuned encoders that label sentences (SWIF2T, Section 4).

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
from pandas import DataFrame
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

from evals.datasets.samples import TrainDevSplit
from evals.statistics import estimate_clustered_mean
from state.errors import SettingsError
from state.files import write_atomically
from tools.bert import PACKAGED_ENCODER
from training import fitting
from training.review_filters.labelled_sentences import (
    LABELS,
    LabelledSentence,
    Task,
    read_sentence_split,
)

# The classifier's folder in that of the run.
MODEL_FOLDER = "model"
_MODEL_KIND = "encoder like BERT"


class ClassifierConfig(fitting.FitConfig):
    """Hyperparameters of a classifier of review sentences (`training/configs/purpose.toml` and `aspect.toml`)."""

    encoder: str = PACKAGED_ENCODER
    max_length: int = Field(default=128, ge=8, le=512)
    balance: float = Field(default=0.0, ge=0, le=1)
    """0: all sentences weigh the same in the loss; 1: all labels do; between: n ** -balance for n sentences."""
    metric: Literal["accuracy", "macro_f1"] = "accuracy"
    """Metric on the dev sentences by which the epoch is chosen."""


def train_classifier(task: Task, config: ClassifierConfig, data: Path, out: Path) -> str:
    """Train a classifier of review sentences, or resume its run in `out`; write and return its evaluation as Markdown.

    The data are JSON Lines of labelled sentences: F1000RD for the purpose, Peer-Review-Analyze for the aspect. `out`
    gets `model/` and the returned text as `evaluation.md`.

    Raises:
        InputError: The file of sentences cannot be used.
        SettingsError: The encoder cannot be loaded, or `out` holds another run or a finished one.
    """
    # 1. Load what the run needs.
    fitting.check_unfinished(out)
    split, labels = read_sentence_split(task, data), LABELS[task]
    set_seed(config.seed)
    model = fitting.load_pretrained(
        AutoModelForSequenceClassification,
        config.encoder,
        _MODEL_KIND,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.dropout,
    )
    tokenizer = fitting.load_pretrained(AutoTokenizer, config.encoder, _MODEL_KIND)
    longest = min(config.max_length, model.config.max_position_embeddings - 2)  # RoBERTa reserves two positions
    tokenizer.model_max_length = longest
    train, dev = (_tokenize_sentences(part, tokenizer, labels) for part in split)
    # 2. Train; the epoch with the best dev metric is saved.
    trainer = Trainer(
        model,
        TrainingArguments(
            **fitting.build_trainer_arguments(config, out, metric=f"eval_{config.metric}"),
            train_sampling_strategy="group_by_length",
        ),
        data_collator=DataCollatorWithPadding(tokenizer),
        train_dataset=train,
        eval_dataset=dev,
        processing_class=tokenizer,
        compute_loss_func=_build_weighted_loss(compute_label_weights(split.train, labels, config.balance)),
        compute_metrics=_compute_metrics,
    )
    hashes = {"sentences": fitting.compute_file_sha256(data)}
    fitting.fit_model(trainer, config, out, hashes, lambda: trainer.save_model(str(out / MODEL_FOLDER)))
    # 3. Measure the saved model, as others load it.
    predicted = load_classifier(out, task)([each.text for each in split.dev])
    report = "\n".join(_render_evaluation(split, predicted, labels)) + "\n"
    write_atomically(out / "evaluation.md", report.encode())
    return report


def load_classifier(folder: Path, task: Task) -> Callable[[Sequence[str]], list[str]]:
    """Load the classifier in a run's folder; return a function from sentences to a list of their labels."""
    model = fitting.load_pretrained(AutoModelForSequenceClassification, folder / MODEL_FOLDER, f"classifier of {task}s")
    if set(model.config.label2id) != set(LABELS[task]):
        raise SettingsError(f"The classifier in {folder} does not predict {task}s; name another folder.")
    tokenizer = AutoTokenizer.from_pretrained(folder / MODEL_FOLDER)
    classify = pipeline("text-classification", model=model, tokenizer=tokenizer)
    return lambda texts: [each["label"] for each in classify(list(texts), batch_size=32, truncation=True)]


def compute_label_weights(sentences: Sequence[LabelledSentence], labels: Sequence[str], balance: float) -> list[float]:
    """Compute each label's weight in the loss by `ClassifierConfig.balance`; their mean over the sentences is 1."""
    counts = Counter(each.label for each in sentences)
    raw = {label: counts[label] ** -balance for label in labels if counts[label]}
    scale = len(sentences) / sum(counts[label] * weight for label, weight in raw.items())
    return [scale * raw.get(label, 0.0) for label in labels]


def _tokenize_sentences(sentences: Sequence[LabelledSentence], tokenizer: Any, labels: Sequence[str]) -> Dataset:
    tokens = tokenizer([each.text for each in sentences], truncation=True)
    return Dataset.from_dict({**tokens, "labels": [labels.index(each.label) for each in sentences]})


def _build_weighted_loss(weights: Sequence[float]) -> Callable[..., torch.Tensor]:
    """Return a loss function for the trainer: cross entropy weighted by label, averaged over a step's items."""

    def compute_loss(
        outputs: Mapping[str, torch.Tensor], labels: torch.Tensor, num_items_in_batch: torch.Tensor | None = None
    ) -> torch.Tensor:
        logits = outputs["logits"]
        # The sum over all items of a step, because the trainer may spread a step over several batches.
        total = cross_entropy(logits, labels, weight=torch.tensor(weights, device=logits.device), reduction="sum")
        return total / (len(labels) if num_items_in_batch is None else num_items_in_batch)

    return compute_loss


def _compute_metrics(found: EvalPrediction) -> dict[str, float]:
    """Compute the accuracy and the macro-averaged F1 (0 to 1) of the trainer's predictions."""
    predicted = np.asarray(found.predictions).argmax(-1)
    return {
        "accuracy": float(accuracy_score(found.label_ids, predicted)),
        "macro_f1": float(f1_score(found.label_ids, predicted, average="macro")),
    }


def _render_evaluation(
    split: TrainDevSplit[LabelledSentence], predicted: Sequence[str], labels: Sequence[str]
) -> Iterator[str]:
    """Yield lines of Markdown: accuracy on the dev sentences, precision, recall and F1 by label, a confusion matrix."""
    gold = [each.label for each in split.dev]
    commonest = Counter(each.label for each in split.train).most_common(1)[0][0]
    yield "| | accuracy (95% interval) |\n|---|---|"
    for name, guessed in (("classifier", predicted), ("majority label", [commonest] * len(gold))):
        hits = [guess == label for guess, label in zip(guessed, gold, strict=True)]
        # The bootstrap draws papers, as the sentences about one paper depend on each other.
        mean, low, high = estimate_clustered_mean(hits, [each.paper_id for each in split.dev])
        yield f"| {name} | {mean:.1%} ({low:.1%} to {high:.1%}) |"
    figures = classification_report(gold, predicted, labels=labels, digits=3, zero_division=0)
    confusion = DataFrame(confusion_matrix(gold, predicted, labels=labels), index=labels, columns=labels)
    yield f"\n```\n{figures}```\n\nAnnotated (rows) and predicted (columns):\n\n```\n{confusion.to_string()}\n```"
