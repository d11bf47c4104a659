"""Science journalism as runs and the command know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.systems import LazyImport, System
from runs.runnable import RunnableGraph
from state.records import Values


def has_article(values: Values) -> bool:
    """Whether a draft was chosen."""
    return bool(values.get("article"))


def build_article_results(values: Values) -> dict[str, Any]:
    """Rounds, the measures and unsupported facts of each draft, and which one was chosen and why."""
    return {
        "rounds": values.get("round", 0),
        "drafts": list(values.get("assessments", [])),
        "stop_reason": values.get("stop_reason", ""),
        "selected_round": values.get("selected_round") if has_article(values) else None,
        "selected_because": values.get("selected_because", ""),
        "warnings": list(values.get("warnings", [])),
    }


SCIENCE_JOURNALISM = RunnableGraph("graphs.science_journalism:builder", has_article, build_article_results)


def format_article_progress(results: Mapping[str, Any]) -> tuple[str, str]:
    """Rounds so far, and the mean grade of the first and of the selected (or newest) draft."""
    drafts = results.get("drafts", [])
    if not drafts:
        return "", ""
    grades = {draft["round"]: draft["mean_grade"] for draft in drafts}
    last = grades.get(results["selected_round"], drafts[-1]["mean_grade"])
    return str(results["rounds"]), f"{drafts[0]['mean_grade']:.1f} -> {last:.1f}"


def collect_article_scores(results: Mapping[str, Any]) -> dict[str, Any]:
    """Rounds, the chosen draft, mean grades of the first and of it, and how much of it the paper does not hold."""
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


JOURNALISM = System(
    name="science_journalism",
    table="journalism",
    progress=format_article_progress,
    graph=SCIENCE_JOURNALISM,
    asked=("rounds", "audience", "extensions", "max_words", "scope", "pause"),
    begin_address="draftroom.commands.plain_texts:prepare_explanation",
    rendering_address="draftroom.rendering.journalism:RENDERING",
    commands={
        "explain": LazyImport(
            "draftroom.commands.plain_texts:explain", "Turn a paper into an article that anyone can follow."
        )
    },
    scores=collect_article_scores,
    evaluation=LazyImport(
        "evals.tasks.science_journalism:SCIENCE_JOURNALISM",
        "Articles by readability and faithfulness: Table 1 and Figure 4 of LLM-CLBR.",
    ),
)
SYSTEMS = (JOURNALISM,)
