"""Fine-tunes BART, or a model built like it, on plain summaries (Jiang, Shi and Luo, Table 1, "BART").

`draftroom eval` runs the result as its row `bart`. Importing this module loads torch and transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)

from state.errors import SettingsError
from state.files import write_atomically
from training.fitting import (
    FitRecord,
    build_trainer_arguments,
    check_unfinished,
    compute_file_sha256,
    fit_model,
    load_pretrained,
)
from training.journalist.config import BartConfig
from training.journalist.pairs import (
    SummaryPair,
    read_summary_pairs,
    sample_examples,
    serialize_corpus,
    split_pairs_by_paper,
)

CHECKPOINT_FOLDER = "model"
"""Folder within the run's that `sequence_to_sequence` of the settings names."""
_MODEL_KIND = "sequence-to-sequence model"


def train_bart(config: BartConfig, data: Sequence[Path], out: Path) -> FitRecord:
    """Fine-tune all weights of a model, or take up the same run in `out`.

    Args:
        config: Hyperparameters and the model.
        data: JSON Lines files of `abstract` and `summary`, and `doi` and `title` where they are known.
        out: The run's folder: `model/` at the end, and `dev.jsonl`, the pairs kept from training, which
            `draftroom eval science_journalism` reads.

    Raises:
        BadInput: The data cannot be used.
        SettingsError: `out` holds another run or a finished one, the model or the device is missing, or training
            diverged.
    """
    check_unfinished(out)
    split = split_pairs_by_paper(read_summary_pairs(data), config.dev_share, config.seed)
    tokenizer = load_pretrained(AutoTokenizer, config.source, _MODEL_KIND)
    set_seed(config.seed)
    model = load_pretrained(
        AutoModelForSeq2SeqLM, config.source, _MODEL_KIND, dtype=torch.float32, dropout=config.dropout
    )
    longest = min(config.max_tokens, getattr(model.config, "max_position_embeddings", config.max_tokens))
    train, dev = (_tokenize_pairs(pairs, tokenizer, longest) for pairs in split)
    model.generation_config.max_length = longest  # how long a text may be, the start token included
    arguments = Seq2SeqTrainingArguments(
        **build_trainer_arguments(config, out, metric="eval_loss"),
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
    hashes = {path.name: compute_file_sha256(path) for path in data}
    record = fit_model(trainer, config, out, hashes, lambda: trainer.save_model(str(out / CHECKPOINT_FOLDER)))
    write_atomically(out / "dev.jsonl", serialize_corpus(split.dev))
    return record


def _tokenize_pairs(pairs: Sequence[SummaryPair], tokenizer: Any, longest: int) -> list[dict[str, list[int]]]:
    """Tokenise pairs: abstracts are cut, pairs with longer summaries left out.

    Raises:
        SettingsError: None is left.
    """
    sources = tokenizer([pair.abstract for pair in pairs], truncation=True, max_length=longest)["input_ids"]
    targets = tokenizer(text_target=[pair.summary for pair in pairs])["input_ids"]
    made = [{"input_ids": source, "labels": target} for source, target in zip(sources, targets, strict=True)]
    kept = [example for example in made if len(example["labels"]) < longest]
    if not kept:
        raise SettingsError(f"None of the {len(made)} summaries fits into {longest} tokens; raise `max_tokens`.")
    return kept
