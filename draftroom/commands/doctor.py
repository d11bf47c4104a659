"""`draftroom doctor`: check everything that a run needs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from draftroom.doctor import Check, Status, examine
from draftroom.exit_codes import EXIT_CODES
from draftroom.extras import where_runs_are_shown
from draftroom.rendering.console import ERR, OUT, print_table, tell
from tools.text import plain

_COLOURS: dict[Status, str] = {"ok": "green", "warning": "yellow", "failed": "red"}


def doctor(
    preset: Annotated[str | None, typer.Option(help="Settings to start from: a preset's name, or a file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Check settings, endpoints, models and folders, and say how to mend what is wrong."""
    with ERR.status("Asking the endpoints"):
        checks = examine(preset)
    if as_json:
        typer.echo(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2))
    else:
        print_table(OUT, _table(checks))
    kinds = [check.kind for check in checks if check.kind]
    if kinds:
        raise typer.Exit(EXIT_CODES[kinds[0]])
    if not as_json:
        tell(f"Next: draftroom explain PAPER (an article), draftroom review PAPER (comments){where_runs_are_shown()}.")


def _table(checks: list[Check]) -> Table:
    table = Table("check", "", "found", "how to mend it", show_lines=False)
    subject = ""
    for check in checks:
        if check.subject != subject:
            subject = check.subject
            table.add_section()
            if subject:
                table.add_row("", "", Text(plain(subject), style="bold"))
        status = Text(check.status, style=_COLOURS[check.status])
        table.add_row(check.name, status, Text(plain(check.found)), Text(plain(check.mend)))
    return table
