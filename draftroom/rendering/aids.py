"""Which aids a result was made with, so that nobody takes ours for the paper's."""

from __future__ import annotations

from collections.abc import Sequence


def aids_line(aids: Sequence[str] | None) -> str:
    """One line for any result: `Aids: none (the paper's system)`, or their names."""
    if aids is None:
        return "Aids: not on record"
    return "Aids: " + (", ".join(aids) or "none (the paper's system)")
