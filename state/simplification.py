"""Input, output and state of `medical_simplification`.

A loop is a subgraph with a state of its own (`LoopState`): it reads the run's state and returns its `LoopProgress`,
which the logger adds to the run's lists. The lists are `DeltaChannel`s, so that checkpoints grow linearly.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from langgraph.channels import DeltaChannel
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.documents import DocumentRef
from state.records import CallRecord, LostDetail, append_records
from state.settings import Lead

# Agents with a memory. The layperson has none, so that it stays confused.
Agent = Literal["medical_expert", "simplifier", "language_clarifier", "redundancy_checker"]


class Question(TypedDict):
    """A question of the layperson, and the answer of the medical expert."""

    number: int
    text: str
    term: str
    """Subject of the question in the medical expert's fewest words; empty until it has answered."""
    answer: str
    """Answer; empty if the expert has not answered."""


class WordingSuggestion(TypedDict):
    """A simpler wording that the language clarifier proposed for a piece of the text."""

    round: int
    """Round of the loop in which it was proposed, from 1."""
    original: str
    """Piece as the text has it."""
    replacement: str
    verdict: Literal["open", "accepted", "rejected", "dropped"]
    """`dropped`: no better wording came within the rounds, or it could not be put into the text."""
    reason: str
    """Reason for the verdict."""
    judge: Literal["", "simplifier", "guard"]
    """Who decided; `guard` is code, for a piece that is not in the text."""


class Redundancy(TypedDict):
    """A part of the text that the redundancy checker finds superfluous."""

    quote: str
    reason: str
    verdict: Literal["open", "validated", "removed", "kept"]
    """`validated`: the medical expert agreed, but no text without the part has been written."""
    justification: str
    judge: Literal["", "medical_expert", "guard"]
    """Who decided; `guard` is code, for words that are not in the text."""


class TextChange(TypedDict):
    """A change of the text: the words before and after it, the agent that made it, and why."""

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
    """Question, suggestion, reason or comment that led to the change."""


class Version(TypedDict):
    """A version of the text, with its measurements: the text after an entry, or the source as number 0."""

    number: int
    loop: Lead | Literal["", "single", "person"]
    """Loop of the version; `person` if a person edited the result after the run."""
    text: str
    grade: float
    """Flesch-Kincaid Grade Level."""
    words: int
    lost: list[LostDetail]
    """Checked details of the source that this version has lost or changed."""


class Exchange(TypedDict):
    """Record of one pass through an interaction loop: the conversation of its agents, and the outcome."""

    entry: int
    """Number of the entry in the run, from 1."""
    loop: Lead
    visit: int
    """Number of the entry into this loop, from 1."""
    chosen_because: str
    """The agent selector's reason."""
    questions: list[Question]
    reasoning: list[str]
    """The simplifier's chain of thought on how each answer fits in."""
    suggestions: list[WordingSuggestion]
    redundancies: list[Redundancy]
    comments: list[str]
    """Mistakes that the medical expert found in the rewritten texts of this entry, in order."""
    accurate: bool
    """Whether the medical expert called the last text that it reviewed in this entry accurate."""
    changed: bool
    problem: str
    """Reason for which the loop ended early, without a usable answer of an agent; otherwise empty."""


class Memory(TypedDict):
    """A memory of an agent, in natural language."""

    agent: Agent
    entry: int
    text: str


class GlossaryEntry(TypedDict):
    """A medical term that the result keeps, and its explanation."""

    term: str
    explanation: str
    entry: int


@with_config(ConfigDict(use_attribute_docstrings=True))
class SimplificationInput(TypedDict):
    """Input of medical simplification: the abstract, as text or as the path of a file."""

    abstract: str
    """The medical abstract: its text, or the path of a text, Markdown or PDF file."""


class LoopProgress(TypedDict, total=False):
    """Keys of the state that a loop returns to the run after one entry."""

    entry: int
    """Number of the newest entry into a loop."""
    text: str
    """The newest version of the text."""
    exchange: Exchange
    changes: list[TextChange]
    loop_calls: list[CallRecord]
    to_correct: list[str]
    """Comments of the newest review that the simplifier has still to follow."""
    loop_round: int
    """Rounds of proposing and judging so far; after a rewrite, rounds of review and correction of the new text."""


class LoopState(LoopProgress, total=False):
    """State of a loop's subgraph: its progress, and the keys that it reads from the run."""

    source: DocumentRef
    settings: dict[str, Any]
    memories: list[Memory]


@with_config(ConfigDict(use_attribute_docstrings=True))
class SimplificationOutput(TypedDict, total=False):
    """Output of medical simplification: the simplified text, and the steps that led to it."""

    simplified: str
    """The selected version of the text."""
    selected_version: int
    """Number of that version."""
    selected_because: str
    """Why it was selected."""
    not_as_published: list[str]
    """Deviations of a run with the preset `paper` from the paper; empty with other settings."""
    warnings: list[str]
    """Problems of the text as a whole; empty if none were found."""
    lost: list[LostDetail]
    """Details of the source (numbers, negations, names) that the result has lost or changed."""
    glossary: list[GlossaryEntry]
    """Medical terms that were kept, with their plain explanations."""
    stop_reason: Literal["", "entries used up", "target reached", "nothing more to change", "single rewrite"]
    """Why no further loop was entered."""
    source: DocumentRef
    """The abstract as it was read, with warnings."""
    settings: dict[str, Any]
    """Frozen settings with all models: to resume, the thread id is enough."""
    versions: Annotated[list[Version], DeltaChannel(append_records)]
    """All versions of the text, the source first."""
    all_changes: Annotated[list[TextChange], DeltaChannel(append_records)]
    """All changes, with loop, round, agent and reason."""
    history: Annotated[list[Exchange], DeltaChannel(append_records)]
    """The conversation, one exchange for each entry into a loop."""
    memories: Annotated[list[Memory], DeltaChannel(append_records)]
    """Memories of the agents."""
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]
    """Usage of each answered model call."""


class SimplificationState(SimplificationOutput, LoopProgress, total=False):
    """State of the graph `medical_simplification`. `initialise` sets every key, other nodes return what they change.

    The input is not part of it: only `initialise` reads it, and stores the text in a file.
    """

    next_loop: Lead | Literal["single", "done"]
    """Choice of the agent selector."""
    history_summary: str
    """Summary of the oldest exchanges, once the history has outgrown the selector's context."""
    summarised: int
    """Number of exchanges in the summary."""
