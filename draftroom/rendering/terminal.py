"""What every result on a terminal has: the text itself, tables, coloured changes, and what the run cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from draftroom.consoles import OUT, spoken
from draftroom.rendering.rendering import warnings
from runs.record import RunRecord
from runs.usage import added_up
from tools.text.characters import plain
from tools.text.edits import Change

_STYLES = {"same": "", "removed": "red strike", "added": "green"}
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}")}
_FILE_WIDTH = 160  # without a terminal nothing is known of the width; a row should stay one line


def print_text(markdown: str) -> None:
    """Print a text to standard output: rendered on a terminal, otherwise as it is."""
    text = plain(markdown).strip()
    if OUT.is_terminal:
        OUT.print(Markdown(text, hyperlinks=False))
    else:
        typer.echo(text)


def print_line(text: str, style: str) -> None:
    """Print a line to standard output, exactly as it is: it is never read as markup."""
    OUT.print(Text(plain(text), style=style), soft_wrap=True)


def print_changes(changes: Iterable[Change]) -> None:
    """Print changes in colour, or between marks where there is none."""
    text = Text()
    for change in changes:
        before, after = ("", "") if OUT.is_terminal else _MARKS.get(change.kind, ("", ""))
        text.append(f"{before}{plain(change.text)}{after}", style=_STYLES[change.kind])
    OUT.print(text, soft_wrap=not OUT.is_terminal)


def print_table(console: Console, table: Table) -> None:
    """Print a table whose rows stay whole where no terminal limits them."""
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    console.print(table)


def new_table(*columns: str, words: Iterable[str] = (), title: str | None = None) -> Table:
    """A table whose columns hold numbers, but for the first one and those named in `words`."""
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place == 0 or name in words else "right")
    return table


def print_account(record: RunRecord, values: Mapping[str, Any], unit: str) -> None:
    """Print what the run cost, what a reader should know, and what went wrong."""
    print_table(OUT, _usage_table(record, unit))
    for address, calls in added_up(record["usage"]).get("endpoints", {}).items():
        print_line(f"{address}: {calls} call{'' if calls == 1 else 's'}", "")
    for warning in warnings(values, unit):
        print_line(f"Please note: {warning}.", "yellow")
    for failure in record["failures"]:
        print_line(f"Failed at {failure['time']} ({failure['kind']}): {failure['message']}", "red")


def _usage_table(record: RunRecord, unit: str) -> Table:
    """What each role cost in each round or entry."""
    columns = (unit, "role", "calls", "tokens in", "tokens out", "seconds", "retries", "re-asks", "trims")
    table = new_table(*columns, words={"role"})
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
        table.add_row(str(part["round"]), spoken(part["role"]), *map(str, numbers))
    return table
