"""What the re-ranker is measured against, and that the card tells what was measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from state.errors import SettingsError, StateError
from state.model_settings import ModelSettings
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Text
from tests.training.toy_plans import in_form, paragraph, toy_paragraphs, toy_run
from tools.models import close_clients
from tools.reranking import FOLDS
from tools.reranking.plan_reranker import PlanReranker
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
from training.plan_reranker.evaluate import ALL, RERANKER, evaluate, figures, scores_of
from training.plan_reranker.grid import train_grid
from training.plan_reranker.judge import PAIRS, judge_plans, judged
from training.plan_reranker.plans import FOUR, PlannedParagraph


@pytest.fixture
def planned() -> PlannedParagraph:
    return paragraph(0)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a re-ranker with its folds."""
    folder = tmp_path_factory.mktemp("trained")
    run = toy_run(folder, parts="adapter", epochs=8)
    return train_grid(RerankerTraining(run=run, validation=0.25), toy_paragraphs(), folder / "out")


# Baselines


def test_chance_is_what_lots_would_give(planned: PlannedParagraph) -> None:
    found = figures({"chance": heuristics([planned])["chance"]}, [planned])["chance"]

    means = {task: each.mean for task, each in found.recall_at_1.items()}
    assert means == pytest.approx({"four plans": 0.25, ALL: 0.25}), "it has no four hard plans"
    assert {each.mean for each in found.outranks.values()} == {0.5}


def test_form_is_what_tells_running_text(planned: PlannedParagraph) -> None:
    form = heuristics([planned])["numbered Investigator and Reviewer lines"]

    assert form(planned, FOUR) == [1, 1, 1, 0]
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

    assert found["longest plan"](planned, ["optimal"]) == [words(planned.texts["optimal"])]
    assert found["shortest plan"](planned, ["optimal"]) == [-words(planned.texts["optimal"])]
    assert found["most steps"](planned, ["optimal", "running text"]) == [2, 1]


def test_overlap_is_with_the_plan_s_own_paragraph() -> None:
    texts = ["Barley was dried in an oven.", "Nurses filled in a form."]
    overlap = overlap_with(
        [paragraph(number).model_copy(update={"paragraph": text}) for number, text in enumerate(texts)]
    )

    assert overlap(texts[0], "How long was the barley dried?") > overlap(texts[0], "Which barley?") > 0
    assert overlap(texts[1], "How long was the barley dried?") == 0


def test_the_untrained_encoder_compares_meanings(tmp_path: Path) -> None:
    encoder = str(toy_run(tmp_path).encoder)
    given = paragraph(0)
    planned = given.model_copy(update={"texts": {**given.texts, "optimal": given.paragraph}})

    scores = untrained_encoder(encoder, 64)(planned, FOUR)

    assert scores[0] == pytest.approx(1.0, abs=1e-5)
    assert max(scores[1:]) < 0.999


def test_the_surface_model_learns_what_the_surface_gives_away() -> None:
    longer = in_form("why did the yield rose?", "how did it grow and how did the field fall?")
    paragraphs = [each.model_copy(update={"texts": {**each.texts, "optimal": longer}}) for each in toy_paragraphs()]

    found = figures({"surface": surface_model(paragraphs)}, paragraphs)["surface"]
    assert found.recall_at_1["four plans"].mean == 1.0


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
    paragraphs = [paragraph(number) for number in range(4)]
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
    paragraphs = [paragraph(0)]

    verdicts = await judge_plans(
        paragraphs, tmp_path / "log.jsonl", settings(fake_endpoint), concurrency=4, tell=lambda _: None
    )
    await close_clients()

    assert all("model_output" in verdict["error"] for verdict in verdicts)
    found = figures({"judge": judged(verdicts)}, paragraphs)["judge"]
    assert found.recall_at_1["four plans"].mean == 0.25


# Evaluation and card


def test_an_evaluation_sets_the_reranker_beside_what_has_not_learnt(trained: Path, tmp_path: Path) -> None:
    result = evaluate(trained, toy_paragraphs(), tmp_path / "measured")

    assert (result.paragraphs, result.papers) == (32, 16)
    assert (result.counted["four plans"], result.counted["same paper"]) == (32, 0)
    ours = result.systems[RERANKER]
    assert ours.recall_at_1["four plans"].mean > 0.5, "twice what lots would give"
    assert ours.less.mean == 0.0
    assert len(result.systems) == 10
    assert {"coherence", "generic"} <= ours.outranks.keys()
    assert result.systems["chance"].less.mean == pytest.approx(ours.recall_at_1["four plans"].mean - 0.25)
    table = (tmp_path / "measured" / "evaluation.md").read_text()
    assert "| chance | 25.0 [25.0, 25.0] |  | 25.0 [25.0, 25.0] |" in table
    kept = json.loads((tmp_path / "measured" / "evaluation.json").read_text())
    assert kept["systems"]["chance"]["recall_at_1"][ALL]["mean"] == pytest.approx(0.25)


def test_a_paper_is_measured_with_weights_that_never_saw_it(trained: Path) -> None:
    planned = paragraph(0)
    (score,) = scores_of(trained, [planned])(planned, ["optimal"])

    of = {
        folder.name: (
            planned.paper_id in read_config(folder),
            PlanReranker.load(folder).score(planned.paragraph, [planned.texts["optimal"]])[0],
        )
        for folder in (trained, *(trained / FOLDS).iterdir())
    }
    assert [name for name, (_, value) in of.items() if value == score] == [
        name for name, (learnt, _) in of.items() if not learnt
    ]


def read_config(folder: Path) -> list[str]:
    papers: list[str] = json.loads((folder / "config.json").read_text())["papers"]
    return papers


def test_weights_that_have_learnt_from_all_papers_are_not_measured_on_them(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "weights", ignore=shutil.ignore_patterns(FOLDS))

    with pytest.raises(SettingsError, match="has learnt from the paper"):
        evaluate(tmp_path / "weights", toy_paragraphs(), tmp_path / "measured")


def verdicts_for(paragraphs: list[PlannedParagraph]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {"id": each.id, "one": one, "other": other, "winner": one, "model": "judge-7b"}
        for each in paragraphs
        for one, other in PAIRS
    ]
    return [*found[:-1], {"id": found[-1]["id"], "one": "generic", "other": "running text", "error": "cut off"}]


def test_the_card_tells_what_was_measured(trained: Path, tmp_path: Path) -> None:
    evaluate(trained, toy_paragraphs(), tmp_path, verdicts_for(toy_paragraphs()))

    card = write_card(trained, tmp_path / "evaluation.json").read_text()

    config = json.loads((trained / "config.json").read_text())
    assert (trained / "README.md").is_file()
    assert card.startswith("---\nlicense: cc-by-sa-4.0\n")
    assert (tmp_path / "evaluation.md").read_text().strip() in card
    assert "judge-7b as a judge | 100.0" in card
    assert "without a verdict: 1;" in card
    assert config["sha256"] in card
    assert "learnt from all 32 paragraphs of 16 papers" in card
    assert "| specificity | generic | 32 |" in card
    assert "LoRA, rank 8, alpha 16, on query, value" in card
    run = config["training"]["run"]
    assert f"{run['best_epoch']} epochs" in card
    assert "`learning_rate`: 0.005" in card
    assert str(trained) not in card
    assert "toy wrote, as the planner does" in card
    assert not {"{{", "}}", "{%", "None"} & set(card.split())


def test_a_card_is_not_written_from_figures_of_other_weights(trained: Path, tmp_path: Path) -> None:
    evaluate(trained, toy_paragraphs(), tmp_path)
    values = json.loads((tmp_path / "evaluation.json").read_text())
    (tmp_path / "evaluation.json").write_text(json.dumps({**values, "weights_sha256": "0"}))

    with pytest.raises(SettingsError, match="other weights"):
        write_card(trained, tmp_path / "evaluation.json")


def test_a_card_needs_an_evaluation(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no evaluation"):
        write_card(trained, tmp_path / "evaluation.json")


def test_a_card_needs_a_record_of_the_training(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "weights")
    config = json.loads((tmp_path / "weights" / "config.json").read_text())
    (tmp_path / "weights" / "config.json").write_text(json.dumps({**config, "training": {}}))

    with pytest.raises(SettingsError, match="does not say how it was trained"):
        write_card(tmp_path / "weights", tmp_path / "evaluation.json")


def test_an_evaluation_that_cannot_be_written_is_an_error(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StateError, match="cannot be written"):
        evaluate(trained, toy_paragraphs(), tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"parts": "everything"}, "All of it was trained."),
        ({"parts": "top layers", "top_layers": 1}, "Its upper 1 layers, the pooler"),
        ({"parts": "adapter", "joined_layers": 1}, "a plan attends to its paragraph in the last 1 layers"),
    ],
)
def test_the_card_tells_what_was_trained(tmp_path: Path, chosen: dict[str, Any], told: str) -> None:
    training = RerankerTraining(run=toy_run(tmp_path, epochs=1, **chosen), validation=0.25)
    weights = train_grid(training, toy_paragraphs(), tmp_path / "out")
    evaluate(weights, toy_paragraphs(), tmp_path / "measured")

    assert told in write_card(weights, tmp_path / "measured" / "evaluation.json").read_text()
