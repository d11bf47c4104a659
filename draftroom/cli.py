"""The `draftroom` command."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from draftroom import __version__
from draftroom.exit_codes import EXIT_CODES
from draftroom.rendering.console import print_to_stderr
from draftroom.systems import SYSTEM_BY_COMMAND, LazyImport
from state.errors import DraftroomError

# In the order of the help. A test compares each line with the docstring of its command.
COMMANDS = {
    **{name: system.commands[name] for name, system in SYSTEM_BY_COMMAND.items()},
    "check": LazyImport("draftroom.commands.check:check", "Find contradictions within a paper."),
    "batch": LazyImport("draftroom.commands.batch:batch_app", "Run another command on many papers."),
    "resume": LazyImport("draftroom.commands.run_commands:resume_run", "Resume a run, or print a finished result."),
    "runs": LazyImport("draftroom.commands.runs:runs_app", "List all runs, newest first, or delete one."),
    "show": LazyImport(
        "draftroom.commands.run_commands:show_run",
        "Show the answers of every agent in a run, the changes, readability and cost.",
    ),
    "init": LazyImport("draftroom.commands.init:init_settings", "Find local models, and write `draftroom.toml`."),
    "doctor": LazyImport("draftroom.doctor:run_doctor", "Check settings, endpoints, models and folders."),
    "open": LazyImport("draftroom.commands.server:open_page", "Open the page for all systems and runs."),
    "studio": LazyImport("draftroom.commands.server:serve_studio", "Serve the graphs to LangGraph Studio and its SDK."),
    "exit-codes": LazyImport("draftroom.exit_codes:print_exit_codes", "List the exit codes and what they mean."),
    "models": LazyImport("draftroom.commands.models:models_app", "Start, stop and list local model servers."),
    "train": LazyImport("draftroom.commands.train:train_app", "Train the models that the systems use."),
    "eval": LazyImport(
        "draftroom.commands.evaluation:eval_app",
        "Run the papers' experiments: their tables and figures beside yours.",
    ),
}

EXIT_CODES_NOTE = "`draftroom exit-codes` lists what the exit codes mean."
# LangGraph adds this note with the node's name to every error; it tells a user nothing.
LANGGRAPH_NOTE = "During task with name"


class DraftroomGroup(TyperGroup):
    """Command group that imports a command only when it is run, and turns errors into a message and exit code."""

    def __init__(self, **attributes: Any) -> None:
        shown = {name: TyperCommand(name, help=command.help) for name, command in COMMANDS.items()}
        super().__init__(**{**attributes, "commands": shown})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name, the imported command and the remaining arguments; Click calls this."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name else None, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the sub-command; print a DraftroomError and exit with the code of its kind."""
        try:
            return super().invoke(ctx)
        except DraftroomError as error:
            print_to_stderr(str(error), style="red")
            for note in getattr(error, "__notes__", []):
                if not note.startswith(LANGGRAPH_NOTE):
                    print_to_stderr(note)
            raise typer.Exit(EXIT_CODES[error.kind]) from error


app = typer.Typer(
    cls=DraftroomGroup,
    help="Multi-agent systems that explain, simplify, review and check scientific text.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    """Print the version and exit if `--version` is given, else do nothing."""
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def define_global_options(
    _: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Declare the options before the sub-command."""


def load_command(name: str) -> Any:
    """Import a command of `COMMANDS`, and return it as a Click command or group."""
    command = COMMANDS[name].import_object()
    if isinstance(command, typer.Typer):
        return get_group(command)
    alone = typer.Typer(add_completion=False)
    alone.command(name, epilog=EXIT_CODES_NOTE if name in SYSTEM_BY_COMMAND else None)(command)
    return get_command(alone)


def main() -> None:
    """Run the `draftroom` script."""
    app()
