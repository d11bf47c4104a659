"""`draftroom explain`, `draftroom simplify` and `draftroom review`: their flags, and the way they start a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Literal

import typer
from pydantic import BaseModel

from draftroom.commands import options
from draftroom.commands.console_run import drive_and_show
from draftroom.files import check_output_paths, read_run_input
from draftroom.systems import SYSTEMS, RunRequest
from draftroom.systems.feedback import LITERATURE_SERVICES
from runs.record import RunInput
from runs.recorder import Budget
from state.settings import SYSTEM_TABLES

_LOOPS_HELP = (
    "Loops that may be entered: layperson, language_clarifier, redundancy_checker; repeatable, or with commas."
)
ReviewVariant = Literal["full", "single", "cove", "no-reranking"]
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
        typer.Option(
            help="full: all agents; no-reranking: follow the first plan; "
            "single, cove (chain of verification): the paper's baselines."
        ),
    ] = "full",
    literature: Annotated[list[str] | None, typer.Option(help=_LITERATURE_HELP)] = None,
) -> None:
    """Comment on the weaknesses of a draft, with evidence from the paper and from other studies."""
