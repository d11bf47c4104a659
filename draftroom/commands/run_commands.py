"""The part that all commands which start a run share: their last flags, and the way they start it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from draftroom.commands import options
from draftroom.commands.console_run import drive_and_show
from draftroom.files import check_output_paths, read_run_input
from draftroom.systems import SYSTEMS, RunRequest
from runs.record import RunInput
from runs.recorder import Budget
from state.settings import SYSTEM_TABLES


def _define_run_flags(  # noqa: PLR0913 - each parameter is a flag
    *,
    extensions: options.ExtensionsOption = None,
    preset: options.PresetOption = None,
    prompts: options.PromptsOption = None,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    max_calls: options.MaxCallsOption = None,
    max_tokens: options.MaxTokensOption = None,
    output: options.OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: options.QuietOption = False,
) -> None:
    """Do nothing: the signature declares the flags that follow a command's own."""


def make_run_command(*settings: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a command of an empty function, which declares the paper and flags of its own.

    The command runs the system that has it, and has a flag for each of these settings of the system.
    """

    def make_command(own: Callable[..., None]) -> Callable[..., None]:
        """Return the command with all flags."""
        system = next(system for system in SYSTEMS.values() if own.__name__ in system.commands)

        def run_command(**flags: Any) -> None:
            """Build the request from the flags, and run it."""
            _run_request(system.build_request(flags), flags)

        # Typer reads the flags from the signature.
        run_command.__name__, run_command.__doc__ = own.__name__, own.__doc__
        declared, shared = (signature(each, eval_str=True).parameters.values() for each in (own, _define_run_flags))
        flags = [*declared, *_make_setting_flags(SYSTEM_TABLES[system.table], settings), *shared]
        run_command.__signature__ = Signature(flags)  # type: ignore[attr-defined] # as inspect has it
        return run_command

    return make_command


def _make_setting_flags(table: type[BaseModel], names: tuple[str, ...]) -> Iterator[Parameter]:
    """Yield the parameters of flags that set the named settings of a table; a flag that is not given is None."""
    for name in names:
        field = table.model_fields[name]
        kind: Any = field.annotation
        flag = Annotated[kind | None, typer.Option(help=field.description)]
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=flag)


def _run_request(request: RunRequest, flags: Mapping[str, Any]) -> None:
    """Drive the run of a request on the paper of the flags, and show and write its result."""
    rendering = request.system.rendering
    check_output_paths(flags["output"], rendering.formats)

    def take(**limits: Any) -> RunInput:
        """Read the paper, and refuse output formats that it cannot have."""
        run_input = read_run_input(flags["file"], **limits)
        # Some formats are written onto the paper itself, as comments into a PDF.
        for path in flags["output"]:
            if refusal := rendering.describe_refusal(path.suffix.lower(), run_input["paper"]["format"]):
                raise typer.BadParameter(f"{path}: {refusal}.", param_hint="-o")
        return run_input

    drive_and_show(
        request.prepare_record(take),
        flags["output"],
        quiet=flags["quiet"],
        checkpoints=request.settings.checkpoints,
        budget=Budget(flags["max_calls"], flags["max_tokens"]),
    )
