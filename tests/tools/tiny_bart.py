"""A BART with random weights that writes within milliseconds, and knows only the words it is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
POSITIONS = 16


def write_bart(folder: Path, words: Sequence[str], *, seed: int = 0, spread: float = 2.0) -> Path:
    """Write a checkpoint with its tokenizer that reads and writes `POSITIONS` tokens at most.

    Its random weights have a standard deviation of `spread`: so large that different papers get different texts.
    """
    torch.manual_seed(seed)
    config = BartConfig(
        vocab_size=len(SPECIAL) + len(words),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=POSITIONS,
        init_std=spread,
        forced_eos_token_id=None,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    write_tokenizer(folder, words)
    return folder


def write_tokenizer(folder: Path, words: Sequence[str]) -> None:
    """Write one that takes each word for a token."""
    numbers = {word: number for number, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", numbers["<s>"]), ("</s>", numbers["</s>"])]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    ).save_pretrained(folder)
