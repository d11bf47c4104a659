"""What a reader of any result should know about how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from draftroom.consoles import spoken
from state.records import CallRecord


def warnings(values: Mapping[str, Any], unit: str) -> list[str]:
    """What is wrong with the result as a whole, how the paper was read, and what was cut from prompts and answers.

    Args:
        values: State of the graph.
        unit: What the system counts its calls by: round, entry or paragraph.
    """
    source = values.get("source")
    read = source["warnings"] if source else []
    calls = values.get("calls", [])
    return [*values.get("warnings", []), *read, *trimmings(calls, unit), *cuts(calls, unit)]


def trimmings(calls: Iterable[CallRecord], unit: str) -> list[str]:
    """One sentence for each prompt that was shortened."""
    sentences = [
        f"in {unit} {call['round']} the {spoken(call['role'])} saw only the first {trim['words_kept']:,} of "
        f"{trim['words_before']:,} words of the {spoken(trim['variable'])}, "
        "because more does not fit its model's context"
        for call in calls
        for trim in call["trims"]
    ]
    return list(dict.fromkeys(sentences))


def cuts(calls: Iterable[CallRecord], unit: str) -> list[str]:
    """One sentence for each answer that exceeded a limit."""
    sentences = [
        f"in {unit} {call['round']} the {spoken(call['role'])} gave {cut}"
        for call in calls
        for cut in call.get("cuts", [])
    ]
    return list(dict.fromkeys(sentences))
