"""What a paper contradicts in itself, as computed: no model has a part in it."""

from __future__ import annotations

from collections.abc import Collection
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
    left_out: int
    """How many findings are below the severity that was asked for, or of a kind that was not."""
    references_looked_up: bool


def rank_severity(found: ComputedFinding) -> int:
    """To sort by: the place of its severity. What is equally grave keeps its order, that of the paper."""
    return SEVERITIES.index(found["severity"])


# On papers that nobody had looked at, fewer than 9 of 10 findings of low severity were right.
DEFAULT_SEVERITY: Severity = "medium"


def select_findings(
    report: PaperReport, severity: Severity = DEFAULT_SEVERITY, without: Collection[str] = ()
) -> PaperReport:
    """Return the report with the findings that are severe enough and of no kind that is left out, the gravest first."""
    shown = SEVERITIES[: SEVERITIES.index(severity) + 1]
    kept = [each for each in report["findings"] if each["severity"] in shown and each["kind"] not in without]
    return {**report, "findings": sorted(kept, key=rank_severity), "left_out": len(report["findings"]) - len(kept)}
