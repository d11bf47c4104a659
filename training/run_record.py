"""What a training run is and what came of it: its settings, its data by hash, and the curve of its epochs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

_PACKAGES = ("torch", "transformers", "accelerate", "tokenizers", "safetensors", "peft")


class FitConfig(BaseModel):
    """How a model is trained; a subclass adds what else the trained model depends on, such as its encoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: float = Field(gt=0)
    """At its highest: it rises from 0 during the warm-up, linearly, and falls to 0 at the last epoch by `schedule`."""
    schedule: Literal["linear", "cosine"] = "linear"
    batch_size: int = Field(ge=1)
    accumulation: int = Field(default=1, ge=1)
    """Batches a step: gradients of so many are added up before the weights change."""
    clip_norm: float = Field(default=1.0, gt=0)
    """A step's gradients are shortened to this length where they are longer."""
    epochs: int = Field(ge=1)
    """At most: training stops earlier by `patience`."""
    patience: int = Field(ge=1)
    """Epochs without a better dev metric after which training stops."""
    weight_decay: float = Field(default=0.0, ge=0)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    adam_epsilon: float = Field(default=1e-8, gt=0)
    warmup_ratio: float = Field(default=0.0, ge=0, lt=1)
    """The part of all steps during which the learning rate rises."""
    seed: int = Field(default=0, ge=0)
    device: Literal["auto", "cpu", "cuda"] = "auto"


class Epoch(BaseModel):
    """One pass over the training data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    """From 1."""
    train_loss: float
    """Mean over its steps."""
    dev_loss: float
    metrics: dict[str, float]
    """On the dev data."""
    seconds: float


class TrainingRecord(BaseModel):
    """What `record.json` says of a finished run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    config: dict[str, Any]
    data: dict[str, str]
    """Hashes of the data, and whatever else the result depends on, by name."""
    metric: str
    """The dev metric that chose the epoch; higher is better."""
    history: list[Epoch]
    best_epoch: int
    best_metric: float
    seconds: float
    """Of all epochs in the history; what was lost to an interruption does not count."""
    device: str
    versions: dict[str, str]


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def package_versions() -> dict[str, str]:
    """Versions of the packages that a trained model's figures depend on, those installed."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def epochs(log: list[dict[str, Any]]) -> list[Epoch]:
    """The epochs in the log of a `transformers.TrainerState`, as `training.trainer` writes it."""
    losses = [entry["loss"] for entry in log if "loss" in entry]
    measured = [entry for entry in log if "dev_loss" in entry]
    return [
        Epoch(
            number=number,
            train_loss=loss,
            dev_loss=entry["dev_loss"],
            metrics=entry["metrics"],
            seconds=entry["seconds"],
        )
        for number, (loss, entry) in enumerate(zip(losses, measured, strict=True), start=1)
    ]


def best_epoch(history: list[Epoch], metric: str) -> Epoch:
    """The first epoch with the highest value of a metric."""
    return max(history, key=lambda epoch: epoch.metrics[metric])


def trained(run: Mapping[str, Any], history: list[Epoch], device: str) -> TrainingRecord:
    """The record of a finished run.

    Args:
        run: Its `config`, `data` and `metric`.
        history: Its epochs.
        device: What it was trained on.
    """
    best = best_epoch(history, run["metric"])
    return TrainingRecord(
        **run,
        history=history,
        best_epoch=best.number,
        best_metric=best.metrics[run["metric"]],
        seconds=math.fsum(epoch.seconds for epoch in history),
        device=device,
        versions=package_versions(),
    )
