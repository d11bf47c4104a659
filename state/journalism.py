"""Input, output and state of `science_journalism`.

The lists are `DeltaChannel`s: a checkpoint holds only the added records, so that checkpoints grow linearly with rounds.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langgraph.channels import DeltaChannel
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.documents import DocumentRef
from state.records import CallRecord, Fact, Readability, append_records


class Draft(TypedDict):
    """One version of the article. Round 0 is the journalist's first draft."""

    round: int
    text: str
    """Markdown: the headline as a heading, then paragraphs."""
    improvements: str
    """Improvements that the journalist chose to make, in its words; empty in round 0."""


class Assessment(TypedDict):
    """Measurements of a draft: its readability, how much of the paper it uses, and details that the paper lacks."""

    round: int
    readability: Readability
    mean_grade: float
    coverage: float
    """Share of the paper's content words that the draft uses, from 0 to 1."""
    unsupported: list[Fact]
    """Details of the draft that the paper does not support."""


class Notes(TypedDict):
    """The reader's notes on the draft of `round`."""

    round: int
    text: str
    """Markdown, as the reader wrote it."""


class DraftReview(TypedDict):
    """A review of the draft of `round`, by the editor or a person, with advice to the journalist."""

    round: int
    text: str
    """Markdown, as the editor wrote it: an evaluation and advice; of a person, a numbered list of advice."""
    origin: Literal["editor", "person"]


@with_config(ConfigDict(use_attribute_docstrings=True))  # Studio shows the docstrings beside the fields of its form
class JournalismInput(TypedDict):
    """Input of science journalism: the paper, as text or as the path of a file."""

    paper: str
    """The paper: its text, or the path of a text, Markdown or PDF file."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class JournalismOutput(TypedDict, total=False):
    """Output of science journalism: the article, and the steps that led to it."""

    article: str
    """The selected draft, in Markdown."""
    selected_round: int
    """Number of the selected draft; 0 is the first one, before any round."""
    selected_because: str
    """Why that draft was selected."""
    warnings: list[str]
    """Problems of the article as a whole; empty if none were found."""
    stop_reason: Literal["", "rounds done", "converged", "single draft"]
    """Why there were no more rounds."""
    source: DocumentRef
    """The paper as it was read, with warnings."""
    settings: dict[str, Any]
    """Frozen settings with all models: to resume, the thread id is enough."""
    not_as_published: list[str]
    """Deviations of a run with the preset `paper` from the paper; empty with other settings."""
    drafts: Annotated[list[Draft], DeltaChannel(append_records)]
    """All drafts, oldest first."""
    assessments: Annotated[list[Assessment], DeltaChannel(append_records)]
    """For each draft its readability, and its details that the paper does not support."""
    notes: Annotated[list[Notes], DeltaChannel(append_records)]
    """The reader's notes, one entry a round."""
    reviews: Annotated[list[DraftReview], DeltaChannel(append_records)]
    """The editor's reviews, one entry a round, and one more where a person changed the advice."""
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]
    """Usage of each answered model call."""


class JournalismState(JournalismOutput, total=False):
    """State of the graph `science_journalism`. `initialise` sets every key; other nodes return those that they change.

    The input is not part of it: only `initialise` reads it, and stores the text in a file.
    """

    round: int
    """Number of the newest draft."""
    revision: Draft
    """Revised draft with sentences that are still to be rewritten; it joins the drafts afterwards."""
    copied: list[str]
    """Sentences that the newest revision has copied from the paper; empty without the extension `rewrite_copied`."""
