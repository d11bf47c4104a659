"""Fine-tunes the journalist: an adapter that vLLM serves beside the model that it was trained on.

The paper's LLM-WS-CLBR begins with the draft of such a journalist ("warm start"), its fine-tuned single model ends with
it (Jiang, Shi and Luo, Table 1). Importing this module loads torch, transformers, peft and trl.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed

from state.files import write_atomically
from training.checkpoints import best_weights, claimed, delete_checkpoints, load_best
from training.journalist.config import JournalistConfig
from training.journalist.examples import Examples, examples_of
from training.journalist.folders import pretrained, written_whole
from training.journalist.pairs import SummarySplit, corpus_of, drawn, read_pairs, split_by_paper
from training.journalist.trainer import METRIC, JournalistTrainer, make_trainer, precision
from training.run_record import Epoch, TrainingRecord, best_epoch, file_sha256, package_versions

ADAPTER = "adapter"
"""Folder within the run's that vLLM serves."""
_RECORD = "record.json"


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
            history = trainer.fit(out, config.patience)
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
    best = best_epoch(history, METRIC)
    device = trainer.args.device
    model: Any = trainer.model
    with model.disable_adapter():
        before = trainer.dev_loss()
    return JournalistRecord(
        **run,
        **counts,
        history=history,
        best_epoch=best.number,
        best_metric=best.metrics[METRIC],
        dev_loss_before=before,
        seconds=sum(epoch.seconds for epoch in history),
        device=torch.cuda.get_device_name(device)
        if device.type == "cuda"
        else f"cpu, {torch.get_num_threads()} threads",
        versions=package_versions() | {"trl": version("trl")},
    )
