"""Results of medical simplification: the text, what it lost, and the entries into loops that led to it."""

from __future__ import annotations

from draftroom.consoles import spoken
from draftroom.rendering.rendering import Rendering, json_of
from draftroom.rendering.simplification.html import to_html
from draftroom.rendering.simplification.markdown import to_markdown
from draftroom.rendering.simplification.story import NOT_ADVICE, UNIT, Entry, measured, outcome
from draftroom.rendering.simplification.terminal import print_findings, print_simplified, print_story
from state.records import Values
from state.simplification import SimplificationOutput, Version


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


RENDERING = Rendering(
    unit=UNIT,
    milestone=milestone,
    print_result=print_simplified,
    print_warnings=print_findings,
    print_details=print_story,
    formats={
        ".md": to_markdown,
        ".markdown": to_markdown,
        ".html": to_html,
        ".json": json_of(SimplificationOutput, note=NOT_ADVICE),
    },
)
