"""A training is taken up where it was stopped, ends early, and refuses what it cannot use; shown on a tiny BART."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from state.errors import SettingsError, StateError
from tests.training.tiny_seq2seq import run, write_all
from training.fitting import CONFIGS, FitConfig, FitRecord, read_training_config
from training.journalist.bart import BartConfig
from training.journalist.train import JournalistConfig
from training.plan_reranker.train import RerankerTrainingConfig
from training.review_filters.classifier import ClassifierConfig


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and pairs."""
    return write_all(tmp_path_factory.mktemp("bart"))


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """The folder of a run that nothing interrupted."""
    run(folder, folder / "whole")
    return folder / "whole"


@pytest.fixture
def stopped(folder: Path, tmp_path: Path) -> Path:
    """The folder of a run that ended in its third epoch, whose checkpoint could not be written."""
    occupied = tmp_path / "out" / "checkpoint-6"
    occupied.parent.mkdir()
    occupied.touch()
    with pytest.raises(FileExistsError, match="checkpoint-6"):
        run(folder, tmp_path / "out")
    occupied.unlink()
    return tmp_path / "out"


def record(out: Path) -> FitRecord:
    return FitRecord.model_validate_json((out / "record.json").read_bytes())


def losses(out: Path) -> list[float]:
    """In training and on the dev pairs, epoch by epoch."""
    log = json.loads((out / "trainer_state.json").read_bytes())["log_history"]
    return [entry[name] for entry in log for name in ("loss", "eval_loss") if name in entry]


def test_a_run_says_how_it_came_about_and_leaves_no_checkpoint(whole: Path) -> None:
    files = {"model", "run.json", "record.json", "trainer_state.json", "dev.jsonl"}
    assert {path.name for path in whole.iterdir()} == files
    found = record(whole)
    assert set(found.data) == {"pairs.jsonl"}
    assert found.config["learning_rate"] == 1e-2
    assert (found.epochs, found.metric, found.best) == (4.0, "eval_loss", min(losses(whole)[1::2]))
    assert "torch" in found.versions


def test_a_stopped_run_goes_on_and_reaches_the_same_weights(
    folder: Path, whole: Path, stopped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newest = stopped / "checkpoint-99"  # one that was not written to its end is passed over
    newest.mkdir()

    run(folder, stopped)

    assert re.findall(r"epoch (\d): loss", capsys.readouterr().err) == ["3", "4"]
    assert losses(stopped) == pytest.approx(losses(whole), rel=1e-5)
    ours, theirs = (load_file(out / "model" / "model.safetensors") for out in (stopped, whole))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)
    assert not list(stopped.glob("checkpoint-*"))


def test_a_run_is_not_taken_up_with_other_settings_or_data(folder: Path, stopped: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="other settings or data"):
        run(folder, stopped, seed=1)
    other = Path(shutil.copytree(folder, tmp_path / "other"))
    with (other / "pairs.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"abstract": "more", "summary": "more"}))
    with pytest.raises(SettingsError, match="other settings or data"):
        run(other, stopped)


def test_a_finished_run_is_not_trained_again(folder: Path, whole: Path) -> None:
    with pytest.raises(SettingsError, match="is finished"):
        run(folder, whole)


def test_training_stops_when_the_dev_loss_no_longer_falls(folder: Path, tmp_path: Path) -> None:
    run(folder, tmp_path, learning_rate=1e-30, epochs=9, patience=1)  # nothing is learnt
    assert record(tmp_path).epochs < 9


def test_a_loss_that_is_no_number_ends_the_run(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Training diverged"):
        run(folder, tmp_path, learning_rate=1e30)


def test_a_folder_without_a_model_is_an_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match="folder of a sequence-to-sequence model"):
        run(folder, tmp_path / "out", model=str(tmp_path / "empty"))


def test_a_folder_that_cannot_be_written_is_an_error(folder: Path) -> None:
    with pytest.raises(StateError, match="name another folder"):
        run(folder, folder / "pairs.jsonl" / "out")


# Configurations


def test_a_configuration_says_which_key_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("learning_rate = 0.0\nbatch_size = 8\nepochs = 2\npatience = 1\nlr = 1")
    with pytest.raises(SettingsError, match=r"`learning_rate`: .*`lr`"):
        read_training_config(str(path), FitConfig)
    path.write_text("= 1")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_training_config(str(path), FitConfig)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_configurations_that_ship_can_be_used(path: Path) -> None:
    schemas = {
        "plan-reranker": RerankerTrainingConfig,
        "purpose": ClassifierConfig,
        "aspect": ClassifierConfig,
        "bart": BartConfig,
    }
    read_training_config(path.stem, schemas.get(path.stem.removesuffix("-small"), JournalistConfig))
