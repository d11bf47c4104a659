"""Statistics beside the published ones, and the samples that ship."""

from __future__ import annotations

from typing import get_args

import pytest

from evals.datasets import FieldStatistics, Kind, load_examples, statistics
from state.feedback import Weakness


def test_means_are_over_the_samples_that_have_a_field() -> None:
    samples = [
        {"id": "a", "corpus": "eLife", "abstract": "one two  three", "summary": None, "title": "T"},
        {"id": "b", "corpus": "mice", "abstract": "one", "summary": "a\nb", "title": ""},
        {"id": "c", "corpus": "eLife", "abstract": "one two", "summary": "one two three four", "title": ""},
    ]
    assert statistics(samples) == [
        FieldStatistics("eLife", "abstract", 2, 2.5, 4828, 166.3),
        FieldStatistics("eLife", "summary", 1, 4.0, 4828, 347.6),
        FieldStatistics("mice", "abstract", 1, 1.0, None, None),
        FieldStatistics("mice", "summary", 1, 2.0, None, None),
    ]


def test_of_some_corpora_only_the_size_is_published() -> None:
    rows = statistics([{"id": "a", "corpus": "Cochrane", "source": "one", "target": "two"}])
    assert [(row.field, row.published_samples, row.published_mean_words) for row in rows] == [
        ("source", 4459, None),
        ("target", 4459, None),
    ]


@pytest.mark.parametrize(("kind", "least"), [("journalism", 6), ("simplification", 5), ("feedback", 4)])
def test_examples_ship(kind: Kind, least: int) -> None:
    samples = load_examples(kind)
    assert len(samples) >= least
    assert {sample["corpus"] for sample in samples} == {"examples"}
    for row in statistics(samples):
        assert row.samples == len(samples), row
        assert row.mean_words > 40, row


def test_example_paragraphs_stand_in_their_papers() -> None:
    samples = load_examples("feedback")
    for sample in samples:
        assert sample["paragraph"] in sample["paper"].split("\n\n")
        assert len(sample["paragraph"].split()) >= 40, "the reviewer passes over shorter ones"
    assert len({sample["paper_id"] for sample in samples}) == 2
    assert len({sample["aspect"] for sample in samples} & set(get_args(Weakness))) == 4
