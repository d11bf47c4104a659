"""Number check as runs and the command know it; `draftroom check --model` begins its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems import System
from runs.runnable import RunnableGraph
from state.computed_findings import SEVERITIES
from state.records import Values


def is_check_finished(values: Values) -> bool:
    """Return whether the findings are computed."""
    return bool(values.get("finished"))


def build_check_results(values: Values) -> dict[str, Any]:
    """Return how many findings there are of each severity, and how much could not be read."""
    found = [finding["severity"] for finding in values.get("findings", [])]
    return {**{severity: found.count(severity) for severity in SEVERITIES}, "unread": len(values.get("unread", []))}


def format_check_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Return how many findings there are."""
    found = sum(results.get(severity, 0) for severity in SEVERITIES)
    return "", f"{found} finding{'' if found == 1 else 's'}"


NUMBER_CHECK = System(
    name="number_check",
    table="check",
    progress=format_check_progress,
    graph=RunnableGraph("graphs.number_check:builder", is_check_finished, build_check_results),
    rendering_address="draftroom.rendering.findings:RENDERING",
    scores=dict,
)
SYSTEMS = (NUMBER_CHECK,)
