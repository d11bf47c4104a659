"""`draftroom explain` and `draftroom simplify`."""

from __future__ import annotations

from typing import Annotated

import typer

from draftroom.commands.options import PaperArgument, ScopeOption
from draftroom.commands.run_commands import make_run_command
from state import settings

LOOPS_HELP = "Loops that may be entered: layperson, language_clarifier, redundancy_checker; repeatable, or with commas."


@make_run_command
def explain(  # noqa: PLR0913 - each parameter is a flag
    file: PaperArgument,
    *,
    rounds: Annotated[int | None, typer.Option(help="Rounds of notes, advice and revision.")] = None,
    audience: Annotated[settings.Audience | None, typer.Option(help="Who the article is for.")] = None,
    variant: Annotated[
        settings.Variant | None, typer.Option(help="Variant of the system in the paper's Table 1.")
    ] = None,
    select: Annotated[settings.Selection | None, typer.Option(help="Which draft is returned.")] = None,
    stop: Annotated[settings.StopRule | None, typer.Option(help="All rounds, or while drafts get easier.")] = None,
    warm_start: Annotated[
        bool | None, typer.Option(help="Write with the fine-tuned model that `[models.warm_start]` names.")
    ] = None,
    scope: ScopeOption = None,
    max_words: Annotated[int | None, typer.Option(help="Length of the article to aim at.")] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the advice before each revision.")] = None,
) -> None:
    """Turn a paper into an article that anyone can follow."""


@make_run_command
def simplify(  # noqa: PLR0913 - each parameter is a flag
    file: PaperArgument,
    *,
    loops: Annotated[list[str] | None, typer.Option(help=LOOPS_HELP)] = None,
    entries: Annotated[int | None, typer.Option(help="How often each loop is entered.")] = None,
    stop: Annotated[
        settings.SimplificationStopRule | None,
        typer.Option(help="All entries, or until nothing changes or the aim is reached."),
    ] = None,
    select: Annotated[
        settings.SimplificationSelection | None,
        typer.Option(help="Return the version that lost least (best), or the last one."),
    ] = None,
    variant: Annotated[
        settings.SimplificationVariant | None, typer.Option(help="The society, or one rewrite by a single model.")
    ] = None,
    revision_rounds: Annotated[
        int | None, typer.Option(help="Maximum number of rounds in which a loop's agents try to agree.")
    ] = None,
    accuracy_check: Annotated[bool | None, typer.Option(help="Review the texts of the layperson loop.")] = None,
    target_grade: Annotated[float | None, typer.Option(help="School grade that the text should reach.")] = None,
    max_words: Annotated[int | None, typer.Option(help="Length that the text should keep to.")] = None,
    scope: ScopeOption = None,
) -> None:
    """Put a medical abstract into plain language, and list the details that were lost."""
