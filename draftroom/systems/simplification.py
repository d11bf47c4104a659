"""Medical simplification as runs and the command know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems import LazyImport, System
from runs.record import RunInput
from runs.runnable import RunnableGraph
from state.records import CallRecord, Values


def build_graph_input(run_input: RunInput) -> dict[str, Any]:
    """What the graph starts from."""
    return {"abstract": run_input["path"]}


def has_simplified_text(values: Values) -> bool:
    """Whether there is a result."""
    return bool(values.get("simplified"))


def list_all_calls(values: Values) -> list[CallRecord]:
    """The calls of all entries, and those of the loop that is under way."""
    return [*values.get("calls", []), *values.get("loop_calls", [])]


def build_simplification_results(values: Values) -> dict[str, Any]:
    """Entries, the measures of each version, what the newest text has lost, and which loops ended early."""
    return {
        "entries": len(values.get("versions", [])[1:]),
        "versions": [  # their texts are in the checkpoints
            {key: version[key] for key in ("number", "loop", "grade", "words")} | {"lost": len(version["lost"])}
            for version in values.get("versions", [])
        ],
        "selected_version": values.get("selected_version") if values.get("simplified") else None,
        "stop_reason": values.get("stop_reason", ""),
        "warnings": list(values.get("warnings", [])),
        "lost": list(values.get("lost", [])),
        "problems": [
            {"entry": exchange["entry"], "loop": exchange["loop"], "problem": exchange["problem"]}
            for exchange in values.get("history", [])
            if exchange["problem"]
        ],
    }


MEDICAL_SIMPLIFICATION = RunnableGraph(
    "graphs.medical_simplification:builder",
    has_simplified_text,
    build_simplification_results,
    build_graph_input,
    list_all_calls,
)


def format_simplification_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Entries so far, and the grade of the source and of the selected version, or of the newest until then."""
    versions = results.get("versions", [])
    if not versions:
        return "", ""
    return str(results["entries"]), f"{versions[0]['grade']:.1f} -> {_select_shown_version(results)['grade']:.1f}"


def _select_shown_version(results: Mapping[str, Any]) -> dict[str, Any]:
    """The selected version, or the newest until there is one."""
    versions: list[dict[str, Any]] = results["versions"]
    return next((each for each in versions if each["number"] == results["selected_version"]), versions[-1])


def collect_simplification_scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """Entries, grades and words of the source and of the result, and how many of the source's details it has lost."""
    first, last = results["versions"][0], _select_shown_version(results)
    return {
        "entries": results["entries"],
        "first_grade": first["grade"],
        "grade": last["grade"],
        "first_words": first["words"],
        "words": last["words"],
        "lost": len(results["lost"]),
    }


SIMPLIFICATION = System(
    name="medical_simplification",
    table="simplification",
    progress=format_simplification_progress,
    graph=MEDICAL_SIMPLIFICATION,
    asked=("loops", "entries", "extensions", "accuracy_check", "target_grade", "scope"),
    rendering_address="draftroom.rendering.simplification:RENDERING",
    commands={
        "simplify": LazyImport(
            "draftroom.commands.plain_texts:simplify",
            "Put a medical abstract into plain language, and tell what was lost on the way.",
        )
    },
    wanted_address="draftroom.commands.plain_texts:build_simplification_request",
    scores=collect_simplification_scores,
    evaluation=LazyImport(
        "evals.tasks.medical_simplification:MEDICAL_SIMPLIFICATION",
        "Plain versions of abstracts: Tables 1 and 2 and Figure 2 of SoMS.",
    ),
)
SYSTEMS = (SIMPLIFICATION,)
