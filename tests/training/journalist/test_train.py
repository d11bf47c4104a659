"""A journalist's adapter learns, is whole when it is there, and nobody is told that it was trained."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.training.tiny_journalist import configured, run, write_model, write_pairs
from training.fitting import FitRecord
from training.journalist.pairs import read_summary_pairs, split_pairs_by_paper
from training.journalist.train import build_examples

ROOT = Path(__file__).parents[3]


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
def record(folder: Path) -> FitRecord:
    return run(folder, folder / "out")


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")  # peft asks for it
def test_the_adapter_is_the_best_epochs(folder: Path, record: FitRecord) -> None:
    adapter = folder / "out" / "adapter"
    assert {path.name for path in adapter.iterdir()} == {"adapter_config.json", "adapter_model.safetensors"}
    base = AutoModelForCausalLM.from_pretrained(folder / "model", local_files_only=True)
    model = PeftModel.from_pretrained(base, adapter)
    assert not any("lm_head" in name or "embed" in name for name, _ in model.named_parameters() if "lora" in name)
    assert record.best < record.before
    assert dev_loss(model, folder) == pytest.approx(record.best, rel=1e-3)
    with model.disable_adapter():
        assert dev_loss(model, folder) == pytest.approx(record.before, rel=1e-3)


def dev_loss(model: Any, folder: Path) -> float:
    """Mean over the pairs, all of which are of one length, without the trainer."""
    config, tokenizer = configured(folder / "model"), AutoTokenizer.from_pretrained(folder / "model")
    dev = split_pairs_by_paper(read_summary_pairs([folder / "pairs.jsonl"]), config.dev_share, config.seed).dev
    losses = []
    for example in build_examples(dev, tokenizer, config):
        with torch.no_grad():
            losses.append(
                model(**{name: torch.tensor([example[name]]) for name in ("input_ids", "labels")}).loss.item()  # type: ignore[literal-required]
            )
    return sum(losses) / len(losses)


def test_the_pairs_kept_from_training_are_a_corpus_of_the_evaluation(folder: Path, record: FitRecord) -> None:
    split = split_pairs_by_paper(read_summary_pairs([folder / "pairs.jsonl"]), 0.25, seed=0)
    kept = [json.loads(line) for line in (folder / "out" / "dev.jsonl").read_text().splitlines()]
    assert [each["id"] for each in kept] == [pair.doi for pair in split.dev]
    assert [each["abstract"] for each in kept] == [pair.abstract for pair in split.dev]


def test_nobody_is_contacted_while_it_trains(folder: Path, tmp_path: Path) -> None:
    """TRL by itself reports every trainer to the model hub, in a thread of its own."""
    noted: list[tuple[Any, ...]] = []
    before = set(threading.enumerate())

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in {"socket.connect", "socket.getaddrinfo"}:
            noted.append((event, *arguments[-2:]))

    sys.addaudithook(watch)
    run(folder, tmp_path, epochs=1, max_pairs=2)
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=30)
    assert noted == []
