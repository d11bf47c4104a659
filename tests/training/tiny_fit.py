"""A training run that takes a second: sequences of numbers, told apart by whether their first one is high.

As a program it kills itself at a batch: python -m tests.training.tiny_fit FOLDER BATCH
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertModel, set_seed

from training.fitting import Fitted, fit
from training.run_record import FitConfig

Example = tuple[list[int], int]

CONFIG = FitConfig(
    learning_rate=5e-3, batch_size=4, epochs=4, patience=4, weight_decay=0.01, warmup_ratio=0.1, device="cpu"
)
DATA = {"train": "abc"}
BATCHES = 6
"""Of an epoch."""


class Tiny(nn.Module):
    """BERT with a head."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.encoder = BertModel(
            BertConfig(
                vocab_size=20,
                hidden_size=8,
                num_hidden_layers=1,
                num_attention_heads=2,
                intermediate_size=16,
                max_position_embeddings=8,
                hidden_dropout_prob=dropout,
                attention_probs_dropout_prob=dropout,
            )
        )
        self.head = nn.Linear(8, 2)

    def forward(self, ids: Tensor) -> Tensor:
        logits: Tensor = self.head(self.encoder(input_ids=ids).pooler_output)
        return logits


def examples(count: int, seed: int) -> list[Example]:
    rows = torch.randint(20, (count, 5), generator=torch.Generator().manual_seed(seed)).tolist()
    return [(row, int(row[0] >= 10)) for row in rows]


TRAIN, DEV = examples(BATCHES * CONFIG.batch_size, 1), examples(10, 2)


def collate(rows: list[Example]) -> dict[str, Tensor]:
    return {"ids": torch.tensor([ids for ids, _ in rows]), "labels": torch.tensor([label for _, label in rows])}


def compute_loss(model: Tiny, batch: Mapping[str, Any]) -> Tensor:
    return cross_entropy(model(batch["ids"]), batch["labels"])


def measure(model: Tiny) -> dict[str, float]:
    batch = collate(DEV)
    return {"accuracy": (model(batch["ids"]).argmax(dim=1) == batch["labels"]).double().mean().item()}


def make_model(config: FitConfig = CONFIG) -> Tiny:
    set_seed(config.seed)
    return Tiny(config.dropout)


def run(
    out: Path,
    *,
    config: FitConfig = CONFIG,
    data: Mapping[str, str] = DATA,
    model: Tiny | None = None,
    loss: Callable[[Tiny, Mapping[str, Any]], Tensor] = compute_loss,
    measured: Callable[[Tiny], Mapping[str, float]] = measure,
) -> Fitted:
    return fit(
        model or make_model(config),
        TRAIN,
        DEV,
        config=config,
        out=out,
        collate=collate,
        compute_loss=loss,
        measure=measured,
        metric="accuracy",
        data=data,
    )


def killed_at(batch: int) -> Callable[[Tiny, Mapping[str, Any]], Tensor]:
    """The loss, until the process is killed in the midst of a batch, counted from 1, those of the dev data included."""
    batches = iter(range(1, batch + 1))

    def loss(model: Tiny, examples: Mapping[str, Any]) -> Tensor:
        if next(batches) == batch:
            os.kill(os.getpid(), signal.SIGKILL)
        return compute_loss(model, examples)

    return loss


if __name__ == "__main__":
    run(Path(sys.argv[1]), loss=killed_at(int(sys.argv[2])))
