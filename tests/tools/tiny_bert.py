"""A BERT with random weights that is small enough to train in a test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import BertConfig, BertModel, BertTokenizerFast

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def write_encoder(folder: Path, words: Sequence[str], *, seed: int = 0, places: int = 32) -> Path:
    """Write a checkpoint that knows these words and reads `places` tokens."""
    folder.mkdir()
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=places,
        initializer_range=0.5,  # so that different texts get scores that differ
    )
    BertModel(config).save_pretrained(folder)
    write_tokenizer(folder, words)
    return folder


def write_tokenizer(folder: Path, words: Sequence[str]) -> None:
    """Write one that takes each word for a token."""
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *words]) + "\n", encoding="utf-8")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
