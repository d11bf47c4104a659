"""How well predicted labels agree with the annotated ones: F1 of a label, 0 to 100.

An item without a prediction (None) is one that a system said nothing about. It is wrong: it counts against the recall
of its label, but against the precision of none. So no system gains by keeping silent.
"""

from __future__ import annotations

from collections.abc import Sequence


def f1(gold: Sequence[str], predicted: Sequence[str | None], label: str) -> float:
    """Harmonic mean of precision and recall of one label; 0 if no item has it and none was given it."""
    right = sum(true == guess == label for true, guess in zip(gold, predicted, strict=True))
    either = sum(true == label for true in gold) + sum(guess == label for guess in predicted)
    return 100 * 2 * right / either if either else 0.0
