"""`draftroom train` trains each model from its data and a configuration, and refuses what it cannot use at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner, Result

from draftroom.cli import app
from tests.tools.tiny_bert import write_encoder, write_mpnet
from tests.training import tiny_journalist, tiny_seq2seq
from tests.training.toy_plans import WORDS, toy_files, toy_run
from tools.reranking import load_reranker
from training.review_filters.classifier import load_classifier
from training.review_filters.labelled_sentences import Task


def train(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


def toml(path: Path, config: BaseModel | dict[str, Any]) -> Path:
    """A configuration file."""
    values = config.model_dump(mode="json") if isinstance(config, BaseModel) else config
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items() if isinstance(value, str | int | float)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_bart_is_trained_from_any_checkpoint_by_its_folder(tmp_path: Path) -> None:
    folder = tiny_seq2seq.write_all(tmp_path)
    config = toml(tmp_path / "bart.toml", tiny_seq2seq.configured("named/by/option", epochs=1))
    out = tmp_path / "run"
    finished = train("bart", folder / "pairs.jsonl", "--out", out, "--config", config, "--model", folder / "bart")
    assert finished.exit_code == 0, finished.stderr
    assert "before" in finished.stdout
    assert f'sequence_to_sequence = "{out / "model"}"' in " ".join(finished.stderr.split())


def test_the_journalist_is_trained_and_served_as_an_adapter(tmp_path: Path) -> None:
    model = tiny_journalist.write_model(tmp_path / "model")
    pairs = tiny_journalist.write_pairs(tmp_path / "pairs.jsonl")
    config = toml(tmp_path / "journalist.toml", tiny_journalist.configured(model, epochs=1))
    finished = train("journalist", pairs, "--out", tmp_path / "run", "--config", config)
    assert finished.exit_code == 0, finished.stderr
    assert "before" in finished.stdout
    assert f"--lora-modules tuned={tmp_path / 'run' / 'adapter'}" in " ".join(finished.stderr.split())
    assert (tmp_path / "run" / "adapter" / "adapter_model.safetensors").is_file()


def test_the_plan_reranker_is_trained_on_any_encoder_and_measured(tmp_path: Path) -> None:
    out = tmp_path / "run"
    pairs, plans = toy_files(tmp_path)
    encoder = write_mpnet(tmp_path / "mpnet", WORDS)
    config = toml(tmp_path / "reranker.toml", toy_run(tmp_path, encoder="named/by/option", epochs=1))
    given = ("--plans", plans, "--out", out, "--config", config, "--encoder", encoder)
    finished = train("plan-reranker", pairs, *given)
    assert finished.exit_code == 0, finished.stderr
    assert "| plan re-ranker |" in finished.stdout
    reranker, asked = load_reranker(out / "weights"), ["why did it fall?", "how did the yield grow?"]
    scores = reranker.predict_scores("the yield rose .", asked)
    assert abs(scores[0] - scores[1]) > 1e-4
    assert reranker.predict_scores("the yield rose .", asked[::-1]) == pytest.approx(scores[::-1], abs=1e-6)


def test_a_corpus_without_plans_is_refused_before_training(tmp_path: Path) -> None:
    pairs, _ = toy_files(tmp_path)  # the plans that ship are of other paragraphs
    config = toml(tmp_path / "config.toml", toy_run(tmp_path))
    finished = train("plan-reranker", pairs, "--out", tmp_path / "run", "--config", config)
    assert finished.exit_code != 0
    assert "None of the 32 pairs has a plan" in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not (tmp_path / "run").exists()


PURPOSES = {"Strength": "good work", "Weakness": "this is wrong", "Todo": "please explain this", "Other": "thank you"}
ASPECTS = {
    "Substance": "this is wrong",
    "Originality/Novelty": "good work",
    "Clarity (Writing & Composition)": "thank you",
}


def sentences(task: Task) -> list[dict[str, Any]]:
    """Labelled ones, of enough papers that some are for dev."""
    if task == "purpose":
        return [
            {"paper_id": f"{split} {number}", "text": text, "label": label, "split": split}
            for split in ("train", "dev")
            for number in range(3)
            for label, text in PURPOSES.items()
        ]
    return [
        {"paper_id": f"paper {number}", "text": text, "aspect_labels": [[label, "NEG"]], "section_labels": []}
        for number in range(12)
        for label, text in ASPECTS.items()
    ]


@pytest.mark.parametrize("task", ["purpose", "aspect"])
def test_a_classifier_is_trained_and_measured(task: Task, tmp_path: Path) -> None:
    data = tmp_path / "sentences.jsonl"
    data.write_text("".join(f"{json.dumps(line)}\n" for line in sentences(task)), encoding="utf-8")
    encoder = write_encoder(tmp_path / "encoder", sorted({word for text in PURPOSES.values() for word in text.split()}))
    values = {"encoder": str(encoder), "learning_rate": 1e-2, "batch_size": 4, "epochs": 1, "patience": 1}
    config = toml(tmp_path / "config.toml", {**values, "max_length": 16, "device": "cpu"})
    finished = train(task, data, "--out", tmp_path / "run", "--config", config)
    assert finished.exit_code == 0, finished.stderr
    assert "majority" in finished.stdout
    assert len(load_classifier(tmp_path / "run", task)(["good work"])) == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("plan-reranker-huge", "There is no configuration 'plan-reranker-huge'; choose from aspect, aspect-small,"),
        ("purpose-small", "cannot be used: "),
    ],
)
def test_a_wrong_configuration_is_refused(config: str, message: str, tmp_path: Path) -> None:
    pairs, plans = toy_files(tmp_path)
    finished = train("plan-reranker", pairs, "--plans", plans, "--out", tmp_path / "run", "--config", config)
    assert finished.exit_code != 0
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
    assert not (tmp_path / "run").exists()
