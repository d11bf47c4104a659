"""A colour for each weakness type: light, so that black words on it are easy to read."""

from __future__ import annotations

from state.feedback import Weakness

COLOURS: dict[Weakness, str] = {
    "Replicability": "9fd0ff",
    "Originality": "d9bbff",
    "Empirical and Theoretical Soundness": "ffb5a8",
    "Meaningful Comparison": "a5e3b4",
    "Substance": "ffe07d",
}
"""Red, green and blue in hexadecimal digits; also the order in which weakness types are listed."""


def slug(label: Weakness) -> str:
    """The label as a name in a style sheet."""
    return label.lower().replace(" ", "-")
