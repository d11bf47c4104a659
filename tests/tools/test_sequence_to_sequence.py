"""Texts of a tiny sequence-to-sequence model: those that it generates itself, within what it can read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BartForConditionalGeneration, BertConfig, BertModel, GenerationConfig

from state.errors import SettingsError
from tests.tools.tiny_bart import POSITIONS, write_bart, write_tokenizer
from tools.sequence_to_sequence import generate_text

SOURCES = ["moss grows on walls", "birds eat small animals", "old moss keeps animals wet when it is dry"]
WORDS = sorted({word for source in SOURCES for word in source.split()})


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return write_bart(tmp_path / "bart", WORDS)


def generated(folder: Path, source: str, **search: Any) -> str:
    """What the model generates for a source of known words, without our code."""
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = {number: word for word, number in vocabulary.items()}
    ids = [vocabulary[word] for word in ("<s>", *source.split(), "</s>")]
    model: Any = BartForConditionalGeneration.from_pretrained(folder)
    written = model.generate(input_ids=torch.tensor([ids]), do_sample=False, **search)[0].tolist()
    return " ".join(words[number] for number in written if not words[number].startswith("<"))


async def test_the_text_is_the_one_that_the_model_generates(checkpoint: Path) -> None:
    expected = [generated(checkpoint, source, num_beams=4, max_new_tokens=POSITIONS - 1) for source in SOURCES]
    assert len(set(expected)) == len(SOURCES)
    assert [(await generate_text(checkpoint, source)).text for source in SOURCES] == expected


async def test_several_that_ask_at_once_get_their_own_texts(checkpoint: Path) -> None:
    in_turn = [(await generate_text(checkpoint, source)).text for source in SOURCES]
    at_once = await asyncio.gather(*(generate_text(checkpoint, source) for source in SOURCES))
    assert [written.text for written in at_once] == in_turn


async def test_how_long_and_how_to_search_the_checkpoint_says(checkpoint: Path) -> None:
    GenerationConfig(
        max_length=7, num_beams=2, decoder_start_token_id=2, eos_token_id=2, pad_token_id=1
    ).save_pretrained(checkpoint)
    written = await generate_text(checkpoint, SOURCES[0])
    assert written.text == generated(checkpoint, SOURCES[0], num_beams=2, max_length=7)
    assert (written.output_tokens, written.cut) == (6, True)


async def test_what_does_not_fit_is_left_out_and_counted(checkpoint: Path) -> None:
    words = (" ".join(SOURCES) + " moss" * 20).split()
    written = await generate_text(checkpoint, " ".join(words))
    assert (written.input_tokens, written.words_read) == (POSITIONS, POSITIONS - 2)
    assert written.text == (await generate_text(checkpoint, " ".join(words[: POSITIONS - 2]))).text


def missing(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


def without_tokenizer(folder: Path) -> None:
    for file in folder.glob("token*"):
        file.unlink()


def cut_off(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def encoder(folder: Path) -> None:
    missing(folder)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=30, **size)).save_pretrained(folder)
    write_tokenizer(folder, WORDS)


def without_a_layer(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "decoder_layers": 2}), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (missing, "holds no sequence-to-sequence model"),
        (without_tokenizer, "with its tokenizer"),
        (cut_off, "holds no sequence-to-sequence model"),
        (encoder, "holds no sequence-to-sequence model"),
        (without_a_layer, "lacks weights"),
    ],
)
async def test_what_is_no_such_model_is_refused_in_a_sentence(
    checkpoint: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(checkpoint)
    with pytest.raises(SettingsError, match=said) as refused:
        await generate_text(checkpoint, SOURCES[0])
    assert str(checkpoint) in str(refused.value)
