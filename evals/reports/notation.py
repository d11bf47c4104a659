"""Figures as a reader sees them."""

from __future__ import annotations

from typing import Literal

CHANCE = 0.05
"""A difference is beyond chance if its corrected p-value is below this."""

ARROWS: dict[Literal["lower", "higher", "neither"], str] = {"lower": " ↓", "higher": " ↑", "neither": ""}
"""Which way is better, after a measure's name."""


def figure(value: float, digits: int) -> str:
    """A figure with so many digits after the point; there is no negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def difference(value: float, digits: int) -> str:
    """A figure with its sign."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def interval(low: float, high: float, digits: int) -> str:
    """Both ends of an interval."""
    return f"[{figure(low, digits)}, {figure(high, digits)}]"


def what_intervals_are(units: str) -> str:
    """Says what stands in brackets.

    Args:
        units: What was resampled: "samples".
    """
    return f"In brackets: 95% intervals (bootstrap over the {units})."


def p_value(value: float) -> str:
    """A p-value; the smallest ones are no more exact than that."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
