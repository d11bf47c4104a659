"""Encoders of several kinds are loaded whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import DistilBertConfig, DistilBertModel, RobertaConfig, RobertaModel

from state.errors import SettingsError
from tests.tools.tiny_bert import write_encoder
from tools.bert import PACKAGED_ENCODER
from training.encoders import load_encoder, load_token_encoder


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "bert", ["the", "yield", "rose"])


def without(folder: Path, *names: str) -> Path:
    """The checkpoint, robbed of these weights."""
    weights = load_file(folder / "model.safetensors")
    for name in names:
        del weights[name]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def test_the_packaged_encoder_needs_no_download() -> None:
    encoder, tokenizer = load_encoder(PACKAGED_ENCODER, 0.2)

    assert encoder.config.num_hidden_layers == 6
    assert encoder.config.hidden_dropout_prob == encoder.config.attention_probs_dropout_prob == 0.2
    assert tokenizer.cls_token == "[CLS]"


def test_a_checkpoint_without_a_pooler_will_do_where_none_is_used(bert: Path) -> None:
    without(bert, "pooler.dense.weight", "pooler.dense.bias")

    encoder, tokenizer = load_token_encoder(str(bert), 0.1)

    states = encoder(**tokenizer(["the yield"], return_tensors="pt")).last_hidden_state
    assert states.shape == (1, 4, 16)
    assert not any(name.startswith("pooler") for name, _ in encoder.named_parameters())
    with pytest.raises(SettingsError, match="random ones"):
        load_encoder(str(bert), 0.1)


def test_any_other_missing_weight_is_an_error(bert: Path) -> None:
    without(bert, "encoder.layer.0.output.dense.weight")

    with pytest.raises(SettingsError, match="random ones"):
        load_token_encoder(str(bert), 0.1)


def test_an_encoder_that_is_no_bert_is_loaded_for_its_tokens(bert: Path) -> None:
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=8,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        type_vocab_size=1,
    )
    RobertaModel(config, add_pooling_layer=False).save_pretrained(bert)

    encoder, _ = load_token_encoder(str(bert), 0.3)

    assert encoder.config.model_type == "roberta"
    assert encoder.config.hidden_dropout_prob == 0.3


def test_a_model_that_knows_no_such_dropout_is_an_error(bert: Path) -> None:
    config = DistilBertConfig(vocab_size=8, dim=16, n_layers=1, n_heads=2, hidden_dim=32)
    DistilBertModel(config).save_pretrained(bert)

    with pytest.raises(SettingsError, match="cannot be loaded"):
        load_token_encoder(str(bert), 0.1)


@pytest.mark.parametrize("load", [load_encoder, load_token_encoder])
def test_an_unknown_encoder_is_an_error(load: object, tmp_path: Path) -> None:
    assert callable(load)
    with pytest.raises(SettingsError, match="cannot be loaded"):
        load(str(tmp_path / "nowhere"), 0.1)
