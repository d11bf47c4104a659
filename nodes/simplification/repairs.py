"""Repairs: the simplifier writes single sentences anew, and code puts in those that help, so nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from state.limits import AtMost
from tools.sentences import sentences


class Repair(BaseModel):
    """A sentence of the text, written anew because of a point on the list."""

    model_config = ConfigDict(extra="forbid")

    point: int = Field(ge=1)
    sentence: int = Field(ge=1)
    rewritten: Annotated[str, AtMost("note_words"), Field(min_length=1)]


class Repairs(BaseModel):
    """The simplifier's answer to what was sent back."""

    model_config = ConfigDict(extra="forbid")

    repairs: Annotated[list[Repair], AtMost("comments")]


class RepairedText(NamedTuple):
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
) -> Iterator[RepairedText]:
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
            yield RepairedText(repair.point, before, after, text)
