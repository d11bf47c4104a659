"""Fine-tunes the journalist: an adapter that vLLM serves beside the model that it was trained on.

The paper's LLM-WS-CLBR writes and revises with such a journalist ("warm start"), its fine-tuned single model ends with
the draft (Jiang, Shi and Luo, Table 1). Importing this module loads torch, transformers, peft and trl.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from state.files import write_atomically
from training.fitting import FitRecord, arguments_of, file_sha256, fit, on_gpu, pretrained, refuse_finished
from training.journalist.config import JournalistConfig
from training.journalist.examples import TokenisedConversation, examples_of
from training.journalist.pairs import corpus_of, drawn, read_pairs, split_by_paper

ADAPTER = "adapter"
"""Folder within the run's that vLLM serves."""


class JournalistTrainer(SFTTrainer):
    """TRL's trainer, which sends nothing anywhere."""

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """None: the run's record says more."""

    def _send_telemetry(self) -> None:
        """None: by itself TRL reports every trainer that is made to the model hub."""


def train_journalist(config: JournalistConfig, data: Sequence[Path], out: Path) -> FitRecord:
    """Train an adapter, or take up the same run in `out`.

    Args:
        config: Hyperparameters and the model.
        data: JSON Lines files of `abstract` and `summary`, and `doi` and `title` where they are known.
        out: The run's folder: `adapter/` at the end, and `dev.jsonl`, the pairs kept from training, which
            `draftroom eval science_journalism` reads.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: `out` holds another run or a finished one, the model or the device is missing, or training
            diverged.
    """
    refuse_finished(out)
    split = split_by_paper(read_pairs(data), config.dev_share, config.seed)
    tokenizer = pretrained(AutoTokenizer, config.source, "chat model")
    train, dev = (examples_of(pairs, tokenizer, config) for pairs in split)
    trainer = _trainer(config, tokenizer, drawn(train, config.max_pairs, config.seed), dev, out)
    hashes = {path.name: file_sha256(path) for path in data}
    record = fit(trainer, config, out, hashes, lambda: _save(trainer.model, out / ADAPTER))
    write_atomically(out / "dev.jsonl", corpus_of(split.dev))
    return record


def _trainer(
    config: JournalistConfig,
    tokenizer: Any,
    train: list[TokenisedConversation],
    dev: list[TokenisedConversation],
    out: Path,
) -> JournalistTrainer:
    """A trainer that adds an adapter to all linear layers of the model but its output layer, and trains only that."""
    half = on_gpu(config) and torch.cuda.is_bf16_supported()
    set_seed(config.seed)  # the adapter begins with random weights
    model = pretrained(
        AutoModelForCausalLM, config.source, "chat model", dtype=torch.bfloat16 if half else torch.float32
    )
    adapter = LoraConfig(
        task_type="CAUSAL_LM",
        r=config.lora_rank,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.dropout,
        target_modules="all-linear",
    )
    arguments = SFTConfig(
        **arguments_of(config, out, metric="eval_loss"),
        activation_checkpointing=config.activation_checkpointing,
        bf16=half,
        dataset_kwargs={"skip_prepare_dataset": True},  # the examples are tokenised and labelled
    )
    with warnings.catch_warnings():
        # peft reads it by its old name, which only matters to peft
        warnings.filterwarnings("ignore", message="`is_gradient_checkpointing` is deprecated", category=FutureWarning)
        return JournalistTrainer(
            model,
            arguments,
            train_dataset=Dataset.from_list(train),
            eval_dataset=Dataset.from_list(dev),
            processing_class=tokenizer,
            peft_config=adapter,
        )


def _save(model: Any, folder: Path) -> None:
    model.save_pretrained(folder, save_embedding_layers=False)  # "auto" would ask the hub for the model's vocabulary
    (folder / "README.md").unlink(missing_ok=True)  # a form that nobody has filled in
