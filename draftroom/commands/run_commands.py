"""Commands that start a run (`draftroom explain`, `simplify`, `review`), resume it, or show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import BaseModel

from draftroom.commands import options
from draftroom.commands.console_run import drive_and_show, read_advice
from draftroom.extras import format_page_hint
from draftroom.files import check_output_paths, read_result, read_run_input, write_outputs
from draftroom.rendering.console import print_to_stderr
from draftroom.rendering.terminal import print_story
from draftroom.systems import SYSTEM_BY_COMMAND, RunRequest, build_setting_overrides, find_run, find_system
from draftroom.systems.feedback import LITERATURE_SERVICES
from runs.driver import Budget
from runs.graph_state import load_state
from runs.record import RunInput, format_resume_command
from runs.runnable import refresh_record
from state.errors import InputError
from state.settings import SYSTEM_TABLES
from tools.configuration import change_frozen_settings

_LOOPS_HELP = (
    "Loops that may be entered: layperson, language_clarifier, redundancy_checker; repeatable, or with commas."
)
ReviewVariant = Literal["full", "single", "cove"]
_LITERATURE_HELP = f"A folder of papers, or a service: {', '.join(LITERATURE_SERVICES)}; repeatable."


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
        system = SYSTEM_BY_COMMAND[own.__name__]

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


@make_run_command("rounds", "audience", "variant", "select", "stop", "warm_start", "scope", "max_words", "pause")
def explain(file: options.PaperArgument) -> None:
    """Turn a paper into an article that anyone can follow."""


@make_run_command(
    *("entries", "stop", "select", "variant", "revision_rounds", "accuracy_check"),
    *("target_grade", "max_words", "scope"),
)
def simplify(
    file: options.PaperArgument, *, loops: Annotated[list[str] | None, typer.Option(help=_LOOPS_HELP)] = None
) -> None:
    """Put a medical abstract into plain language, and list the details that were lost."""


@make_run_command(
    *("execution", "plans", "rerank", "max_questions", "max_rewrites", "retrieval", "passages"),
    *("pause", "min_words", "every_paragraph", "max_paragraphs", "max_comments", "max_pages"),
)
def review(
    file: options.PaperArgument,
    *,
    paragraph: Annotated[list[str] | None, typer.Option(help="Review this paragraph, 3 or p3; repeatable.")] = None,
    section: Annotated[str | None, typer.Option(help="Review the sections whose heading contains this.")] = None,
    text: Annotated[str | None, typer.Option(help="Review this text of the paper; - reads standard input.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Id of an earlier review, or `last`: review only the paragraphs changed since.")
    ] = None,
    variant: Annotated[
        ReviewVariant,
        typer.Option(help="full: all agents; single, cove (chain of verification): the paper's baselines."),
    ] = "full",
    literature: Annotated[list[str] | None, typer.Option(help=_LITERATURE_HELP)] = None,
) -> None:
    """Comment on the weaknesses of a draft, with evidence from the paper and from other studies."""


def resume_run(  # noqa: PLR0913 - each parameter is a flag
    run: options.RunArgument,
    *,
    advice: Annotated[
        Path | None, typer.Option(help="Read the advice or questions from this file, one per line.")
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Accept the advice or questions as they are.")] = False,
    model: options.ModelOption = None,
    base_url: options.BaseUrlOption = None,
    max_calls: options.MaxCallsOption = None,
    max_tokens: options.MaxTokensOption = None,
    output: options.OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: options.QuietOption = False,
) -> None:
    """Resume a run, or print a finished result."""
    if advice and accept:
        raise typer.BadParameter("Give --advice or --accept, not both.")
    record = find_run(run)
    system = find_system(record["system"])
    dialogue = system.rendering.dialogue
    check_output_paths(output, system.rendering.formats)
    if (advice or accept) and not dialogue:
        raise InputError(f"A run of {system.name} asks nothing; resume it without --advice and --accept.")
    answer = None
    if dialogue and (advice or accept):
        answer = dialogue.build_answer(read_advice(advice, dialogue) if advice else None)
    if record["status"] != "done":
        chosen = build_setting_overrides(system.table, {"model": model, "base_url": base_url})
        settings = change_frozen_settings(record["settings"], chosen)
        models = {role: str(fields["model"]) for role, fields in settings["models"].items()}
        record = {**record, "settings": settings, "models": models, "resumed": record["resumed"] + 1}
    drive_and_show(record, output, quiet=quiet, answer=answer, budget=Budget(max_calls, max_tokens))


def show_run(
    run: Annotated[str, typer.Argument(help="The id of the run, its unique beginning, `last`, or a result in JSON.")],
    only: Annotated[int | None, typer.Option("--round", help="Show only this round, entry or paragraph.")] = None,
    output: options.OutputOption = [],  # noqa: B006 - Typer copies it
) -> None:
    """Show the answers of every agent in a run, the changes, readability and cost."""
    is_file = run.endswith(".json")
    record, values = read_result(Path(run)) if is_file else (find_run(run), {})
    system = find_system(record["system"])
    rendering = system.rendering
    check_output_paths(output, rendering.formats)
    if not is_file:
        values = load_state(record, system.graph)
        # The record of a running or killed run is older than its checkpoints.
        if record["status"] == "running":
            record = refresh_record(record, values, system.graph)
    write_outputs(output, rendering, record, values)
    print_story(rendering.build_document(record, values), only)
    if not is_file:
        hint = f"{format_resume_command(record)} (resume it)"
        if record["status"] == "done":
            hint = f"draftroom show {record['id']} -o FILE.html (keep it)"
        print_to_stderr(f"Next: {hint}{format_page_hint()}.")
