"""State of `focused_feedback`: what goes in, what flows, what comes out.

A paragraph is reviewed by a subgraph with a state of its own (`ParagraphState`). It returns one `ParagraphReview`, so
that many paragraphs of a paper can be under way at once. Lists that grow are `DeltaChannel`s.
"""

from __future__ import annotations

from operator import add, or_
from typing import Annotated, Any, Literal, NotRequired

from langgraph.channels import DeltaChannel
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.computed_findings import ComputedFinding
from state.documents import DocumentRef
from state.number_check import NumberReading
from state.records import CallRecord, Finding, append_records

Weakness = Literal[
    "Replicability",
    "Originality",
    "Empirical and Theoretical Soundness",
    "Meaningful Comparison",
    "Substance",
]
"""The five weakness types of SWIF2T (Section 3)."""

Action = Literal["ask_paper", "ask_checks", "ask_literature", "write_review"]
"""What a step can be: the Investigator reads the paper or the literature, the Reviewer writes.

The Investigator also brings what was computed over the paper (the extension `computed_checks`).
"""

Decision = Literal["execute", "skip", "replace", "rewrite"]
"""Carry a step out, perhaps with a better question; leave it out; ask the other source instead; write the rest anew."""


class Step(TypedDict):
    """A step of a plan."""

    id: str
    """s1, s2, ...; unique in the review of a paragraph."""
    action: Action
    question: str
    """Empty for the review."""
    origin: Literal["planner", "controller", "person"]
    """Who wrote it as it stands."""


class Plan(TypedDict):
    """A plan that the planner sampled."""

    number: int
    """From 1, in the order in which they came."""
    steps: list[Step]
    repairs: list[str]
    """What of it could not be followed."""
    score: float | None
    """Of the plan re-ranker; None if plans were not re-ranked."""


class Evidence(TypedDict):
    """An answer with its place, which a comment may cite."""

    id: str
    """e1, e2, ...: that of its step with another letter; that of a finding (f1, f2, ...) for itself."""
    source: Literal["paper", "literature", "model", "computed"]
    """`model` is the knowledge of the model itself (chain of verification only); `computed` needs none."""
    question: str
    answer: str
    quote: str
    """Words of the passage that the answer rests on, verbatim; empty if it stands without a quote."""
    title: str
    """Of the document."""
    section: str
    page: int
    """0 where the format has no pages."""
    address: str
    """Web address or file of the document; empty for the paper under review."""


class ReviewFinding(ComputedFinding):
    """A contradiction that was computed, in a review."""

    id: str
    """f1, f2, ...: unique in the review of a paper."""
    shown: bool
    """Whether the review shows it: it is about what is reviewed. A plan may ask for the others."""
    wording: str
    """What the reviewer says of it to the author; empty if the computation speaks for itself."""


class StepRecord(TypedDict):
    """A step that the controller has dealt with, and what came of it."""

    step: Step
    decision: Decision
    because: str
    """The controller's explanation; empty if it was not asked."""
    outcome: Literal["answered", "unanswered", "skipped"]
    note: str
    """Why there is no answer, or none with a quote."""


class QuestionAnswer(TypedDict):
    """What the investigator brings back from one question."""

    step: str
    """Id of the step."""
    evidence: Evidence | None
    note: str
    """Why there is no answer, or none with a quote."""


class WeaknessCandidate(TypedDict):
    """A possible weakness that the detector sees in the paragraph."""

    quote: str
    """Words of the paragraph, verbatim."""
    label: Weakness
    problem: str


class Verification(TypedDict):
    """What the checks of a comment found."""

    verdict: Literal["kept", "softened"]
    notes: list[str]
    """What was found, for a person."""


class Comment(TypedDict):
    """Focused feedback on words of a paragraph."""

    id: str
    """c-<paragraph>."""
    paragraph: str
    section: str
    page: int
    label: Weakness
    quote: str
    """Words of the paragraph, verbatim; empty if the comment is about it as a whole."""
    start: int
    """Offset of the quote in the paragraph's text."""
    review: str
    suggestion: str
    reasoning: str
    evidence: list[Evidence]
    """What the comment cites."""
    verification: Verification


class EarlierComment(TypedDict):
    """A comment on the version before, and what became of it in this one."""

    comment: Comment
    """As it was raised, with the paragraph that it was about."""
    status: Literal["open", "addressed", "gone"]
    """`open`: its paragraph has the same words, or the new review raises a weakness of its type there; `addressed`: its
    paragraph was changed, and the new review raises none; `gone`: its paragraph is there no more."""
    paragraph: str
    """Id of its paragraph in this version; empty if it is gone."""
    before: str
    """Text of its paragraph in the version before."""
    now: str
    """The same in this version; empty if it is gone."""


class ParagraphReview(TypedDict, total=False):
    """All that was done for one paragraph."""

    paragraph: str
    section: str
    page: int
    outcome: Literal["", "comment", "nothing worth raising", "failed"]
    """Empty as long as the review is under way."""
    problem: str
    """Why it failed, or why nothing is raised."""
    comment: Comment | None
    plans: list[Plan]
    """Best first if they were re-ranked; the first is the one that was followed."""
    log: Annotated[list[StepRecord], DeltaChannel(append_records)]
    evidence: list[Evidence]
    """What the log's answered steps found, in the order of the steps."""
    rewrites: int
    """How often the controller rewrote the remaining steps."""
    candidates: list[WeaknessCandidate]
    wordings: dict[str, str]
    """What the reviewer says of computed findings, by their ids."""
    notes: Annotated[list[str], DeltaChannel(append_records)]
    """What an agent could not do: providers that failed, addresses that were blocked."""


class Target(TypedDict):
    """A paragraph that is to be reviewed."""

    number: int
    """From 1, in the order of the paper; what calls are counted by."""
    id: str
    section: str
    page: int
    text: str


@with_config(ConfigDict(use_attribute_docstrings=True))
class FeedbackInput(TypedDict):
    """What is to be reviewed."""

    paper: str
    """The paper: the path of a PDF, Word, HTML, JATS, Markdown, LaTeX or text file, or its text."""
    paragraphs: NotRequired[list[str]]
    """Ids (p3) or numbers (3) of the paragraphs to review; if it is left out, every paragraph worth it."""
    section: NotRequired[str]
    """Review the paragraphs of the sections whose heading contains this."""
    text: NotRequired[str]
    """Review this text as a paragraph of the paper."""
    earlier: NotRequired[list[EarlierComment]]
    """Comments on the version before; the review tells what became of them."""


class AuthorDecision(TypedDict):
    """What a person makes of a comment or a computed finding."""

    decision: Literal["open", "accepted", "dismissed"]
    review: NotRequired[str]
    """The comment in the person's own words, where they have edited it."""
    suggestion: NotRequired[str]
    """The same of what it suggests."""
    reply: NotRequired[str]
    """What the author answers."""


class ParagraphOutput(TypedDict, total=False):
    """What the review of a paragraph hands back to the run."""

    reviews: Annotated[list[ParagraphReview], DeltaChannel(append_records)]
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]


class ParagraphInput(TypedDict, total=False):
    """What an agent is given of the paper and its paragraph."""

    target: Target
    document: DocumentRef
    findings: list[Finding]
    """Text of the paper that addresses the model."""
    computed: list[ReviewFinding]
    """What was computed about the whole paper."""
    settings: dict[str, Any]


class ParagraphState(ParagraphInput, ParagraphReview, ParagraphOutput, total=False):
    """State of the review of one paragraph: what it is given, what it works on, and the record that comes of it."""

    remaining: list[Step]
    """Steps that nobody has decided on yet."""
    wave: list[Step]
    """Questions that are to be answered next."""
    decided: list[StepRecord]
    """Records of the steps of the wave, before their answers are there."""
    answers: Annotated[list[QuestionAnswer], DeltaChannel(append_records)]
    """In the order in which they came; `wave` steps are logged by the controller."""


class QuestionState(ParagraphInput):
    """What the investigator is sent out with."""

    step: Step


@with_config(ConfigDict(use_attribute_docstrings=True))
class FeedbackOutput(TypedDict, total=False):
    """The comments, and how they came about."""

    comments: list[Comment]
    """Ranked: the best supported first."""
    decisions: Annotated[dict[str, AuthorDecision], or_]
    """What a person made of them, by the id of the comment; at first empty."""
    earlier: list[EarlierComment]
    """Comments on the version before, and what became of them; empty if there was none."""
    reviews: Annotated[list[ParagraphReview], DeltaChannel(append_records)]
    """One for each paragraph, with its plans, log, evidence and outcome."""
    targets: list[Target]
    """The paragraphs that were chosen for review."""
    finished: bool
    """Whether all of them were reviewed and the comments are ranked."""
    findings: list[Finding]
    """Text of the paper that addresses a language model, or that a reader cannot see."""
    computed: list[ReviewFinding]
    """What the paper contradicts in itself, computed over the whole paper; the review shows what is marked so."""
    document: DocumentRef
    """The paper as it was read, and warnings about it."""
    settings: dict[str, Any]
    """The resolved settings, models included, frozen: a resume or a fork needs nothing but the thread id."""
    not_as_published: list[str]
    """What of a run with the preset `paper` is not the paper's; empty with other settings."""
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]
    """What each answered model call cost."""


class FeedbackState(FeedbackOutput, total=False):
    """State of the graph: what comes out of it. `initialise` sets every key; other nodes return those that they change.

    The input is no part of it: `initialise` alone reads it, and puts the path of the stored paper in its place.
    """

    whole: bool
    """Whether nothing of the paper was named, so that all that is computed is shown."""
    passages: list[str]
    """Ids of the paragraphs and tables that the number reader reads."""
    readings: Annotated[list[NumberReading], add]
    """What it has read of each; all are read in one step."""
