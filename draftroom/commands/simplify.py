"""`draftroom simplify`: put a medical abstract into plain language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from draftroom.commands.beginning import begins_a_run
from draftroom.commands.beginning import wanted as wanted_of_any
from draftroom.commands.options import ScopeOption
from draftroom.systems import RunRequest, System
from state.settings import SimplificationSelection, SimplificationStopRule, SimplificationVariant

LOOPS = "Loops that may be entered: layperson, language_clarifier, redundancy_checker; repeatable, or with commas."


@begins_a_run
def simplify(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str, typer.Argument(metavar="PAPER", help="The abstract: text, Markdown, PDF or Word; - reads standard input.")
    ],
    *,
    loops: Annotated[list[str] | None, typer.Option(help=LOOPS)] = None,
    entries: Annotated[int | None, typer.Option(help="How often each loop is entered.")] = None,
    stop: Annotated[
        SimplificationStopRule | None, typer.Option(help="All entries, or until nothing changes or the aim is reached.")
    ] = None,
    select: Annotated[
        SimplificationSelection | None, typer.Option(help="Return the last version, or the one that lost least.")
    ] = None,
    variant: Annotated[
        SimplificationVariant | None, typer.Option(help="The society, or one rewrite by a single model.")
    ] = None,
    revision_rounds: Annotated[
        int | None, typer.Option(help="Rounds in which the agents of a loop come to agree, at most.")
    ] = None,
    accuracy_check: Annotated[
        bool | None, typer.Option(help="Let the medical expert review the texts of the layperson loop.")
    ] = None,
    target_grade: Annotated[float | None, typer.Option(help="School grade that the text should reach.")] = None,
    max_words: Annotated[int | None, typer.Option(help="Length that the text should keep to.")] = None,
    scope: ScopeOption = None,
) -> None:
    """Put a medical abstract into plain language, and tell what was lost on the way."""


def wanted(system: System, flags: Mapping[str, Any]) -> RunRequest:
    """What the flags want of any abstract."""
    loops = [name.strip() for names in flags["loops"] for name in names.split(",")] if flags["loops"] else None
    return wanted_of_any(system, {**flags, "loops": loops})
