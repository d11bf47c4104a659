"""The plan re-ranker learns to tell plans apart, and each paper is ranked by weights that never saw it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from sentence_transformers.cross_encoder import CrossEncoder

from state.errors import InputError, SettingsError
from tests.training.toy_plans import in_form, paragraph, toy_paragraphs, toy_run
from tools.bert import load_bert
from tools.reranking import load_reranker, select_unseen_weights
from training.plan_reranker.evaluate import evaluate_reranker, score_by_surface
from training.plan_reranker.train import save_reranker, train_reranker


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


CONTACTED: list[object] = []
"""Addresses that the training asked for."""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished training."""
    folder = tmp_path_factory.mktemp("reranker")

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event in {"socket.connect", "socket.getaddrinfo"} and not (folder / "done").exists():
            CONTACTED.append(arguments)

    sys.addaudithook(watch)
    train_reranker(toy_run(folder), toy_paragraphs(), folder / "out")
    (folder / "done").touch()
    return folder / "out"


def test_nobody_is_contacted_while_it_trains(out: Path) -> None:
    """Sentence-transformers by itself asks the model hub at each checkpoint what the encoder is."""
    assert (out.parent / "done").exists()
    assert CONTACTED == []


def test_it_learns_what_tells_plans_apart(out: Path) -> None:
    reranker = load_reranker(out / "weights")
    for each in toy_paragraphs():
        optimal, *others = reranker.predict_scores(each.paragraph, list(each.texts.values()))
        assert optimal > max(others)


def test_each_paper_has_a_fold_that_never_saw_it(out: Path) -> None:
    for each in toy_paragraphs():
        folder = select_unseen_weights(out / "weights", each.paper_id)
        assert folder.parent.name == "folds"


def test_a_finished_training_is_returned_as_it_is(out: Path) -> None:
    file = out / "weights" / "weights.safetensors"
    before = file.stat().st_mtime_ns
    assert train_reranker(toy_run(out.parent), toy_paragraphs(), out) == out / "weights"
    assert file.stat().st_mtime_ns == before
    with pytest.raises(SettingsError, match="other settings or data"):
        train_reranker(toy_run(out.parent, learning_rate=1e-3), toy_paragraphs(), out)


@pytest.mark.parametrize("rank", [None, 2])
def test_numpy_scores_as_sentence_transformers_does(rank: int | None, tmp_path: Path) -> None:
    config = toy_run(tmp_path, max_length=24, rank=rank)
    model = CrossEncoder(config.encoder, num_labels=1, max_length=24, device="cpu")
    bert = load_bert(config.encoder)
    with torch.no_grad():
        for value in model.model.parameters():  # as training might: a little, and of a low rank
            value.add_(0.1 * torch.randn(len(value), *[1] * (value.ndim - 1)) * torch.randn(value.shape[1:]))
    save_reranker(model, bert, config, {}, ["a"], tmp_path / "saved")
    loaded = load_reranker(tmp_path / "saved")
    texts = ["the yield rose . " * 9, "", "the field rose ."]
    plans = ["why did it fall?", "how?", ""]
    for text in texts:
        expected = model.predict([(text, plan) for plan in plans], activation_fn=torch.nn.Identity())
        # What is saved has half the digits.
        assert loaded.predict_scores(text, plans) == pytest.approx(expected.tolist(), abs=0.02)


def test_an_encoder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be loaded"):
        train_reranker(toy_run(tmp_path, encoder=str(tmp_path)), toy_paragraphs(), tmp_path / "out")


def test_too_few_papers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be split"):
        train_reranker(toy_run(tmp_path), [paragraph(1)], tmp_path / "out")


# Measuring


def test_what_needs_no_understanding_is_learnt_from_other_papers() -> None:
    paragraphs = toy_paragraphs()
    scores = score_by_surface(paragraphs)
    assert scores.keys() == {each.id for each in paragraphs}
    assert all(scores[each.id]["optimal"] > scores[each.id]["unstructured"] for each in paragraphs)


def test_the_table_tells_how_often_the_optimal_plan_is_first(out: Path, tmp_path: Path) -> None:
    paragraphs = toy_paragraphs()
    paragraphs[0] = paragraphs[0].model_copy(update={"texts": {**paragraphs[0].texts, "sampled": in_form("how?")}})

    told = evaluate_reranker(out / "weights", paragraphs, tmp_path)

    header, _, *rows = [line.strip("| ").split(" | ") for line in told.splitlines()]
    at = header.index
    by_name = {row[0]: row for row in rows}
    assert float(by_name["plan re-ranker"][at("four plans")].split()[0]) > 90
    assert by_name["chance"][at("four plans")] == "25.0 [25.0, 25.0]"
    assert by_name["chance"][at("planner's own")] == "50.0 [50.0, 50.0]"
    assert by_name["chance"][at("specificity, matched")] == "-"  # no paragraph has both
    assert (tmp_path / "evaluation.md").read_text(encoding="utf-8") == told
