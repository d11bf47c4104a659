"""What all commands that drive a run share: drive it, let a person answer, and show what came of it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from draftroom.commands.progress import ConsoleProgress
from draftroom.consoles import ERR, tell
from draftroom.exit_codes import PAUSED, STOPPED
from draftroom.files import write_outputs
from draftroom.rendering.rendering import Dialogue, Rendering, aids_line
from draftroom.systems import find_system
from runs.driver import UNLIMITED, Answer, Ask, Budget, Outcome, drive, resume_command
from runs.record import RunRecord
from state.errors import BadInput
from state.files import read_text
from tools.documents.language import NOT_ENGLISH

_CHOICES = {"k": "keep", "e": "edit", "s": "stop here and decide later"}


def drive_and_show(
    record: RunRecord,
    outputs: list[Path],
    *,
    quiet: bool,
    checkpoints: str | None = None,
    answer: Answer | None = None,
    budget: Budget = UNLIMITED,
) -> None:
    """Drive a run as far as it goes and print what came of it.

    Args:
        record: Of the run.
        outputs: Files that the result is written to.
        quiet: Print nothing but the result and errors.
        checkpoints: Address of the checkpoints of a new run.
        answer: To the question at which the run has paused.
        budget: What the run may cost.

    Raises:
        typer.Exit: With the code for a run that was stopped or waits for a person.
        DraftroomError: Whatever ended the run early.
    """
    system = find_system(record["system"])
    rendering, dialogue = system.rendering, system.rendering.dialogue
    progress = ConsoleProgress(rendering, quiet=quiet)
    if answer is None and not quiet and NOT_ENGLISH in record["input"]["paper"]["warnings"]:
        tell(f"Please note: {NOT_ENGLISH}.", style="yellow")
    ask = _person(dialogue) if dialogue else None
    outcome = drive(record, system.graph, progress, checkpoints=checkpoints, answer=answer, ask=ask, budget=budget)
    command = resume_command(outcome.record)
    if outcome.status == "done":
        show_result(rendering, outcome, outputs, quiet=quiet)
    elif outcome.status == "paused" and dialogue:
        tell(dialogue.describe(outcome.question))
        tell(f"Paused. To go on with {dialogue.these}: {command} --accept")
        tell(f"To go on with your own, one {dialogue.line} a line: {command} --advice FILE")
        raise typer.Exit(PAUSED)
    else:
        tell(outcome.used_up or f"Stopped. To go on: {command}")
        raise typer.Exit(STOPPED)


def show_result(rendering: Rendering, outcome: Outcome, outputs: list[Path], *, quiet: bool) -> None:
    """Write the files, print the result, and say what a person should know of it."""
    write_outputs(outputs, rendering, outcome.record, outcome.values)
    rendering.print_result(outcome.record, outcome.values)
    if not quiet:
        tell(aids_line(outcome.record.get("aids")))
        rendering.print_warnings(outcome.record, outcome.values)
        how = f"draftroom show {outcome.record['id']} (how it came about; -o FILE.html keeps it)"
        tell(f"Next: {how}, draftroom open (all runs on a page).")


def read_advice(path: Path, dialogue: Dialogue) -> list[str]:
    """A person's answer from a file, one piece of advice or one question a line.

    Raises:
        BadInput: If the file cannot be read or holds none.
    """
    advice = _pieces(read_text(path, f"file with one {dialogue.line} a line"))
    if not advice:
        raise BadInput(f"{path} is empty; write one {dialogue.line} a line, or use --accept.", kind="empty_input")
    return advice


def _person(dialogue: Dialogue) -> Ask | None:
    """Someone to ask, if the command runs in a terminal."""
    if not (sys.stdin.isatty() and ERR.is_terminal):
        return None

    def ask(question: Mapping[str, Any]) -> Answer | None:
        tell(dialogue.describe(question))
        try:
            return _decide(dialogue, list(question["advice"]))
        except (typer.Abort, KeyboardInterrupt, EOFError):
            return None

    return ask


def _decide(dialogue: Dialogue, advice: list[str]) -> Answer | None:
    prompt = ", ".join(f"{key} = {meaning}" for key, meaning in _CHOICES.items())
    choice = ""
    while choice not in _CHOICES:
        choice = typer.prompt(f"Your choice ({prompt})", default="k", err=True).strip().lower()
    if choice == "e":
        return dialogue.answer(_edit(advice, dialogue))
    return dialogue.answer(None) if choice == "k" else None


def _edit(advice: list[str], dialogue: Dialogue) -> list[str]:
    """Let a person edit the advice or the questions in their editor."""
    hint = f"# One {dialogue.line} a line. Lines that begin with # are left out.\n"
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "advice.txt"
        path.write_text(hint + "\n".join(" ".join(piece.split()) for piece in advice) + "\n", encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise BadInput(f"The editor {editor!r} failed ({error}); set EDITOR to one that works.") from error
        return _pieces(path.read_text(encoding="utf-8"))


def _pieces(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]
