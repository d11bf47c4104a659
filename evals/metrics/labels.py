"""How well predicted labels agree with the annotated ones: accuracy, F1 per label and its mean, 0 to 100, and counts.

An item without a prediction (None) is one that a system said nothing about. It is wrong: it counts against accuracy and
against the recall of its label, but against the precision of none. So no system gains by keeping silent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean

NOTHING = "(none)"
"""Stands in the confusion counts for an item without a prediction."""


def accuracy(gold: Sequence[str], predicted: Sequence[str | None]) -> float:
    """Share of the items, at least one, whose predicted label is the annotated one."""
    return 100 * fmean(label == guess for label, guess in zip(gold, predicted, strict=True))


def f1(gold: Sequence[str], predicted: Sequence[str | None], label: str) -> float:
    """Harmonic mean of precision and recall of one label; 0 if no item has it and none was given it."""
    right = sum(true == guess == label for true, guess in zip(gold, predicted, strict=True))
    either = sum(true == label for true in gold) + sum(guess == label for guess in predicted)
    return 100 * 2 * right / either if either else 0.0


def macro_f1(gold: Sequence[str], predicted: Sequence[str | None]) -> float:
    """Mean F1 of the labels that some item has; at least one item."""
    return fmean(f1(gold, predicted, label) for label in sorted(set(gold)))


def confusion(gold: Sequence[str], predicted: Sequence[str | None], labels: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many items of a label (first key) were given a label (second key), or none (`NOTHING`).

    Args:
        gold: The label of each item.
        predicted: What each was given.
        labels: All there are, in the order in which they are to be told.
    """
    counts = Counter(zip(gold, predicted, strict=True))
    return {
        label: {**{guess: counts[label, guess] for guess in labels}, NOTHING: counts[label, None]} for label in labels
    }
