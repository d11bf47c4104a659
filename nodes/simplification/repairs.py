"""Repairs: the simplifier writes single sentences anew, and code puts in those that help, so nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from tools.sentences import sentences

MOST_AT_ONCE = 8
"""Points that are sent back together: a small model loses its way in a longer list."""


class Repair(BaseModel):
    """A sentence of the text, written anew because of a point on the list."""

    model_config = ConfigDict(extra="forbid")

    point: int = Field(ge=1, le=MOST_AT_ONCE)
    sentence: int = Field(ge=1, le=99)
    rewritten: Annotated[str, Field(min_length=10, max_length=400)]


class Repairs(BaseModel):
    """The simplifier's answer to what was sent back."""

    model_config = ConfigDict(extra="forbid")

    repairs: list[Repair] = Field(max_length=MOST_AT_ONCE)


class Repaired(NamedTuple):
    """One repair that was put in, and the text after it."""

    point: int
    before: str
    after: str
    text: str


def numbered_sentences(text: str) -> list[str]:
    """The sentences that a repair names by their number."""
    return [sentence.text for sentence in sentences(text)]


def repaired(
    text: str, repairs: Sequence[Repair], points: int, *, helps: Callable[[str, str], bool]
) -> Iterator[Repaired]:
    """Put in one repair after the other.

    Args:
        text: The text that was sent back.
        repairs: The simplifier's; those that name a sentence or a point that does not exist are left out.
        points: How many points there were.
        helps: Whether the text after a repair is better than the one before.
    """
    lines = numbered_sentences(text)
    for repair in repairs:
        if repair.sentence > len(lines) or repair.point > points:
            continue
        before, after = lines[repair.sentence - 1], repair.rewritten.strip()
        candidate = text.replace(before, after, 1)
        if candidate != text and helps(text, candidate):
            text = candidate
            lines[repair.sentence - 1] = after
            yield Repaired(repair.point, before, after, text)
