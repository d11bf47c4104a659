"""Run a system from the terminal: progress, a person's answers, and the result.

On a terminal, one line at the bottom shows the agents at work, the tokens so far and the time; finished steps stand
above it. Elsewhere, and on terminals that cannot move their cursor, an agent has a line when it begins and one when it
ends, however often it asks its model in between.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import typer
from rich.markup import escape
from rich.progress import Progress as MovingLine
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from draftroom.exit_codes import PAUSED, STOPPED
from draftroom.extras import format_page_hint
from draftroom.files import write_outputs
from draftroom.rendering.console import ERR, print_to_stderr
from draftroom.rendering.provenance import format_count, format_extensions, format_identifier, format_step
from draftroom.rendering.rendering import Dialogue, Rendering
from draftroom.rendering.terminal import print_remarks, print_result
from draftroom.systems import find_system
from runs.driver import UNLIMITED_BUDGET, Answer, AnswerCallback, Budget, drive_run
from runs.record import RunRecord, format_resume_command
from state.errors import InputError
from state.files import read_text
from state.records import Values
from tools.documents.reading import NOT_ENGLISH_WARNING
from tools.text import strip_control_characters


class ConsoleProgress:
    """Progress of a run on standard error, a `RunProgress` that `drive_run` opens; a quiet one shows messages only."""

    def __init__(self, rendering: Rendering, *, quiet: bool = False) -> None:
        self._rendering = rendering
        self._quiet = quiet
        self._line: MovingLine | None = None
        self._waited: set[str] = set()
        # Agent and task of each unfinished call.
        self._at_work: dict[int, str] = {}
        # Written tokens of each call of the agents that have begun, by their first lines; only without a moving line.
        self._begun: dict[str, Counter[int]] = {}
        # Tokens of each call since the last step; `_tokens` holds those of finished steps.
        self._written: Counter[int] = Counter()
        self._tokens = 0

    def __enter__(self) -> Self:
        """Show the moving line, unless quiet or without a terminal that can move its cursor."""
        if ERR.is_terminal and not ERR.is_dumb_terminal and not self._quiet:
            doing = TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"))
            tokens = TextColumn("{task.completed:,.0f} tokens")
            columns = (SpinnerColumn(), doing, tokens, TimeElapsedColumn())
            self._line = MovingLine(*columns, console=ERR, transient=True, expand=True)
            self._line.add_task("beginning", total=None, completed=self._tokens)
            self._line.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._line:
            self._line.stop()
            self._line = None

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Show that a server is waited for, or that a call of a model begins, has received tokens, or has ended."""
        if event["event"] == "waiting":
            if event["text"] not in self._waited:  # all calls of a step may wait for the same server
                self.on_message(event["text"])
            self._waited.add(event["text"])
            return
        call = event["call"]
        if event["event"] == "call":
            doing = f"{format_identifier(event['role'])}, {format_identifier(event['step'])}"
            if not self._line and not self._quiet:
                doing = f"{format_step(self._rendering.unit, event)}: {doing}"
                if doing not in self._begun:
                    self._print_ended_agents()
                    print_to_stderr(f"{doing} ({event['model']})")
                self._begun.setdefault(doing, Counter())[call] = 0
            self._at_work[call] = doing
        elif event["event"] == "tokens":
            self._written[call] = event["tokens"]
            if calls := self._begun.get(self._at_work[call]):
                calls[call] = event["tokens"]
        else:
            self._at_work.pop(call, None)
        self._refresh_line()

    def on_step(self, node: str, update: Values, values: Values, tokens: int) -> None:
        """Show a finished step if the system has a line for it, and the tokens of the run so far."""
        self._print_ended_agents()
        self._tokens = tokens
        self._written = Counter({call: self._written[call] for call in self._at_work})
        line = self._rendering.milestone(node, update, values)
        if line and not self._quiet:
            print_to_stderr(line if self._line else f"{line} ({tokens:,} tokens so far)")
        self._refresh_line()

    def _print_ended_agents(self) -> None:
        """Print the calls and written tokens of each agent that has begun and has no call under way."""
        for doing in [each for each in self._begun if each not in self._at_work.values()]:
            calls = self._begun.pop(doing)
            print_to_stderr(f"{doing}: {format_count(len(calls), 'call')}, {calls.total():,} tokens written")

    def on_message(self, text: str) -> None:
        """Print a message for the user, also when quiet."""
        print_to_stderr(text)

    def _refresh_line(self) -> None:
        """Show the agents at work and the tokens on the moving line, if there is one."""
        if self._line:
            agents = Counter(self._at_work.values()).items()
            doing = "; ".join(f"{who} ({times} at once)" if times > 1 else who for who, times in agents)
            task, tokens = self._line.task_ids[0], self._tokens + self._written.total()
            self._line.update(task, description=escape(strip_control_characters(doing)) or None, completed=tokens)


_ANSWER_CHOICES = {"k": "keep", "e": "edit", "s": "stop here and decide later"}


def drive_and_show(
    record: RunRecord,
    outputs: list[Path],
    *,
    quiet: bool,
    checkpoints: str | None = None,
    answer: Answer | None = None,
    budget: Budget = UNLIMITED_BUDGET,
) -> Values:
    """Drive a run, print and write its result, and return the graph's final state; typer.Exit if it stops or pauses.

    `checkpoints` is their address for a new run, `answer` is for the question at which a run has paused.

    Raises:
        typer.Exit: If the run was stopped or waits for a person.
        DraftroomError: If an error ended the run.
    """
    system = find_system(record["system"])
    rendering, dialogue = system.rendering, system.rendering.dialogue
    progress = ConsoleProgress(rendering, quiet=quiet)
    if answer is None and not quiet and NOT_ENGLISH_WARNING in record["input"]["paper"]["warnings"]:
        print_to_stderr(f"Please note: {NOT_ENGLISH_WARNING}.", style="yellow")
    ask = _build_ask_callback(dialogue) if dialogue else None
    outcome = drive_run(record, system.graph, progress, checkpoints=checkpoints, answer=answer, ask=ask, budget=budget)
    command = format_resume_command(outcome.record)
    if outcome.status == "done":
        write_outputs(outputs, rendering, outcome.record, outcome.values)
        document = rendering.build_document(outcome.record, outcome.values)
        print_result(document)
        if not quiet:
            print_to_stderr(format_extensions(outcome.record["extensions"]))
            print_remarks(document)
            show = f"draftroom show {outcome.record['id']} (how it came about; -o FILE.html keeps it)"
            print_to_stderr(f"Next: {show}{format_page_hint()}.")
        return outcome.values
    if outcome.status == "paused" and dialogue:
        print_to_stderr(dialogue.describe(outcome.question))
        print_to_stderr(f"Paused. To accept {dialogue.these}: {command} --accept")
        print_to_stderr(f"To use your own, one {dialogue.line} a line: {command} --advice FILE")
        raise typer.Exit(PAUSED)
    print_to_stderr(outcome.used_up or f"Stopped. To resume: {command}")
    raise typer.Exit(STOPPED)


def read_advice(path: Path, dialogue: Dialogue) -> list[str]:
    """Return the lines of a file of advice or questions, without blank lines and those that begin with #.

    Raises:
        InputError: If the file cannot be read or is empty.
    """
    advice = _parse_advice_lines(read_text(path, f"file with one {dialogue.line} a line"))
    if not advice:
        raise InputError(f"{path} is empty; write one {dialogue.line} a line, or use --accept.", kind="empty_input")
    return advice


def _build_ask_callback(dialogue: Dialogue) -> AnswerCallback | None:
    """Return a function that asks a person at a pause, or None without a terminal."""
    if not (sys.stdin.isatty() and ERR.is_terminal):
        return None

    def ask(question: Mapping[str, Any]) -> Answer | None:
        """Show the question and return the person's answer, or None to pause and decide later."""
        print_to_stderr(dialogue.describe(question))
        prompt = ", ".join(f"{key} = {meaning}" for key, meaning in _ANSWER_CHOICES.items())
        choice = ""
        try:
            while choice not in _ANSWER_CHOICES:
                choice = typer.prompt(f"Your choice ({prompt})", default="k", err=True).strip().lower()
            if choice == "e":
                return dialogue.build_answer(_edit_advice(list(question["advice"]), dialogue))
        except (typer.Abort, KeyboardInterrupt, EOFError):
            return None
        return dialogue.build_answer(None) if choice == "k" else None

    return ask


def _edit_advice(advice: list[str], dialogue: Dialogue) -> list[str]:
    """Open the advice or questions in the user's editor, and return the lines that are left, also none."""
    hint = f"# One {dialogue.line} a line. Lines that begin with # are left out.\n"
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "advice.txt"
        path.write_text(hint + "\n".join(" ".join(piece.split()) for piece in advice) + "\n", encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise InputError(f"The editor {editor!r} failed ({error}); set EDITOR to one that works.") from error
        return _parse_advice_lines(path.read_text(encoding="utf-8"))


def _parse_advice_lines(text: str) -> list[str]:
    """Return the stripped lines of a text, without empty ones and those that begin with #."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]
