"""What the re-ranker is measured against, and that the card tells what was measured."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from state.errors import SettingsError, StateError
from state.model_settings import ModelSettings
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Text
from tests.training.toy_plans import in_form, record, toy_data, toy_run, write_plans
from tools.models import close_clients
from training.plan_reranker.baselines import (
    heuristics,
    overlap_with,
    questions,
    structure,
    surface_model,
    untrained_encoder,
    words,
)
from training.plan_reranker.card import write_card
from training.plan_reranker.config import RerankerTraining
from training.plan_reranker.evaluate import RERANKER, TASKS, evaluate, figures
from training.plan_reranker.grid import train_grid
from training.plan_reranker.judge import PAIRS, judge_plans, judged
from training.plan_reranker.plans import PlannedParagraph, of_split, read_plans

SHOWN = TASKS["four plans"]


@pytest.fixture
def planned(tmp_path: Path) -> PlannedParagraph:
    return read_plans(write_plans(tmp_path / "one.jsonl", [record(0)]))[0]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `plans.jsonl` and a re-ranker in `out/weights`."""
    folder = tmp_path_factory.mktemp("trained")
    run = toy_run(folder, parts="adapter", epochs=8)
    train_grid(RerankerTraining(run=run, validation=0.25), toy_data(folder), folder / "out")
    return folder


# Baselines


def test_chance_is_what_lots_would_give(planned: PlannedParagraph) -> None:
    found = figures({"chance": heuristics([planned])["chance"]}, [planned])["chance"]

    means = {task: each.mean for task, each in found.recall_at_1.items()}
    assert means == pytest.approx({"four plans": 0.25, "four, normalised": 0.25, "three structured": 1 / 3})
    assert {each.mean for each in found.outranks.values()} == {0.5}


def test_form_is_what_tells_the_plan_that_lacks_it_until_it_is_normalised(planned: PlannedParagraph) -> None:
    form = heuristics([planned])["numbered Investigator and Reviewer lines"]

    assert form(planned, SHOWN) == [1, 1, 1, 0]
    assert form(planned, TASKS["four, normalised"]) == [1, 1, 1, 1]
    assert structure("Read it.\n\n2) investigator: how?") == 0.5


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1. Investigator: answer from the paper: How long was it dried?", 1),
        ("Was it dried?", 1),
        ("1. Investigator: answer from the paper: I would ask how long it was dried?", 0),
        ("How it was dried should be asked.", 0),
    ],
)
def test_a_step_of_the_planners_begins_with_a_question_word(line: str, expected: float) -> None:
    assert questions(line) == expected


def test_length_counts_words(planned: PlannedParagraph) -> None:
    found = heuristics([planned])

    assert found["longest plan"](planned, ["optimal"]) == [words(planned.plans.optimal)]
    assert found["shortest plan"](planned, ["optimal"]) == [-words(planned.plans.optimal)]
    assert found["most steps"](planned, ["optimal", "structure"]) == [2, 1]


def test_overlap_is_with_the_plan_s_own_paragraph(tmp_path: Path) -> None:
    texts = ["Barley was dried in an oven.", "Nurses filled in a form."]
    records = [{**record(number), "paragraph": text} for number, text in enumerate(texts)]
    overlap = overlap_with(read_plans(write_plans(tmp_path / "two.jsonl", records)))

    assert overlap(texts[0], "How long was the barley dried?") > overlap(texts[0], "Which barley?") > 0
    assert overlap(texts[1], "How long was the barley dried?") == 0


def test_the_untrained_encoder_compares_meanings(tmp_path: Path) -> None:
    encoder = str(toy_run(tmp_path).encoder)
    same = {**record(0)["plans"], "optimal": record(0)["paragraph"]}
    planned = read_plans(write_plans(tmp_path / "one.jsonl", [{**record(0), "plans": same}]))[0]

    scores = untrained_encoder(encoder, 64)(planned, SHOWN)

    assert scores[0] == pytest.approx(1.0, abs=1e-5)
    assert max(scores[1:]) < 0.999


def test_the_surface_model_learns_what_the_surface_gives_away(tmp_path: Path) -> None:
    records = [record(number) for number in range(12)]
    for each in records:
        each["plans"]["optimal"] = in_form("why did the yield rose?", "how did it grow and how did the field fall?")
    paragraphs = read_plans(write_plans(tmp_path / "plans.jsonl", records))

    surface = surface_model(paragraphs[:8], SHOWN, paragraphs[8:])

    found = figures({"surface": surface}, paragraphs[8:])["surface"]
    assert found.recall_at_1["four, normalised"].mean == 1.0


# The judge


def settings(endpoint: FakeEndpoint) -> ModelSettings:
    return ModelSettings(base_url=endpoint.base_url, model="large", retry_wait_s=0)


LONG_REASON = "It asks why, which leads to what the paragraph leaves open. " * 5
"""Longer than judges were once allowed to be."""


def prefers_why(request: RecordedRequest) -> Json:
    """A judge who likes plans that ask why."""
    first = request.text.split("# Plan A")[1].split("# Plan B")[0]
    return Json({"reason": LONG_REASON, "better": "A" if "why" in first else "B"})


async def test_a_judge_compares_every_two_plans_in_an_order_drawn_by_lot(
    fake_endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    fake_endpoint.answer = prefers_why
    paragraphs = await asyncio.to_thread(
        read_plans, write_plans(tmp_path / "plans.jsonl", [record(number) for number in range(4)])
    )
    told: list[str] = []

    verdicts = await judge_plans(
        paragraphs, tmp_path / "log.jsonl", settings(fake_endpoint), concurrency=8, tell=told.append
    )
    again = await judge_plans(
        paragraphs, tmp_path / "log.jsonl", settings(fake_endpoint), concurrency=8, tell=told.append
    )
    await close_clients()

    assert len(verdicts) == len(told) == len(fake_endpoint.chat_requests) == 4 * len(PAIRS)
    assert again == verdicts, "no comparison is asked for twice"
    assert ("structure", "structure, normalised") not in PAIRS
    schemas = [request.schema or {} for request in fake_endpoint.chat_requests]
    assert not any("maxLength" in schema["properties"]["reason"] for schema in schemas)
    assert all("in at most 60 words" in request.text for request in fake_endpoint.chat_requests)
    shown_first = [verdict["first"] for verdict in verdicts if "optimal" in verdict.values()]
    assert 0 < shown_first.count("optimal") < len(shown_first)
    found = figures({"judge": judged(verdicts)}, paragraphs)["judge"]
    assert found.recall_at_1["four plans"].mean == 1.0
    assert found.outranks["specificity"].mean == 1.0


async def test_a_comparison_without_a_verdict_counts_half(fake_endpoint: FakeEndpoint, tmp_path: Path) -> None:
    fake_endpoint.answer = lambda _: Text("I would rather not.")
    paragraphs = await asyncio.to_thread(read_plans, write_plans(tmp_path / "plans.jsonl", [record(0)]))

    verdicts = await judge_plans(
        paragraphs, tmp_path / "log.jsonl", settings(fake_endpoint), concurrency=4, tell=lambda _: None
    )
    await close_clients()

    assert all("model_output" in verdict["error"] for verdict in verdicts)
    found = figures({"judge": judged(verdicts)}, paragraphs)["judge"]
    assert found.recall_at_1["four plans"].mean == 0.25


# Evaluation and card


def test_an_evaluation_sets_the_reranker_beside_what_has_not_learnt(trained: Path, tmp_path: Path) -> None:
    result = evaluate(trained / "out" / "weights", trained / "plans.jsonl", tmp_path / "measured")

    assert (result.paragraphs, result.papers) == (8, 4)
    ours = result.systems[RERANKER]
    assert ours.recall_at_1["four plans"].mean == 1.0
    assert ours.less.mean == 0.0
    assert len(result.systems) == 10
    assert result.systems["chance"].less.mean == pytest.approx(0.75)
    table = (tmp_path / "measured" / "evaluation.md").read_text()
    assert "| plan re-ranker | 100.0 [100.0, 100.0] |" in table
    assert "| chance | 25.0 [25.0, 25.0] |" in table
    kept = json.loads((tmp_path / "measured" / "evaluation.json").read_text())
    assert kept["systems"]["chance"]["recall_at_1"]["three structured"]["mean"] == pytest.approx(1 / 3)


def verdicts_for(paragraphs: list[PlannedParagraph]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"id": each.id, "one": one, "other": other, "winner": one, "model": "judge-7b"}
        for each in paragraphs
        for one, other in PAIRS
    ]
    return [*found[:-1], {"id": found[-1]["id"], "one": "structure", "other": "specificity", "error": "cut off"}]


def test_the_card_tells_what_was_measured(trained: Path, tmp_path: Path) -> None:
    weights = trained / "out" / "weights"
    dev = of_split(read_plans(trained / "plans.jsonl"), "dev")
    evaluate(weights, trained / "plans.jsonl", tmp_path, verdicts_for(dev))

    card = write_card(weights, tmp_path / "evaluation.json").read_text()

    config = json.loads((weights / "config.json").read_text())
    assert (weights / "README.md").is_file()
    assert card.startswith("---\nlicense: cc-by-sa-4.0\n")
    assert (tmp_path / "evaluation.md").read_text().strip() in card
    assert "judge-7b as a judge | 100.0" in card
    assert "without a verdict: 1;" in card
    assert config["sha256"] in card
    assert "| training | 18 | 9 |" in card
    assert "| measured | 8 | 4 |" in card
    assert "| Substance | 18 |" in card
    assert "LoRA, rank 8, alpha 16, on query, value" in card
    run = config["training"]["run"]
    assert f"The best epoch was {run['best_epoch']} of {len(run['history'])}" in card
    assert "`learning_rate`: 0.005" in card
    assert str(trained) not in card
    assert "toy wrote four plans" in card
    assert not {"{{", "}}", "{%", "None"} & set(card.split())


def test_a_card_is_not_written_from_figures_of_other_weights(trained: Path, tmp_path: Path) -> None:
    evaluate(trained / "out" / "weights", trained / "plans.jsonl", tmp_path)
    values = json.loads((tmp_path / "evaluation.json").read_text())
    (tmp_path / "evaluation.json").write_text(json.dumps({**values, "weights_sha256": "0"}))

    with pytest.raises(SettingsError, match="other weights"):
        write_card(trained / "out" / "weights", tmp_path / "evaluation.json")


def test_a_card_needs_an_evaluation(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no evaluation"):
        write_card(trained / "out" / "weights", tmp_path / "evaluation.json")


def test_a_card_needs_a_record_of_the_training(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained / "out" / "weights", tmp_path / "weights")
    config = json.loads((tmp_path / "weights" / "config.json").read_text())
    (tmp_path / "weights" / "config.json").write_text(json.dumps({**config, "training": {}}))

    with pytest.raises(SettingsError, match="does not say how it was trained"):
        write_card(tmp_path / "weights", tmp_path / "evaluation.json")


def test_an_evaluation_that_cannot_be_written_is_an_error(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StateError, match="cannot be written"):
        evaluate(trained / "out" / "weights", trained / "plans.jsonl", tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"parts": "everything"}, "All of it was trained."),
        ({"parts": "top layers", "top_layers": 1}, "Its upper 1 layers, the pooler"),
    ],
)
def test_the_card_tells_what_was_trained(tmp_path: Path, chosen: dict[str, Any], told: str) -> None:
    plans = toy_data(tmp_path)
    weights = train_grid(
        RerankerTraining(run=toy_run(tmp_path, epochs=1, **chosen), validation=0.25), plans, tmp_path / "out"
    )
    evaluate(weights, plans, tmp_path / "measured")

    assert told in write_card(weights, tmp_path / "measured" / "evaluation.json").read_text()
