"""A training run can be killed and taken up again, repeated, and trusted: no two runs are ever mixed."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch import Tensor

from state.errors import SettingsError, StateError
from tests.support.processes import preload, run_module
from tests.training.tiny_fit import CONFIG, Tiny, compute_loss, make_model, run
from training.fitting import LengthSampler
from training.run_record import Epoch, TrainingRecord, file_sha256

preload("training.fitting", "transformers.models.bert.modeling_bert")


EPOCH = 6 + 3
"""Losses that are computed in an epoch: six batches to learn from and three to measure on."""


def curve(record: TrainingRecord) -> list[dict[str, Any]]:
    """All of an epoch but how long it took."""
    return [epoch.model_dump(exclude={"seconds"}) for epoch in record.history]


def kill(out: Path, batch: int) -> None:
    """Train in another process until it is killed."""
    killed = run_module("tests.training.tiny_fit", out, str(batch))
    assert killed.returncode == -signal.SIGKILL, killed.stderr


def no_loss(model: Tiny, batch: Mapping[str, Any]) -> Tensor:
    raise AssertionError("nothing is left to be trained")


def as_told(values: list[float]) -> Callable[[Tiny], dict[str, float]]:
    """A measure that has these values, one after each epoch."""
    told: Iterator[float] = iter(values)
    return lambda _: {"accuracy": next(told)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> TrainingRecord:
    """A run that nothing interrupted."""
    return run(tmp_path_factory.mktemp("whole") / "run").record


@pytest.fixture(scope="module")
def after_two_epochs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run left that was killed while it trained its third epoch."""
    out = tmp_path_factory.mktemp("killed") / "run"
    kill(out, 2 * EPOCH + 4)
    assert [path.name for path in out.glob("checkpoint-*")] == ["checkpoint-12"]
    return out


@pytest.fixture
def killed(after_two_epochs: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(after_two_epochs, tmp_path / "killed"))


def test_a_run_learns_and_says_how_it_came_about(tmp_path: Path) -> None:
    fitted = run(tmp_path)

    record = fitted.record
    assert [epoch.number for epoch in record.history] == [1, 2, 3, 4]
    assert record.history[-1].train_loss < record.history[0].train_loss
    assert record.config == CONFIG.model_dump()
    assert record.data == {"train": "abc"}
    assert record.versions["torch"] == torch.__version__
    assert record.device.startswith("cpu")
    assert record.seconds == pytest.approx(sum(epoch.seconds for epoch in record.history))
    assert TrainingRecord.model_validate_json((tmp_path / "record.json").read_bytes()) == record
    assert json.loads((tmp_path / "run.json").read_text())["metric"] == "accuracy"
    assert list(tmp_path.glob("checkpoint-*")) == []
    assert list(tmp_path.glob("*.safetensors")) == [fitted.weights]


def test_two_runs_with_one_seed_agree(whole: TrainingRecord, tmp_path: Path) -> None:
    other = CONFIG.model_copy(update={"seed": 1})

    assert curve(run(tmp_path / "same").record) == curve(whole)
    assert curve(run(tmp_path / "other", config=other).record) != curve(whole)


def test_a_killed_run_goes_on_and_reaches_the_same_curve(whole: TrainingRecord, killed: Path) -> None:
    losses = []

    def counted(model: Tiny, batch: Mapping[str, Any]) -> Tensor:
        losses.append(compute_loss(model, batch))
        return losses[-1]

    resumed = run(killed, loss=counted)

    assert curve(resumed.record) == curve(whole)
    assert len(losses) == 2 * EPOCH


def test_a_run_killed_before_a_checkpoint_is_written_reaches_the_same_curve(
    whole: TrainingRecord, tmp_path: Path
) -> None:
    kill(tmp_path, EPOCH - 1)  # amid measuring
    assert list(tmp_path.glob("checkpoint-*")) == []

    assert curve(run(tmp_path).record) == curve(whole)


def test_a_checkpoint_that_was_not_written_to_its_end_is_passed_over(whole: TrainingRecord, killed: Path) -> None:
    half = killed / "checkpoint-18"
    half.mkdir()
    (half / "trainer_state.json").write_text("{")

    assert curve(run(killed).record) == curve(whole)


def test_the_best_epoch_is_kept_and_the_others_are_not_waited_for(tmp_path: Path) -> None:
    states = []

    def measured(model: Tiny) -> dict[str, float]:
        states.append(model.head.weight.detach().clone())
        return {"accuracy": [0.5, 0.9, 0.9, 0.6][len(states) - 1]}

    model = make_model()
    config = CONFIG.model_copy(update={"epochs": 10, "patience": 2})
    fitted = run(tmp_path, config=config, model=model, measured=measured)

    assert len(fitted.record.history) == 4
    assert (fitted.record.best_epoch, fitted.record.best_metric) == (2, 0.9)
    assert torch.equal(model.head.weight, states[1])
    assert torch.equal(load_file(fitted.weights)["head.weight"], states[1])


def test_a_run_that_stopped_early_does_not_go_on_when_it_is_taken_up(tmp_path: Path) -> None:
    config = CONFIG.model_copy(update={"epochs": 10, "patience": 2})
    (tmp_path / "record.json").mkdir(parents=True)  # so that the run fails after its last epoch
    with pytest.raises(StateError, match="cannot be written"):
        run(tmp_path, config=config, measured=as_told([0.5, 0.9, 0.7, 0.6]))
    (tmp_path / "record.json").rmdir()

    model = make_model()
    fitted = run(tmp_path, config=config, model=model, measured=as_told([]))

    assert [epoch.metrics["accuracy"] for epoch in fitted.record.history] == [0.5, 0.9, 0.7, 0.6]
    assert torch.equal(model.head.weight, load_file(fitted.weights)["head.weight"])


def test_a_finished_run_is_returned_as_it_is(tmp_path: Path) -> None:
    first = run(tmp_path)
    model = make_model()

    again = run(tmp_path, model=model, loss=no_loss)

    assert again == first
    assert torch.equal(model.head.weight, load_file(first.weights)["head.weight"])


def test_a_finished_run_without_its_weights_is_not_returned(tmp_path: Path) -> None:
    run(tmp_path).weights.unlink()

    with pytest.raises(SettingsError, match="is finished and its weights are gone"):
        run(tmp_path, loss=no_loss)


def test_a_run_is_not_taken_up_with_other_settings_or_data(killed: Path) -> None:
    with pytest.raises(SettingsError, match=r"other settings or data \(batch_size, learning_rate\)"):
        run(killed, config=CONFIG.model_copy(update={"learning_rate": 1e-3, "batch_size": 8}))
    with pytest.raises(SettingsError, match=r"other settings or data \(dev, train\)"):
        run(killed, data={"train": "abd", "dev": "xyz"})


def test_a_folder_with_a_run_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("not JSON")

    with pytest.raises(SettingsError, match="other settings or data; name"):
        run(tmp_path)


def test_two_processes_do_not_train_in_one_folder(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"), pytest.raises(StateError, match="Another process trains"):
        run(tmp_path)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StateError, match="cannot be written"):
        run(tmp_path / "file" / "run")


def test_a_loss_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="Training diverged: the loss became nan by step 6"):
        run(tmp_path, loss=lambda model, batch: compute_loss(model, batch) * float("nan"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no GPU"):
        run(tmp_path, config=CONFIG.model_copy(update={"device": "cuda"}))


def test_frozen_parameters_are_neither_trained_nor_kept(tmp_path: Path) -> None:
    model = make_model()
    model.encoder.requires_grad_(False)
    before = model.encoder.embeddings.word_embeddings.weight.clone()

    fitted = run(tmp_path, model=model)

    assert set(load_file(fitted.weights)) == {"head.weight", "head.bias"}
    assert torch.equal(model.encoder.embeddings.word_embeddings.weight, before)


def test_every_epoch_is_told_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fitted = run(tmp_path)

    told = capsys.readouterr()
    first: Epoch = fitted.record.history[0]
    assert f"epoch 1/4: train loss {first.train_loss:.4f}, dev loss {first.dev_loss:.4f}, accuracy " in told.err
    assert told.err.count("epoch ") == 4
    assert told.out == ""


def test_the_hash_of_a_file_is_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"abc")

    assert file_sha256(tmp_path / "data").startswith("ba7816bf")


@given(st.lists(st.integers(1, 90), max_size=80), st.integers(1, 7))
def test_every_example_comes_once(lengths: list[int], batch_size: int) -> None:
    sampler = LengthSampler(lengths, batch_size)

    assert sorted(sampler) == list(range(len(lengths)))
    assert len(sampler) == len(lengths)


def test_batches_are_of_like_length_and_in_no_order() -> None:
    torch.manual_seed(0)
    lengths = torch.randint(1, 100, (202,)).tolist()

    order = list(LengthSampler(lengths, 4))

    batches = [[lengths[number] for number in order[start : start + 4]] for start in range(0, 202, 4)]
    longest = [max(batch) for batch in batches]
    assert sum(longest) * 4 < 1.15 * sum(lengths)  # at random about 1.6
    assert longest != sorted(longest)
    assert longest != sorted(longest, reverse=True)


def test_the_order_changes_and_is_that_of_the_seed() -> None:
    sampler = LengthSampler(list(range(40)), 4)
    torch.manual_seed(3)
    first, second = list(sampler), list(sampler)
    torch.manual_seed(3)

    assert first != second
    assert list(sampler) == first
