"""Shared parts of every training: TOML configurations, trainer arguments, the training loop and its record.

While a run trains, its folder holds the trainer's checkpoints, from which the same command resumes. Importing this
module loads torch and transformers.
"""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal, TypeVar

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.console import Console
from transformers import (
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from typing_extensions import override

from state.errors import SettingsError, StateError
from state.files import write_atomically
from state.settings import describe_validation_error
from tools.bert import PACKAGED_ENCODER, locate_packaged_encoder

CONFIGS = Path(__file__).parent / "configs"
# Written before training: the configuration and data of the run, which a resumed run must share.
_RUN_FILE = "run.json"
# Written last; a folder with it holds a finished run.
RECORD_FILE = "record.json"
# Metrics of the trainer's own speed, which are not printed.
_TIMING_SUFFIXES = ("_time", "_runtime", "_per_second")
# Packages whose versions the record keeps.
_PACKAGES = ("torch", "transformers", "accelerate", "datasets", "peft", "trl", "sentence-transformers")


class FitConfig(BaseModel):
    """Base of the hyperparameters of every training; subclasses add those of their model, such as its encoder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: float = Field(gt=0)
    """Peak: the rate rises linearly from 0 during the warm-up, then falls to 0 by `schedule` until the last epoch."""
    schedule: Literal["linear", "cosine"] = "linear"
    batch_size: int = Field(ge=1)
    accumulation: int = Field(default=1, ge=1)
    """Batches whose gradients are added up for a step."""
    clip_norm: float = Field(default=1.0, gt=0)
    """Largest norm of a step's gradients; longer ones are clipped."""
    epochs: int = Field(ge=1)
    """Most epochs; `patience` may stop training earlier."""
    patience: int = Field(ge=1)
    """Epochs without a better dev metric until training stops."""
    weight_decay: float = Field(default=0.0, ge=0)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    adam_epsilon: float = Field(default=1e-8, gt=0)
    warmup_ratio: float = Field(default=0.0, ge=0, lt=1)
    """Share of all steps during which the learning rate rises."""
    seed: int = Field(default=0, ge=0)
    device: Literal["auto", "cpu", "cuda"] = "auto"


class FitRecord(BaseModel):
    """The content of a finished run's `record.json`; the learning curve is in `trainer_state.json`."""

    config: dict[str, Any]
    data: dict[str, Any]
    """Hashes of the data, and other facts that the result depends on."""
    epochs: float
    """Epochs trained; the weights are those of the best epoch."""
    metric: str
    before: float
    """Metric of the model before training."""
    best: float
    versions: dict[str, str]


Config = TypeVar("Config", bound=BaseModel)


def read_training_config(name: str, schema: type[Config]) -> Config:
    """Read a configuration of a schema, by its name in `training/configs/` or from a TOML file.

    Raises:
        SettingsError: There is no such file, or it holds an unknown key or a value out of bounds.
    """
    path = packaged if (packaged := CONFIGS / f"{name}.toml").is_file() else Path(name)
    if not path.is_file():
        names = ", ".join(sorted(path.stem for path in CONFIGS.glob("*.toml")))
        raise SettingsError(f"There is no configuration {name!r}; choose from {names}, or name a TOML file.")
    try:
        return schema.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The configuration {path} cannot be read ({error}); name a TOML file.") from error
    except ValidationError as error:
        raise SettingsError(f"The configuration {path} cannot be used: {describe_validation_error(error)}.") from error


def load_pretrained(model_class: Any, name: str | Path, model_noun: str, **options: Any) -> Any:
    """Load a model or tokenizer of a class of transformers: the packaged encoder, a folder, or a name on the model hub.

    The message of the SettingsError asks for "a `model_noun`"; the options are those of `from_pretrained`.
    """
    source = resolve_model_source(name)
    try:
        return model_class.from_pretrained(source, local_files_only=isinstance(source, Path), **options)
    except (OSError, ValueError, TypeError) as error:  # TypeError: no such dropout
        raise SettingsError(
            f"The model {str(name)!r} cannot be loaded ({str(error).strip().splitlines()[0]}); name the folder of a "
            f"{model_noun} in Hugging Face's format, or a hub id where the hub can be reached."
        ) from error


def resolve_model_source(name: str | Path) -> str | Path:
    """Return the folder of a pretrained model or of the packaged encoder, else the name unchanged, as a hub name."""
    folder = locate_packaged_encoder() if name == PACKAGED_ENCODER else Path(name).expanduser()
    return folder if folder.is_dir() else str(name)


def compute_file_sha256(path: Path) -> str:
    """Compute the SHA-256 of a file's bytes, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def should_use_gpu(config: FitConfig) -> bool:
    """Return whether a run trains on a GPU; SettingsError if it must and cannot, or several are visible."""
    devices = 0 if config.device == "cpu" else torch.cuda.device_count()
    if config.device == "cuda" and not devices:
        raise SettingsError('There is no GPU that torch can use; set `device` to "cpu" or "auto".')
    if devices > 1:
        raise SettingsError(
            "Training uses one GPU and several are visible; choose one, e.g. with CUDA_VISIBLE_DEVICES=0."
        )
    return devices > 0


def build_trainer_arguments(config: FitConfig, out: Path, *, metric: str) -> dict[str, Any]:
    """Return a configuration as arguments of `transformers.TrainingArguments`, and create the folder of the run.

    The metric chooses the best epoch; higher is better except for `eval_loss`.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(f"The run cannot be written in {out} ({error.strerror}); name another folder.") from error
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
        "warmup_steps": config.warmup_ratio,  # a number below 1 is a share of all steps
        "seed": config.seed,
        "data_seed": config.seed,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "logging_strategy": "epoch",
        "logging_nan_inf_filter": False,  # else a loss of NaN is not seen, and training goes on
        "save_total_limit": 1,  # beside the best checkpoint
        "load_best_model_at_end": True,
        "metric_for_best_model": metric,
        "greater_is_better": metric != "eval_loss",
        "restore_callback_states_from_checkpoint": True,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": not should_use_gpu(config),
        "dataloader_pin_memory": should_use_gpu(config),
    }


def fit_model(
    trainer: Trainer, config: FitConfig, out: Path, data: Mapping[str, Any], save: Callable[[], object]
) -> FitRecord:
    """Train to the best epoch, or resume a killed run, and write and return the record; of a finished run, return it.

    `data` has other facts that the result depends on, as JSON values. `save` saves the model and is called once, after
    training.

    Raises:
        SettingsError: `out` holds a run with other settings or data, or training diverged.
    """
    # 1. Refuse the folder of another run, and return the record of a finished one.
    run = {"config": config.model_dump(mode="json"), "data": dict(data)}
    if (out / _RUN_FILE).is_file() and json.loads((out / _RUN_FILE).read_bytes()) != run:
        raise SettingsError(f"The folder {out} holds a run with other settings or data; name another, or delete it.")
    write_atomically(out / _RUN_FILE, json.dumps(run, indent=2).encode() + b"\n")
    if (out / RECORD_FILE).is_file():
        return FitRecord.model_validate_json((out / RECORD_FILE).read_bytes())
    # 2. Measure the model before training. Both callbacks are added afterwards: this evaluation is not an epoch.
    metric = str(trainer.args.metric_for_best_model)
    trainer.remove_callback(PrinterCallback)
    before = trainer.evaluate()[metric]
    trainer.add_callback(EarlyStoppingCallback(config.patience))
    trainer.add_callback(_ProgressCallback())
    # 3. Train, from the newest checkpoint if there is one. Without `trainer_state.json` it is incomplete.
    checkpoints = sorted(out.glob("checkpoint-*/trainer_state.json"), key=lambda path: int(path.parent.name[11:]))
    trainer.train(resume_from_checkpoint=str(checkpoints[-1].parent) if checkpoints else None)
    trainer.save_state()
    # 4. Save the model, then the record; only now are the checkpoints not needed any more.
    save()
    record = FitRecord(
        **run,
        epochs=trainer.state.epoch or 0.0,
        metric=metric,
        before=before,
        best=trainer.state.best_metric or 0.0,
        versions={name: version(name) for name in _PACKAGES},
    )
    write_atomically(out / RECORD_FILE, record.model_dump_json(indent=2).encode() + b"\n")
    for checkpoint in out.glob("checkpoint-*"):
        rmtree(checkpoint)
    return record


def check_unfinished(out: Path) -> None:
    """Raise a SettingsError if the folder holds a finished run; to be called before any model is loaded."""
    if (out / RECORD_FILE).is_file():
        raise SettingsError(f"The training run in {out} is finished; name another folder to train again.")


class _ProgressCallback(TrainerCallback):
    """Callback that prints each epoch's metrics on standard error, and stops a run whose loss is not finite."""

    @override
    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Print the metrics of an epoch, or raise a SettingsError if its loss is not finite."""
        logs = kwargs["logs"]
        if not math.isfinite(logs.get("loss", 0.0)):
            raise SettingsError(f"Training diverged by step {state.global_step}; lower `learning_rate`.")
        names = [name for name in logs if name == "loss" or name.startswith("eval_")]
        metrics = [f"{name} {logs[name]:.4g}" for name in names if not name.endswith(_TIMING_SUFFIXES)]
        if metrics:
            Console(stderr=True).print(f"epoch {logs.get('epoch', 0):g}: {', '.join(metrics)}", soft_wrap=True)
