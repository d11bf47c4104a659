"""Figures of an evaluation are what they say, and their intervals are of papers."""

from __future__ import annotations

import pytest

from training.review_filters.evaluation import evaluate
from training.review_filters.labelled_sentences import (
    LabelledSentence,
)


def test_figures_of_an_evaluation() -> None:
    gold = ["a", "a", "a", "b", "b", "c"]
    found = ["a", "a", "b", "b", "a", "b"]
    sentences = [LabelledSentence("", label, f"p{number // 2}") for number, label in enumerate(gold)]

    figures = evaluate(sentences, found, ["a", "b", "c", "d"])

    assert (figures.sentences, figures.papers) == (6, 3)
    assert figures.accuracy == pytest.approx(3 / 6)
    assert figures.confusion["a"] == {"a": 2, "b": 1, "c": 0, "d": 0}
    a, b, c, d = (figures.labels[label] for label in "abcd")
    assert (a.precision, a.recall, a.f1, a.support) == (2 / 3, 2 / 3, pytest.approx(2 / 3), 3)
    assert (b.precision, b.recall, b.f1) == (1 / 3, 1 / 2, pytest.approx(0.4))
    assert (c.precision, c.recall, c.f1, c.support) == (0.0, 0.0, 0.0, 1)
    assert d.support == 0
    assert figures.macro_f1 == pytest.approx((2 / 3 + 0.4 + 0) / 3)  # of the labels that occur


def test_the_interval_is_of_papers() -> None:
    """Two papers, one all right and one all wrong: a bootstrap over sentences would be far narrower."""
    sentences = [LabelledSentence("", "a", paper) for paper in ("p1", "p2") for _ in range(500)]

    figures = evaluate(sentences, ["a"] * 500 + ["b"] * 500, ["a", "b"])

    assert figures.accuracy == 0.5
    assert figures.interval == (0.0, 1.0)
