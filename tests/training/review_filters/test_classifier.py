"""A classifier of review sentences learns, says what it comes to, and is loaded for its own task only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from state.errors import SettingsError
from tests.tools.tiny_bert import write_encoder
from training.review_filters.classifier import (
    ClassifierConfig,
    load_classifier,
    train_classifier,
)

SAMPLES = {
    "Recap": "the authors study yield",
    "Strength": "good work",
    "Weakness": "this is wrong",
    "Todo": "please explain this",
    "Structure": "minor comments :",
    "Other": "thank you",
}
WORDS = sorted({word for text in SAMPLES.values() for word in text.split()})


def f1000rd(split: str, paper: str, repeat: int) -> list[dict[str, Any]]:
    return [
        {"paper_id": paper, "text": f"{text} {' '.join(['work'] * count)}", "label": label, "split": split}
        for count in range(repeat)
        for label, text in SAMPLES.items()
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained classifier is in `out`, and what it comes to in `told`."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("classifier")
    encoder = write_encoder(folder / "encoder", WORDS)
    lines = [*f1000rd("train", "p1", 8), *f1000rd("dev", "p2", 2)]
    (folder / "f1000rd.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    values = {"learning_rate": 5e-3, "batch_size": 4, "epochs": 8, "patience": 8, "dropout": 0.0, "device": "cpu"}
    config = ClassifierConfig.model_validate({"encoder": str(encoder), "metric": "macro_f1", "balance": 0.5, **values})
    (folder / "told").write_text(train_classifier("purpose", config, folder / "f1000rd.jsonl", folder / "out"))
    return folder


def test_it_learns_and_beats_the_majority(folder: Path) -> None:
    told = (folder / "told").read_text(encoding="utf-8")
    assert "| classifier | 100.0% (100.0% to 100.0%) |" in told
    assert "| majority label | 16.7%" in told
    rows = [line.split() for line in told.splitlines()]
    assert ["Todo", "1.000", "1.000", "1.000", "2"] in rows
    assert ["Other", "0", "0", "0", "0", "0", "2"] in rows  # of the confusion
    assert (folder / "out" / "evaluation.md").read_text(encoding="utf-8") == told


def test_labels_come_in_the_order_of_the_texts_however_long_they_are(folder: Path) -> None:
    classify = load_classifier(folder / "out", "purpose")
    texts = ["work " * 300, *SAMPLES.values()] * 12
    assert classify(texts)[1:7] == list(SAMPLES)
    assert classify(texts)[-6:] == list(SAMPLES)


def test_a_classifier_of_another_task_is_refused(folder: Path) -> None:
    with pytest.raises(SettingsError, match="does not predict aspects"):
        load_classifier(folder / "out", "aspect")
    with pytest.raises(SettingsError, match="folder of a classifier of aspects"):
        load_classifier(folder / "encoder", "aspect")
