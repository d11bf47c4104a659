"""`draftroom simplify`: put a medical abstract into plain language."""

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
from draftroom.systems.simplification import SIMPLIFICATION
from runs.driver import Budget
from runs.record import RunRecord, new_record
from state.settings import Settings, SimplificationStopRule, SimplificationVariant
from tools.configuration import load_settings

LOOPS = "Loops that may be entered: layperson, language_clarifier, redundancy_checker; repeatable, or with commas."


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
    variant: Annotated[
        SimplificationVariant | None, typer.Option(help="The society, or one rewrite by a single model.")
    ] = None,
    revision_rounds: Annotated[
        int | None, typer.Option(help="Rounds in which the agents of a loop come to agree, at most.")
    ] = None,
    accuracy_check: Annotated[
        bool | None, typer.Option(help="Let the medical expert review each rewritten text.")
    ] = None,
    target_grade: Annotated[float | None, typer.Option(help="School grade that the text should reach.")] = None,
    max_words: Annotated[int | None, typer.Option(help="Length that the text should keep to.")] = None,
    scope: ScopeOption = None,
    extensions: ExtensionsOption = None,
    preset: PresetOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    output: OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Put a medical abstract into plain language, and tell what was lost on the way."""
    flags = locals()
    check_outputs(output, SIMPLIFICATION.rendering)
    chosen = wanted(flags)
    record = chosen.begin(partial(take_paper, file))
    budget = Budget(max_calls, max_tokens)
    drive_and_show(record, output, quiet=quiet, checkpoints=chosen.settings.checkpoints, budget=budget)


def wanted(flags: Mapping[str, Any]) -> RunRequest:
    """What the flags want of any abstract."""
    loops = [name.strip() for names in flags["loops"] for name in names.split(",")] if flags["loops"] else None
    return RunRequest(SIMPLIFICATION, load_settings(overrides("simplification", {**flags, "loops": loops})))


def begin(system: str, settings: Settings, take: Take, request: Mapping[str, Any]) -> RunRecord:
    """The record of a simplification; nothing is requested beside its abstract.

    Raises:
        DraftroomError: What is wrong with the settings or the abstract.
    """
    del request
    options = settings.simplification
    run_input = take(scope=options.scope, max_pages=options.max_pages)
    return new_record(system, run_input, settings.frozen("simplification"), settings.checkpoints)
