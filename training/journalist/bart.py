"""Fine-tuning of BART, or a similar model, on plain summaries (Jiang, Shi and Luo, Table 1, "BART").

`draftroom eval` evaluates the result as the baseline `bart`. Importing this module loads torch and transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from pydantic import Field
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)

from state.errors import SettingsError
from training import fitting
from training.journalist.pairs import (
    SummaryConfig,
    SummaryPair,
    fit_on_pairs,
    read_summary_pairs,
    sample_examples,
    split_pairs_by_paper,
)

# The model's folder in that of the run, for the setting `sequence_to_sequence`.
CHECKPOINT_FOLDER = "model"
_MODEL_KIND = "sequence-to-sequence model"


class BartConfig(SummaryConfig):
    """Hyperparameters of BART or a similar model; the inherited `dropout` replaces the checkpoint's."""

    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of each token's probability that the loss spreads over all tokens."""
    max_tokens: int = Field(default=1024, ge=4)
    """Most tokens of an abstract, which is cut as at inference, and of a summary: pairs with a longer summary are left
    out, because a cut summary would teach not to end."""


def train_bart(config: BartConfig, data: Sequence[Path], out: Path) -> fitting.FitRecord:
    """Fine-tune all weights of BART or the like to write plain summaries, or resume a run in `out`; return its record.

    Arguments and errors are those of `train_journalist`. The model is saved in `out/model`.
    """
    # 1. Load what the run needs.
    fitting.check_unfinished(out)
    split = split_pairs_by_paper(read_summary_pairs(data), config.dev_share, config.seed)
    tokenizer = fitting.load_pretrained(AutoTokenizer, config.source, _MODEL_KIND)
    set_seed(config.seed)
    model = fitting.load_pretrained(
        AutoModelForSeq2SeqLM, config.source, _MODEL_KIND, dtype=torch.float32, dropout=config.dropout
    )
    longest = min(config.max_tokens, getattr(model.config, "max_position_embeddings", config.max_tokens))
    train, dev = (_tokenize_pairs(pairs, tokenizer, longest) for pairs in split)
    model.generation_config.max_length = longest  # in tokens, the start token included
    # 2. Train, and keep the dev pairs as a corpus for `draftroom eval`.
    arguments = Seq2SeqTrainingArguments(
        **fitting.build_trainer_arguments(config, out, metric="eval_loss"),
        label_smoothing_factor=config.label_smoothing,
        train_sampling_strategy="group_by_length",
    )
    trainer = Seq2SeqTrainer(
        model,
        arguments,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model),
        train_dataset=Dataset.from_list(sample_examples(train, config.max_pairs, config.seed)),
        eval_dataset=Dataset.from_list(dev),
        processing_class=tokenizer,
    )
    return fit_on_pairs(trainer, config, data, split.dev, lambda: trainer.save_model(str(out / CHECKPOINT_FOLDER)))


def _tokenize_pairs(pairs: Sequence[SummaryPair], tokenizer: Any, longest: int) -> list[dict[str, list[int]]]:
    """Tokenise pairs with abstracts cut to `longest` tokens, without pairs whose summary exceeds it."""
    sources = tokenizer([pair.abstract for pair in pairs], truncation=True, max_length=longest)["input_ids"]
    targets = tokenizer(text_target=[pair.summary for pair in pairs])["input_ids"]
    examples = [{"input_ids": source, "labels": target} for source, target in zip(sources, targets, strict=True)]
    kept = [example for example in examples if len(example["labels"]) < longest]
    if not kept:
        raise SettingsError(f"None of the {len(examples)} summaries fits into {longest} tokens; raise `max_tokens`.")
    return kept
