"""Figures of raters as cells of a table."""

from __future__ import annotations

from evals.metrics.bootstrap import Interval
from evals.reports.document import Cell
from evals.reports.notation import figure, interval


def number(value: float | None, digits: int = 2) -> Cell:
    """A figure, or a dash where there is none."""
    return Cell("-" if value is None else figure(value, digits))


def percent(value: float | None) -> Cell:
    """A share of 1."""
    return number(None if value is None else 100 * value, 1)


def estimate(found: Interval | None, *, scale: float = 1.0, digits: int = 2) -> Cell:
    """A figure with its interval, or a dash where there is none."""
    if found is None:
        return number(None)
    value, low, high = (scale * part for part in found)
    return Cell(figure(value, digits), interval(low, high, digits))
