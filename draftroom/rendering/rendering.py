"""What the command must know to show a system's runs to a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runs.record import RunRecord
from state.records import Values

Render = Callable[[RunRecord, Values], str | bytes]
Print = Callable[[RunRecord, Values], None]


@dataclass(frozen=True)
class Dialogue:
    """How a person answers the question at which a run pauses."""

    describe: Callable[[Values], str]
    """The question as text."""
    these: str
    """What a person answers with, for a sentence: these questions."""
    line: str
    """What a line of the answer is: a question."""

    def answer(self, lines: list[str] | None) -> dict[str, Any]:
        """What the graph wants to hear: a person's lines, or None for those that it has itself."""
        return {"advice": lines}


@dataclass(frozen=True)
class Rendering:
    """How the runs of a system are told and shown."""

    unit: str
    """What it counts its calls by, as a person says it: round, entry or paragraph."""
    milestone: Callable[[str, Values, Values], str]
    """From a node, what it has just written and the state with it: a line, empty if it is not worth one."""
    print_result: Print
    print_warnings: Print
    print_details: Callable[[RunRecord, Values, int | None], None]
    """The whole story, or that of one round, entry or paragraph."""
    formats: Mapping[str, Render]
    """By the suffix of a file."""
    dialogue: Dialogue | None = None
    """None if its runs never pause."""
