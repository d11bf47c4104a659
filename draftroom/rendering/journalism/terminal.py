"""Results on a terminal: the article, its readability, and the story of a run with its changes in colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from draftroom.consoles import ERR, OUT, tell
from draftroom.rendering.journalism.story import (
    MEASURES,
    UNIT,
    Round,
    plot,
    rounds,
    selected_round,
    unsupported_by_sentence,
)
from draftroom.rendering.rendering import by_sentence, named, warnings
from draftroom.rendering.terminal import new_table, print_account, print_changes, print_line, print_table, print_text
from runs.record import RunRecord
from state.journalism import Assessment
from state.records import Values
from tools.text.edits import Change

_PLOT_WIDTH = 64


def print_article(_: RunRecord, values: Values) -> None:
    """Print the article to standard output."""
    print_text(values["article"])


def print_findings(record: RunRecord, values: Values) -> None:
    """Print to standard error what a reader of the article should know: readability, unsupported facts, warnings."""
    print_table(ERR, readability_table(values.get("assessments", []), selected_round(values)))
    facts = unsupported_by_sentence(values)
    if facts:
        tell("Not in the paper:", style="yellow")
    for sentence, details in facts.items():
        tell(f"- {named(details)}, in: {sentence}", style="yellow")
    for warning in warnings(values, UNIT):
        tell(f"Please note: {warning}.", style="yellow")
    tell(f"Draft {values['selected_round']}: {values['selected_because']}. Run {record['id']}", style="dim")


def print_story(record: RunRecord, values: Values, only: int | None) -> None:
    """Print every round to standard output, or only round `only`; then curve, costs and warnings."""
    for part in rounds(values):
        if only in {None, part.number}:
            _print_round(part)
    if only is not None:
        return
    assessments = values.get("assessments", [])
    if assessments:
        print_table(OUT, readability_table(assessments, selected_round(values)))
        OUT.print(Text(plot(assessments, min(_PLOT_WIDTH, OUT.width))))
    print_account(record, values, UNIT)


def readability_table(assessments: Sequence[Assessment], selected: int | None) -> Table:
    """The measures of each draft, the selected one marked."""
    table = new_table(
        "draft", *MEASURES.values(), "words", "coverage", "unsupported", title="Readability (lower is easier)"
    )
    for item in assessments:
        chosen = item["round"] == selected
        grades = [f"{item['readability'][measure]:.1f}" for measure in MEASURES]
        words, coverage = str(item["readability"]["words"]), f"{item['coverage']:.0%}"
        cells = [*grades, words, coverage, str(len(item["unsupported"]))]
        table.add_row(f"{item['round']}{' *' if chosen else ''}", *cells, style="bold" if chosen else None)
    return table


def _print_round(part: Round) -> None:
    grade = f", grade {part.assessment['mean_grade']:.1f}" if part.assessment else ""
    print_line(f"\nRound {part.number}{grade}" if part.number else f"First draft{grade}", "bold underline")
    for term in part.notes["terms"] if part.notes else []:
        made_up = "" if term["in_article"] else ", not in the draft"
        print_line(f"  note: {term['term']}: {term['explanation']} ({term['basis']}{made_up})", "cyan")
    for advice in part.review["advice"] if part.review else []:
        print_line(f"  advice ({advice['aspect']}, {advice['origin']}): {advice['text']}", "magenta")
    for text in part.draft["improvements"] if part.draft else []:
        print_line(f"  improved: {text}", "blue")
    if part.draft:
        OUT.print()
        print_changes(part.changes or [Change("same", part.draft["text"])])
    for sentence, details in by_sentence(part.assessment["unsupported"] if part.assessment else []).items():
        print_line(f"  not in the paper: {named(details)}, in: {sentence}", "yellow")
