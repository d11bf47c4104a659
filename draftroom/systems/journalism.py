"""Registry entry of science journalism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems import LazyImport, PaperReader, System
from runs.record import RunRecord
from runs.runnable import RunnableGraph
from state.records import Values
from state.settings import Settings


def build_article_results(values: Values) -> dict[str, Any]:
    """Return what a run record keeps: rounds, measures of each draft, and the selected draft with its reason."""
    return {
        "rounds": values.get("round", 0),
        "drafts": list(values.get("assessments", [])),
        "stop_reason": values.get("stop_reason", ""),
        "selected_round": values.get("selected_round") if values.get("article") else None,
        "selected_because": values.get("selected_because", ""),
        "warnings": list(values.get("warnings", [])),
    }


SCIENCE_JOURNALISM = RunnableGraph(
    "graphs.science_journalism:builder", lambda values: bool(values.get("article")), build_article_results
)


def format_article_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Return the rounds, and the mean grades of the first and selected (else newest) draft, as two texts."""
    drafts = results.get("drafts", [])
    if not drafts:
        return "", ""
    grades = {draft["round"]: draft["mean_grade"] for draft in drafts}
    last = grades.get(results["selected_round"], drafts[-1]["mean_grade"])
    return str(results["rounds"]), f"{drafts[0]['mean_grade']:.1f} -> {last:.1f}"


def collect_article_scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return measures of the first and the selected draft, for the table of a batch."""
    drafts = {draft["round"]: draft for draft in results["drafts"]}
    first, chosen = results["drafts"][0], drafts[results["selected_round"]]
    return {
        "rounds": results["rounds"],
        "selected_round": results["selected_round"],
        "first_grade": first["mean_grade"],
        "grade": chosen["mean_grade"],
        "coverage": chosen["coverage"],
        "unsupported": len(chosen["unsupported"]),
    }


class JournalismSystem(System):
    """Registry entry of science journalism, whose variant and warm start decide the models of some roles."""

    def prepare_record(self, settings: Settings, take: PaperReader, request: Mapping[str, Any]) -> RunRecord:
        """Read the paper and return the record of a new run, not saved, with the roles' models decided."""
        from nodes.journalism.initialise import freeze_journalism_settings  # noqa: PLC0415 - loads LangGraph

        frozen = freeze_journalism_settings(settings)
        return {**super().prepare_record(settings, take, request), "settings": frozen}


JOURNALISM = JournalismSystem(
    name="science_journalism",
    table="journalism",
    progress=format_article_progress,
    graph=SCIENCE_JOURNALISM,
    asked=("rounds", "audience", "extensions", "max_words", "scope", "pause"),
    rendering_address="draftroom.rendering.journalism:RENDERING",
    commands={
        "explain": LazyImport(
            "draftroom.commands.run_commands:explain", "Turn a paper into an article that anyone can follow."
        )
    },
    scores=collect_article_scores,
    evaluation=LazyImport(
        "evals.tasks.science_journalism:SCIENCE_JOURNALISM",
        "Articles by readability and faithfulness: Table 1 and Figure 4 of Jiang, Shi and Luo.",
    ),
)
SYSTEMS = (JOURNALISM,)
