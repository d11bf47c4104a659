"""`draftroom resume`: go on with a run that was stopped, interrupted, or waits for a person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from draftroom.commands.driving import drive_and_show, read_advice
from draftroom.commands.options import MaxCallsOption, MaxTokensOption, OutputOption, QuietOption, RunArgument
from draftroom.files import check_outputs
from draftroom.systems import find_system
from runs.driver import Budget
from runs.record import find_record
from state.errors import BadInput


def resume(
    run: RunArgument,
    advice: Annotated[
        Path | None, typer.Option(help="Go on with the advice or the questions in this file, one a line.")
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Go on with the advice or the questions as they are.")
    ] = False,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    output: OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Go on with a run where it stopped; a finished one prints its result again."""
    if advice and accept:
        raise typer.BadParameter("Give --advice or --accept, not both.")
    record = find_record(run)
    system = find_system(record["system"])
    dialogue = system.rendering.dialogue
    check_outputs(output, system.rendering)
    if (advice or accept) and not dialogue:
        raise BadInput(f"A run of {system.name} asks nothing; resume it without --advice and --accept.")
    answer = None
    if dialogue and (advice or accept):
        answer = dialogue.answer(read_advice(advice, dialogue) if advice else None)
    if record["status"] != "done":
        record = {**record, "resumed": record["resumed"] + 1}
    drive_and_show(record, output, quiet=quiet, answer=answer, budget=Budget(max_calls, max_tokens))
