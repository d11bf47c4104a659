"""Options that commands have in common, and the settings that flags amount to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from state.settings import SYSTEM_TABLES, Scope

RunArgument = Annotated[str, typer.Argument(help="The id of the run, its unique beginning, or `last`.")]
OutputOption = Annotated[
    list[Path],
    typer.Option(
        "-o", "--output", help="Also write the result here; .md, .json, .html, of a PDF's review .pdf; repeatable."
    ),
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but the result and errors.")]
MaxCallsOption = Annotated[
    int | None, typer.Option(min=1, help="Stop the run before it makes more calls than this, all resumes together.")
]
MaxTokensOption = Annotated[
    int | None, typer.Option(min=1, help="Stop the run once it has used this many tokens, in and out.")
]
PresetOption = Annotated[str | None, typer.Option(help="Settings to start from: a preset's name, or a file.")]
ScopeOption = Annotated[Scope | None, typer.Option(help="Of a PDF or Word file: its abstract, or the whole paper.")]
ExtensionsOption = Annotated[
    str | None,
    typer.Option(help="What of ours helps the agents: none, default, all, or names with commas."),
]
ModelOption = Annotated[str | None, typer.Option(help="Name of the model for all roles.")]
BaseUrlOption = Annotated[str | None, typer.Option(help="Address of the endpoint for all roles.")]
Engine = Literal["local", "ray"]
EngineOption = Annotated[
    Engine, typer.Option(help="Who works: this process, or actors on the Ray cluster that is found, or started here.")
]
ActorsOption = Annotated[int, typer.Option(min=1, help="How many Ray actors work.")]


def build_setting_overrides(table: str, flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that were given, as nested settings.

    Args:
        table: The system's table in the settings; a flag that is called as one of its settings sets it.
        flags: By name, those included that are about something else; None was not given. The model and the endpoint
            are for all of the system's agents, whatever a preset says of each.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    settings = SYSTEM_TABLES[table].model_fields.keys() & given.keys()
    found = {table: {name: given[name] for name in settings}}
    if endpoint := {name: given[name] for name in ("model", "base_url") if name in given}:
        found["models"] = dict.fromkeys(("default", *SYSTEM_TABLES[table].roles), endpoint)
    return {**found, "preset": given["preset"]} if "preset" in given else found
