"""Science journalism as the command sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.records import RunInput
from draftroom.rendering.data import json_of
from draftroom.rendering.journalism.html import to_html
from draftroom.rendering.journalism.markdown import to_markdown
from draftroom.rendering.journalism.rounds import UNIT
from draftroom.rendering.journalism.terminal import print_article, print_findings, print_story
from draftroom.systems.system import Dialogue, System, Values
from graphs.science_journalism import builder
from state.journalism import Assessment, JournalismContext, JournalismOutput
from state.records import CallRecord


def graph_input(run_input: RunInput) -> dict[str, Any]:
    """What the graph starts from."""
    return {"paper": run_input["path"]}


def context(settings: Mapping[str, Any]) -> JournalismContext:
    """The settings as they are, whatever files and variables say by now."""
    return JournalismContext(resolved=dict(settings))


def is_finished(values: Values) -> bool:
    """Whether a draft was chosen."""
    return bool(values.get("article"))


def calls(values: Values) -> list[CallRecord]:
    """The calls of all rounds."""
    return list(values.get("calls", []))


def results(values: Values) -> dict[str, Any]:
    """Rounds, the measures and unsupported facts of each draft, and which one was chosen and why."""
    return {
        "rounds": values.get("round", 0),
        "drafts": list(values.get("assessments", [])),
        "stop_reason": values.get("stop_reason", ""),
        "selected_round": values.get("selected_round") if is_finished(values) else None,
        "selected_because": values.get("selected_because", ""),
        "warnings": list(values.get("warnings", [])),
    }


def progress(found: dict[str, Any]) -> tuple[str, str]:
    """Rounds so far, and the mean grade of the first and of the selected (or newest) draft."""
    drafts: list[Assessment] = found.get("drafts", [])
    if not drafts:
        return "", ""
    grades = {draft["round"]: draft["mean_grade"] for draft in drafts}
    last = grades.get(found["selected_round"], drafts[-1]["mean_grade"])
    return str(found["rounds"]), f"{drafts[0]['mean_grade']:.1f} -> {last:.1f}"


def milestone(node: str, update: Values, _: Values) -> str:
    """A line after each assessment."""
    if node != "assess_draft":
        return ""
    item: Assessment = update["assessments"][-1]
    scores = item["readability"]
    grades = f"CLI {scores['cli']:.1f}, FKGL {scores['fkgl']:.1f}, DCRS {scores['dcrs']:.1f}, ARI {scores['ari']:.1f}"
    return (
        f"Draft {item['round']}: grade {item['mean_grade']:.1f} ({grades}), {scores['words']} words, "
        f"{len(item['unsupported'])} unsupported facts"
    )


def describe_question(question: Values) -> str:
    """The advice of a paused run, numbered."""
    advice = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The advice for round {question['round']}:\n{advice}"


def answer(lines: list[str] | None) -> dict[str, Any]:
    """Advice instead of the editor's, or None to keep it."""
    return {"advice": lines}


JOURNALISM = System(
    name="science_journalism",
    unit=UNIT,
    builder=builder,
    graph_input=graph_input,
    context=context,
    is_finished=is_finished,
    calls=calls,
    results=results,
    progress=progress,
    milestone=milestone,
    print_result=print_article,
    print_warnings=print_findings,
    print_details=print_story,
    formats={".md": to_markdown, ".markdown": to_markdown, ".html": to_html, ".json": json_of(JournalismOutput)},
    dialogue=Dialogue(describe_question, answer, these="this advice", line="piece of advice"),
)
