"""Number check as runs and the command know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems import System
from runs.runnable import RunnableGraph
from state.computed_findings import SEVERITIES
from state.records import Values


def is_finished(values: Values) -> bool:
    """Return whether the findings are computed."""
    return bool(values.get("finished"))


def results(values: Values) -> dict[str, Any]:
    """Return how many findings there are of each severity, and what was read."""
    found = [finding["severity"] for finding in values.get("findings", [])]
    return {**{each: found.count(each) for each in SEVERITIES}, **{key: values.get(key) for key in ("read", "unread")}}


def progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Return how far a run is, and how many findings there are."""
    found = sum(results.get(severity, 0) for severity in SEVERITIES)
    return "", f"{found} finding{'' if found == 1 else 's'}"


def scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many findings there are of each severity."""
    return {severity: results[severity] for severity in SEVERITIES}


NUMBER_CHECK = System(
    name="number_check",
    table="check",
    progress=progress,
    graph=RunnableGraph("graphs.number_check:builder", is_finished, results),
    rendering_address="draftroom.rendering.findings:RENDERING",
    scores=scores,
)
SYSTEMS = (NUMBER_CHECK,)
