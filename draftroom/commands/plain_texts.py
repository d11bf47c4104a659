"""`draftroom explain` and `simplify`: a paper as an article for anyone, a medical abstract in plain language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from draftroom.commands.options import ScopeOption
from draftroom.commands.run_commands import build_run_request, make_run_command, prepare_paper_run
from draftroom.systems import PaperReader, RunRequest, System
from nodes.journalism.initialise import freeze_journalism_settings
from runs.record import RunRecord
from state.settings import (
    Audience,
    Selection,
    Settings,
    SimplificationSelection,
    SimplificationStopRule,
    SimplificationVariant,
    StopRule,
    Variant,
)


@make_run_command
def explain(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="The paper: PDF, Word, HTML, JATS, Markdown, LaTeX or text; - reads standard input."
        ),
    ],
    *,
    rounds: Annotated[int | None, typer.Option(help="Rounds of notes, advice and revision.")] = None,
    audience: Annotated[Audience | None, typer.Option(help="Who the article is for.")] = None,
    variant: Annotated[Variant | None, typer.Option(help="Leave agents out, as the paper's ablations do.")] = None,
    select: Annotated[Selection | None, typer.Option(help="Which draft is returned.")] = None,
    stop: Annotated[StopRule | None, typer.Option(help="All rounds, or until one no longer reads easier.")] = None,
    warm_start: Annotated[
        bool | None, typer.Option(help="Let the fine-tuned model of `warm_start` write and revise.")
    ] = None,
    scope: ScopeOption = None,
    max_words: Annotated[int | None, typer.Option(help="Length of the article that is aimed at.")] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the advice before each revision.")] = None,
) -> None:
    """Turn a paper into an article that anyone can follow."""


def prepare_explanation(system: System, settings: Settings, take: PaperReader, request: Mapping[str, Any]) -> RunRecord:
    """The record of an explanation.

    Raises:
        DraftroomError: What is wrong with the settings or the paper.
    """
    frozen = freeze_journalism_settings(settings)
    return {**prepare_paper_run(system, settings, take, request), "settings": frozen}


LOOPS_HELP = "Loops that may be entered: layperson, language_clarifier, redundancy_checker; repeatable, or with commas."


@make_run_command
def simplify(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str, typer.Argument(metavar="PAPER", help="The abstract: text, Markdown, PDF or Word; - reads standard input.")
    ],
    *,
    loops: Annotated[list[str] | None, typer.Option(help=LOOPS_HELP)] = None,
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


def build_simplification_request(system: System, flags: Mapping[str, Any]) -> RunRequest:
    """What the flags want of any abstract."""
    loops = [name.strip() for names in flags["loops"] for name in names.split(",")] if flags["loops"] else None
    return build_run_request(system, {**flags, "loops": loops})
