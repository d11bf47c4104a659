"""`draftroom runs`: list and delete runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from draftroom.commands.options import RunArgument
from draftroom.rendering.console import OUT, print_table, print_to_stderr
from draftroom.systems import SYSTEMS, find_run, update_run_records
from runs.record import NO_RUNS_MESSAGE, count_run_tokens, determine_status, load_records
from tools.text import strip_control_characters

_STATUS_COLOURS = {"done": "green", "running": "cyan", "paused": "yellow", "failed": "red"}

runs_app = typer.Typer(invoke_without_command=True)


@runs_app.callback()
def print_runs(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print the run records as JSON.")] = False,
) -> None:
    """List all runs, newest first, or delete one."""
    if context.invoked_subcommand:
        return
    problems = update_run_records()
    records = load_records()
    for problem in (*problems, *records.problems):
        print_to_stderr(problem, style="yellow")
    if as_json:
        shown = [{**record, "status": determine_status(record)} for record in records.readable]
        typer.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    if not records.readable:
        print_to_stderr(NO_RUNS_MESSAGE)
        return
    table = Table("run", "system", "input", "status", "progress", "result", "tokens", "age")
    for record in records.readable:
        # A run of another version may be of a system that is unknown here.
        system, status = SYSTEMS.get(record["system"]), determine_status(record)
        done, result = system.progress(record["results"]) if system else ("", "")
        name = Text(strip_control_characters(record["input"]["name"]))
        state = Text(status, style=_STATUS_COLOURS.get(status, ""))
        tokens, age = f"{count_run_tokens(record):,}", format_age(record["created"], datetime.now(UTC))
        table.add_row(record["id"], record["system"], name, state, done, result, tokens, age)
    print_table(OUT, table)
    print_to_stderr("Next: draftroom show RUN (its story), draftroom resume RUN, draftroom runs delete RUN.")


@runs_app.command()
def delete(
    run: RunArgument, yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask first.")] = False
) -> None:
    """Delete a run: its record and checkpoints, and its stored paper unless another run uses it."""
    from runs.deletion import delete_run  # noqa: PLC0415 - loads LangGraph, which a list does not need

    record = find_run(run)
    if not yes:
        name = strip_control_characters(record["input"]["name"])
        typer.confirm(f"Delete the run {record['id']} ({name})?", abort=True, err=True)
    delete_run(record)
    print_to_stderr(f"The run {record['id']} is deleted.")


def format_age(created: str, now: datetime) -> str:
    """Format the time from `created` (ISO 8601) to `now` in its largest unit, such as `3 h`."""
    seconds = int((now - datetime.fromisoformat(created)).total_seconds())
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{max(seconds, 0)} s"
