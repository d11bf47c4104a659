"""Training of any model of ours: `transformers.Trainer` with checkpoints, resume, early stopping and a run record.

A run that is killed goes on from its last complete epoch and reaches the same losses as one that is not; runs with one
seed on one device and number of threads agree. Importing this module loads torch and transformers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from typing_extensions import override

from state.errors import SettingsError
from state.files import write_atomically
from training.checkpoints import (
    best_weights,
    claimed,
    delete_checkpoints,
    keep_best,
    keep_checkpoint,
    load_best,
    newest_checkpoint,
    save_best,
)
from training.fit_progress import FitProgress
from training.length_sampler import LengthSampler
from training.run_record import Epoch, FitConfig, TrainingRecord, best_epoch, epochs, package_versions

__all__ = ["FitConfig", "Fitted", "TrainingRecord", "fit"]

_RECORD = "record.json"

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
        metric: Which of them chooses the best epoch; higher is better.
        data: Hashes of the data, and whatever else the result depends on, such as the encoder.
        length: Of an example; if given, batches are of examples of like length, so that less of them is padding.

    Raises:
        SettingsError: `out` holds a run with other settings or data, the device is missing, or training diverged.
        StateError: `out` cannot be written, or another process trains in it.
    """
    run = {"config": config.model_dump(mode="json"), "data": dict(data), "metric": metric}
    with claimed(out, run):
        if not (out / _RECORD).is_file():
            trainer = _Fitter(
                model,
                _arguments(config, out),
                collate,
                train,
                dev,
                callbacks=[_EpochEnd(out, metric, config.patience)],
            )
            trainer.use(compute_loss, measure, length)
            _train(trainer, newest_checkpoint(out), metric, config.patience)
            record = _record(run, epochs(trainer.state.log_history), trainer.args.device)
            write_atomically(out / _RECORD, record.model_dump_json(indent=2).encode() + b"\n")
        record = TrainingRecord.model_validate_json((out / _RECORD).read_bytes())
        load_best(model, out, record.best_epoch)
        delete_checkpoints(out)
    return Fitted(record, best_weights(out, record.best_epoch))


class _Fitter(Trainer):
    """The Trainer with our loss and our measures."""

    def use(
        self,
        compute_loss: Callable[..., Tensor],
        measure: Callable[..., Mapping[str, float]],
        length: Callable[[Any], int] | None,
    ) -> None:
        self._loss = compute_loss
        self._measure = measure
        self._length = length
        self.model_accepts_loss_kwargs = False  # a loss is the mean of its batch, whatever the model could be told
        self._clock = time.monotonic()

    def compute_loss(self, model: nn.Module, inputs: Mapping[str, Any], *_: Any, **__: Any) -> Tensor:
        return self._loss(model, inputs)

    def _get_train_sampler(self, train_dataset: Any = None) -> Any:
        if self._length is None:
            return super()._get_train_sampler(train_dataset)
        examples: Any = self.train_dataset
        return LengthSampler([self._length(each) for each in examples], self.args.train_batch_size)

    @torch.no_grad()
    def evaluate(self, *_: Any, **__: Any) -> dict[str, Any]:
        """Measure on the dev data and log it with the seconds since the last time."""
        model: Any = self.model
        model.eval()
        losses = [self._loss(model, batch).item() for batch in self.get_eval_dataloader()]
        metrics = {name: float(value) for name, value in self._measure(model).items()}
        now = time.monotonic()
        figures: dict[str, Any] = {
            "dev_loss": math.fsum(losses) / len(losses),
            "metrics": metrics,
            "seconds": now - self._clock,
        }
        self._clock = now
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


class _EpochEnd(TrainerCallback):
    """Keeps the best weights, stops early, and marks checkpoints that are complete.

    All of it follows from the state's log, which a checkpoint holds, so that a resumed run decides as the first did.
    """

    def __init__(self, out: Path, metric: str, patience: int) -> None:
        self._out = out
        self._metric = metric
        self._patience = patience

    @override
    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        loss = kwargs["logs"].get("loss", 0.0)
        if not math.isfinite(loss):
            raise SettingsError(
                f"Training diverged: the loss became {loss} by step {state.global_step}; lower `learning_rate`."
            )

    @override
    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        history = epochs(state.log_history)
        if best_epoch(history, self._metric) == history[-1]:
            save_best(kwargs["model"], self._out, len(history))
        if _exhausted(history, self._metric, self._patience):
            control.should_training_stop = True

    @override
    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        keep_checkpoint(self._out / f"checkpoint-{state.global_step}")
        keep_best(self._out, best_epoch(epochs(state.log_history), self._metric).number)


def _train(trainer: _Fitter, checkpoint: Path | None, metric: str, patience: int) -> None:
    if checkpoint:
        history = epochs(TrainerState.load_from_json(str(checkpoint / "trainer_state.json")).log_history)
        if _exhausted(history, metric, patience):  # it was killed after its last epoch; the Trainer would add one more
            trainer.args.num_train_epochs = len(history)
    progress = FitProgress()
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(progress)
    with progress.bar:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)


def _exhausted(history: list[Epoch], metric: str, patience: int) -> bool:
    return len(history) - best_epoch(history, metric).number >= patience


def _record(run: Mapping[str, Any], history: list[Epoch], device: torch.device) -> TrainingRecord:
    best = best_epoch(history, run["metric"])
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else f"cpu, {torch.get_num_threads()} threads"
    return TrainingRecord(
        **run,
        history=history,
        best_epoch=best.number,
        best_metric=best.metrics[run["metric"]],
        seconds=math.fsum(epoch.seconds for epoch in history),
        device=name,
        versions=package_versions(),
    )


def _arguments(config: FitConfig, out: Path) -> TrainingArguments:
    devices = 0 if config.device == "cpu" else torch.cuda.device_count()
    if config.device == "cuda" and not devices:
        raise SettingsError('There is no GPU that torch can use; set `device` to "cpu" or "auto".')
    if devices > 1:
        raise SettingsError("Training uses one GPU and several are visible; choose one, as by CUDA_VISIBLE_DEVICES=0.")
    return TrainingArguments(
        output_dir=str(out),
        learning_rate=config.learning_rate,
        lr_scheduler_type=config.schedule,
        max_grad_norm=config.clip_norm,
        per_device_train_batch_size=config.batch_size,
        per_device_eval_batch_size=config.batch_size,
        gradient_accumulation_steps=config.accumulation,
        num_train_epochs=config.epochs,
        weight_decay=config.weight_decay,
        adam_epsilon=config.adam_epsilon,
        warmup_steps=config.warmup_ratio,
        seed=config.seed,
        data_seed=config.seed,
        use_cpu=config.device == "cpu",
        dataloader_pin_memory=False,  # `collate` may make its tensors on the GPU
        remove_unused_columns=False,
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
    )
