"""A journalist's adapter is trained, can be taken up after any interruption, and is whole when it is there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from state.errors import SettingsError
from tests.privacy.watching import contacts, spied
from tests.training.moments import copied_at, copy_of
from tests.training.tiny_journalist import configured, run, write_model, write_pairs
from training.configuration import CONFIGS, read_config
from training.journalist.config import JournalistConfig
from training.journalist.examples import examples_of
from training.journalist.pairs import read_pairs, split_by_paper
from training.journalist.train import JournalistRecord, train_journalist

ROOT = Path(__file__).parents[3]
MOMENTS = {
    "best-2.safetensors": "between measuring and keeping",
    "checkpoint-6/trainer_state.json": "in the midst of a checkpoint",
    "adapter/adapter_config.json": "trained, but not saved",
    "record.json": "saved, but not recorded",
}
"""At which a run is killed."""


def curve(record: JournalistRecord) -> list[dict[str, Any]]:
    """All of an epoch but how long it took."""
    return [epoch.model_dump(exclude={"seconds"}) for epoch in record.history]


def losses(record: JournalistRecord) -> list[float]:
    """In training and on the dev pairs, epoch by epoch."""
    return [loss for epoch in record.history for loss in (epoch.train_loss, epoch.dev_loss)]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and pairs."""
    folder = tmp_path_factory.mktemp("journalist")
    write_model(folder / "model")
    write_pairs(folder / "pairs.jsonl")
    return folder


@pytest.fixture(scope="module")
def out(folder: Path) -> Path:
    """The folder of a finished run that nothing interrupted."""
    with copied_at(list(MOMENTS), folder / "whole", folder):
        run(folder, folder / "whole")
    return folder / "whole"


@pytest.fixture(scope="module")
def whole(out: Path) -> JournalistRecord:
    return JournalistRecord.model_validate_json((out / "record.json").read_bytes())


def test_a_run_learns_and_says_how_it_came_about(folder: Path, whole: JournalistRecord) -> None:
    split = split_by_paper(read_pairs([folder / "pairs.jsonl"]), 0.25, seed=0)
    assert (whole.train_pairs, whole.dev_pairs, whole.left_out) == (len(split.train), len(split.dev), 0)
    assert [epoch.number for epoch in whole.history] == [1, 2, 3, 4]
    assert whole.history[whole.best_epoch - 1].dev_loss < whole.dev_loss_before
    assert whole.best_metric == -whole.history[whole.best_epoch - 1].dev_loss
    assert set(whole.data) == {"pairs.jsonl", "train", "dev"}
    assert {"trl", "peft", "torch"} <= whole.versions.keys()
    assert whole.device == "cpu, 1 threads"


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")  # peft asks for it
def test_the_adapter_is_the_best_epochs_and_nothing_else_is_left(
    folder: Path, out: Path, whole: JournalistRecord
) -> None:
    assert sorted(path.name for path in (out / "adapter").iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
    ]
    assert sorted(path.name for path in out.iterdir() if path.name != "lock") == [
        "adapter",
        "dev.jsonl",
        "record.json",
        "run.json",
    ]
    base = AutoModelForCausalLM.from_pretrained(folder / "model", local_files_only=True)
    model = PeftModel.from_pretrained(base, out / "adapter")
    assert not any("lm_head" in name or "embed" in name for name, _ in model.named_parameters() if "lora" in name)
    assert dev_loss(model, folder) == pytest.approx(-whole.best_metric, rel=1e-4)
    with model.disable_adapter():
        assert dev_loss(model, folder) == pytest.approx(whole.dev_loss_before, rel=1e-4)


def dev_loss(model: Any, folder: Path) -> float:
    """Mean over the tokens of the summaries, one pair at a time and without the trainer."""
    config, tokenizer = configured(folder / "model"), AutoTokenizer.from_pretrained(folder / "model")
    dev = split_by_paper(read_pairs([folder / "pairs.jsonl"]), config.dev_share, config.seed).dev
    total, count = 0.0, 0
    for example in examples_of(dev, tokenizer, config).kept:
        batch = {name: torch.tensor([example[name]]) for name in ("input_ids", "labels")}
        tokens = int((batch["labels"] >= 0).sum())
        with torch.no_grad():
            total += model(**batch).loss.item() * tokens
        count += tokens
    return total / count


def test_the_pairs_kept_from_training_are_a_corpus_of_the_evaluation(folder: Path, out: Path) -> None:
    split = split_by_paper(read_pairs([folder / "pairs.jsonl"]), 0.25, seed=0)
    kept = [json.loads(line) for line in (out / "dev.jsonl").read_text().splitlines()]
    assert [each["id"] for each in kept] == [pair.doi for pair in split.dev]
    assert [each["abstract"] for each in kept] == [pair.abstract for pair in split.dev]


def test_two_runs_with_one_seed_agree(folder: Path, whole: JournalistRecord, tmp_path: Path) -> None:
    assert curve(run(folder, tmp_path / "same")) == curve(whole)
    assert curve(run(folder, tmp_path / "other", seed=1)) != curve(whole)


@pytest.mark.parametrize("moment", MOMENTS, ids=MOMENTS.get)
def test_a_killed_run_reaches_the_same_curve(
    folder: Path, whole: JournalistRecord, out: Path, tmp_path: Path, moment: str
) -> None:
    resumed_in = Path(shutil.copytree(copy_of(moment, folder), tmp_path / "out"))
    assert not (resumed_in / "record.json").exists()

    resumed = run(folder, resumed_in)
    # Not to the last bit: its matrices lie elsewhere in memory, where some processors round otherwise.
    assert losses(resumed) == pytest.approx(losses(whole), rel=1e-6)
    assert resumed.best_epoch == whole.best_epoch
    weights = "adapter/adapter_model.safetensors"
    torch.testing.assert_close(load_file(resumed_in / weights), load_file(out / weights), rtol=0, atol=1e-5)
    assert list(resumed_in.glob("checkpoint-*")) == []


def test_a_finished_run_is_returned_as_it_is(folder: Path, whole: JournalistRecord, tmp_path: Path, out: Path) -> None:
    shutil.copytree(out, tmp_path / "run")
    (tmp_path / "run" / "adapter" / "adapter_model.safetensors").write_bytes(b"untouched")
    assert run(folder, tmp_path / "run") == whole
    assert (tmp_path / "run" / "adapter" / "adapter_model.safetensors").read_bytes() == b"untouched"


def test_a_run_is_not_taken_up_with_other_settings(folder: Path, out: Path) -> None:
    with pytest.raises(SettingsError, match=r"other settings or data \(.*lora_rank"):
        run(folder, out, lora_rank=4)


def test_training_stops_when_the_dev_loss_no_longer_falls(folder: Path, tmp_path: Path) -> None:
    record = run(folder, tmp_path, learning_rate=1e-30, epochs=9, patience=1)  # nothing is learnt
    assert record.best_epoch == len(record.history) - 1 < 8


def test_so_many_pairs_are_drawn_by_the_seed(folder: Path, tmp_path: Path) -> None:
    first, other = (run(folder, tmp_path / str(seed), seed=0, max_pairs=seed, epochs=1) for seed in (2, 3))
    assert (first.train_pairs, other.train_pairs) == (2, 3)
    assert first.data["dev"] == other.data["dev"]
    assert first.data["train"] != other.data["train"]


def test_a_loss_that_is_no_number_ends_the_run(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Training diverged"):
        run(folder, tmp_path, learning_rate=1e30)


def test_a_folder_without_a_model_is_an_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match="cannot be loaded"):
        train_journalist(configured(tmp_path / "empty"), [folder / "pairs.jsonl"], tmp_path / "out")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no GPU"):
        run(folder, tmp_path, device="cuda")


def test_nobody_is_contacted_while_it_trains(folder: Path, tmp_path: Path) -> None:
    """TRL by itself reports every trainer to the model hub, in a thread of its own."""
    noted: list[tuple[Any, ...]] = []
    before = set(threading.enumerate())

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in {"socket.connect", "socket.getaddrinfo"}:
            noted.append((event, *arguments[-2:]))

    sys.addaudithook(watch)
    run(folder, tmp_path, epochs=1)
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=30)
    assert noted == []


@pytest.mark.faults
def test_nothing_is_contacted_by_a_process_of_its_own(folder: Path, tmp_path: Path) -> None:
    """Neither when the libraries are imported, which alone takes ten seconds, nor later."""
    noted = tmp_path / "contacts"
    command = [sys.executable, "-m", "tests.training.tiny_journalist", folder, tmp_path / "out"]
    finished = subprocess.run(command, cwd=ROOT, env=spied(noted), capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    assert contacts(noted).addresses == set()
    assert contacts(noted).names == set()


def test_the_configurations_that_come_with_it_are_whole() -> None:
    paper, small = (
        read_config(CONFIGS / f"{name}.toml", JournalistConfig) for name in ("journalist", "journalist-small")
    )
    assert (paper.model, paper.epochs) == ("Qwen/Qwen1.5-7B-Chat", 10)
    lora = (paper.lora_rank, paper.lora_alpha, paper.dropout, paper.learning_rate, paper.schedule)
    assert lora == (8, 16, 0.0, 5e-5, "cosine")  # LLaMA-Factory's defaults, as the paper
    assert paper.batch_size * paper.accumulation == 16
    assert small.model == "embedded:smollm2-135m-instruct"
