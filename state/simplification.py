"""State of `medical_simplification`: what goes in, what flows, what comes out.

The lists grow by what one loop added. They are `DeltaChannel`s, so checkpoints grow linearly. A loop is a subgraph with
a state of its own (`LoopState`): it reads the run's state and returns its `LoopProgress`, which the logger files.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langgraph.channels import DeltaChannel
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.documents import DocumentRef
from state.records import CallRecord, LostDetail, append_records
from state.settings import Lead

Agent = Literal["medical_expert", "simplifier", "language_clarifier", "redundancy_checker"]
"""The agents that have a memory; the layperson has none, so that it stays confused."""


class Question(TypedDict):
    """What the layperson asked, and what the medical expert answered."""

    number: int
    text: str
    term: str
    """What the question is about, as the medical expert restates it in as few words as possible; empty until then."""
    answer: str
    """Empty if the expert has not answered."""


class WordingSuggestion(TypedDict):
    """A simpler wording that the language clarifier proposed for a piece of the text."""

    round: int
    """Round of the loop in which it was proposed, from 1."""
    original: str
    """The piece, as the text has it."""
    replacement: str
    verdict: Literal["open", "accepted", "rejected", "dropped"]
    """`dropped`: no better wording came in the rounds that there were, or it could not be put into the text."""
    reason: str
    """Why it was accepted or rejected."""
    judge: Literal["", "simplifier", "guard"]
    """Who decided; `guard` is code: the piece is not in the text."""


class Redundancy(TypedDict):
    """A part of the text that the redundancy checker holds to be superfluous."""

    quote: str
    reason: str
    verdict: Literal["open", "validated", "removed", "kept"]
    """`validated`: the medical expert agreed, but no text without it has been written."""
    justification: str
    judge: Literal["", "medical_expert", "guard"]
    """Who decided; `guard` is code: the words are not in the text."""


class TextChange(TypedDict):
    """One change of the text, and who is behind it."""

    entry: int
    loop: Lead | Literal["single"]
    round: int
    agent: str
    kind: Literal["rewrite", "substitution", "removal", "correction"]
    before: str
    """Empty if something was added."""
    after: str
    """Empty if something was removed."""
    because: str
    """The question, suggestion, reason or comment that led to it."""


class Version(TypedDict):
    """The text after an entry. Number 0 is the source."""

    number: int
    loop: Lead | Literal["", "single", "person"]
    """`person`: somebody edited the result when the run was over."""
    text: str
    grade: float
    """Flesch-Kincaid Grade Level."""
    words: int
    lost: list[LostDetail]
    """What of the source's checked content this version has lost or changed."""


class Exchange(TypedDict):
    """One entry into a loop: what was said and what came of it."""

    entry: int
    """Number of the entry in the run, from 1."""
    loop: Lead
    visit: int
    """Number of the entry into this loop, from 1."""
    chosen_because: str
    """The agent selector's reason."""
    questions: list[Question]
    reasoning: list[str]
    """The simplifier's chain of thought: how each answer fits in."""
    suggestions: list[WordingSuggestion]
    redundancies: list[Redundancy]
    comments: list[str]
    """What the medical expert found wrong in the rewritten texts of this entry, in the order in which it said so."""
    accurate: bool
    """Whether the medical expert stated of the last text that it reviewed in this entry that it is accurate."""
    changed: bool
    problem: str
    """Why the loop ended early: an agent gave no usable answer. Empty if all went well."""


class Memory(TypedDict):
    """Something that an agent remembers, in natural language."""

    agent: Agent
    entry: int
    text: str


class GlossaryEntry(TypedDict):
    """A medical term that the result keeps, and the explanation that was given."""

    term: str
    explanation: str
    entry: int


@with_config(ConfigDict(use_attribute_docstrings=True))
class SimplificationInput(TypedDict):
    """What is to be simplified."""

    abstract: str
    """The medical abstract: its text, or the path of a text, Markdown or PDF file."""


class LoopProgress(TypedDict, total=False):
    """What a loop works on and hands back to the run, all of this entry."""

    entry: int
    """Number of the newest entry into a loop."""
    text: str
    """The newest version of the text."""
    exchange: Exchange
    changes: list[TextChange]
    loop_calls: list[CallRecord]
    to_correct: list[str]
    """Comments of the newest review, which the simplifier has not heeded yet."""
    loop_round: int
    """Rounds of proposing and judging so far; from a new text on, how often that was reviewed and corrected."""


class LoopState(LoopProgress, total=False):
    """State of a loop's subgraph: its progress, and what it reads of the run."""

    source: DocumentRef
    settings: dict[str, Any]
    memories: list[Memory]


@with_config(ConfigDict(use_attribute_docstrings=True))
class SimplificationOutput(TypedDict, total=False):
    """The simplified text, and how it came about."""

    simplified: str
    """The selected version of the text."""
    selected_version: int
    """Number of that version."""
    selected_because: str
    """Why it was selected."""
    not_as_published: list[str]
    """What of the paper's system could not be as published; empty if the run is not by the preset `paper`."""
    warnings: list[str]
    """What is wrong with it as a whole; empty if nothing was found."""
    lost: list[LostDetail]
    """Details of the source (numbers, negations, names) that the result has lost or changed."""
    glossary: list[GlossaryEntry]
    """Medical terms that were kept, with the plain explanation given."""
    stop_reason: Literal["", "entries used up", "target reached", "nothing more to change", "single rewrite"]
    """Why no further loop was entered."""
    source: DocumentRef
    """The abstract as it was read, and warnings about it."""
    settings: dict[str, Any]
    """The resolved settings, models included, frozen: a resume or a fork needs nothing but the thread id."""
    versions: Annotated[list[Version], DeltaChannel(append_records)]
    """All versions of the text, the source first."""
    all_changes: Annotated[list[TextChange], DeltaChannel(append_records)]
    """Every change, with loop, round, agent and what led to it."""
    history: Annotated[list[Exchange], DeltaChannel(append_records)]
    """The conversation, one exchange for each entry into a loop."""
    memories: Annotated[list[Memory], DeltaChannel(append_records)]
    """What the agents remembered."""
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]
    """What each answered model call cost."""


class SimplificationState(SimplificationOutput, LoopProgress, total=False):
    """State of the graph. `initialise` sets every key; every other node returns those that it changes.

    The input is no part of it: `initialise` alone reads it, and puts the path of the stored text in its place.
    """

    next_loop: Lead | Literal["single", "done"]
    """What the selector chose."""
    history_summary: str
    """What the oldest exchanges came to, once the history has outgrown the selector's context."""
    summarised: int
    """How many of the oldest exchanges the summary stands for."""
