"""`draftroom train` trains each model from its data and a configuration, and refuses what it cannot use at once."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fake_endpoint import FakeEndpoint, Json, Script, When
from tests.support.processes import preload, run_module
from tests.tools.tiny_bert import write_encoder
from tests.training.tiny_seq2seq import configured, write_all
from tests.training.toy_plans import toy_files, toy_run
from tools.reranking import FOLDS, unseen
from tools.reranking.plan_reranker import PlanReranker
from training.review_filters.classifier import load_classifier

preload("training.plan_reranker.train")


ROOT = Path(__file__).parents[2]
PURPOSES = {"Strength": "good work", "Weakness": "this is wrong", "Todo": "please explain this", "Other": "thank you"}


def train(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_module("draftroom", "train", *arguments, **environment)


def toml(path: Path, values: dict[str, Any], *, table: str = "") -> Path:
    """A configuration file."""
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items() if value is not None]
    path.write_text("\n".join([*([f"[{table}]"] if table else []), *lines]) + "\n", encoding="utf-8")
    return path


def toy_corpus(folder: Path) -> tuple[str | Path, ...]:
    """Arguments that name a corpus and its plans."""
    pairs, plans = toy_files(folder)
    return pairs, "--plans", plans


def reranker_config(folder: Path) -> Path:
    run = toy_run(folder, epochs=2).model_dump(mode="json", exclude={"adapter"})
    return toml(folder / "reranker.toml", run, table="run")


def test_bart_is_trained_from_any_checkpoint_by_its_folder(tmp_path: Path) -> None:
    folder = write_all(tmp_path)
    config = toml(tmp_path / "bart.toml", configured("named/by/option", epochs=1).model_dump(mode="json"))
    out = tmp_path / "run"
    given = ["bart", folder / "pairs.jsonl", "--out", out, "--config", config, "--model", folder / "bart"]
    finished = train(*given)
    assert finished.returncode == 0, finished.stderr
    assert "before" in finished.stdout
    assert f'sequence_to_sequence = "{out / "model"}"' in " ".join(finished.stderr.split())


def test_the_plan_reranker_is_trained_measured_and_described(tmp_path: Path) -> None:
    out = tmp_path / "run"
    finished = train("plan-reranker", *toy_corpus(tmp_path), "--out", out, "--config", reranker_config(tmp_path))
    assert finished.returncode == 0, finished.stderr
    assert "| plan re-ranker |" in finished.stdout
    assert "untrained (cosine) |" in finished.stdout
    reranker = PlanReranker.load(out / "weights")
    assert len(reranker.score("the yield rose .", ["why?", "how?"])) == 2
    assert unseen(out / "weights", "paper 0").parent == out / "weights" / FOLDS
    assert "Recall@1" in (out / "weights" / "README.md").read_text(encoding="utf-8")


def test_the_planners_model_can_be_a_judge(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([When(Json({"reason": "It asks why.", "better": "A"}), schema="Verdict")])
    given = ["plan-reranker", *toy_corpus(tmp_path), "--out", tmp_path / "run", "--config", reranker_config(tmp_path)]
    address = {"DRAFTROOM_MODELS__DEFAULT__BASE_URL": fake_endpoint.base_url}
    finished = train(*given, "--judge", DRAFTROOM_MODELS__DEFAULT__MODEL="large", **address)
    assert finished.returncode == 0, finished.stderr
    assert "| large as a judge |" in finished.stdout


def test_a_corpus_without_plans_is_refused_before_training(tmp_path: Path) -> None:
    pairs, _ = toy_files(tmp_path)  # the plans that ship are of other paragraphs
    finished = train("plan-reranker", pairs, "--out", tmp_path / "run", "--config", reranker_config(tmp_path))
    assert finished.returncode != 0
    assert "None of the 32 pairs has a plan" in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not (tmp_path / "run").exists()


def test_a_classifier_is_trained_and_measured(tmp_path: Path) -> None:
    lines = [
        {
            "paper_id": f"{split} {number}",
            "text": f"{text} {'work ' * number}",
            "label": label,
            "split": split,
            "id": "x",
        }
        for split in ("train", "dev")
        for number in range(3)
        for label, text in PURPOSES.items()
    ]
    sentences = tmp_path / "sentences.jsonl"
    sentences.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    encoder = write_encoder(tmp_path / "encoder", sorted({word for text in PURPOSES.values() for word in text.split()}))
    values = {"encoder": str(encoder), "learning_rate": 1e-2, "batch_size": 4, "epochs": 1, "patience": 1}
    config = toml(tmp_path / "purpose.toml", {**values, "max_length": 16, "device": "cpu"})
    finished = train("purpose", sentences, "--out", tmp_path / "run", "--config", config)
    assert finished.returncode == 0, finished.stderr
    assert "majority" in finished.stdout
    assert load_classifier(tmp_path / "run", "purpose").classify(["good work"])[0].label in PURPOSES


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("plan-reranker-huge", "There is no configuration 'plan-reranker-huge'; choose from aspect, aspect-small,"),
        ("purpose-small", "cannot be used: "),
    ],
)
def test_a_wrong_configuration_is_refused(config: str, message: str, tmp_path: Path) -> None:
    finished = train("plan-reranker", *toy_corpus(tmp_path), "--out", tmp_path / "run", "--config", config)
    assert finished.returncode != 0
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not (tmp_path / "run").exists()
