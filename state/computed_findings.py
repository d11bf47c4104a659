"""Computed findings: contradictions within a paper, found without a model."""

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

# High: a conclusion depends on it. Medium: something is wrong. Low: worth a look.
Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


class ComputedFinding(TypedDict):
    """A contradiction within a paper, with the words that it was computed from."""

    kind: CheckKind
    severity: Severity
    paragraph: str
    """Id of the paragraph; empty if the finding is about the list of references."""
    section: str
    page: int
    """Page from 1; 0 where the format has no pages."""
    quote: str
    """Verbatim words of the paper; for a table its row."""
    computation: str
    """Computation in one line."""
    consistent: str
    """Values that would be consistent."""
    explanations: list[str]
    """Other explanations, such as a one-sided test; the severity allows for those printed nearby."""


# In the order in which a report counts them.
RecordKind = Literal["test", "mean", "proportion", "interval", "reference"]


class PaperReport(TypedDict):
    """Findings in a paper, and how many records of each kind were read for them."""

    findings: list[ComputedFinding]
    read: dict[RecordKind, int]
    """Number of records of each kind that were read."""
    unread: list[str]
    """Problems with reading and looking up, one sentence each without its full stop."""
    left_out: int
    """Number of findings below the requested severity, or of a kind that was left out."""
    references_looked_up: bool


def rank_severity(found: ComputedFinding) -> int:
    """Return the rank of a finding's severity for sorting, 0 for the gravest."""
    return SEVERITIES.index(found["severity"])


# On unseen papers, fewer than 9 of 10 findings of low severity were right.
DEFAULT_SEVERITY: Severity = "medium"


def select_findings(
    report: PaperReport, severity: Severity = DEFAULT_SEVERITY, without: Collection[str] = ()
) -> PaperReport:
    """Return a report with only findings as grave as `severity` or graver, and of no kind `without`, gravest first.

    Its `left_out` counts the other findings.
    """
    shown = SEVERITIES[: SEVERITIES.index(severity) + 1]
    kept = [each for each in report["findings"] if each["severity"] in shown and each["kind"] not in without]
    # Sorting is stable: findings of one severity stay in the order of the paper.
    return {**report, "findings": sorted(kept, key=rank_severity), "left_out": len(report["findings"]) - len(kept)}
