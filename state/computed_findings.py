"""What a paper contradicts in itself, as computed: no model has a part in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, get_args

from typing_extensions import TypedDict

CheckKind = Literal[
    "test and p-value",
    "test and group means",
    "percentage",
    "mean of whole numbers",
    "deviation of whole numbers",
    "estimate and interval",
    "ratio interval",
    "interval and p-value",
    "many tests",
    "figure or table",
    "section",
    "citation",
    "reference",
    "reference lookup",
    "abbreviation",
    "number told twice",
    "parts of a whole",
]
CHECK_KINDS: tuple[CheckKind, ...] = get_args(CheckKind)

Severity = Literal["high", "medium", "low"]
"""High: a conclusion hangs on it. Medium: something is wrong. Low: look at this."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


class ComputedFinding(TypedDict):
    """One contradiction, with what it was computed from."""

    kind: CheckKind
    severity: Severity
    paragraph: str
    """Its id; empty if the finding is about the list of references."""
    section: str
    page: int
    """From 1; 0 where the format has no pages."""
    quote: str
    """Words of the paper, verbatim; of a table its row."""
    computation: str
    """In one line."""
    consistent: str
    """What would be consistent."""
    explanations: list[str]
    """What else could explain it, such as a one-sided test; the severity allows for what is printed nearby."""


RecordKind = Literal["test", "mean", "proportion", "interval", "reference"]
# What a reader makes records of, in the order in which a report counts them.


class PaperReport(TypedDict):
    """What was found in a paper, and what was read for it."""

    findings: list[ComputedFinding]
    read: dict[RecordKind, int]
    """How many records of each kind were read."""
    unread: list[str]
    """What could not be read or looked up, one sentence each without its full stop."""
    references_looked_up: bool


def gravest_first(found: ComputedFinding) -> int:
    """To sort by: the place of its severity. What is equally grave keeps its order, that of the paper."""
    return SEVERITIES.index(found["severity"])


def select_findings(
    found: Iterable[ComputedFinding], severity: Severity, without: Collection[str]
) -> list[ComputedFinding]:
    """Return the findings that are at least so severe and of no kind that is left out, the gravest first."""
    shown = SEVERITIES[: SEVERITIES.index(severity) + 1]
    kept = (each for each in found if each["severity"] in shown and each["kind"] not in without)
    return sorted(kept, key=gravest_first)
