"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tools.configuration import allow_preset_code

PaperArgument = Annotated[
    str,
    typer.Argument(metavar="PAPER", help="PDF, Word, HTML, JATS, Markdown, LaTeX or text; - reads standard input."),
]
RunArgument = Annotated[str, typer.Argument(help="Id of the run, the first characters of it, or `last`.")]
OutputOption = Annotated[
    list[Path],
    typer.Option(
        "-o",
        "--output",
        help="Also write the result here: .md, .json, .html; reviews also .pdf, .docx, .tex; repeatable.",
    ),
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Print only the result and errors.")]
MaxCallsOption = Annotated[int | None, typer.Option(min=1, help="Stop the run before it exceeds this many calls.")]
MaxTokensOption = Annotated[int | None, typer.Option(min=1, help="Stop the run after this many tokens, in and out.")]
PresetOption = Annotated[
    str | None, typer.Option(callback=allow_preset_code, help="A preset to start from, or a file.")
]
PromptsOption = Annotated[str | None, typer.Option(help="Folder of your prompts in place of the built-in ones.")]
ExtensionsOption = Annotated[str | None, typer.Option(help="Extensions: none, default, all, or names with commas.")]
ModelOption = Annotated[str | None, typer.Option(help="Model of all roles.")]
BaseUrlOption = Annotated[str | None, typer.Option(help="Endpoint of all roles.")]
Engine = Literal["local", "ray"]
EngineOption = Annotated[Engine, typer.Option(help="Run in this process, or in actors on a Ray cluster.")]
ActorsOption = Annotated[int, typer.Option(min=1, help="Number of Ray actors.")]
