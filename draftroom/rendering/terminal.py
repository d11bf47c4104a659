"""Results on a terminal: the article, tables, and the story of a run with its changes in colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from draftroom.consoles import ERR, OUT, plain, tell
from draftroom.records import RunRecord
from draftroom.rendering.changes import Change
from draftroom.rendering.curve import MEASURES, plot
from draftroom.rendering.rounds import Round, Values, rounds, selected_round, unsupported_facts, warnings
from state.journalism import Assessment

_STYLES = {"same": "", "removed": "red strike", "added": "green"}
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}")}
_PLOT_WIDTH = 64
_FILE_WIDTH = 160  # without a terminal nothing is known of the width; a row should stay one line


def print_article(_: RunRecord, values: Values) -> None:
    """Print the article to standard output: rendered on a terminal, otherwise as it is."""
    article = plain(values["article"])
    if OUT.is_terminal:
        OUT.print(Markdown(article, hyperlinks=False))
    else:
        typer.echo(article, nl=False)


def print_findings(record: RunRecord, values: Values) -> None:
    """Print to standard error what a reader of the article should know: readability, unsupported facts, warnings."""
    print_table(ERR, readability_table(values.get("assessments", []), selected_round(values)))
    for fact in unsupported_facts(values):
        tell(f'Not in the paper: {fact["kind"]} "{fact["text"]}" in: {fact["sentence"]}', style="yellow")
    for warning in warnings(values):
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
    print_table(OUT, usage_table(record))
    for warning in warnings(values):
        _line(f"Please note: {warning}.", "yellow")
    for failure in record["failures"]:
        _line(f"Failed at {failure['time']} ({failure['kind']}): {failure['message']}", "red")


def print_table(console: Console, table: Table) -> None:
    """Print a table whose rows stay whole where no terminal limits them."""
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    console.print(table)


def readability_table(assessments: Sequence[Assessment], selected: int | None) -> Table:
    """The measures of each draft, the selected one marked."""
    table = _table("draft", *MEASURES.values(), "words", "unsupported", title="Readability (lower is easier)")
    for item in assessments:
        chosen = item["round"] == selected
        grades = [f"{item['readability'][measure]:.1f}" for measure in MEASURES]
        cells = [*grades, str(item["readability"]["words"]), str(len(item["unsupported"]))]
        table.add_row(f"{item['round']}{' *' if chosen else ''}", *cells, style="bold" if chosen else None)
    return table


def usage_table(record: RunRecord) -> Table:
    """What each role cost in each round."""
    table = _table("round", "role", "calls", "tokens in", "tokens out", "seconds", "retries", "re-asks", "trims")
    for part in record["usage"]:
        about = "~" if part["tokens_estimated"] else ""
        numbers: Iterable[Any] = (
            part["calls"],
            f"{about}{part['input_tokens']:,}",
            f"{about}{part['output_tokens']:,}",
            f"{part['seconds']:.1f}",
            part["http_retries"],
            part["reasks"],
            part["trims"],
        )
        table.add_row(str(part["round"]), part["role"], *map(str, numbers))
    return table


def _print_round(part: Round) -> None:
    grade = f", grade {part.assessment['mean_grade']:.1f}" if part.assessment else ""
    _line(f"\nRound {part.number}{grade}" if part.number else f"First draft{grade}", "bold underline")
    for term in part.notes["terms"] if part.notes else []:
        made_up = "" if term["in_article"] else ", not in the draft"
        _line(f"  note: {term['term']}: {term['explanation']} ({term['basis']}{made_up})", "cyan")
    for advice in part.review["advice"] if part.review else []:
        _line(f"  advice ({advice['aspect']}, {advice['origin']}): {advice['text']}", "magenta")
    for text in part.review["dropped"] if part.review else []:
        _line(f"  left out: {text}", "dim")
    for text in part.draft["improvements"] if part.draft else []:
        _line(f"  improved: {text}", "blue")
    if part.draft:
        OUT.print()
        draft = _coloured(part.changes) if part.changes else Text(plain(part.draft["text"]))
        OUT.print(draft, soft_wrap=not OUT.is_terminal)
    for fact in part.assessment["unsupported"] if part.assessment else []:
        _line(f'  not in the paper: {fact["kind"]} "{fact["text"]}" in: {fact["sentence"]}', "yellow")


def _coloured(changes: Iterable[Change]) -> Text:
    """Changes in colour, or between marks where there is none."""
    text = Text()
    for change in changes:
        before, after = ("", "") if OUT.is_terminal else _MARKS.get(change.kind, ("", ""))
        text.append(f"{before}{plain(change.text)}{after}", style=_STYLES[change.kind])
    return text


def _line(text: str, style: str) -> None:
    OUT.print(Text(plain(text), style=style), soft_wrap=True)


def _table(*columns: str, title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="left" if name in {"draft", "round", "role"} else "right")
    return table
