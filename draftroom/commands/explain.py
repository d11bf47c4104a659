"""`draftroom explain`: turn a paper into an article that anyone can follow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer

from draftroom.commands.driving import drive_and_show
from draftroom.commands.options import (
    BaseUrlOption,
    ExtensionsOption,
    MaxCallsOption,
    MaxTokensOption,
    ModelOption,
    OutputOption,
    PresetOption,
    QuietOption,
    ScopeOption,
    overrides,
)
from draftroom.files import check_outputs, take_paper
from draftroom.systems import RunRequest, Take
from draftroom.systems.journalism import JOURNALISM
from nodes.journalism.initialise import freeze
from runs.driver import Budget
from runs.record import RunRecord, new_record
from state.settings import Audience, Selection, Settings, StopRule, Variant
from tools.configuration import load_settings


def explain(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="The paper: PDF, Word, HTML, Markdown, LaTeX or text; - reads standard input."
        ),
    ],
    *,
    rounds: Annotated[int | None, typer.Option(help="Rounds of notes, advice and revision.")] = None,
    audience: Annotated[Audience | None, typer.Option(help="Who the article is for.")] = None,
    extensions: ExtensionsOption = None,
    preset: PresetOption = None,
    variant: Annotated[Variant | None, typer.Option(help="Leave agents out, as the paper's ablations do.")] = None,
    select: Annotated[Selection | None, typer.Option(help="Which draft is returned.")] = None,
    stop: Annotated[StopRule | None, typer.Option(help="All rounds, or until one no longer reads easier.")] = None,
    warm_start: Annotated[
        bool | None, typer.Option(help="Let the fine-tuned model of `warm_start` write the first draft.")
    ] = None,
    scope: ScopeOption = None,
    max_words: Annotated[int | None, typer.Option(help="Length of the article that is aimed at.")] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the advice before each revision.")] = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    output: OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Turn a paper into an article that anyone can follow."""
    flags = locals()
    check_outputs(output, JOURNALISM.rendering)
    chosen = wanted(flags)
    record = chosen.begin(partial(take_paper, file))
    budget = Budget(max_calls, max_tokens)
    drive_and_show(record, output, quiet=quiet, checkpoints=chosen.settings.checkpoints, budget=budget)


def wanted(flags: Mapping[str, Any]) -> RunRequest:
    """What the flags want of any paper."""
    return RunRequest(JOURNALISM, load_settings(overrides("journalism", flags)))


def begin(system: str, settings: Settings, take: Take, request: Mapping[str, Any]) -> RunRecord:
    """The record of an explanation; nothing is requested beside its paper.

    Raises:
        DraftroomError: What is wrong with the settings or the paper.
    """
    del request
    options = settings.journalism
    run_input = take(scope=options.scope, max_pages=options.max_pages)
    return new_record(system, run_input, freeze(settings), settings.checkpoints)
