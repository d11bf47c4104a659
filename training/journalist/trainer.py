"""TRL's trainer with a dev loss by token, the best epoch's weights, early stopping, and nothing that is sent anywhere.

Importing this module loads torch, transformers, peft and trl.
"""

from __future__ import annotations

import math
import time
import warnings
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PrinterCallback, TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer
from typing_extensions import override

from state.errors import SettingsError
from training.checkpoints import keep_best, keep_checkpoint, newest_checkpoint, save_best
from training.fit_progress import FitProgress
from training.journalist.config import JournalistConfig
from training.journalist.examples import TokenisedConversation
from training.run_record import Epoch, best_epoch, epochs

METRIC = "log_likelihood"
"""Mean per token of the dev summaries; chooses the epoch."""


class JournalistTrainer(SFTTrainer):
    """Trains an adapter on summaries, epoch by epoch."""

    def fit(self, out: Path, patience: int) -> list[Epoch]:
        """Train from the newest complete checkpoint in `out`, or from the start, and return the curve.

        Raises:
            SettingsError: The loss became infinite.
        """
        checkpoint = newest_checkpoint(out)
        if checkpoint:
            history = epochs(TrainerState.load_from_json(str(checkpoint / "trainer_state.json")).log_history)
            if _exhausted(history, patience):  # it was killed after its last epoch; the Trainer would add one more
                self.args.num_train_epochs = len(history)
        progress = FitProgress()
        self.remove_callback(PrinterCallback)
        self.add_callback(_EpochEnd(out, patience))
        self.add_callback(progress)
        self._clock: float = time.monotonic()
        with progress.bar:
            self.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        return epochs(self.state.log_history)

    @torch.no_grad()
    def dev_loss(self) -> float:
        """Mean negative log-likelihood of the tokens of the dev summaries, in nats."""
        model: Any = self.model
        model.eval()
        total, count = 0.0, 0
        for batch in self.get_eval_dataloader():
            tokens = int((batch["labels"][:, 1:] >= 0).sum())
            with self.compute_loss_context_manager():
                total += self.compute_loss(model, batch).item() * tokens  # type: ignore[no-untyped-call]
            count += tokens
        return total / count

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Log the dev loss and the seconds since the last time, as `training.run_record.epochs` reads them."""
        loss = self.dev_loss()
        metrics = {METRIC: -loss}
        now = time.monotonic()
        figures: dict[str, Any] = {"dev_loss": loss, "metrics": metrics, "seconds": now - self._clock}
        self._clock = now
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """None: the run's record says more."""

    def _send_telemetry(self) -> None:
        """None: by itself TRL reports every trainer that is made to the model hub."""


class _EpochEnd(TrainerCallback):
    """Keeps the best weights, stops early, and marks checkpoints that are complete.

    All of it follows from the state's log, which a checkpoint holds, so that a resumed run decides as the first did.
    """

    def __init__(self, out: Path, patience: int) -> None:
        self._out = out
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
        if best_epoch(history, METRIC) == history[-1]:
            save_best(kwargs["model"], self._out, len(history))
        if _exhausted(history, self._patience):
            control.should_training_stop = True

    @override
    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        keep_checkpoint(self._out / f"checkpoint-{state.global_step}")
        keep_best(self._out, best_epoch(epochs(state.log_history), METRIC).number)


def make_trainer(
    model: Any,
    tokenizer: Any,
    *,
    train: list[TokenisedConversation],
    dev: list[TokenisedConversation],
    config: JournalistConfig,
    out: Path,
) -> JournalistTrainer:
    """A trainer that adds an adapter to all linear layers of `model` but its output layer, and trains only that.

    Raises:
        SettingsError: A GPU is asked for and there is none, or there is more than one.
    """
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=config.lora_rank,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.dropout,
        target_modules="all-linear",
    )
    with warnings.catch_warnings():
        # peft reads it by its old name, which only matters to peft
        warnings.filterwarnings("ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning)
        return JournalistTrainer(
            model,
            _arguments(config, out),
            train_dataset=Dataset.from_list(train),
            eval_dataset=Dataset.from_list(dev),
            processing_class=tokenizer,
            peft_config=adapter,
        )


def precision(config: JournalistConfig) -> torch.dtype:
    """What the model's own weights are kept and multiplied in; the adapter's are always float32."""
    half = _on_gpu(config) and torch.cuda.is_bf16_supported()
    return torch.bfloat16 if half else torch.float32


def _on_gpu(config: JournalistConfig) -> bool:
    devices = 0 if config.device == "cpu" else torch.cuda.device_count()
    if config.device == "cuda" and not devices:
        raise SettingsError('There is no GPU that torch can use; set `device` to "cpu" or "auto".')
    if devices > 1:
        raise SettingsError("Training uses one GPU and several are visible; choose one, as by CUDA_VISIBLE_DEVICES=0.")
    return devices > 0


def _exhausted(history: list[Epoch], patience: int) -> bool:
    return len(history) - best_epoch(history, METRIC).number >= patience


def _arguments(config: JournalistConfig, out: Path) -> SFTConfig:
    gpu = _on_gpu(config)
    return SFTConfig(
        output_dir=str(out),
        learning_rate=config.learning_rate,
        lr_scheduler_type=config.schedule,
        max_grad_norm=config.clip_norm,
        per_device_train_batch_size=config.batch_size,
        per_device_eval_batch_size=config.batch_size,
        gradient_accumulation_steps=config.accumulation,
        activation_checkpointing=config.activation_checkpointing,
        num_train_epochs=config.epochs,
        weight_decay=config.weight_decay,
        adam_epsilon=config.adam_epsilon,
        warmup_steps=config.warmup_ratio,
        seed=config.seed,
        data_seed=config.seed,
        use_cpu=not gpu,
        bf16=precision(config) == torch.bfloat16,
        dataloader_pin_memory=gpu,
        dataset_kwargs={"skip_prepare_dataset": True},  # the examples are tokenised and labelled
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
    )
