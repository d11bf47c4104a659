"""Medical simplification as the command sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.consoles import spoken
from draftroom.records import RunInput
from draftroom.rendering.data import json_of
from draftroom.rendering.simplification.html import to_html
from draftroom.rendering.simplification.markdown import to_markdown
from draftroom.rendering.simplification.story import UNIT, Entry, measured, outcome
from draftroom.rendering.simplification.terminal import print_findings, print_simplified, print_story
from draftroom.systems.system import System, Values
from graphs.medical_simplification import builder
from state.records import CallRecord
from state.simplification import SimplificationContext, SimplificationOutput, Version


def graph_input(run_input: RunInput) -> dict[str, Any]:
    """What the graph starts from."""
    return {"abstract": run_input["path"]}


def context(settings: Mapping[str, Any]) -> SimplificationContext:
    """The settings as they are, whatever files and variables say by now."""
    return SimplificationContext(resolved=dict(settings))


def is_finished(values: Values) -> bool:
    """Whether there is a result."""
    return bool(values.get("simplified"))


def calls(values: Values) -> list[CallRecord]:
    """The calls of all entries, and those of the loop that is under way."""
    return [*values.get("calls", []), *values.get("loop_calls", [])]


def results(values: Values) -> dict[str, Any]:
    """Entries, the measures of each version, what the newest text has lost, and which loops ended early."""
    return {
        "entries": len(values.get("versions", [])[1:]),
        "versions": [_in_short(version) for version in values.get("versions", [])],
        "stop_reason": values.get("stop_reason", ""),
        "warnings": list(values.get("warnings", [])),
        "lost": list(values.get("lost", [])),
        "problems": [
            {"entry": exchange["entry"], "loop": exchange["loop"], "problem": exchange["problem"]}
            for exchange in values.get("history", [])
            if exchange["problem"]
        ],
    }


def progress(found: dict[str, Any]) -> tuple[str, str]:
    """Entries so far, and the grade of the source and of the newest version."""
    versions = found.get("versions", [])
    if not versions:
        return "", ""
    return str(found["entries"]), f"{versions[0]['grade']:.1f} -> {versions[-1]['grade']:.1f}"


def milestone(node: str, update: Values, values: Values) -> str:
    """A line after each choice of the selector and after each entry."""
    if node == "select_agent" and "exchange" in update:
        return f"Next is the {spoken(update['next_loop'])}: {update['exchange']['chosen_because']}"
    if node != "log_exchange":
        return ""
    version: Version = update["versions"][-1]
    entry = Entry(
        number=version["number"],
        exchange=update.get("exchange"),
        changes=update["all_changes"],
        version=version,
        previous=values["versions"][-2],
    )
    return f"Entry {entry.number}, {entry.loop}: {outcome(entry)}; {measured(entry)}"


def _in_short(version: Version) -> dict[str, Any]:
    """Its measures; the texts are in the checkpoints."""
    kept = {key: version[key] for key in ("number", "loop", "grade", "words")}
    return {**kept, "lost": len(version["lost"])}


SIMPLIFICATION = System(
    name="medical_simplification",
    unit=UNIT,
    builder=builder,
    graph_input=graph_input,
    context=context,
    is_finished=is_finished,
    calls=calls,
    results=results,
    progress=progress,
    milestone=milestone,
    print_result=print_simplified,
    print_warnings=print_findings,
    print_details=print_story,
    formats={".md": to_markdown, ".markdown": to_markdown, ".html": to_html, ".json": json_of(SimplificationOutput)},
)
