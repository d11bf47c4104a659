"""Input, output and state of `number_check`: a model reads the numbers of a paper, code checks their consistency."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from state.computed_findings import ComputedFinding, RecordKind
from state.documents import DocumentRef
from state.model_settings import LengthLimit
from state.records import CallRecord

TestName = Literal["t", "F", "r", "chi", "z", "Q"]
RecordName = Literal[TestName, "mean", "proportion", "estimate", "number told twice", "parts of a whole"]
TestNumberRole = Literal["statistic", "df", "p"]
MeanNumberRole = Literal["mean", "deviation", "n", "items"]
EstimateNumberRole = Literal["value", "low", "high", "level"]
NumberRole = Literal[TestNumberRole, MeanNumberRole, EstimateNumberRole, "count", "total", "percentage", "part", "told"]
QuantityRemark = Literal["whole numbers", "yes or no", "approximate", "ratio", "difference"]
NumberRemark = Literal["one-sided", "two-sided", "adjusted", QuantityRemark, "no overlap", "all parts"]

_CLOSED = ConfigDict(json_schema_extra={"additionalProperties": False})  # as `AgentAnswer`


@with_config(_CLOSED)
class RoleOfNumber(TypedDict):
    """A number as it is printed, and what it is."""

    role: NumberRole
    number: Annotated[str, LengthLimit("note_words")]


@with_config(_CLOSED)
class ReadEntry(TypedDict):
    """What a model has read in one place of a passage."""

    quote: Annotated[str, LengthLimit("quote_words")]
    kind: RecordName
    name: Annotated[str, LengthLimit("note_words")]
    """Of the quantity, or of the correction of a p-value."""
    numbers: Annotated[list[RoleOfNumber], LengthLimit("numbers")]
    remarks: Annotated[list[NumberRemark], LengthLimit("numbers")]


class NumberReading(TypedDict):
    """What a model has read in one passage: records with their numbers, or why its answer cannot be used."""

    paragraph: str
    entries: list[ReadEntry]
    problem: str
    """Reason for which there is no usable answer; empty if there is one."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class NumberCheckInput(TypedDict):
    """Input of the number check: the paper, as text or as the path of a file."""

    paper: str
    """The paper: the path of a PDF, Word, HTML, Markdown, LaTeX or text file, or its text."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class NumberCheckOutput(TypedDict, total=False):
    """Findings that were asked for, what was read, unread and left out, and the record of the run."""

    findings: list[ComputedFinding]
    """Contradictions within the paper, the gravest first."""
    read: dict[RecordKind, int]
    """Number of records of each kind that were read, by code or by the model."""
    unread: list[str]
    """Parts of the paper that could not be read, and readings of the model that were rejected or failed."""
    left_out: int
    """Number of findings below the requested severity, or of a kind that was left out."""
    references_looked_up: bool
    """Whether references were looked up; this graph looks up none."""
    readings: Annotated[list[NumberReading], add]  # all are written in one step, so that no DeltaChannel is needed
    """Numbers that the model has read in each passage."""
    finished: bool
    """Whether all passages are read and the findings computed."""
    document: DocumentRef
    """The paper as it was read, with warnings."""
    settings: dict[str, Any]
    """Frozen settings with all models: to resume, the thread id is enough."""
    calls: Annotated[list[CallRecord], add]
    """Usage of each answered model call."""


class NumberCheckState(NumberCheckOutput, total=False):
    """State of the graph `number_check`. `initialise` sets every key."""

    passages: list[str]
    """Ids of the paragraphs and tables that the model reads."""


class PassageState(TypedDict):
    """Input of the number reader for one passage."""

    number: int
    """Number of the passage, from 1."""
    paragraph: str
    document: DocumentRef
    settings: dict[str, Any]
