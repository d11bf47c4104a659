"""What every graph has: its values, the reducer of its lists, and plain records of calls, trims, facts and findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

Values = Mapping[str, Any]
"""The state of a graph; a run that was stopped early lacks keys."""


WHOLE_PROMPT = "prompt"
"""In place of a variable: the server itself has cut the prompt, and said nothing; counts are of tokens then."""


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
    cuts: list[str]
    """What of the answer exceeded a limit and was left out, a clause each."""


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


FindingKind = Literal["instruction", "chat template", "control characters", "hidden text"]
"""`instruction`: words that tell a model or an automated reviewer what to do; `chat template`: tokens that divide the
turns of a conversation; `control characters`: characters without a shape; `hidden text`: any other unseen text."""


class Finding(TypedDict):
    """A piece of a paper that addresses a language model, or that a reader cannot see."""

    place: str
    """Paragraph id, "heading of p4", "title", "abstract", "reference 12", or "hidden"."""
    page: int
    """From 1; 0 where the format has no pages, or the place none that is known."""
    quote: str
    """Verbatim from the paper; of long hidden text, its beginning."""
    kind: FindingKind
    visible: bool
    """Whether a reader of the paper can see it."""
    explanation: str
    """One sentence for the author or the user."""


def append_records(current: list[Any], writes: Sequence[list[Any]]) -> list[Any]:
    """Add every written list at the end. Law: arrival order is kept and nothing is ever removed or merged."""
    return [*current, *(record for write in writes for record in write)]
