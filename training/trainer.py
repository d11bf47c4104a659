"""A trainer of whole epochs: complete checkpoints, resume, the weights of the best epoch, early stopping, and progress.

Importing this module loads torch and transformers.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from typing_extensions import override

from state.errors import SettingsError
from training.checkpoints import keep_best, keep_checkpoint, newest_checkpoint, save_best
from training.run_record import Epoch, FitConfig, best_epoch, epochs


class EpochTrainer(Trainer):
    """A `transformers.Trainer` that is measured after each epoch and can be killed at any time."""

    _clock = 0.0

    def fit(self, metric: str, patience: int) -> list[Epoch]:
        """Train from the newest complete checkpoint of the run's folder, or from the start, and return the curve.

        Args:
            metric: Of `measured`, chooses the best epoch, whose weights are kept; higher is better.
            patience: Epochs without a better one after which training stops.

        Raises:
            SettingsError: The loss became infinite.
        """
        out = Path(str(self.args.output_dir))
        checkpoint = newest_checkpoint(out)
        if checkpoint:
            history = epochs(TrainerState.load_from_json(str(checkpoint / "trainer_state.json")).log_history)
            if _exhausted(history, metric, patience):  # killed after its last epoch; the Trainer would add one more
                self.args.num_train_epochs = len(history)
        progress = _Progress()
        self.remove_callback(PrinterCallback)
        self.add_callback(_EpochEnd(out, metric, patience))
        self.add_callback(progress)
        self._clock = time.monotonic()
        with progress.bar:
            self.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        return epochs(self.state.log_history)

    def measured(self) -> tuple[float, dict[str, float]]:
        """The loss and the metrics on the dev data; called in evaluation mode, without gradients."""
        raise NotImplementedError

    @torch.no_grad()
    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Log an epoch with the seconds since the last one, as `training.run_record.epochs` reads it."""
        model: Any = self.model
        model.eval()
        loss, metrics = self.measured()
        now = time.monotonic()
        figures: dict[str, Any] = {"dev_loss": loss, "metrics": metrics, "seconds": now - self._clock}
        self._clock = now
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics


def shared_arguments(config: FitConfig, out: Path) -> dict[str, Any]:
    """What every trainer of ours is told, as arguments of `transformers.TrainingArguments`.

    Raises:
        SettingsError: As `on_gpu`.
    """
    on_gpu(config)
    return {
        "output_dir": str(out),
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": config.schedule,
        "max_grad_norm": config.clip_norm,
        "per_device_train_batch_size": config.batch_size,
        "per_device_eval_batch_size": config.batch_size,
        "gradient_accumulation_steps": config.accumulation,
        "num_train_epochs": config.epochs,
        "weight_decay": config.weight_decay,
        "adam_epsilon": config.adam_epsilon,
        "warmup_steps": config.warmup_ratio,
        "seed": config.seed,
        "data_seed": config.seed,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "logging_strategy": "epoch",
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": config.device == "cpu",
    }


def on_gpu(config: FitConfig) -> bool:
    """Whether a run trains on a GPU.

    Raises:
        SettingsError: One is asked for and there is none, or there is more than one.
    """
    devices = 0 if config.device == "cpu" else torch.cuda.device_count()
    if config.device == "cuda" and not devices:
        raise SettingsError('There is no GPU that torch can use; set `device` to "cpu" or "auto".')
    if devices > 1:
        raise SettingsError("Training uses one GPU and several are visible; choose one, as by CUDA_VISIBLE_DEVICES=0.")
    return devices > 0


def device_name(device: torch.device) -> str:
    """What a run was trained on, for its record."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else f"cpu, {torch.get_num_threads()} threads"


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


class _Progress(TrainerCallback):
    """How far a run is, on standard error: a moving bar on a terminal, a line after each epoch everywhere."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
        """To be entered around the training."""
        self._task = self.bar.add_task("training", total=None)

    @override
    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Begin at the step that a resumed run is at."""
        self.bar.update(self._task, total=state.max_steps, completed=state.global_step)

    @override
    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Move on."""
        self.bar.update(self._task, completed=state.global_step)

    @override
    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Tell what an epoch came to."""
        epoch = epochs(state.log_history)[-1]
        figures = {"train loss": epoch.train_loss, "dev loss": epoch.dev_loss, **epoch.metrics}
        told = ", ".join(f"{name} {value:.4f}" for name, value in figures.items())
        self.bar.console.print(
            f"epoch {epoch.number}/{args.num_train_epochs:g}: {told}", soft_wrap=True, highlight=False, markup=False
        )


def _exhausted(history: list[Epoch], metric: str, patience: int) -> bool:
    return len(history) - best_epoch(history, metric).number >= patience
