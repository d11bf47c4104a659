"""BERT in numpy computes what torch computes, and refuses what it would compute wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertModel

from state.errors import SettingsError
from tests.tools.tiny_bert import write_encoder
from tools.bert import load_bert

ROOT = Path(__file__).parents[2]
IDS, TYPES = [2, 5, 6, 7, 3, 6, 3], [0, 0, 0, 0, 0, 1, 1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "encoder", ["the", "yield", "rose"])


def pooled_by_torch(folder: Path) -> np.ndarray:
    with torch.inference_mode():
        output = BertModel.from_pretrained(folder)(torch.tensor([IDS]), token_type_ids=torch.tensor([TYPES]))
    return output.pooler_output[0].numpy()


def test_pooled_states_are_those_of_torch(folder: Path) -> None:
    pooled = pooled_by_torch(folder)

    bert = load_bert(str(folder))

    np.testing.assert_allclose(bert.compute_pooled_vector(IDS, TYPES), pooled, atol=1e-5)


def test_the_names_of_older_checkpoints_are_understood(folder: Path, tmp_path: Path) -> None:
    pooled = pooled_by_torch(folder)
    old = {
        "bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): value
        for name, value in load_file(folder / "model.safetensors").items()
    }
    save_file({**old, "cls.predictions.bias": torch.zeros(3)}, folder / "model.safetensors")

    bert = load_bert(str(folder))
    np.testing.assert_allclose(bert.compute_pooled_vector(IDS, TYPES), pooled, atol=1e-5)


@pytest.mark.parametrize(("setting", "value"), [("hidden_act", "relu"), ("model_type", "roberta")])
def test_a_model_that_computes_otherwise_is_refused(folder: Path, setting: str, value: str) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, setting: value}))

    with pytest.raises(SettingsError, match="cannot be loaded; name the folder of a BERT checkpoint"):
        load_bert(str(folder))


def test_weights_that_are_missing_are_not_made_up(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["pooler.dense.weight"]
    save_file(weights, folder / "model.safetensors")

    with pytest.raises(SettingsError, match="lacks weights"):
        load_bert(str(folder))


def test_an_encoder_that_is_nowhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be loaded"):
        load_bert(str(tmp_path / "nowhere"))
