"""Registry entry of medical simplification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems import LazyImport, System
from runs.runnable import RunnableGraph
from state.records import Values


def build_simplification_results(values: Values) -> dict[str, Any]:
    """Return what a run record keeps: measures of versions, lost details, and loops that ended early."""
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
    lambda values: bool(values.get("simplified")),
    build_simplification_results,
    lambda run_input: {"abstract": run_input["path"]},
)


def format_simplification_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Return the entries, and the grades of source and selected (else newest) version, as two texts."""
    versions = results.get("versions")
    if not versions:
        return "", ""
    return str(results["entries"]), f"{versions[0]['grade']:.1f} -> {_select_shown_version(results)['grade']:.1f}"


def _select_shown_version(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the selected version of recorded results, or the newest while none is selected."""
    versions: list[dict[str, Any]] = results["versions"]
    return next((each for each in versions if each["number"] == results["selected_version"]), versions[-1])


def collect_simplification_scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return entries, grades and lengths of source and result, and lost details, for the table of a batch."""
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
            "draftroom.commands.run_commands:simplify",
            "Put a medical abstract into plain language, and list the details that were lost.",
        )
    },
    scores=collect_simplification_scores,
    evaluation=LazyImport(
        "evals.tasks.medical_simplification:MEDICAL_SIMPLIFICATION",
        "Plain versions of abstracts: Tables 1 and 2 and Figure 2 of Lyu and Pergola.",
    ),
)
SYSTEMS = (SIMPLIFICATION,)
