"""`draftroom runs`: list and delete runs."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Column, Table
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
    # No lines are drawn, so that a run is a line of 80 columns.
    columns = (
        Column(name, no_wrap=name != "input") for name in ("run", "system", "input", "status", "result", "tokens")
    )
    table = Table(*columns, box=None, padding=(0, 1, 0, 0))
    for record in records.readable:
        # A run of another version may be of a system that is unknown here.
        system, status = SYSTEMS.get(record["system"]), determine_status(record)
        done, result = system.progress(record["results"]) if system else ("", "")
        command = next(iter(system.commands), record["system"]) if system else record["system"]
        name = Text(strip_control_characters(record["input"]["name"]))
        state = Text(status, style=_STATUS_COLOURS.get(status, ""))
        tokens = f"{count_run_tokens(record):,}"
        table.add_row(record["id"], command, name, state, result if status == "done" else done, tokens)
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
