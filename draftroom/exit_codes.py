"""Exit codes of the command, one for each kind of error; a code never changes its meaning."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import typer

from state.errors import ErrorKind

PAUSED = 20
CONTRADICTIONS = 21
PAPERS_FAILED = 22
STOPPED = 130

# Exit code, meaning and HTTP status of each kind of error, and whether it ends a batch.
_KINDS: dict[Any, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
EXIT_CODES: dict[ErrorKind, int] = {kind: told["code"] for kind, told in _KINDS.items()}
BATCH_ENDING_KINDS: set[ErrorKind] = {kind for kind, told in _KINDS.items() if told.get("ends_batch")}
HTTP_STATUSES: dict[ErrorKind, int] = {kind: told.get("status", 422) for kind, told in _KINDS.items()}


def render_exit_codes() -> str:
    """Return all exit codes as a Markdown table, in ascending order."""
    rows = [
        (0, "", "Done."),
        (1, "", "A fault of Draftroom itself: please report the traceback."),
        (2, "", "A flag or an argument is wrong."),
        *((told["code"], f"`{kind}`", told["meaning"]) for kind, told in _KINDS.items()),
        (PAUSED, "", "The run waits for a person's answer."),
        (CONTRADICTIONS, "", "`draftroom check` found a contradiction of high or medium severity."),
        (PAPERS_FAILED, "", "`draftroom batch` has ended, and some papers have failed; its table says why."),
        (STOPPED, "", "Stopped by Ctrl-C or SIGTERM; the run or the batch can be resumed."),
    ]
    lines = [f"| {code} | {kind} | {meaning} |" for code, kind, meaning in sorted(rows)]
    return "\n".join(["| code | kind | meaning |", "|---|---|---|", *lines]) + "\n"


def print_exit_codes() -> None:
    """List the exit codes and what they mean."""
    typer.echo(render_exit_codes(), nl=False)
