"""Versions of the text and what they measure."""

from __future__ import annotations

from typing import Literal

from state.records import LostDetail
from state.settings import Lead
from state.simplification import Version
from tools.readability import grade


def as_version(number: int, loop: Lead | Literal["", "single"], text: str, lost: list[LostDetail]) -> Version:
    """The text after entry `number`, measured."""
    measured = grade(text)
    return Version(
        number=number, loop=loop, text=text, grade=round(measured["fkgl"], 3), words=measured["words"], lost=lost
    )
