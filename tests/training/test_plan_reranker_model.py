"""The plan re-ranker in training: how pairs are encoded, scores that can be trained, and what is saved of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from state.errors import SettingsError, StateError
from tests.tools.tiny_bert import SPECIAL, write_encoder
from tools.bert import PACKAGED_ENCODER
from training.plan_reranker.model import RerankerModel

WORDS = ["the", "yield", "rose", "ask", "paper", "review", "why", "field", "sep", ".", "?", "[", "]"]
CLS, SEP = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
PARAGRAPH = "the yield rose . the field rose ."
PLANS = ["ask the paper why ?", "review the field .", "why ? why ? ask the paper the yield , review", ""]


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "encoder", WORDS)


@pytest.fixture
def reranker(encoder: Path) -> RerankerModel:
    torch.manual_seed(1)
    return RerankerModel(encoder, dropout=0.5)


def ids(reranker: RerankerModel, text: str) -> list[int]:
    return [SPECIAL.index(word) if word in SPECIAL else len(SPECIAL) + WORDS.index(word) for word in text.split()]


def test_a_pair_is_paragraph_then_plan(reranker: RerankerModel) -> None:
    batch = reranker.encode(["the yield rose", "why"], ["ask why ?", "review"])

    assert batch["input_ids"].tolist() == [
        [CLS, *ids(reranker, "the yield rose"), SEP, *ids(reranker, "ask why ?"), SEP],
        [CLS, *ids(reranker, "why"), SEP, *ids(reranker, "review"), SEP, 0, 0, 0, 0],
    ]
    assert batch["token_type_ids"].tolist() == [[0, 0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 0, 0, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1] * 9, [1, 1, 1, 1, 1, 0, 0, 0, 0]]


def test_a_long_paragraph_is_cut_and_the_plan_is_whole(reranker: RerankerModel) -> None:
    row = reranker.encode(["the yield rose " * 50], ["ask the paper why ?"])["input_ids"][0].tolist()

    plan = [*ids(reranker, "ask the paper why ?"), SEP]
    assert len(row) == 32
    assert row[-len(plan) :] == plan
    assert row[: 32 - len(plan)] == [CLS, *ids(reranker, "the yield rose " * 50)[: 30 - len(plan)], SEP]


def test_a_plan_longer_than_the_window_is_cut_at_its_end(reranker: RerankerModel) -> None:
    row = reranker.encode([PARAGRAPH], ["ask why ? " * 50])["input_ids"][0].tolist()

    assert row == [CLS, SEP, *ids(reranker, "ask why ? " * 50)[:29], SEP]


def test_special_tokens_in_a_text_are_words(reranker: RerankerModel) -> None:
    row = reranker.encode(["the yield [SEP] rose"], ["why"])["input_ids"][0].tolist()

    assert row.count(SEP) == 2
    assert row[3:6] == ids(reranker, "[ sep ]")


def test_scoring_amid_training_is_without_dropout_and_training_goes_on(reranker: RerankerModel) -> None:
    reranker.train()

    assert reranker.score(PARAGRAPH, PLANS) == reranker.score(PARAGRAPH, PLANS)
    assert reranker.training
    batch = reranker.encode([PARAGRAPH], [PLANS[0]])
    assert reranker(**batch).item() != reranker(**batch).item()  # with dropout


def test_scores_can_be_trained(reranker: RerankerModel) -> None:
    reranker.eval()
    better, worse = reranker.encode([PARAGRAPH], [PLANS[0]]), reranker.encode([PARAGRAPH], [PLANS[1]])
    optimizer = torch.optim.AdamW(reranker.parameters(), lr=1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        (-torch.nn.functional.logsigmoid(reranker(**better) - reranker(**worse))).sum().backward()
        optimizer.step()

    scores = reranker.score(PARAGRAPH, PLANS[:2])
    assert scores[0] > scores[1] + 1


def test_a_folder_that_cannot_be_written_is_an_error(reranker: RerankerModel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StateError, match="cannot be saved"):
        reranker.save(tmp_path / "file" / "folder")


def test_an_unknown_encoder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be loaded"):
        RerankerModel(tmp_path / "nowhere")


def test_an_encoder_that_lacks_weights_is_an_error(encoder: Path) -> None:
    weights = load_file(encoder / "model.safetensors")
    del weights["pooler.dense.weight"]
    save_file(weights, encoder / "model.safetensors", metadata={"format": "pt"})

    with pytest.raises(SettingsError, match="random ones"):
        RerankerModel(encoder)


def test_the_packaged_encoder_reads_512_tokens() -> None:
    reranker = RerankerModel(PACKAGED_ENCODER)
    plan = "1. Investigator: how many plants were measured? 2. Reviewer: write the review."

    row = reranker.encode(["The yield of barley rose. " * 300], [plan])["input_ids"][0].tolist()

    assert len(row) == 512
    assert row[-1] == reranker.tokenizer.token_to_id("[SEP]")
    assert reranker.tokenizer.decode(row[-40:]).endswith("plants were measured? 2. reviewer : write the review.")
