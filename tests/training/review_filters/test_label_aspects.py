"""Pairs get the weakness that their criticism is about, and a bad file is refused in one sentence."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch

from runs.many import read_records
from tests.support.processes import preload, run_module
from tests.tools.tiny_bert import write_encoder
from tests.training.toy_reviews import write
from training.review_filters.classifier import ReviewClassifier
from training.review_filters.labelled_sentences import ASPECTS

preload("training.review_filters.classifier")


CRITICISED = {
    "id": "a",
    "feedback": "please explain this",
    "review_sentences": [
        {"id": "a1", "text": "good work", "label": "Strength"},
        {"id": "a2", "text": "please explain this", "label": "Todo"},
    ],
}
PRAISED = {"id": "b", "feedback": "", "review_sentences": [{"id": "b1", "text": "good work", "label": "Strength"}]}


def single_minded(folder: Path, aspect: str) -> Path:
    """A classifier that finds one aspect in every sentence."""
    encoder = write_encoder(folder / "encoder", ["good", "work", "please", "explain", "this"])
    classifier = ReviewClassifier("aspect", ASPECTS, str(encoder), dropout=0.0)
    with torch.no_grad():
        classifier.head.bias[ASPECTS.index(aspect)] = 1000.0
    classifier.save(folder / "classifier")
    return folder / "classifier"


def label(pairs: Path, classifier: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return run_module("training.review_filters.label_aspects", pairs, "--aspect", classifier, "--out", out)


def test_a_pair_gets_the_aspect_of_its_criticism(tmp_path: Path) -> None:
    done = label(
        write(tmp_path / "pairs.jsonl", [CRITICISED, PRAISED]),
        single_minded(tmp_path, "Replicability"),
        tmp_path / "labelled.jsonl",
    )
    assert done.returncode == 0, done.stderr
    (labelled,) = read_records(tmp_path / "labelled.jsonl")
    assert (labelled["id"], labelled["aspect"]) == ("a", "Replicability")
    assert [sentence.get("aspect") for sentence in labelled["review_sentences"]] == [None, "Replicability"]
    assert "1 of 1 pairs with feedback are about one of the five: Replicability 1" in done.stderr


def test_pairs_about_something_else_are_left_out(tmp_path: Path) -> None:
    out = tmp_path / "labelled.jsonl"
    label(write(tmp_path / "pairs.jsonl", [CRITICISED]), single_minded(tmp_path, "Clarity"), out)
    assert read_records(out) == []


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["{"], "is no JSON"),
        ([json.dumps(CRITICISED), json.dumps({"id": "b"})], "Line 2 of "),
    ],
)
def test_a_bad_file_is_refused_before_the_classifier_is_loaded(tmp_path: Path, lines: list[Any], told: str) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n".join(lines))
    done = label(pairs, tmp_path / "no-classifier", tmp_path / "labelled.jsonl")
    assert done.returncode == 1
    assert told in done.stderr
    assert "Traceback" not in done.stderr
