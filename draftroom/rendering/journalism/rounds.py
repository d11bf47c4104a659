"""The story of a journalism run, round by round, read from the state of its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from state.journalism import Assessment, Draft, DraftReview, Notes
from state.records import Fact, Values
from tools.word_changes import Change, word_changes

UNIT = "round"
_Item = TypeVar("_Item", bound=Mapping[str, Any])


@dataclass(frozen=True)
class Round:
    """Notes and advice on one draft, and the draft that they led to. Round 0 has only its draft, the first.

    What a round has not reached, or its variant leaves out, is None.
    """

    number: int
    notes: Notes | None
    review: DraftReview | None
    draft: Draft | None
    assessment: Assessment | None
    changes: list[Change]
    """From the draft before."""


def rounds(values: Values) -> list[Round]:
    """All rounds, also one that has begun and has no draft yet."""
    drafts: dict[int, Draft] = _by_round(values.get("drafts", []))
    assessments: dict[int, Assessment] = _by_round(values.get("assessments", []))
    # A person's advice follows the editor's as a second review of the same draft: the later one counts.
    notes: dict[int, Notes] = _by_round(values.get("notes", []))
    reviews: dict[int, DraftReview] = _by_round(values.get("reviews", []))
    numbers = sorted({*drafts, *(number + 1 for number in (*notes, *reviews))})
    return [
        Round(
            number=number,
            notes=notes.get(number - 1),
            review=reviews.get(number - 1),
            draft=drafts.get(number),
            assessment=assessments.get(number),
            changes=_changes(drafts, number),
        )
        for number in numbers
    ]


def selected_round(values: Values) -> int | None:
    """Number of the returned draft; None while there is none."""
    return int(values["selected_round"]) if values.get("article") else None


def unsupported_facts(values: Values) -> list[Fact]:
    """Details of the returned draft that the paper does not support."""
    selected = selected_round(values)
    found = [item["unsupported"] for item in values.get("assessments", []) if item["round"] == selected]
    return list(found[-1]) if found else []


def _by_round(items: Iterable[_Item]) -> dict[int, _Item]:
    return {int(item["round"]): item for item in items}


def _changes(drafts: Mapping[int, Draft], number: int) -> list[Change]:
    before, after = drafts.get(number - 1), drafts.get(number)
    return word_changes(before["text"], after["text"]) if before and after else []
