"""Fine-tunes the journalist: an adapter that vLLM serves beside the model that it was trained on.

The paper's LLM-WS-CLBR begins with the draft of such a journalist ("warm start"), its fine-tuned single model ends with
it (Jiang, Shi and Luo, Table 1). Importing this module loads torch, transformers, peft and trl.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    set_seed,
)
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from state.files import write_atomically
from training.checkpoints import best_weights, claimed, delete_checkpoints, load_best, written_whole
from training.journalist.config import JournalistConfig, pretrained
from training.journalist.examples import Examples, TokenisedConversation, examples_of
from training.journalist.pairs import SummarySplit, corpus_of, drawn, read_pairs, split_by_paper
from training.run_record import Epoch, TrainingRecord, best_epoch, file_sha256, trained
from training.trainer import EpochTrainer, device_name, on_gpu, shared_arguments

ADAPTER = "adapter"
"""Folder within the run's that vLLM serves."""
_RECORD = "record.json"
METRIC = "log_likelihood"
"""Mean per token of the dev summaries; chooses the epoch."""


class JournalistTrainer(EpochTrainer, SFTTrainer):
    """TRL's trainer with a dev loss by token, and nothing that is sent anywhere."""

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

    def measured(self) -> tuple[float, dict[str, float]]:
        """The dev loss, and the log-likelihood that chooses the epoch."""
        loss = self.dev_loss()
        return loss, {METRIC: -loss}

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """None: the run's record says more."""

    def _send_telemetry(self) -> None:
        """None: by itself TRL reports every trainer that is made to the model hub."""


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
    half = on_gpu(config) and torch.cuda.is_bf16_supported()
    return torch.bfloat16 if half else torch.float32


def _arguments(config: JournalistConfig, out: Path) -> SFTConfig:
    gpu = on_gpu(config)
    own = {
        "activation_checkpointing": config.activation_checkpointing,
        "use_cpu": not gpu,
        "bf16": precision(config) == torch.bfloat16,
        "dataloader_pin_memory": gpu,
        "dataset_kwargs": {"skip_prepare_dataset": True},  # the examples are tokenised and labelled
    }
    return SFTConfig(**shared_arguments(config, out) | own)


class JournalistRecord(TrainingRecord):
    """What `record.json` says of a finished warm start."""

    dev_loss_before: float
    """Of the model without the adapter: mean negative log-likelihood of a token of the dev summaries, in nats."""
    train_pairs: int
    dev_pairs: int
    left_out: int
    """Pairs that are too long, or whose summary makes no article."""


def train_journalist(config: JournalistConfig, data: Sequence[Path], out: Path) -> JournalistRecord:
    """Train an adapter, or take up or just return the same run in `out`.

    Args:
        config: Hyperparameters and the model.
        data: JSON Lines files of `abstract` and `summary`, and `doi` and `title` where they are known.
        out: The run's folder: `adapter/` at the end, `record.json`, and `dev.jsonl`, the pairs kept from training,
            which `draftroom eval science_journalism` reads.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: `out` holds a run with other settings or data, the model or the device is missing, or training
            diverged.
        StateError: `out` cannot be written, or another process trains in it.
    """
    split = split_by_paper(read_pairs(data), config.dev_share, config.seed)
    tokenizer = pretrained(AutoTokenizer, config, "chat model")
    train, dev = _examples(split, tokenizer, config)
    hashes = {path.name: file_sha256(path) for path in data} | {"train": train.sha256, "dev": dev.sha256}
    run = {"config": config.model_dump(mode="json"), "data": hashes, "metric": METRIC}
    with claimed(out, run):
        if not (out / _RECORD).is_file():
            write_atomically(out / "dev.jsonl", corpus_of(split.dev))
            set_seed(config.seed)  # the adapter begins with random weights
            model = pretrained(AutoModelForCausalLM, config, "chat model", dtype=precision(config))
            trainer = make_trainer(model, tokenizer, train=train.kept, dev=dev.kept, config=config, out=out)
            history = trainer.fit(METRIC, config.patience)
            adapted: Any = trainer.model
            load_best(adapted, out, best_epoch(history, METRIC).number)
            _save_adapter(adapted, out / ADAPTER)
            counts = {"train_pairs": len(train.kept), "dev_pairs": len(dev.kept)}
            record = _record(run, trainer, history, counts | {"left_out": train.left_out + dev.left_out})
            write_atomically(out / _RECORD, record.model_dump_json(indent=2).encode() + b"\n")
        record = JournalistRecord.model_validate_json((out / _RECORD).read_bytes())
        delete_checkpoints(out)
        best_weights(out, record.best_epoch).unlink(missing_ok=True)  # the adapter holds them
    return record


def _examples(split: SummarySplit, tokenizer: Any, config: JournalistConfig) -> tuple[Examples, Examples]:
    train, dev = (examples_of(pairs, tokenizer, config) for pairs in split)
    return train._replace(kept=drawn(train.kept, config.max_pairs, config.seed)), dev


def _save_adapter(model: Any, folder: Path) -> None:
    with written_whole(folder) as written:
        model.save_pretrained(
            written, save_embedding_layers=False
        )  # "auto" would ask the hub for the model's vocabulary
        (written / "README.md").unlink(missing_ok=True)  # a form that nobody has filled in


def _record(
    run: dict[str, Any], trainer: JournalistTrainer, history: list[Epoch], counts: dict[str, int]
) -> JournalistRecord:
    model: Any = trainer.model
    with model.disable_adapter():
        before = trainer.dev_loss()
    record = trained(run, history, device_name(trainer.args.device)).model_dump()
    versions = record.pop("versions") | {"trl": version("trl")}
    return JournalistRecord(**record, **counts, versions=versions, dev_loss_before=before)
