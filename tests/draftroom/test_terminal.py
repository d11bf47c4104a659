"""The command on a real terminal: a pseudo-terminal whose other end the test reads and types on."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from draftroom.exit_codes import PAUSED
from tests.draftroom.conftest import Command
from tests.support.processes import Child

PROMPT = "Your choice"
LONGEST_SILENCE_S = 60


class Terminal:
    """Both ends of a pseudo-terminal."""

    def __init__(self) -> None:
        self.mine, self.theirs = os.openpty()
        self.seen = ""

    def read_until(self, text: str) -> None:
        """Read what the command prints until `text`."""
        while text not in self.seen:
            piece = self._read()
            assert piece, f"{text!r} was never printed, but {self.seen}"
            self.seen += piece

    def read_all(self) -> str:
        """Read until the command closes the terminal; what it printed since the last typing."""
        while piece := self._read():
            self.seen += piece
        return self.seen

    def _read(self) -> str:
        """The next piece, or nothing once the command has closed the terminal."""
        ready, _, _ = select.select([self.mine], [], [], LONGEST_SILENCE_S)
        assert ready, f"the command hangs after {self.seen}"
        try:
            return os.read(self.mine, 65536).decode(errors="replace")
        except OSError:  # how Linux tells that the other end is closed
            return ""

    def type(self, text: str) -> None:
        self.seen = ""
        os.write(self.mine, text.encode())


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    os.close(terminal.mine)


@contextmanager
def start(draftroom: Command, terminal: Terminal, *arguments: str | Path) -> Iterator[Child]:
    wide = draftroom.with_variables({"COLUMNS": "160", "LINES": "50", "TERM": "xterm", **draftroom.variables})
    process = wide.start(*arguments, stdin=terminal.theirs, stderr=terminal.theirs, stdout=terminal.theirs)
    os.close(terminal.theirs)
    try:
        yield process
        process.wait(LONGEST_SILENCE_S)
    finally:
        process.kill()
        process.wait()


def test_a_person_keeps_the_advice(draftroom: Command, paper: Path, terminal: Terminal):
    with start(draftroom, terminal, "explain", paper, "--pause"):
        terminal.read_until(PROMPT)
        assert "  1. " in terminal.seen
        terminal.type("k\n")
        terminal.read_all()
    (record,) = draftroom.records()
    assert (record["status"], record["resumed"]) == ("done", 0)


def test_a_person_edits_the_advice(draftroom: Command, paper: Path, terminal: Terminal, tmp_path: Path):
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ngrep -c . "$2" > "$1.count"\necho "Say what moss is." > "$2"\n', encoding="utf-8")
    editor.chmod(0o755)
    with_editor = draftroom.with_variables({"EDITOR": f"{editor} {tmp_path / 'advice'}"})
    with start(with_editor, terminal, "explain", paper, "--pause"):
        terminal.read_until(PROMPT)
        terminal.type("e\n")
        terminal.read_all()
    assert draftroom.records()[0]["status"] == "done"
    assert int((tmp_path / "advice.count").read_text(encoding="utf-8")) >= 2, "a hint and the editor's advice"
    assert "1. Say what moss is." in draftroom.endpoint.chat_requests[-1].text


def assert_paused(draftroom: Command, process: Child, seen: str) -> None:
    assert process.returncode == PAUSED
    assert "--accept" in seen
    assert draftroom.records()[0]["status"] == "paused"
    assert draftroom("resume", "last", "--accept").exit_code == 0


@pytest.mark.parametrize("answer", ["s\n", "\x04"], ids=["stop", "end of input"])
def test_a_person_decides_later(draftroom: Command, paper: Path, terminal: Terminal, answer: str):
    with start(draftroom, terminal, "explain", paper, "--pause") as process:
        terminal.read_until(PROMPT)
        terminal.type(answer)
        seen = terminal.read_all()
    assert_paused(draftroom, process, seen)


def press_ctrl_c(process: Child) -> None:
    """As a person does: again if nothing happens, for Python can miss a signal just before it begins to read."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)


def test_ctrl_c_at_the_question_leaves_the_run_paused(draftroom: Command, paper: Path, terminal: Terminal):
    with start(draftroom, terminal, "explain", paper, "--pause") as process:
        terminal.read_until(PROMPT)
        press_ctrl_c(process)
        seen = terminal.read_all()
    assert_paused(draftroom, process, seen)


def test_one_line_tells_who_is_at_work_and_is_gone_in_the_end(draftroom: Command, paper: Path, terminal: Terminal):
    draftroom.endpoint.hold_after(2)
    with start(draftroom, terminal, "explain", paper):
        terminal.read_until("editor, advise")
        line = terminal.seen.rpartition("editor, advise")[2]
        while "tokens" not in line:
            terminal.read_until("tokens")
            line = terminal.seen.rpartition("editor, advise")[2]
        assert int(re.findall(r"([\d,]+) tokens", line)[0].replace(",", "")) > 0, "what the answered calls took"
        draftroom.endpoint.release()
        seen = terminal.read_all()
    shown, _, left = seen.rpartition("\x1b[?25h")
    assert "Draft 1: grade" in shown
    assert left.lstrip().startswith("\x1b[1A\x1b[2K"), "the line is erased"
    assert "journalist, revise draft" not in left
    assert "Draft 1: grade" in seen
    assert "\n# " not in seen, "a heading is rendered, not printed as Markdown"


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(draftroom: Command, paper: Path, terminal: Terminal):
    dumb = draftroom.with_variables({**draftroom.variables, "TERM": "dumb", "COLUMNS": "40"})
    process = dumb.start("explain", paper, stdin=terminal.theirs, stderr=terminal.theirs, stdout=terminal.theirs)
    os.close(terminal.theirs)
    seen = terminal.read_all()
    assert process.wait(LONGEST_SILENCE_S) == 0
    assert "editor, advise (large)" in seen
    assert "\x1b[2K" not in seen
    assert "\x1b[1A" not in seen


def test_on_a_narrow_terminal_each_row_of_a_table_is_a_few_lines(draftroom: Command, paper: Path, terminal: Terminal):
    draftroom("explain", paper)
    narrow = draftroom.with_variables({"COLUMNS": "40", "LINES": "50"})
    with start(narrow, terminal, "runs"):
        seen = terminal.read_all()
    assert re.search(r"^system: explain\s*$", seen, re.MULTILINE)
    assert "│" not in seen


def test_a_person_chooses_the_models(draftroom: Command, terminal: Terminal, tmp_path: Path):
    file = tmp_path / "draftroom.toml"
    asking = draftroom.with_variables({"DRAFTROOM_CONFIG": str(file)})
    with start(asking, terminal, "init", "--base-url", draftroom.endpoint.base_url):
        terminal.read_until("Which one writes?")
        terminal.type("3\n")
        terminal.read_until("Which one writes?")
        terminal.type("2\n")
        terminal.read_until("Which one reads")
        terminal.type("1\n")
        terminal.read_all()
    chosen = tomllib.loads(file.read_text(encoding="utf-8"))["models"]
    assert {role: model["model"] for role, model in chosen.items()} == {"default": "small", "reader": "large"}
    assert {model["base_url"] for model in chosen.values()} == {draftroom.endpoint.base_url}


def test_changes_are_coloured(draftroom: Command, paper: Path, terminal: Terminal):
    draftroom("explain", paper)
    with start(draftroom, terminal, "show", "last"):
        seen = terminal.read_all()
    assert "\x1b[32m" in seen, "green for what came"
    assert "\x1b[9;31m" in seen, "red and struck out for what went"
