"""What all commands that begin a run share: their last flags, and how a run begins as the flags say."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import typer

from draftroom.commands.console_run import drive_and_show
from draftroom.commands.options import (
    BaseUrlOption,
    ExtensionsOption,
    MaxCallsOption,
    MaxTokensOption,
    ModelOption,
    OutputOption,
    PresetOption,
    QuietOption,
    build_setting_overrides,
)
from draftroom.files import check_outputs, read_run_input
from draftroom.systems import SYSTEMS, PaperReader, RunRequest, System
from runs.record import RunInput, RunRecord, build_run_record
from runs.recorder import Budget
from state.settings import Settings
from tools.configuration import load_settings


def _define_run_flags(  # noqa: PLR0913 - each parameter is a flag
    *,
    extensions: ExtensionsOption = None,
    preset: PresetOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    output: OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Parameters of every command that begins a run, after its own."""


def make_run_command(own: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a function that has the paper and the flags of a system as its parameters, and no body."""
    signatures = (inspect.signature(flags, eval_str=True) for flags in (own, _define_run_flags))

    def command(**flags: Any) -> None:
        system = next(system for system in SYSTEMS.values() if own.__name__ in system.commands)
        chosen = system.build_request(flags)
        rendering = chosen.system.rendering
        check_outputs(flags["output"], rendering)
        settings, budget = chosen.settings, Budget(flags["max_calls"], flags["max_tokens"])

        def take(**how: Any) -> RunInput:
            """Take the paper, if the results can be written onto it where that is asked for."""
            run_input = read_run_input(flags["file"], **how)
            for path in flags["output"]:
                if refusal := rendering.describe_refusal(path.suffix.lower(), run_input["paper"]["format"]):
                    raise typer.BadParameter(f"{path}: {refusal}.", param_hint="-o")
            return run_input

        record = chosen.prepare_record(take)
        drive_and_show(record, flags["output"], quiet=flags["quiet"], checkpoints=settings.checkpoints, budget=budget)

    command.__name__, command.__doc__ = own.__name__, own.__doc__
    parameters = [parameter for signature in signatures for parameter in signature.parameters.values()]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # as inspect has it
    return command


def build_run_request(system: System, flags: Mapping[str, Any]) -> RunRequest:
    """What the flags want of any paper: nothing but settings."""
    return RunRequest(system, load_settings(build_setting_overrides(system.table, flags)))


def prepare_paper_run(system: System, settings: Settings, take: PaperReader, request: Mapping[str, Any]) -> RunRecord:
    """The record of a run of a system of which nothing is requested beside its paper.

    Raises:
        DraftroomError: What is wrong with the settings or the paper.
    """
    del request
    options = getattr(settings, system.table)
    run_input = take(scope=getattr(options, "scope", "whole"), max_pages=getattr(options, "max_pages", 100))
    return build_run_record(system.name, run_input, settings.freeze_settings(system.table), settings.checkpoints)
