"""Registry entry of the number check, which `draftroom check --model` runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems import System
from runs.runnable import RunnableGraph
from state.computed_findings import SEVERITIES
from state.records import Values


def build_check_results(values: Values) -> dict[str, Any]:
    """Return what a run record keeps: numbers of findings by severity and of unread parts."""
    found = [finding["severity"] for finding in values.get("findings", [])]
    return {**{severity: found.count(severity) for severity in SEVERITIES}, "unread": len(values.get("unread", []))}


def format_check_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Return an empty progress and the number of findings, as a pair of texts."""
    found = sum(results.get(severity, 0) for severity in SEVERITIES)
    return "", f"{found} finding{'' if found == 1 else 's'}"


NUMBER_CHECK = System(
    name="number_check",
    table="check",
    progress=format_check_progress,
    graph=RunnableGraph("graphs.number_check:builder", lambda state: bool(state.get("finished")), build_check_results),
    rendering_address="draftroom.rendering.findings:RENDERING",
    scores=dict,
)
SYSTEMS = (NUMBER_CHECK,)
