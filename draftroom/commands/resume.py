"""`draftroom resume` and `draftroom show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from draftroom.commands import options
from draftroom.commands.console_run import drive_and_show, read_advice
from draftroom.extras import format_page_hint
from draftroom.files import check_output_paths, read_result, write_outputs
from draftroom.rendering.console import print_to_stderr
from draftroom.rendering.terminal import print_story
from draftroom.systems import build_setting_overrides, find_run, find_system
from runs.graph_state import load_state
from runs.recorder import Budget, format_resume_command, refresh_record
from state.errors import InputError
from tools.configuration import change_frozen_settings


def resume_run(  # noqa: PLR0913 - each parameter is a flag
    run: options.RunArgument,
    *,
    advice: Annotated[
        Path | None, typer.Option(help="Read the advice or questions from this file, one per line.")
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Accept the advice or questions as they are.")] = False,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    max_calls: options.MaxCallsOption = None,
    max_tokens: options.MaxTokensOption = None,
    output: options.OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: options.QuietOption = False,
) -> None:
    """Resume a run, or print a finished result."""
    if advice and accept:
        raise typer.BadParameter("Give --advice or --accept, not both.")
    record = find_run(run)
    system = find_system(record["system"])
    dialogue = system.rendering.dialogue
    check_output_paths(output, system.rendering.formats)
    if (advice or accept) and not dialogue:
        raise InputError(f"A run of {system.name} asks nothing; resume it without --advice and --accept.")
    answer = None
    if dialogue and (advice or accept):
        answer = dialogue.build_answer(read_advice(advice, dialogue) if advice else None)
    if record["status"] != "done":
        chosen = build_setting_overrides(system.table, {"model": model, "base_url": base_url})
        settings = change_frozen_settings(record["settings"], chosen)
        models = {role: str(fields["model"]) for role, fields in settings["models"].items()}
        record = {**record, "settings": settings, "models": models, "resumed": record["resumed"] + 1}
    drive_and_show(record, output, quiet=quiet, answer=answer, budget=Budget(max_calls, max_tokens))


def show_run(
    run: Annotated[str, typer.Argument(help="The id of the run, its unique beginning, `last`, or a result in JSON.")],
    only: Annotated[int | None, typer.Option("--round", help="Show only this round, entry or paragraph.")] = None,
    output: options.OutputOption = [],  # noqa: B006 - Typer copies it
) -> None:
    """Show the answers of every agent in a run, the changes, readability and cost."""
    is_file = run.endswith(".json")
    record, values = read_result(Path(run)) if is_file else (find_run(run), {})
    system = find_system(record["system"])
    rendering = system.rendering
    check_output_paths(output, rendering.formats)
    if not is_file:
        values = load_state(record, system.graph)
        # The record of a running or killed run is older than its checkpoints.
        if record["status"] == "running":
            record = refresh_record(record, values, system.graph)
    write_outputs(output, rendering, record, values)
    print_story(rendering.build_document(record, values), only)
    if not is_file:
        hint = f"{format_resume_command(record)} (resume it)"
        if record["status"] == "done":
            hint = f"draftroom show {record['id']} -o FILE.html (keep it)"
        print_to_stderr(f"Next: {hint}{format_page_hint()}.")
