"""State of `number_check`: a model reads the numbers of a paper, code computes what does not fit.

All passages are read in one step, so the lists that grow are written once.
"""

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
    """What a model has read of one passage."""

    paragraph: str
    entries: list[ReadEntry]
    problem: str
    """Why the model gave no usable answer; empty if it did."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class NumberCheckInput(TypedDict):
    """What is checked."""

    paper: str
    """The paper: the path of a PDF, Word, HTML, Markdown, LaTeX or text file, or its text."""


@with_config(ConfigDict(use_attribute_docstrings=True))
class NumberCheckOutput(TypedDict, total=False):
    """What was found in the paper, and what was read for it."""

    findings: list[ComputedFinding]
    """What the paper contradicts in itself, the gravest first."""
    read: dict[RecordKind, int]
    """How many records of each kind were read, by code or by the model."""
    unread: list[str]
    """What was not read: of the paper, by the model, or because it does not stand in its quote."""
    left_out: int
    """How many findings are below the severity that was asked for, or of a kind that was not."""
    references_looked_up: bool
    """Whether they were looked up; this graph does not."""
    readings: Annotated[list[NumberReading], add]
    """What the model has read of each passage."""
    finished: bool
    """Whether all passages were read and the findings computed."""
    document: DocumentRef
    """The paper as it was read, and warnings about it."""
    settings: dict[str, Any]
    """The resolved settings, models included, frozen: a resume or a fork needs nothing but the thread id."""
    calls: Annotated[list[CallRecord], add]
    """What each answered model call cost."""


class NumberCheckState(NumberCheckOutput, total=False):
    """State of the graph. `initialise` sets every key."""

    passages: list[str]
    """Ids of the paragraphs and tables that the model reads."""


class PassageState(TypedDict):
    """What the number reader is given."""

    number: int
    """From 1, of the passage."""
    paragraph: str
    document: DocumentRef
    settings: dict[str, Any]
