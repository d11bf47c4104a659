"""A BERT and an MPNet with random weights that are small enough to train in a test."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertModel, BertTokenizerFast, MPNetConfig, MPNetModel, MPNetTokenizerFast

from tools.bert import load_bert
from tools.reranking.plan_reranker import compute_fingerprint

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


def write_mpnet(folder: Path, words: Sequence[str]) -> Path:
    """Write a checkpoint of another architecture, which numpy does not run, with all that it is loaded by."""
    folder.mkdir()
    known = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *words]
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    MPNetModel(MPNetConfig(vocab_size=len(known), **sizes)).save_pretrained(folder)
    MPNetTokenizerFast(vocab={word: number for number, word in enumerate(known)}).save_pretrained(folder)
    return folder


def write_tokenizer(folder: Path, words: Sequence[str]) -> None:
    """Write one that takes each word for a token."""
    (folder / "vocab.txt").write_text("\n".join([*SPECIAL, *words]) + "\n", encoding="utf-8")
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)


def write_reranker(folder: Path, words: Sequence[str]) -> Path:
    """A plan re-ranker that has learnt nothing: a random head on such a checkpoint, which is written beside it."""
    encoder = write_encoder(folder.parent / "encoder", words, places=64)
    head = {"head.weight": torch.randn(1, 16), "head.bias": torch.zeros(1)}
    parameters = {f"encoder.{name}": value for name, value in load_bert(str(encoder)).parameters.items()}
    folder.mkdir(parents=True)
    save_file(head, folder / "weights.safetensors")
    described = {
        "sha256": hashlib.sha256((folder / "weights.safetensors").read_bytes()).hexdigest(),
        "encoder": str(encoder),
        "encoder_sha256": compute_fingerprint(parameters, without=head),
        "max_length": 64,
        "training": {},
    }
    (folder / "config.json").write_text(json.dumps(described), encoding="utf-8")
    return folder
