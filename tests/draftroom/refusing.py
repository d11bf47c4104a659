"""What every refusal of the command has in common."""

from __future__ import annotations

from typer.testing import Result

from draftroom.exit_codes import EXIT_CODES
from state.errors import ErrorKind
from tests.draftroom.conftest import Command


def assert_refused(draftroom: Command, result: Result, kind: ErrorKind, said: str = "") -> None:
    """Check the exit code, one sentence on standard error, nothing else anywhere, no model asked and no run begun."""
    assert result.exit_code == EXIT_CODES[kind], result.output
    assert result.stdout == ""
    (sentence,) = result.stderr.strip().splitlines()
    assert said in sentence, sentence
    assert "Traceback" not in sentence
    assert draftroom.endpoint.requests == []
    assert draftroom.records() == []
