"""The command on a real terminal: a pseudo-terminal whose other end the test reads and types on."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftroom.exit_codes import PAUSED
from tests.draftroom.conftest import Command

PROMPT = "Your choice"


class Terminal:
    """Both ends of a pseudo-terminal."""

    def __init__(self) -> None:
        self.mine, self.theirs = os.openpty()
        self.seen = ""

    def read_until(self, text: str) -> None:
        """Read what the command prints until `text`, or until it closes the terminal."""
        while text not in self.seen:
            try:
                piece = os.read(self.mine, 4096)
            except OSError:  # how Linux tells that the other end is closed
                piece = b""
            if not piece:
                raise AssertionError(f"{text!r} was never printed, but {self.seen}")
            self.seen += piece.decode(errors="replace")

    def drain(self) -> str:
        """Everything until the command closes the terminal."""
        while True:
            try:
                piece = os.read(self.mine, 4096)
            except OSError:
                return self.seen
            if not piece:
                return self.seen
            self.seen += piece.decode(errors="replace")

    def type(self, text: str) -> None:
        self.seen = ""
        os.write(self.mine, text.encode())


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    os.close(terminal.mine)


def start(draftroom: Command, terminal: Terminal, *arguments: str | Path) -> subprocess.Popen[str]:
    wide = draftroom.with_variables({"COLUMNS": "160", "LINES": "50", "TERM": "xterm", **draftroom.variables})
    process = wide.start(*arguments, stdin=terminal.theirs, stderr=terminal.theirs, stdout=terminal.theirs)
    os.close(terminal.theirs)
    return process


def test_a_person_keeps_the_advice(draftroom: Command, paper: Path, terminal: Terminal):
    with start(draftroom, terminal, "explain", paper, "--pause"):
        terminal.read_until(PROMPT)
        assert "  1. " in terminal.seen
        terminal.type("k\n")
        terminal.drain()
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
        terminal.drain()
    assert draftroom.records()[0]["status"] == "done"
    assert int((tmp_path / "advice.count").read_text(encoding="utf-8")) >= 2, "a hint and the editor's advice"
    assert "1. Say what moss is." in draftroom.endpoint.chat_requests[-1].text


@pytest.mark.parametrize("answer", ["s\n", "\x03", "\x04"], ids=["stop", "ctrl-c", "end of input"])
def test_a_person_decides_later(draftroom: Command, paper: Path, terminal: Terminal, answer: str):
    with start(draftroom, terminal, "explain", paper, "--pause") as process:
        terminal.read_until(PROMPT)
        terminal.type(answer)
        seen = terminal.drain()
    assert process.returncode == PAUSED
    assert "--accept" in seen
    assert draftroom.records()[0]["status"] == "paused"
    assert draftroom("resume", "last", "--accept").exit_code == 0


def test_progress_moves_and_the_article_is_rendered(draftroom: Command, paper: Path, terminal: Terminal):
    with start(draftroom, terminal, "explain", paper):
        seen = terminal.drain()
    assert re.search(r"round 1: editor, advise \(large\), \d+ tokens", seen), "tokens of the call in progress"
    assert "Draft 1: grade" in seen
    assert "\n# " not in seen, "a heading is rendered, not printed as Markdown"


def test_changes_are_coloured(draftroom: Command, paper: Path, terminal: Terminal):
    draftroom("explain", paper)
    with start(draftroom, terminal, "show", "last"):
        seen = terminal.drain()
    assert "\x1b[32m" in seen, "green for what came"
    assert "\x1b[9;31m" in seen, "red and struck out for what went"
