"""`draftroom explain`: turn a paper into an article that anyone can follow."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from draftroom.commands.driving import drive_and_show
from draftroom.outputs import check_outputs
from draftroom.papers import take_paper
from draftroom.records import new_record
from draftroom.systems import JOURNALISM
from nodes.journalism.initialise import ROLES, freeze
from state.settings import Audience, Scope, Selection, StopRule, Variant
from tools.configuration import load_settings

OutputOption = Annotated[
    list[Path], typer.Option("-o", "--output", help="Also write the result here; .md, .json or .html; repeatable.")
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but the article and errors.")]


def explain(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[str, typer.Argument(help="The paper: PDF, Markdown or text; - reads standard input.")],
    *,
    rounds: Annotated[int | None, typer.Option(help="Rounds of notes, advice and revision.")] = None,
    audience: Annotated[Audience | None, typer.Option(help="Who the article is for.")] = None,
    preset: Annotated[str | None, typer.Option(help="Settings to start from: a preset's name, or a file.")] = None,
    variant: Annotated[Variant | None, typer.Option(help="Leave agents out, as the paper's ablations do.")] = None,
    select: Annotated[Selection | None, typer.Option(help="Which draft is returned.")] = None,
    stop: Annotated[StopRule | None, typer.Option(help="All rounds, or until one no longer reads easier.")] = None,
    scope: Annotated[Scope | None, typer.Option(help="Of a PDF: its abstract, or the whole paper.")] = None,
    max_words: Annotated[int | None, typer.Option(help="Length of the article that is aimed at.")] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the advice before each revision.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of the model for all roles.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of the endpoint for all roles.")] = None,
    output: OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Turn a paper into an article that anyone can follow."""
    journalism = {
        "rounds": rounds,
        "audience": audience,
        "variant": variant,
        "select": select,
        "stop": stop,
        "scope": scope,
        "max_words": max_words,
        "pause": pause,
    }
    endpoint = {"model": model, "base_url": base_url}
    check_outputs(output, JOURNALISM)
    settings = load_settings(_overrides(preset, journalism, endpoint))
    run_input = take_paper(file, settings.journalism)
    record = new_record(JOURNALISM.name, run_input, freeze(settings), settings.checkpoints)
    drive_and_show(record, output, quiet=quiet, checkpoints=settings.checkpoints)


def _overrides(preset: str | None, journalism: dict[str, Any], endpoint: dict[str, Any]) -> dict[str, Any]:
    """The flags that were given, as nested settings."""
    models = dict.fromkeys(("default", *ROLES), _given(endpoint)) if _given(endpoint) else None
    return _given({"preset": preset, "journalism": _given(journalism), "models": models})


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
