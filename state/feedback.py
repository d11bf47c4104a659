"""Input, output and state of `focused_feedback`.

A paragraph is reviewed by a subgraph with a state of its own (`ParagraphState`). It returns one `ParagraphReview`, so
that many paragraphs can be reviewed at once. Lists that grow are `DeltaChannel`s.
"""

from __future__ import annotations

from operator import add, or_
from typing import Annotated, Any, Literal, NotRequired

from langgraph.channels import DeltaChannel
from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.computed_findings import ComputedFinding, Severity
from state.documents import DocumentRef
from state.number_check import NumberReading
from state.records import CallRecord, Finding, append_records

# The five weakness types of SWIF2T (Section 3).
Weakness = Literal[
    "Replicability", "Originality", "Empirical and Theoretical Soundness", "Meaningful Comparison", "Substance"
]
# The investigator reads the paper or the literature, or brings computed findings (the extension `computed_checks`); the
# reviewer writes.
Action = Literal["ask_paper", "ask_checks", "ask_literature", "write_review"]
# Carry a step out, perhaps with a better question; leave it out; ask the other source; or rewrite the remaining steps.
Decision = Literal["execute", "skip", "replace", "rewrite"]


class Step(TypedDict):
    """A step of a plan: a question to the paper, its computed findings or the literature, or writing the review."""

    id: str
    """s1, s2, ..., unique in the review of a paragraph."""
    action: Action
    question: str
    """Question of the step; empty for the review."""
    origin: Literal["planner", "controller", "person"]
    """Author of the newest wording."""


class Plan(TypedDict):
    """A plan that the planner sampled for the review of a paragraph: its steps, and its score if it was re-ranked."""

    number: int
    """Number from 1, in the order of arrival."""
    steps: list[Step]
    repairs: list[str]
    """Corrections of parts that could not be followed."""
    score: float | None
    """Score of the plan re-ranker; None if plans were not re-ranked."""


class Evidence(TypedDict):
    """An answer with its place in a document, which a comment may cite."""

    id: str
    """e1, e2, ... as the id of its step; a computed finding keeps its own id (f1, f2, ...)."""
    source: Literal["paper", "literature", "model", "computed"]
    """Source; `model` is the model's own knowledge (chain of verification only), `computed` involves no model."""
    question: str
    answer: str
    quote: str
    """Verbatim words of the passage that support the answer; empty for an answer without a quote."""
    title: str
    """Title of the document."""
    section: str
    page: int
    """0 where the format has no pages."""
    address: str
    """Web address or file of the document; empty for the paper under review."""


class ReviewFinding(ComputedFinding):
    """A computed finding in a review: also whether the review shows it, and how the reviewer has worded it."""

    id: str
    """f1, f2, ..., unique in the review of a paper."""
    shown: bool
    """Whether the review shows the finding, as it is about a reviewed part. A plan may ask for the others."""
    wording: str
    """The reviewer's wording for the author; empty if the computation is shown alone."""


class StepRecord(TypedDict):
    """A step that the controller has decided on, and its outcome."""

    step: Step
    decision: Decision
    because: str
    """The controller's explanation; empty if it was not asked."""
    outcome: Literal["answered", "unanswered", "skipped"]
    note: str
    """Reason for which there is no answer, or no quote."""


class QuestionAnswer(TypedDict):
    """Outcome of one question: the evidence that answers it, or a note on why there is none."""

    step: str
    """Id of the step."""
    evidence: Evidence | None
    note: str
    """Reason for which there is no answer, or no quote."""


class WeaknessCandidate(TypedDict):
    """A possible weakness that the detector, or the screener, finds in the paragraph."""

    quote: str
    """Verbatim words of the paragraph."""
    label: Weakness
    problem: str
    settled_by: NotRequired[str]
    """What would refute or confirm it, as the screener says."""


class Suspicion(WeaknessCandidate):
    """A possible weakness that the screener finds when it reads the whole paper (the extension `screen`)."""

    paragraph: str
    section: str
    page: int
    severity: Severity
    """High: a conclusion of the paper depends on it; medium: its section does; low: a detail."""
    pursued: bool
    """Whether its paragraph was chosen for review."""


class Verification(TypedDict):
    """Result of verifying a comment: whether it was kept or softened, and notes for the author."""

    verdict: Literal["kept", "softened"]
    notes: list[str]
    """Results for the author, one note each."""


class Comment(TypedDict):
    """The reviewer's comment on a weakness of a paragraph or of words of it, with a suggestion and cited evidence."""

    id: str
    """c-<paragraph>."""
    paragraph: str
    section: str
    page: int
    label: Weakness
    quote: str
    """Verbatim words of the paragraph; empty if the comment is about the whole paragraph."""
    start: int
    """Offset of the quote in the paragraph's text."""
    review: str
    suggestion: str
    severity: NotRequired[Severity]
    """How grave it is; missing without the extension `anchors`."""
    reasoning: str
    evidence: list[Evidence]
    """Evidence that the comment cites."""
    verification: Verification


class EarlierComment(TypedDict):
    """A comment on the previous version of the paper, and its status in this version."""

    comment: Comment
    """Comment as it was raised, with its paragraph in the previous version."""
    status: Literal["open", "addressed", "gone"]
    """`open`: the paragraph is unchanged, or the new review raises a weakness of this type there; `addressed`: the
    paragraph was changed, and the new review raises none; `gone`: the paragraph was removed."""
    paragraph: str
    """Id of the paragraph in this version; empty if it was removed."""
    before: str
    """Text of the paragraph in the previous version."""
    now: str
    """Text of the paragraph in this version; empty if it was removed."""


class ParagraphReview(TypedDict, total=False):
    """The review of one paragraph, with all its steps."""

    paragraph: str
    section: str
    page: int
    outcome: Literal["", "comment", "nothing worth raising", "failed"]
    """Outcome; empty while the review is under way."""
    problem: str
    """Reason for which the review failed or raises nothing."""
    comment: Comment | None
    plans: list[Plan]
    """Plans, best first if they were re-ranked; the first plan was followed."""
    log: Annotated[list[StepRecord], DeltaChannel(append_records)]
    evidence: list[Evidence]
    """Evidence of the answered steps, in the order of the log."""
    rewrites: int
    """Number of times that the controller rewrote the remaining steps."""
    candidates: list[WeaknessCandidate]
    wordings: dict[str, str]
    """The reviewer's wordings of computed findings, by their ids."""
    notes: Annotated[list[str], DeltaChannel(append_records)]
    """Problems of agents, such as failed providers and blocked addresses."""


class Target(TypedDict):
    """A paragraph to review."""

    number: int
    """That of its id, 14 for p14; the `round` of the paragraph's calls."""
    id: str
    section: str
    page: int
    text: str


@with_config(ConfigDict(use_attribute_docstrings=True))
class FeedbackInput(TypedDict):
    """Input of focused feedback: the paper, what of it to review, and comments on an earlier version."""

    paper: str
    """The paper: the path of a PDF, Word, HTML, JATS, Markdown, LaTeX or text file, or its text."""
    paragraphs: NotRequired[list[str]]
    """Ids (p3) or numbers (3) of the paragraphs to review; by default every paragraph worth a review."""
    section: NotRequired[str]
    """Review the paragraphs of sections with this text in their heading."""
    text: NotRequired[str]
    """Review this text as a paragraph of the paper."""
    earlier: NotRequired[list[EarlierComment]]
    """Comments on the previous version; the review says which of them are addressed."""


class AuthorDecision(TypedDict):
    """Decision of the author on a comment or computed finding (`open`: none yet); its id is the key of `decisions`."""

    decision: Literal["open", "accepted", "dismissed"]
    review: NotRequired[str]
    """Comment as edited by the person."""
    suggestion: NotRequired[str]
    """Suggestion as edited by the person."""
    reply: NotRequired[str]
    """Reply of the author."""


class ParagraphOutput(TypedDict, total=False):
    """Keys that the review of a paragraph returns to the run: the review and its model calls."""

    reviews: Annotated[list[ParagraphReview], DeltaChannel(append_records)]
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]


class ParagraphInput(TypedDict, total=False):
    """Input of the review of one paragraph: the paragraph, the stored paper, findings in the paper, and settings."""

    target: Target
    suspicions: list[Suspicion]
    """What the screener suspects in the paragraph."""
    document: DocumentRef
    findings: list[Finding]
    """Text of the paper that addresses the model."""
    computed: list[ReviewFinding]
    """Computed findings of the whole paper."""
    settings: dict[str, Any]


class ParagraphState(ParagraphInput, ParagraphReview, ParagraphOutput, total=False):
    """State of the review of one paragraph: its input, its work, and the resulting record."""

    remaining: list[Step]
    """Steps that are still to be decided on."""
    wave: list[Step]
    """Questions to answer next."""
    decided: list[StepRecord]
    """Records of the wave's steps, until their answers arrive."""
    answers: Annotated[list[QuestionAnswer], DeltaChannel(append_records)]
    """Answers in the order of arrival; the controller logs the steps of the wave."""


class QuestionState(ParagraphInput):
    """Input of the investigator for one question."""

    step: Step


class PartState(TypedDict):
    """Input of the screener for one part of the paper."""

    part: list[str]
    """Ids of its paragraphs."""
    parts: list[list[str]]
    summary: str
    document: DocumentRef
    findings: list[Finding]
    settings: dict[str, Any]


@with_config(ConfigDict(use_attribute_docstrings=True))
class FeedbackOutput(TypedDict, total=False):
    """Output of focused feedback: the comments, the author's decisions on them, and the steps that led to them."""

    comments: list[Comment]
    """Comments, the gravest and then the best supported first."""
    decisions: Annotated[dict[str, AuthorDecision], or_]
    """Decisions of a person, by the id of the comment; at first empty."""
    earlier: list[EarlierComment]
    """Comments on the previous version with their status; empty if there was no previous version."""
    reviews: Annotated[list[ParagraphReview], DeltaChannel(append_records)]
    """Reviews of the paragraphs, with plans, log, evidence and outcome."""
    targets: list[Target]
    """Paragraphs that were chosen for review."""
    suspicions: list[Suspicion]
    """What the screener suspects, the gravest first, pursued or not; empty if the paper was not screened."""
    finished: bool
    """Whether all of them are reviewed and the comments ranked."""
    findings: list[Finding]
    """Text of the paper that addresses a language model, or that a reader cannot see."""
    computed: list[ReviewFinding]
    """Contradictions within the whole paper, as computed; the review shows those that are marked `shown`."""
    document: DocumentRef
    """The paper as it was read, with warnings."""
    settings: dict[str, Any]
    """Frozen settings with all models: to resume, the thread id is enough."""
    not_as_published: list[str]
    """Deviations of a run with the preset `paper` from the paper; empty with other settings."""
    calls: Annotated[list[CallRecord], DeltaChannel(append_records)]
    """Usage of each answered model call."""


class FeedbackState(FeedbackOutput, total=False):
    """State of the graph `focused_feedback`. `initialise` sets every key; other nodes return the keys that they change.

    The input is not part of it: only `initialise` reads it, and stores the paper in a file.
    """

    whole: bool
    """Whether no part of the paper was named, so that all computed findings are shown."""
    passages: list[str]
    """Ids of the paragraphs and tables that the number reader reads."""
    readings: Annotated[list[NumberReading], add]
    """Numbers that it has read in each of them, all in one step."""
    parts: list[list[str]]
    """Ids of the paragraphs of each part that the screener reads; empty if the paper is not screened."""
    summary: str
    """Summary of the paper that it reads with each part; empty if there is none."""
    screenings: Annotated[list[list[Suspicion]], add]
    """What it suspects in each of them, all in one step."""
    unread: Annotated[list[str], add]
    """A sentence on each of them that it could not read."""
