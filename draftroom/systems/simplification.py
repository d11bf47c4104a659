"""Medical simplification as the command knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems.system import Lazy, System
from runs.runnable.simplification import MEDICAL_SIMPLIFICATION


def progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Entries so far, and the grade of the source and of the newest version."""
    versions = results.get("versions", [])
    if not versions:
        return "", ""
    return str(results["entries"]), f"{versions[0]['grade']:.1f} -> {versions[-1]['grade']:.1f}"


def scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """Entries, grades and words of the source and of the result, and how many of the source's details it has lost."""
    first, last = results["versions"][0], results["versions"][-1]
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
    progress=progress,
    graph=MEDICAL_SIMPLIFICATION,
    asked=("loops", "entries", "aids", "accuracy_check", "target_grade", "scope"),
    begin_address="draftroom.beginning:simplification_run",
    rendering_address="draftroom.rendering.simplification:RENDERING",
    commands={
        "simplify": Lazy(
            "draftroom.commands.simplify:simplify",
            "Put a medical abstract into plain language, and tell what was lost on the way.",
        )
    },
    wanted_address="draftroom.commands.simplify:wanted",
    scores=scores,
    evaluation=Lazy(
        "evals.tasks.medical_simplification:MEDICAL_SIMPLIFICATION",
        "Plain versions of abstracts: Tables 1 and 2 and Figure 2 of SoMS.",
    ),
)
SYSTEMS = (SIMPLIFICATION,)
