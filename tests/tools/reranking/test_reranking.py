"""The plan re-ranker scores as it was trained to, without torch, never with weights it cannot vouch for."""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from state.errors import SettingsError
from tests.support.processes import run_code
from tests.tools.tiny_bert import write_encoder, write_reranker
from tools.reranking import SHIPPED_WEIGHTS, load_reranker, select_unseen_weights

ROOT = Path(__file__).parents[3]
WORDS = ["the", "yield", "rose", "ask", "paper", "review", "why", "field", "sep", ".", "?", "[", "]"]
PARAGRAPH = "the yield rose . the field rose ."
PLANS = ["ask the paper why ?", "review the field .", "why ? why ? ask the paper the yield , review", ""]
QUERY = "encoder.encoder.layer.1.attention.self.query.weight"


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A cross-encoder of which only the head is saved; `test_plan_reranker.py` trains whole ones."""
    torch.manual_seed(1)
    return write_reranker(tmp_path / "saved", WORDS)


def describe(folder: Path, **changes: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


def replace(folder: Path, weights: dict[str, torch.Tensor], **changes: object) -> None:
    """Other weights in a folder, and the description that goes with them."""
    save_file(weights, folder / "weights.safetensors")
    describe(folder, sha256=hashlib.sha256((folder / "weights.safetensors").read_bytes()).hexdigest(), **changes)


def plan(question: str) -> str:
    return f"1. Investigator: answer from the paper: {question}\n2. Reviewer: write the review."


# The weights that ship

STEMS = "The seedlings were watered with diluted vinegar, and their stems were measured every week for a month."
ASKED = [
    plan("How strongly was the vinegar diluted?"),
    plan("How were the patients with diabetes recruited?"),
    plan("Which stems were measured, and how often?"),
]


def test_the_weights_that_ship_score_as_they_do_in_torch() -> None:
    reranker = load_reranker(SHIPPED_WEIGHTS)
    assert reranker.predict_scores(STEMS, ASKED) == pytest.approx([3.4824, 0.4969, 3.4873], abs=0.001)
    assert reranker.predict_scores(STEMS, ASKED[::-1])[::-1] == reranker.predict_scores(STEMS, ASKED)


def test_a_long_paragraph_is_cut_and_no_plans_have_no_scores() -> None:
    reranker = load_reranker(SHIPPED_WEIGHTS)
    found = reranker.predict_scores("Mosses grow. " * 300, [*ASKED, "Why?"])
    assert found == pytest.approx([3.3433, 3.3746, 3.3631, 3.2560], abs=0.001)
    assert reranker.predict_scores(STEMS, []) == []


def test_plans_are_ranked_without_torch() -> None:
    program = (
        "import sys; from tools.reranking import SHIPPED_WEIGHTS, load_reranker\n"
        "load_reranker(SHIPPED_WEIGHTS).predict_scores('Mosses', ['Why?'])\n"
        "sys.exit(bool({'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()))"
    )
    assert run_code(program).returncode == 0


# Which weights


def test_a_paper_that_all_weights_saw_is_refused(saved: Path) -> None:
    describe(saved, papers=["a"])
    with pytest.raises(SettingsError, match="was trained on the paper a, and so were all its folds"):
        select_unseen_weights(saved, "a")


def test_threads_share_one_reranker(saved: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(load_reranker, [saved, saved / ".." / "saved"] * 4))
        scores = list(pool.map(lambda item: item.predict_scores(PARAGRAPH, PLANS), loaded))

    assert all(item is loaded[0] for item in loaded)
    assert scores == [loaded[0].predict_scores(PARAGRAPH, PLANS)] * 8


# What is refused


@pytest.mark.parametrize("name", ["weights.safetensors", "config.json"])
def test_a_missing_file_is_named(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(SettingsError, match=f"no plan re-ranker.*{name}") as caught:
        load_reranker(saved)
    assert caught.value.kind == "missing_file"


def test_a_head_does_not_go_with_another_encoder(saved: Path, tmp_path: Path) -> None:
    other = write_encoder(tmp_path / "other", WORDS, seed=7, places=64)
    describe(saved, encoder=str(other))
    with pytest.raises(SettingsError, match="another version"):
        load_reranker(saved)


HEAD = {"head.weight": torch.zeros(1, 16), "head.bias": torch.zeros(1)}
LEFT, RIGHT = f"{QUERY}.left", f"{QUERY}.right"


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"encoder.pooler.dense.bias": torch.zeros(16)}, "not those of a plan re-ranker"),  # no head
        ({**HEAD, "other.weight": torch.zeros(1)}, "not those of a plan re-ranker"),
        ({**HEAD, "head.weight": torch.zeros(1, 8)}, "not those of a plan re-ranker"),
        ({**HEAD, LEFT: torch.zeros(8, 3), RIGHT: torch.zeros(3, 16)}, "not those of a plan re-ranker"),
        ({**HEAD, LEFT: torch.zeros(16, 3)}, "not those of a plan re-ranker"),
        ({**HEAD, "head.bias": torch.tensor([float("nan")])}, "not numbers"),
        ({**HEAD, "head.bias": torch.tensor([float("inf")])}, "not numbers"),
    ],
)
def test_weights_of_another_model_are_refused(saved: Path, weights: dict[str, Any], said: str) -> None:
    replace(saved, weights)
    with pytest.raises(SettingsError, match=said):
        load_reranker(saved)


def test_an_encoder_that_is_no_bert_needs_torch_and_its_whole_folder(saved: Path) -> None:
    (saved / "cross_encoder").mkdir()
    (saved / "weights.safetensors").rename(saved / "cross_encoder" / "model.safetensors")
    describe(saved, encoder_sha256=None)
    with pytest.raises(SettingsError, match="damaged"):
        load_reranker(saved)
    program = (
        "import pathlib, sys; sys.modules['sentence_transformers'] = None\n"  # as without the extra `encoders`
        "from tools.reranking import load_reranker; load_reranker(pathlib.Path(sys.argv[1]))"
    )
    assert "needs torch: pip install 'draftroom[encoders]'" in run_code(program, saved).stderr


def test_damaged_weights_are_refused(saved: Path) -> None:
    (saved / "weights.safetensors").write_bytes(b"")
    with pytest.raises(SettingsError, match="damaged"):
        load_reranker(saved)
    describe(saved, sha256=hashlib.sha256(b"").hexdigest())  # saved so, in another format
    with pytest.raises(SettingsError, match="damaged"):
        load_reranker(saved)


def test_a_description_of_something_else_is_refused(saved: Path) -> None:
    (saved / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(SettingsError, match="does not describe"):
        load_reranker(saved)
