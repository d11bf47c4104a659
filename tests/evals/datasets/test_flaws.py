"""Known flaws as samples: a planted paragraph in its paper, and its clean twin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.datasets.corpora import load, load_examples
from evals.datasets.flaws import pair
from state.errors import BadInput
from tests.support.flawed_paper import RECORD, flawed_paper, plants


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "papers.jsonl").write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    return tmp_path


def test_other_papers_are_planted_for_development(folder: Path) -> None:
    samples = load(folder, "flaws", "train")
    assert len(samples) == 2 * len(plants())
    assert {sample["corpus"] for sample in samples} == {"Computable flaws", "Textual flaws"}


@pytest.mark.parametrize("split", [None, "all"])
def test_the_benchmark_needs_its_own_papers(folder: Path, split: str | None) -> None:
    with pytest.raises(BadInput, match="give the papers that the benchmark was drawn from"):
        load(folder, "flaws", split)


def test_a_twin_is_the_same_but_for_the_flaw() -> None:
    paper = flawed_paper()
    for plant in plants():
        flaw, twin = pair(plant, paper)
        assert (flaw.planted, twin.planted) == (True, False)
        assert twin.paper == paper.markdown()
        assert twin.feedback == ""
        assert flaw.feedback.startswith(plant.kind.capitalize())
        for sample in (flaw, twin):
            assert sample.sentence in sample.paragraph
            assert sample.paragraph in sample.paper
        flawed = plant.edit._replace(start=flaw.start, end=flaw.start).of(twin.sentence[: flaw.start])
        assert flaw.sentence.startswith(flawed.strip())
        assert flaw.sentence[flaw.start : flaw.end] == plant.edit.words
        removed = plant.paragraph.text[plant.edit.start : plant.edit.end]
        assert twin.sentence[twin.start : twin.end] == removed


def test_examples_ship_as_pairs() -> None:
    samples = load_examples("flaws")
    assert [(sample["corpus"], sample["planted"]) for sample in samples] == [
        ("Computable flaws", True),
        ("Computable flaws", False),
        ("Textual flaws", True),
        ("Textual flaws", False),
    ]
    for sample in samples:
        assert sample["sentence"] in sample["paragraph"]
        assert sample["paragraph"] in sample["paper"]
