"""The `draftroom` command."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from draftroom import __version__, exit_codes
from draftroom.commands.doctor import doctor
from draftroom.commands.evaluation import eval_app
from draftroom.commands.explain import explain
from draftroom.commands.human import annotate, blind, judged
from draftroom.commands.models import models_app
from draftroom.commands.resume import resume
from draftroom.commands.review import review
from draftroom.commands.runs import runs
from draftroom.commands.show import show
from draftroom.commands.simplify import simplify
from draftroom.commands.studio import studio
from draftroom.commands.train import train_app
from draftroom.consoles import tell
from draftroom.exit_codes import EXIT_CODES
from state.errors import DraftroomError
from state.settings import REMOVED, Settings

LANGGRAPH_NOTE = "During task with name"
"""LangGraph notes on every error in which node it happened; the sentence says more to the user."""


class ErrorsInOneSentence(TyperGroup):
    """Turns the errors that Draftroom raises on purpose into a sentence and an exit code; no others."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Say of an option that is gone what became of it."""
        given = {argument.split("=")[0] for argument in args}
        for setting, instead in REMOVED.items():
            table, name = setting.split(".")
            if name not in type(getattr(Settings(), table)).model_fields:
                for option in {f"--{name}", f"--no-{name}"} & given:
                    raise typer.BadParameter(f"{option} is no option any more: {instead}.")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the sub-command."""
        try:
            return super().invoke(ctx)
        except DraftroomError as error:
            tell(str(error), style="red")
            for note in getattr(error, "__notes__", []):
                if not note.startswith(LANGGRAPH_NOTE):
                    tell(note)
            raise typer.Exit(EXIT_CODES[error.kind]) from error


app = typer.Typer(
    cls=ErrorsInOneSentence,
    help="Rooms of language-model agents that work on scientific text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Options before the sub-command."""


def print_exit_codes() -> None:
    """List the exit codes and what they mean."""
    typer.echo(exit_codes.table(), nl=False)


for begin in (explain, simplify, review):
    app.command(epilog="`draftroom exit-codes` lists what the exit codes mean.")(begin)
app.command("resume")(resume)
app.command("runs")(runs)
app.command("show")(show)
app.command("doctor")(doctor)
app.command("studio")(studio)
app.command("exit-codes")(print_exit_codes)
app.add_typer(models_app, name="models")
app.add_typer(train_app, name="train")
for of_people in (blind, annotate, judged):
    eval_app.command()(of_people)
app.add_typer(eval_app, name="eval")


def main() -> None:
    """Entry point of the `draftroom` script."""
    app()
