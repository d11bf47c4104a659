"""The content guard: what of the source a version has lost is reported in the result (ours, not the paper's)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from state.model_settings import AtMost
from state.records import LostDetail
from state.simplification import SimplificationState
from tools.checks.medical_terms import forms, medical_names
from tools.checks.omissions import lost_content
from tools.documents.reading import stored_text
from tools.text import sentences


async def check_content(state: SimplificationState) -> SimplificationState:
    """List what the newest text has lost of the source."""
    return {"lost": lost_content(stored_text(state["source"]), state["text"])}


def newly_lost(before: str, after: str, source: str) -> list[LostDetail]:
    """What of the source a change of the text loses."""
    lost_before = lost_content(source, before)
    return [detail for detail in lost_content(source, after) if detail not in lost_before]


def foreign_names(text: str, source: str) -> list[str]:
    """Names of a text, of drugs and conditions too, that its source lacks and that are no plain words for its own.

    They are what the source would lose of the text, were it made from it.
    """
    plain = (" ".join(form) for name in medical_names(source) for form in forms(name.text))
    found = lost_content(text, "\n\n".join([source, *plain]))
    return [item["text"] for item in found if item["kind"] == "name"]


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


def repaired(text: str, repairs: Sequence[Repair], points: int) -> Iterator[RepairedText]:
    """Put in one repair after the other.

    Args:
        text: The text that was sent back.
        repairs: The simplifier's; those that name a sentence or a point that does not exist are left out.
        points: How many points there were.
    """
    lines = numbered_sentences(text)
    for repair in repairs:
        if repair.sentence > len(lines) or repair.point > points:
            continue
        before, after = lines[repair.sentence - 1], repair.rewritten.strip()
        candidate = text.replace(before, after, 1)
        if candidate != text:
            text = candidate
            lines[repair.sentence - 1] = after
            yield RepairedText(repair.point, before, after, text)
