"""The plan re-ranker in training: how pairs are encoded, scores that can be trained, and what is saved of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from state.errors import SettingsError, StateError
from tests.tools.tiny_bert import SPECIAL, write_encoder
from tools.bert import PACKAGED_ENCODER
from tools.reranking.plan_reranker import PARAGRAPH as PARAGRAPH_TYPE
from tools.reranking.plan_reranker import PLAN, EncodedText, pair, single
from training.plan_reranker.config import RerankerRun
from training.plan_reranker.model import RerankerModel
from training.plan_reranker.train import choose_parts

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
    text = pair(reranker.tokenizer, "the yield rose", "ask why ?", 32)

    assert list(text.ids) == [CLS, *ids(reranker, "the yield rose"), SEP, *ids(reranker, "ask why ?"), SEP]
    assert text.types == (0, 0, 0, 0, 0, 1, 1, 1, 1)


def test_what_stands_beside_a_pair_changes_nothing(reranker: RerankerModel) -> None:
    reranker.eval()
    pairs = [(PARAGRAPH, PLANS[2]), ("why", "review")]
    alone = [reranker([each]).item() for each in pairs]
    assert reranker(pairs).tolist() == pytest.approx(alone, abs=1e-5)


def test_a_long_paragraph_is_cut_and_the_plan_is_whole(reranker: RerankerModel) -> None:
    row = list(pair(reranker.tokenizer, "the yield rose " * 50, "ask the paper why ?", 32).ids)

    plan = [*ids(reranker, "ask the paper why ?"), SEP]
    assert len(row) == 32
    assert row[-len(plan) :] == plan
    assert row[: 32 - len(plan)] == [CLS, *ids(reranker, "the yield rose " * 50)[: 30 - len(plan)], SEP]


def test_a_plan_longer_than_the_window_is_cut_at_its_end(reranker: RerankerModel) -> None:
    row = list(pair(reranker.tokenizer, PARAGRAPH, "ask why ? " * 50, 32).ids)

    assert row == [CLS, SEP, *ids(reranker, "ask why ? " * 50)[:29], SEP]


def test_special_tokens_in_a_text_are_words(reranker: RerankerModel) -> None:
    row = list(pair(reranker.tokenizer, "the yield [SEP] rose", "why", 32).ids)

    assert row.count(SEP) == 2
    assert row[3:6] == ids(reranker, "[ sep ]")


# Read apart


@pytest.fixture
def joined(encoder: Path) -> RerankerModel:
    torch.manual_seed(1)
    return RerankerModel(encoder, dropout=0.5, joined_layers=1)


def test_a_text_by_itself_is_cut_at_its_end(reranker: RerankerModel) -> None:
    text = single(reranker.tokenizer, "ask why ? " * 50, PLAN, 12)
    assert list(text.ids) == [CLS, *ids(reranker, "ask why ? " * 50)[:10], SEP]
    assert text.types == (PLAN,) * 12


def test_the_form_of_a_plan_s_steps_is_shortened_and_a_paragraph_stays(reranker: RerankerModel) -> None:
    words = "1. Investigator: answer from the paper: why?\n2. Reviewer: write the review."
    plan, paragraph = (single(reranker.tokenizer, words, kind, 32) for kind in (PLAN, PARAGRAPH_TYPE))
    assert plan.ids == (CLS, *single(reranker.tokenizer, "1. paper: why?\n2. review", PARAGRAPH_TYPE, 32).ids[1:])
    assert len(paragraph.ids) > len(plan.ids)


def test_a_plan_attends_to_its_paragraph_and_what_stands_beside_changes_nothing(joined: RerankerModel) -> None:
    joined.eval()
    pairs = [(PARAGRAPH, PLANS[2]), ("why", "review"), ("field", PLANS[2])]
    alone = [joined([each]).item() for each in pairs]
    assert joined(pairs).tolist() == pytest.approx(alone, abs=1e-5)
    assert abs(alone[0] - alone[2]) > 1e-4


def test_states_of_frozen_layers_are_computed_once_and_shared(encoder: Path) -> None:
    known: dict[EncodedText, torch.Tensor] = {}
    run = RerankerRun(
        encoder=str(encoder), joined_layers=1, parts="adapter", learning_rate=1, batch_size=1, epochs=1, patience=1
    )
    for _ in range(2):
        reranker = RerankerModel(encoder, joined_layers=1, known=known)
        choose_parts(reranker, run)
        reranker.score(PARAGRAPH, PLANS)
    assert len(known) == 1 + len(PLANS)


def test_states_of_layers_that_are_trained_are_not_kept(encoder: Path) -> None:
    known: dict[EncodedText, torch.Tensor] = {}
    RerankerModel(encoder, joined_layers=1, known=known).score(PARAGRAPH, PLANS)
    assert not known


def test_more_layers_than_there_are_cannot_be_joined(encoder: Path) -> None:
    with pytest.raises(SettingsError, match="has 2 layers, so no more can be joined"):
        RerankerModel(encoder, joined_layers=3)


# Training


def test_scoring_amid_training_is_without_dropout_and_training_goes_on(reranker: RerankerModel) -> None:
    reranker.train()

    assert reranker.score(PARAGRAPH, PLANS) == reranker.score(PARAGRAPH, PLANS)
    assert reranker.training
    batch = [(PARAGRAPH, PLANS[0])]
    assert reranker(batch).item() != reranker(batch).item()  # with dropout


def test_scores_can_be_trained(reranker: RerankerModel) -> None:
    reranker.eval()
    better, worse = [(PARAGRAPH, PLANS[0])], [(PARAGRAPH, PLANS[1])]
    optimizer = torch.optim.AdamW(reranker.parameters(), lr=1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        (-torch.nn.functional.logsigmoid(reranker(better) - reranker(worse))).sum().backward()
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

    row = list(pair(reranker.tokenizer, "The yield of barley rose. " * 300, plan, reranker.max_length).ids)

    assert len(row) == 512
    assert row[-1] == reranker.tokenizer.token_to_id("[SEP]")
    assert reranker.tokenizer.decode(row[-40:]).endswith("plants were measured? 2. reviewer : write the review.")
