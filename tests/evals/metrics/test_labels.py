"""Figures of labels, by hand and by their definitions."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.metrics.labels import f1

GOLD = ["a", "a", "a", "b", "b", "c"]
PREDICTED = ["a", "a", "b", "b", None, "a"]

labelled = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([*"abcd", None])), min_size=1, max_size=12)


def test_an_item_without_a_prediction_is_wrong() -> None:
    assert f1(["a", "a"], ["a", None], "a") == pytest.approx(100 * 2 * 1 / (2 + 1)), "recall 1/2, precision 1"


def test_f1_by_hand() -> None:
    assert f1(GOLD, PREDICTED, "a") == pytest.approx(100 * 2 / 3), "precision 2/3, recall 2/3"
    assert f1(GOLD, PREDICTED, "b") == pytest.approx(100 * 1 / 2), "precision 1/2, recall 1/2"
    assert f1(GOLD, PREDICTED, "c") == 0
    assert f1(GOLD, PREDICTED, "d") == 0


def test_labels_come_in_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        f1(["a", "b"], ["a"], "a")


@given(labelled)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(pairs: list[tuple[str, str | None]]) -> None:
    gold, predicted = [true for true, _ in pairs], [guess for _, guess in pairs]
    for label in "abcd":
        given_it = [true == label for true, guess in pairs if guess == label]
        have_it = [guess == label for true, guess in pairs if true == label]
        precision = fmean(given_it) if given_it else 0.0
        recall = fmean(have_it) if have_it else 0.0
        expected = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        assert f1(gold, predicted, label) == pytest.approx(100 * expected)
