"""The re-ranker learns what tells an optimal plan from others, in each of the ways in which it can be trained."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from state.errors import SettingsError
from tests.training.toy_plans import paragraph, toy_paragraphs, toy_run
from tools.reranking import FOLDS, unseen
from tools.reranking.plan_reranker import PlanReranker
from training.configuration import CONFIGS, read_config
from training.plan_reranker.config import Grid, RerankerTraining
from training.plan_reranker.evaluate import share
from training.plan_reranker.grid import train_grid
from training.plan_reranker.model import RerankerModel
from training.plan_reranker.plans import PlanName, PlannedParagraph, PlanSplit, folds_of, split_by_paper
from training.plan_reranker.shared_words import weigh_shared_words
from training.plan_reranker.train import (
    choose_parts,
    loss_of,
    measure,
    outranks,
    pairwise_loss,
    recall_at_1,
    share_above,
    train,
)

every_part = pytest.mark.parametrize("parts", ["everything", "top layers", "adapter"])


@pytest.fixture
def split() -> PlanSplit:
    return split_by_paper(toy_paragraphs(), 0.25, 0)


# The loss


def test_the_loss_is_that_of_the_paper() -> None:
    optimal, lacking = torch.tensor([0.3, -1.0]), torch.tensor([[0.1, 0.9], [0.0, -2.0]])

    expected = 0.0
    for better, others in zip(optimal.tolist(), lacking.tolist(), strict=True):
        for worse in others:
            above, below = (1 / (1 + math.exp(-difference)) for difference in (better - worse, worse - better))
            expected -= (math.log(above) + math.log(1 - below)) / 4

    assert pairwise_loss(optimal, lacking).item() == pytest.approx(expected, rel=1e-5)


def test_the_loss_of_plans_with_the_same_score() -> None:
    assert pairwise_loss(torch.zeros(2), torch.zeros(2, 3)).item() == pytest.approx(2 * math.log(2))


@pytest.mark.parametrize("difference", [1000.0, -1000.0])
def test_the_loss_is_finite_and_has_a_gradient_however_far_scores_are_apart(difference: float) -> None:
    optimal = torch.tensor([difference], requires_grad=True)

    loss = pairwise_loss(optimal, torch.zeros(1, 3))
    loss.backward()  # type: ignore[no-untyped-call, unused-ignore]

    assert loss.item() == pytest.approx(max(0.0, -2 * difference))
    assert optimal.grad is not None
    assert optimal.grad.item() == pytest.approx(0.0 if difference > 0 else -2.0)


# Measures


@pytest.mark.parametrize(
    ("optimal", "others", "expected"),
    [(2.0, [1.0, 0.0], 1.0), (1.0, [2.0, 0.0], 0.0), (1.0, [1.0, 0.0], 0.5), (0.0, [0.0, 0.0, 0.0], 0.25)],
)
def test_recall_at_1(optimal: float, others: list[float], expected: float) -> None:
    assert recall_at_1(optimal, others) == expected


def test_a_pair_with_one_score_is_half_in_order() -> None:
    assert [outranks(1.0, other) for other in (0.0, 1.0, 2.0)] == [1.0, 0.5, 0.0]


def test_pairs_are_counted_by_what_the_other_plan_lacks() -> None:
    others: Any = {"another paper": 0.0, "same paper": 2.0, "cut off": 1.0}
    assert share_above(1.0, others) == {"coherence": 0.5, "structure": 0.5}


def test_an_interval_is_over_papers() -> None:
    values = [1.0, 0.0] * 50
    by_paragraph = share(values, [str(number) for number in range(100)])
    by_paper = share(values, ["one", "other"] * 50)

    assert by_paragraph.mean == by_paper.mean == 0.5
    assert (by_paper.low, by_paper.high) == (0.0, 1.0)
    assert 0.35 < by_paragraph.low < 0.45
    assert 0.55 < by_paragraph.high < 0.65
    assert share(values, ["one"] * 100) == share(values, ["one"] * 100)


# Training


@every_part
@pytest.mark.parametrize("joined", [None, 1])
def test_it_learns_what_tells_plans_apart_and_scores_the_same_once_saved(
    tmp_path: Path, split: PlanSplit, parts: str, joined: int | None
) -> None:
    run = toy_run(tmp_path, parts=parts, top_layers=1, epochs=24, patience=24, joined_layers=joined)

    reranker, record = train(run, split, tmp_path / "run")
    reranker.save(tmp_path / "saved")

    assert record.history[record.best_epoch - 1].metrics["recall_at_1"] == 1.0
    assert record.history[-1].train_loss < record.history[0].train_loss
    assert measure(reranker, split.validation)["recall_at_1"] == 1.0
    assert scores(PlanReranker.load(tmp_path / "saved"), split) == pytest.approx(scores(reranker, split), abs=1e-4)


def scores(reranker: RerankerModel | PlanReranker, split: PlanSplit) -> list[float]:
    return [score for each in split.validation for score in reranker.score(each.paragraph, list(each.texts.values()))]


POOLER_AND_HEAD = {"encoder.pooler.dense.weight", "encoder.pooler.dense.bias", "head.weight", "head.bias"}


def saved_names(tmp_path: Path, **chosen: Any) -> set[str]:
    run = toy_run(tmp_path, **chosen)
    reranker = RerankerModel(run.encoder, joined_layers=run.joined_layers)
    choose_parts(reranker, run)
    reranker.save(tmp_path / "saved")
    return set(load_file(tmp_path / "saved" / "weights.safetensors"))


def test_an_adapter_is_all_that_is_saved_of_the_layers(tmp_path: Path) -> None:
    names = saved_names(tmp_path, parts="adapter", adapter={"rank": 2, "alpha": 4})

    layers = {f"encoder.encoder.layer.{layer}.attention.self.{part}" for layer in (0, 1) for part in ("query", "value")}
    factors = {f"{layer}.lora_{factor}.weight" for layer in layers for factor in "AB"}
    assert names == POOLER_AND_HEAD | factors
    assert json.loads((tmp_path / "saved" / "config.json").read_text())["adapter"] == {"rank": 2, "alpha": 4}


def test_an_adapter_is_in_the_joined_layers_alone(tmp_path: Path) -> None:
    names = saved_names(tmp_path, parts="adapter", joined_layers=1)

    assert {name.split(".")[3] for name in names - POOLER_AND_HEAD} == {"1"}


def test_an_adapter_of_all_dense_layers_leaves_the_pooler_whole(tmp_path: Path) -> None:
    names = saved_names(tmp_path, parts="adapter", adapter_modules=["dense"])

    assert names >= POOLER_AND_HEAD
    assert "encoder.encoder.layer.1.output.dense.lora_A.weight" in names
    assert not any("pooler" in name and "lora" in name for name in names)


def test_only_the_top_layers_are_saved(tmp_path: Path) -> None:
    names = saved_names(tmp_path, parts="top layers", top_layers=1)

    assert names >= POOLER_AND_HEAD
    assert {name.split(".")[3] for name in names - POOLER_AND_HEAD} == {"1"}


@pytest.mark.parametrize(
    ("chosen", "problem"),
    [
        ({"parts": "top layers", "top_layers": 3}, "The encoder has 2 layers"),
        ({"parts": "adapter", "adapter_modules": ["mixer"]}, "no layers named mixer"),
    ],
)
def test_parts_that_the_encoder_does_not_have_are_an_error(
    tmp_path: Path, chosen: dict[str, Any], problem: str
) -> None:
    run = toy_run(tmp_path, **chosen)

    with pytest.raises(SettingsError, match=problem):
        choose_parts(RerankerModel(run.encoder), run)


def test_the_loss_of_a_batch_is_that_of_its_paragraphs_whatever_plans_they_have(
    tmp_path: Path, split: PlanSplit
) -> None:
    reranker = RerankerModel(toy_run(tmp_path).encoder).eval()
    first, *others = split.train[:3]
    fewer = first.model_copy(update={"texts": {name: first.texts[name] for name in ("optimal", "generic")}})

    together = loss_of(reranker, [fewer, *others]).item()
    alone = [loss_of(reranker, [each]).item() for each in [fewer, *others]]
    assert together == pytest.approx(sum(alone) / 3, rel=1e-4)


# The grid


def trained(tmp_path: Path, paragraphs: list[PlannedParagraph] | None = None, **grid: Any) -> Path:
    training = RerankerTraining(run=toy_run(tmp_path, epochs=4), grid=Grid(**grid), validation=0.25, shared_words=True)
    return train_grid(training, paragraphs or toy_paragraphs(), tmp_path / "out")


def test_the_best_run_of_the_grid_is_trained_on_all_papers(tmp_path: Path) -> None:
    weights = trained(tmp_path, learning_rate=[1e-7, 5e-3], batch_size=[4, 8])

    config = json.loads((weights / "config.json").read_text())
    facts = config["training"]
    assert facts["chosen"] in {"learning_rate=0.005 batch_size=4", "learning_rate=0.005 batch_size=8"}
    assert facts["runs"] == 4
    assert (facts["train"]["paragraphs"], facts["chosen_by"]["paragraphs"]) == (32, 8)
    assert facts["written_by"] == ["toy"]
    assert set(config["papers"]) == {each.paper_id for each in toy_paragraphs()}
    table = (tmp_path / "out" / "grid.md").read_text().splitlines()
    assert len(table) == 2 + 4
    assert [line.split("|")[1].strip() for line in table if "chosen" in line] == [facts["chosen"]]
    kept = {path.parent.name for path in (tmp_path / "out").glob("runs/*/best-*.safetensors")}
    assert {name for name in kept if "fold" not in name} == {facts["chosen"], "all"}
    assert len(facts["run"]["history"]) == facts["run"]["best_epoch"], "the last epoch is kept"


def test_each_paper_has_a_fold_that_never_saw_it(tmp_path: Path) -> None:
    weights = trained(tmp_path)

    for paper in {each.paper_id for each in toy_paragraphs()}:
        folder = unseen(weights, paper)
        assert folder.parent == weights / FOLDS
        assert paper not in json.loads((folder / "config.json").read_text())["papers"]
        assert PlanReranker.load(folder).score("the yield rose .", ["why did it ?"])
    assert unseen(weights, "a new paper") == weights


def test_shared_words_are_weighed_in_each_fold_without_its_papers(tmp_path: Path) -> None:
    def asks_about(place: int, optimal: str, other: str) -> PlannedParagraph:
        texts: dict[PlanName, str] = {"optimal": f"how was the {optimal} ?", "another paper": f"how was the {other} ?"}
        changed = {"id": f"{place}", "paper_id": f"p{place}", "paragraph": "the yield rose .", "texts": texts}
        return toy_paragraphs()[0].model_copy(update=changed)

    helped = [asks_about(place, "yield", "patient") for place in range(20)]
    weights = trained(tmp_path, helped)
    names = list(folds_of(helped))
    assert all(PlanReranker.load(weights / FOLDS / name).shared_words > 1 for name in names)

    own = {each.id for each in folds_of(helped)[names[0]].validation}
    misled = [each if each.id in own else asks_about(int(each.id), "patient", "yield") for each in helped]
    weigh_shared_words(weights, misled)

    assert PlanReranker.load(weights / FOLDS / names[0]).shared_words < 1, "its own papers say nothing to it"


def test_a_grid_goes_on_with_the_runs_that_are_missing(tmp_path: Path) -> None:
    trained(tmp_path, learning_rate=[5e-3, 1e-7])
    record = tmp_path / "out" / "runs" / "learning_rate=1e-07" / "record.json"
    first = record.read_bytes(), record.stat().st_mtime_ns

    trained(tmp_path, learning_rate=[5e-3, 1e-7, 1e-8])

    assert (record.read_bytes(), record.stat().st_mtime_ns) == first, "it was not trained again"
    assert len(list((tmp_path / "out").glob("runs/learning*/record.json"))) == 3


def test_runs_on_other_data_are_not_taken_up(tmp_path: Path) -> None:
    trained(tmp_path)

    with pytest.raises(SettingsError, match="other settings or data"):
        trained(tmp_path, [*toy_paragraphs(), paragraph(32)])


def test_two_trainings_with_one_seed_agree(tmp_path: Path, split: PlanSplit) -> None:
    run = toy_run(tmp_path, dropout=0.2, epochs=2)
    curves = [
        [epoch.train_loss for epoch in train(each, split, tmp_path / name).record.history]
        for name, each in {"a": run, "b": run, "c": run.model_copy(update={"seed": 1})}.items()
    ]

    assert curves[0] == curves[1] != curves[2]


# Configurations


@pytest.mark.parametrize(("name", "runs"), [("plan-reranker", 48), ("plan-reranker-small", 1)])
def test_the_configurations_can_be_read(name: str, runs: int) -> None:
    training = read_config(CONFIGS / f"{name}.toml", RerankerTraining)

    names = [each for each, _ in training.runs()]
    assert len(names) == len(set(names)) == runs
    assert {config.encoder for _, config in training.runs()} == {training.run.encoder}


def test_the_paper_s_configuration_is_the_paper_s() -> None:
    training = read_config(CONFIGS / "plan-reranker.toml", RerankerTraining)

    assert (training.run.encoder, training.run.epochs, training.run.adam_epsilon) == ("bert-base-cased", 10, 1e-8)
    assert (training.run.joined_layers, training.run.max_length) == (None, 512)
    assert training.grid.model_dump(exclude={"seed"}) == {
        "learning_rate": (5e-5, 1e-6, 5e-6, 1e-7),
        "batch_size": (8, 16, 32),
        "dropout": (0.0, 0.1),
        "weight_decay": (0.0, 0.01),
    }


def test_a_run_without_a_grid_has_a_name(tmp_path: Path) -> None:
    run = toy_run(tmp_path)
    assert list(RerankerTraining(run=run).runs()) == [("run", run)]
