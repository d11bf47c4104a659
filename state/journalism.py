"""State of `science_journalism`: what goes in, what flows, what comes out.

The lists grow by one record a round. They are `DeltaChannel`s: a checkpoint holds only what was added, so a run's
checkpoints grow linearly with its rounds.
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
    """What the journalist chose to do, as it wrote it; empty in round 0."""


class Assessment(TypedDict):
    """What measuring a draft gave."""

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
    """A review of the draft of `round`."""

    round: int
    text: str
    """Markdown, as the editor wrote it: an evaluation and advice; of a person, a numbered list of advice."""
    origin: Literal["editor", "person"]


@with_config(ConfigDict(use_attribute_docstrings=True))  # Studio shows the docstrings beside the fields of its form
class JournalismInput(TypedDict):
    """What the article is to be about."""

    paper: str
    """The paper: its text, or the path of a text, Markdown or PDF file."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class JournalismOutput(TypedDict, total=False):
    """The article, and how it came about."""

    article: str
    """The selected draft, in Markdown."""
    selected_round: int
    """Number of the selected draft; 0 is the first one, before any round."""
    selected_because: str
    """Why that draft was selected."""
    warnings: list[str]
    """What is wrong with the article as a whole; empty if nothing was found."""
    stop_reason: Literal["", "rounds done", "converged", "single draft"]
    """Why there were no more rounds."""
    source: DocumentRef
    """The paper as it was read, and warnings about it."""
    settings: dict[str, Any]
    """The resolved settings, models included, frozen: a resume or a fork needs nothing but the thread id."""
    not_as_published: list[str]
    """What of a run with the preset `paper` is not the paper's; empty with other settings."""
    drafts: Annotated[list[Draft], DeltaChannel(append_records)]
    """All drafts, oldest first."""
    assessments: Annotated[list[Assessment], DeltaChannel(append_records)]
    """For each draft its readability, and its details that the paper does not support."""
    notes: Annotated[list[Notes], DeltaChannel(append_records)]
    """The reader's notes, one entry a round."""
    reviews: Annotated[list[DraftReview], DeltaChannel(append_records)]
    """The editor's reviews, one entry a round, and one more where a person changed the advice."""
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]
    """What each answered model call cost."""


class JournalismState(JournalismOutput, total=False):
    """State of the graph. `initialise` sets every key; every other node returns those that it changes.

    The input is no part of it: `initialise` alone reads it, and puts the path of the stored text in its place.
    """

    round: int
    """Number of the newest draft."""
    revision: Draft
    """A revised draft some of whose sentences are still to be rewritten; then it joins the drafts."""
    copied: list[str]
    """Sentences that the newest revision has copied from the paper; empty without the extension `rewrite_copied`."""
