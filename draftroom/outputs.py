"""Files that results are written to: checked before a run, written after it."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from draftroom.rendering.rendering import Rendering
from runs.record import RunRecord
from state.errors import BadInput
from state.records import Values


def check_outputs(paths: list[Path], rendering: Rendering) -> None:
    """Make sure that results can be written, before anything is spent on them.

    Raises:
        typer.BadParameter: If a suffix names no format.
        BadInput: If a file cannot be written.
    """
    for path in paths:
        if path.suffix.lower() not in rendering.formats:
            raise typer.BadParameter(f"{path} must end in one of {', '.join(rendering.formats)}.", param_hint="-o")
        if problem := _problem(path):
            raise _unwritable(path, problem)


def write_outputs(paths: list[Path], rendering: Rendering, record: RunRecord, values: Values) -> None:
    """Write the result in the format of each file's suffix.

    Raises:
        BadInput: If a file cannot be written; the run itself is kept.
    """
    for path in paths:
        result = rendering.formats[path.suffix.lower()](record, values)
        try:
            path.write_bytes(result.encode() if isinstance(result, str) else result)
        except OSError as error:
            problem = error.strerror or type(error).__name__
            raise _unwritable(path, f"{problem}; the run is kept, see `draftroom show {record['id']}`") from error


def _problem(path: Path) -> str:
    """Why the file cannot be written, as far as can be told without writing it."""
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return "its folder does not exist"
    target = path if path.exists() else path.parent
    return "" if os.access(target, os.W_OK) else "no permission"


def _unwritable(path: Path, problem: str) -> BadInput:
    return BadInput(f"{path} cannot be written ({problem}); choose another file for -o.", kind="output_unwritable")
