"""Training of any model of ours: `transformers.Trainer` with checkpoints, resume, early stopping and a run record.

A run that is killed goes on from its last complete epoch and reaches the same losses as one that is not; runs with one
seed on one device and number of threads agree. Importing this module loads torch and transformers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch.utils.data import Sampler
from transformers import TrainingArguments

from state.files import write_atomically
from training.checkpoints import best_weights, claimed, delete_checkpoints, load_best
from training.run_record import FitConfig, TrainingRecord, trained
from training.trainer import EpochTrainer, device_name, shared_arguments

_RECORD = "record.json"
LAST = "epoch"
"""The metric of a run whose epochs are all wanted: how many there were."""
_POOL = 50
"""Batches whose examples are sorted by length together."""

Model = TypeVar("Model", bound=nn.Module)


class Fitted(NamedTuple):
    """A finished run; the model that was passed holds the weights of its best epoch."""

    record: TrainingRecord
    weights: Path
    """The trained parameters of the best epoch; may be deleted once they are saved elsewhere."""


def fit(  # noqa: PLR0913 - the parts of a training run
    model: Model,
    train: Sequence[Any],
    dev: Sequence[Any],
    *,
    config: FitConfig,
    out: Path,
    collate: Callable[[list[Any]], dict[str, Any]],
    compute_loss: Callable[[Model, Mapping[str, Any]], Tensor],
    measure: Callable[[Model], Mapping[str, float]],
    metric: str,
    data: Mapping[str, str],
    length: Callable[[Any], int] | None = None,
) -> Fitted:
    """Train a model, or take up or just return the same run in `out`.

    For two runs to agree, the model must be the same at the start too: call `transformers.set_seed` before making it.

    Args:
        model: Trained in place, its parameters with `requires_grad`; holds the best epoch's at the end.
        train: Examples.
        dev: Examples for the dev loss.
        config: Hyperparameters; the model applies `dropout` itself.
        out: The run's folder: `run.json`, checkpoints while it runs, `record.json` and the best weights at the end.
        collate: Makes a batch of tensors from examples.
        compute_loss: The mean loss of a batch on the model's device.
        measure: Metrics on the dev data, called after each epoch in evaluation mode, without gradients.
        metric: Which of them chooses the best epoch; higher is better. `LAST` keeps the last.
        data: Hashes of the data, and whatever else the result depends on, such as the encoder.
        length: Of an example; if given, batches are of examples of like length, so that less of them is padding.

    Raises:
        SettingsError: `out` holds a run with other settings or data, the device is missing, or training diverged.
        StateError: `out` cannot be written, or another process trains in it.
    """
    run = {"config": config.model_dump(mode="json"), "data": dict(data), "metric": metric}
    with claimed(out, run):
        if not (out / _RECORD).is_file():
            arguments = TrainingArguments(
                **shared_arguments(config, out),
                dataloader_pin_memory=False,  # `collate` may make its tensors on the GPU
                remove_unused_columns=False,
            )
            trainer = _Fitter(model, arguments, collate, train, dev)
            trainer.use(compute_loss, measure, length, count=metric == LAST)
            record = trained(run, trainer.fit(metric, config.patience), device_name(trainer.args.device))
            write_atomically(out / _RECORD, record.model_dump_json(indent=2).encode() + b"\n")
        record = TrainingRecord.model_validate_json((out / _RECORD).read_bytes())
        load_best(model, out, record.best_epoch)
        delete_checkpoints(out)
    return Fitted(record, best_weights(out, record.best_epoch))


class _Fitter(EpochTrainer):
    """The trainer with our loss and our measures."""

    def use(
        self,
        compute_loss: Callable[..., Tensor],
        measure: Callable[..., Mapping[str, float]],
        length: Callable[[Any], int] | None,
        *,
        count: bool,
    ) -> None:
        self._count = count
        self._loss = compute_loss
        self._measure = measure
        self._length = length
        self.model_accepts_loss_kwargs = False  # a loss is the mean of its batch, whatever the model could be told

    def compute_loss(self, model: nn.Module, inputs: Mapping[str, Any], *_: Any, **__: Any) -> Tensor:
        return self._loss(model, inputs)

    def measured(self) -> tuple[float, dict[str, float]]:
        losses = [self._loss(self.model, batch).item() for batch in self.get_eval_dataloader()]
        metrics = {name: float(value) for name, value in self._measure(self.model).items()}
        if self._count:
            metrics[LAST] = float(round(self.state.epoch or 0))
        return math.fsum(losses) / len(losses), metrics

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        if self._length is None:
            return super()._get_train_sampler(train_dataset)
        examples: Any = self.train_dataset
        return LengthSampler([self._length(each) for each in examples], self.args.train_batch_size)


class LengthSampler(Sampler[int]):
    """The numbers of examples, such that every `batch_size` of them are of like length.

    Of the random order, pools of 50 batches are sorted by length and cut into batches, which are shuffled. (The sampler
    that transformers has for it leaves them sorted: long examples always come before short ones.)

    Args:
        lengths: Of the examples.
        batch_size: Of how many a batch is made.
    """

    def __init__(self, lengths: Sequence[int], batch_size: int) -> None:
        self._lengths = lengths
        self._batch_size = batch_size

    def __len__(self) -> int:
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        """An order, by torch's random numbers."""
        order = torch.randperm(len(self._lengths)).tolist()
        pools = _cut(order, _POOL * self._batch_size)
        batches = [batch for pool in pools for batch in _cut(sorted(pool, key=self._length), self._batch_size)]
        batches.sort(key=len, reverse=True)  # one that is not full comes last, or those after it would be cut anew
        full = sum(len(batch) == self._batch_size for batch in batches)
        for number in [*torch.randperm(full).tolist(), *range(full, len(batches))]:
            yield from batches[number]

    def _length(self, number: int) -> int:
        return self._lengths[number]


def _cut(numbers: Sequence[int], size: int) -> list[Sequence[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]
