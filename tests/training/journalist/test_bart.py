"""BART is fine-tuned, can be taken up after any interruption, and writes where the settings name it."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from graphs.sequence_to_sequence import builder
from state.errors import SettingsError
from tests.training.moments import copied_at, copy_of
from tests.training.tiny_seq2seq import configured, run, write_all
from tools.sequence_to_sequence import write
from training.configuration import CONFIGS, read_config
from training.journalist.bart import Tuned, train_bart
from training.journalist.config import BartConfig
from training.journalist.pairs import read_pairs, split_by_paper

MOMENTS = {
    "checkpoint-2/trainer_state.json": "in its first epoch, with nothing to go on from",
    "model/config.json": "recorded, but not saved",
}
"""At which a run is killed."""
ABSTRACT = "irrigation augmented elongation of moss considerably"


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and pairs."""
    return write_all(tmp_path_factory.mktemp("bart"))


@pytest.fixture(scope="module")
def whole(folder: Path) -> Tuned:
    """A run that nothing interrupted."""
    with copied_at(list(MOMENTS), folder / "whole", folder):
        return run(folder, folder / "whole")


def losses(tuned: Tuned) -> list[float]:
    """In training and on the dev pairs, epoch by epoch."""
    return [loss for epoch in tuned.record.history for loss in (epoch.train_loss, epoch.dev_loss)]


def test_the_loss_falls_and_the_record_says_how_it_came_about(folder: Path, whole: Tuned) -> None:
    trained = [epoch.train_loss for epoch in whole.record.history]
    assert trained == sorted(trained, reverse=True)
    assert -whole.record.best_metric < whole.loss_before
    assert set(whole.record.data) == {"pairs.jsonl", "train", "dev"}
    kept = [json.loads(line)["abstract"] for line in (folder / "whole" / "dev.jsonl").read_text().splitlines()]
    assert kept == [pair.abstract for pair in split_by_paper(read_pairs([folder / "pairs.jsonl"]), 0.25, seed=0).dev]


def test_nothing_is_left_but_the_checkpoint_and_the_records(folder: Path, whole: Tuned) -> None:
    names = {path.name for path in (folder / "whole").iterdir()} - {"lock"}
    assert names == {"model", "run.json", "record.json", "dev.jsonl"}
    card = (whole.checkpoint / "README.md").read_text(encoding="utf-8")
    assert f"{whole.loss_before:.3f} before, {-whole.record.best_metric:.3f} after" in card


async def test_the_checkpoint_writes_as_the_settings_sequence_to_sequence(whole: Tuned) -> None:
    nowhere = {"default": {"base_url": "http://127.0.0.1:9/v1", "model": "none", "retries": 0}}
    context = {"models": nowhere, "variant": "single", "sequence_to_sequence": str(whole.checkpoint)}
    result = await builder.compile().ainvoke({"paper": ABSTRACT}, context=context)
    written = await write(whole.checkpoint, ABSTRACT)
    assert result["article"].strip() == written.text


def test_it_has_learnt_to_write_the_summary(folder: Path, tmp_path: Path) -> None:
    tuned = run(folder, tmp_path, epochs=30, patience=30, accumulation=1)
    assert asyncio.run(write(tuned.checkpoint, ABSTRACT)).text.startswith("rain made")


@pytest.mark.parametrize("moment", MOMENTS, ids=MOMENTS.get)
def test_a_killed_run_reaches_the_same_curve(folder: Path, whole: Tuned, tmp_path: Path, moment: str) -> None:
    out = Path(shutil.copytree(copy_of(moment, folder), tmp_path / "out"))
    assert not (out / "model").exists()

    resumed = run(folder, out)
    assert losses(resumed) == pytest.approx(losses(whole), rel=1e-6)
    assert resumed.record.best_epoch == whole.record.best_epoch
    assert resumed.loss_before == pytest.approx(whole.loss_before, rel=1e-6)
    ours, theirs = (load_file(tuned.checkpoint / "model.safetensors") for tuned in (resumed, whole))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_the_batches_of_a_step_are_as_one(folder: Path, tmp_path: Path) -> None:
    """All summaries are of one length, so that the mean over three batches is the mean over one of thrice the size."""
    once = run(folder, tmp_path / "once", dropout=0.0, max_pairs=6, batch_size=6, accumulation=1, epochs=1)
    parts = run(folder, tmp_path / "parts", dropout=0.0, max_pairs=6, batch_size=2, accumulation=3, epochs=1)
    assert parts.record.history[0].train_loss == pytest.approx(once.record.history[0].train_loss, rel=1e-5)
    assert parts.record.best_metric == pytest.approx(once.record.best_metric, rel=1e-4)


def test_a_finished_run_is_not_trained_again(folder: Path, whole: Tuned) -> None:
    with pytest.raises(SettingsError, match="finished"):
        run(folder, folder / "whole")
    assert (whole.checkpoint / "model.safetensors").is_file()


def test_summaries_that_do_not_fit_are_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="raise `max_tokens`"):
        run(folder, tmp_path, max_tokens=7)


def test_a_folder_without_a_model_is_an_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match="folder of a sequence-to-sequence model"):
        train_bart(configured(tmp_path / "empty"), [folder / "pairs.jsonl"], tmp_path / "out")


def test_the_configurations_that_come_with_it_are_whole() -> None:
    paper, small = (read_config(CONFIGS / f"{name}.toml", BartConfig) for name in ("bart", "bart-small"))
    assert (paper.model, paper.learning_rate, paper.label_smoothing) == ("facebook/bart-large", 3e-5, 0.1)
    assert paper.batch_size * paper.accumulation == 64
    assert small.model == "facebook/bart-base"
