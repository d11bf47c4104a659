"""`draftroom explain` and `draftroom simplify`."""

from __future__ import annotations

from typing import Annotated

import typer

from draftroom.commands.options import PaperArgument
from draftroom.commands.run_commands import make_run_command

LOOPS_HELP = "Loops that may be entered: layperson, language_clarifier, redundancy_checker; repeatable, or with commas."


@make_run_command("rounds", "audience", "variant", "select", "stop", "warm_start", "scope", "max_words", "pause")
def explain(file: PaperArgument) -> None:
    """Turn a paper into an article that anyone can follow."""


@make_run_command(
    *("entries", "stop", "select", "variant", "revision_rounds", "accuracy_check"),
    *("target_grade", "max_words", "scope"),
)
def simplify(file: PaperArgument, *, loops: Annotated[list[str] | None, typer.Option(help=LOOPS_HELP)] = None) -> None:
    """Put a medical abstract into plain language, and list the details that were lost."""
