"""What was found in a paper that is meant for a language model rather than for a reader."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

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
