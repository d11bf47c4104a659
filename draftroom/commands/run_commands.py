"""The part that all commands which start a run share: their last flags, and the way they start it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from draftroom.commands import options
from draftroom.commands.console_run import drive_and_show
from draftroom.files import check_output_paths, read_run_input
from draftroom.systems import SYSTEMS
from runs.record import RunInput
from runs.recorder import Budget


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


def make_run_command(own: Callable[..., None]) -> Callable[..., None]:
    """Return a command that runs the system of `own`, an empty function that declares the paper and flags."""

    def run_command(**flags: Any) -> None:
        """Build the request from the flags, drive the run, and show and write its result."""
        system = next(system for system in SYSTEMS.values() if own.__name__ in system.commands)
        chosen = system.build_request(flags)
        rendering = chosen.system.rendering
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
            chosen.prepare_record(take),
            flags["output"],
            quiet=flags["quiet"],
            checkpoints=chosen.settings.checkpoints,
            budget=Budget(flags["max_calls"], flags["max_tokens"]),
        )

    # Typer reads the flags from the signature; it is built of both functions'.
    run_command.__name__, run_command.__doc__ = own.__name__, own.__doc__
    signatures = (inspect.signature(flags, eval_str=True) for flags in (own, _define_run_flags))
    parameters = [parameter for signature in signatures for parameter in signature.parameters.values()]
    run_command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # as inspect has it
    return run_command
