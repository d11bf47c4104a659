"""Fine-tunes BART, or a model built like it, on plain summaries (Jiang, Shi and Luo, Table 1, "BART").

`draftroom eval` runs the result as its row `bart`. Importing this module loads torch and transformers.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, set_seed
from transformers.utils.logging import disable_progress_bar
from typing_extensions import TypedDict

from state.errors import SettingsError
from state.files import write_atomically
from training.checkpoints import written_whole
from training.fitting import fit
from training.journalist.config import BartConfig, pretrained
from training.journalist.pairs import SummaryPair, corpus_of, drawn, read_pairs, split_by_paper
from training.run_record import TrainingRecord, file_sha256

CHECKPOINT = "model"
"""Folder within the run's that `sequence_to_sequence` of the settings names."""
_WHAT = "sequence-to-sequence model"
_METRIC = "log_likelihood"
"""Mean per token of the dev summaries; chooses the epoch."""
_NO_LOSS = -100
_CARD = """\
# A plain-summary writer

`{model}`, fine-tuned by `draftroom train bart` on {train} pairs of an abstract and its plain summary; {dev} pairs of
other papers chose the epoch. Nothing checks that what it writes is true to its source.

Loss of a token of the dev summaries: {before:.3f} before, {after:.3f} after (epoch {epoch} of {epochs}), on {device}.
All settings, the data's hashes and the versions of the packages are in `record.json` of the run.
The licences of the model that it began as and of the pairs hold for it, too.
"""


class TokenisedPair(TypedDict):
    """A tokenised pair."""

    input_ids: list[int]
    labels: list[int]


class Tuned(NamedTuple):
    """A finished run."""

    record: TrainingRecord
    loss_before: float
    """Of the model as it was: mean negative log-likelihood of a token of the dev summaries, in nats."""
    checkpoint: Path


def train_bart(config: BartConfig, data: Sequence[Path], out: Path) -> Tuned:
    """Fine-tune all weights of a model, or take up the same run in `out`.

    Args:
        config: Hyperparameters and the model.
        data: JSON Lines files of `abstract` and `summary`, and `doi` and `title` where they are known.
        out: The run's folder: `model/` at the end with its card, `record.json`, and `dev.jsonl`, the pairs kept from
            training, which `draftroom eval science_journalism` reads.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: `out` holds another run or a finished one, the model or the device is missing, or training
            diverged.
        StateError: `out` cannot be written, or another process trains in it.
    """
    disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # a bar for each file would hide our own
    split = split_by_paper(read_pairs(data), config.dev_share, config.seed)
    tokenizer = pretrained(AutoTokenizer, config, _WHAT)
    set_seed(config.seed)
    model = pretrained(AutoModelForSeq2SeqLM, config, _WHAT, dtype=torch.float32, dropout=config.dropout)
    longest = min(config.max_tokens, getattr(model.config, "max_position_embeddings", config.max_tokens))
    train, dev = (examples_of(pairs, tokenizer, longest) for pairs in split)
    train = drawn(train, config.max_pairs, config.seed)
    measured = Measured(dev, tokenizer.pad_token_id, config.batch_size)
    before = -measured(model)[_METRIC]
    fitted = fit(
        model,
        train,
        dev,
        config=config,
        out=out,
        collate=measured.collate,
        compute_loss=lambda model, batch: _loss(model, batch, label_smoothing=config.label_smoothing),
        measure=measured,
        metric=_METRIC,
        data={path.name: file_sha256(path) for path in data} | {"train": _sha256(train), "dev": _sha256(dev)},
        length=lambda example: len(example["input_ids"]) + len(example["labels"]),
    )
    write_atomically(out / "dev.jsonl", corpus_of(split.dev))
    model.generation_config.max_length = longest  # how long a text may be, the start token included
    with written_whole(out / CHECKPOINT) as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        card = _card(config, fitted.record, before, {"train": len(train), "dev": len(dev)})
        (folder / "README.md").write_text(card, encoding="utf-8")
    fitted.weights.unlink()  # the checkpoint holds them
    return Tuned(fitted.record, before, out / CHECKPOINT)


def examples_of(pairs: Sequence[SummaryPair], tokenizer: Any, longest: int) -> list[TokenisedPair]:
    """Tokenise pairs: abstracts are cut, pairs with longer summaries left out.

    Raises:
        SettingsError: None is left.
    """
    sources = tokenizer([pair.abstract for pair in pairs], truncation=True, max_length=longest)["input_ids"]
    targets = tokenizer(text_target=[pair.summary for pair in pairs])["input_ids"]
    made = [TokenisedPair(input_ids=source, labels=target) for source, target in zip(sources, targets, strict=True)]
    kept = [example for example in made if len(example["labels"]) < longest]
    if not kept:
        raise SettingsError(f"None of the {len(made)} summaries fits into {longest} tokens; raise `max_tokens`.")
    return kept


class Measured:
    """The log-likelihood of dev summaries, and how examples become a batch."""

    def __init__(self, examples: Sequence[TokenisedPair], padding: int, batch_size: int) -> None:
        self._padding = padding
        self._batches = [examples[at : at + batch_size] for at in range(0, len(examples), batch_size)]

    def collate(self, examples: Sequence[TokenisedPair]) -> dict[str, Tensor]:
        """A batch of tensors."""
        read = _padded([example["input_ids"] for example in examples], self._padding)
        labels = _padded([example["labels"] for example in examples], _NO_LOSS)
        lengths = torch.tensor([len(example["input_ids"]) for example in examples])
        mask = torch.arange(read.shape[1]) < lengths[:, None]
        return {"input_ids": read, "attention_mask": mask.long(), "labels": labels}

    @torch.no_grad()
    def __call__(self, model: Any) -> dict[str, float]:
        """Mean per token, without smoothing and dropout."""
        model.eval()
        losses, count = [], 0
        for examples in self._batches:
            batch = {name: value.to(model.device) for name, value in self.collate(examples).items()}
            losses.append(_loss(model, batch, reduction="sum").item())
            count += sum(len(example["labels"]) for example in examples)
        return {_METRIC: -math.fsum(losses) / count}


def _padded(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=value)


def _loss(model: Any, batch: Mapping[str, Any], **how: Any) -> Tensor:
    logits = model(**batch).logits
    return cross_entropy(logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=_NO_LOSS, **how)


def _sha256(examples: Sequence[TokenisedPair]) -> str:
    return hashlib.sha256(json.dumps(examples).encode()).hexdigest()


def _card(config: BartConfig, record: TrainingRecord, before: float, counts: Mapping[str, int]) -> str:
    return _CARD.format(
        model=config.model,
        before=before,
        after=-record.best_metric,
        epoch=record.best_epoch,
        epochs=len(record.history),
        device=record.device,
        **counts,
    )
