"""What every graph has: its values, and plain records of an answered model call, a trimming, a checked fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

Values = Mapping[str, Any]
"""The state of a graph; a run that was stopped early lacks keys."""


class Trim(TypedDict):
    """What was cut from a prompt so that it fits the model's context."""

    variable: str
    words_kept: int
    words_before: int


class CallRecord(TypedDict):
    """One HTTP request that a model answered."""

    role: str
    step: str
    round: int
    model: str
    prompt: str
    """Name of the prompt file."""
    prompt_sha256: str
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    """True if the endpoint did not report usage and the counts are estimates."""
    seconds: float
    http_retries: int
    reask: bool
    """True if this call repeats an earlier one whose answer was invalid."""
    finish_reason: str
    trims: list[Trim]
    cuts: NotRequired[list[str]]
    """What of the answer exceeded a limit and was left out, a clause each; earlier versions noted none."""


FactKind = Literal["number", "percentage", "year", "quantity", "entity"]


class Fact(TypedDict):
    """A checkable detail of a text: a number with its unit, a percentage, a year or a named entity."""

    kind: FactKind
    text: str
    """As written."""
    sentence: str
    """The sentence it stands in, so that a person can find it."""


LostKind = Literal["number", "percentage", "year", "quantity", "interval", "effect size", "negation", "name"]


class LostDetail(TypedDict):
    """Checked content of a source that a text made from it has lost or changed."""

    kind: LostKind
    text: str
    """As the source has it."""
    sentence: str
    """The source's sentence that it stands in."""


class Readability(TypedDict):
    """United States school grades; lower is easier to read."""

    cli: float
    """Coleman-Liau Index."""
    fkgl: float
    """Flesch-Kincaid Grade Level."""
    dcrs: float
    """Dale-Chall Readability Score."""
    ari: float
    """Automated Readability Index."""
    words: int
