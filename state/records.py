"""Records that all graphs share (calls, trims, facts, findings), and the reducer of their lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import TypedDict

Values = Mapping[str, Any]  # the state of a graph; a run that was stopped early lacks keys

# In place of a variable in a `Trim`: the server has cut the prompt without notice. Counts are of tokens then.
WHOLE_PROMPT = "prompt"


class Trim(TypedDict):
    """A cut of a prompt's variable, so that the prompt fits the model's context."""

    variable: str
    words_kept: int
    words_before: int


class CallRecord(TypedDict):
    """Record of an HTTP request that a model answered: its role, prompt, tokens, seconds, retries and cuts."""

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
    """Whether the counts are estimates, because the endpoint did not report usage."""
    seconds: float
    http_retries: int
    reask: bool
    """Whether the call repeats an earlier one whose answer was invalid."""
    finish_reason: str
    trims: list[Trim]
    cuts: list[str]
    """Parts of the answer that exceeded a limit and were left out, a clause each."""


FactKind = Literal["number", "percentage", "year", "quantity", "entity"]


class Fact(TypedDict):
    """A checkable detail of a text: a number with its unit, a percentage, a year or a named entity."""

    kind: FactKind
    text: str
    """Detail as it is written."""
    sentence: str
    """Sentence of the detail, so that a person can find it."""


LostKind = Literal["number", "percentage", "year", "quantity", "interval", "effect size", "negation", "name"]


class LostDetail(TypedDict):
    """A checked detail of a source text that a rewritten text has lost or changed."""

    kind: LostKind
    text: str
    """Detail as the source has it."""
    sentence: str
    """Sentence of the source with the detail."""


class Readability(TypedDict):
    """Measures of a text's readability as United States school grades, lower is easier, and its number of words."""

    cli: float
    """Coleman-Liau Index."""
    fkgl: float
    """Flesch-Kincaid Grade Level."""
    dcrs: float
    """Dale-Chall Readability Score."""
    ari: float
    """Automated Readability Index."""
    words: int


# "instruction": words that tell a model or an automated reviewer what to do; "chat template": tokens that divide the
# turns of a conversation; "control characters": invisible ones; "hidden text": any other text that a reader cannot see.
FindingKind = Literal["instruction", "chat template", "control characters", "hidden text"]


class Finding(TypedDict):
    """Text of a paper that addresses a language model, or that a reader cannot see."""

    place: str
    """Paragraph id, "heading of p4", "title", "abstract", "reference 12", or "hidden"."""
    page: int
    """Page from 1; 0 if the format has no pages or the page is not known."""
    quote: str
    """Verbatim words of the paper; for long hidden text its beginning."""
    kind: FindingKind
    visible: bool
    """Whether a reader of the paper can see it."""
    explanation: str
    """One sentence for the author or the user."""


def append_records(current: list[Any], writes: Sequence[list[Any]]) -> list[Any]:
    """Return a new list of the current records and those of every written list, in the order of arrival.

    It is the reducer of the lists in graph states; no record is ever removed or merged.
    """
    return [*current, *(record for write in writes for record in write)]
