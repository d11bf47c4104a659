"""The files of the command: a paper comes in, and results go out, which is checked before a run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection
from pathlib import Path

import typer

from draftroom.rendering.rendering import Rendering
from draftroom.systems import find_system
from runs.record import RunInput, RunRecord
from state.errors import InputError, StateError
from state.files import read_text
from state.records import Values
from state.settings import Scope
from tools.documents.reading import MAX_BYTES, read_document, read_document_bytes

STANDARD_INPUT = "-"


def read_run_input(file: str, *, scope: Scope, max_pages: int) -> RunInput:
    """Read the paper once, so that a bad one is refused before a run begins.

    Args:
        file: Its path, or `-` for standard input.
        scope: What models read as one text: the abstract, or the whole paper.
        max_pages: Longest PDF that is accepted.

    Raises:
        BadInput: If the paper cannot be used.
        StateError: If the state folder cannot be written.
    """
    if file == STANDARD_INPUT:
        return read_run_input_bytes(read_standard_input(), "standard input", scope=scope, max_pages=max_pages)
    path = Path(file).expanduser()
    if not path.exists():  # `read_document` would take some names for text
        raise InputError(f"There is no file {file!r}; check its name.", kind="missing_file")
    # With a folder in front, so that no name can be taken for text; a pipe of the shell has no other name than its own.
    paper = read_document(str(path.absolute() if path.is_fifo() else path.resolve()), scope=scope, max_pages=max_pages)
    return RunInput(name=file if path.is_fifo() else path.name, path=paper["source"], paper=paper)


def read_run_input_bytes(data: bytes, name: str, *, scope: Scope, max_pages: int) -> RunInput:
    """Read a paper that is no file, and keep it in the state folder.

    Args:
        data: Of the paper.
        name: As a person calls it; its suffix may tell the format.
        scope: As for `read_run_input`.
        max_pages: The same.

    Raises:
        BadInput: If the paper cannot be used.
        StateError: If the state folder cannot be written.
    """
    paper = read_document_bytes(data, name=name, scope=scope, max_pages=max_pages)
    return RunInput(name=name, path=paper["source"], paper=paper)


def read_standard_input() -> bytes:
    """All of it, or one byte more than a paper may have."""
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def check_outputs(paths: list[Path], rendering: Rendering) -> None:
    """Make sure that results of a system can be written, as `check_output_paths` does."""
    check_output_paths(paths, rendering.formats)


def check_output_paths(paths: list[Path], formats: Collection[str]) -> None:
    """Make sure that results can be written, before anything is spent on them.

    Args:
        paths: The files.
        formats: What their names may end in.

    Raises:
        typer.BadParameter: If a suffix names no format.
        BadInput: If a file cannot be written.
    """
    for path in paths:
        if path.suffix.lower() not in formats:
            raise typer.BadParameter(f"{path} must end in one of {', '.join(formats)}.", param_hint="-o")
        if problem := _find_write_problem(path):
            raise build_output_error(path, problem)


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
            raise build_output_error(
                path, f"{problem}; the run is kept, see `draftroom show {record['id']}`"
            ) from error


def read_result(path: Path) -> tuple[RunRecord, Values]:
    """A result that `-o FILE.json` has written: the record of its run, and the output of its graph.

    Raises:
        BadInput: If the file cannot be read or is no such result.
    """
    try:
        result = json.loads(read_text(path, "result in JSON"))
        record: RunRecord = result.pop("run")
        find_system(record["system"])
    except (ValueError, AttributeError, KeyError, TypeError, StateError) as error:
        raise InputError(f"{path} is no result of a run; give a file that `-o FILE.json` has written.") from error
    return record, result


def _find_write_problem(path: Path) -> str:
    """Why the file cannot be written, as far as can be told without writing it."""
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return "its folder does not exist"
    target = path if path.exists() else path.parent
    return "" if os.access(target, os.W_OK) else "no permission"


def build_output_error(path: Path, problem: str) -> InputError:
    """The error for a file of `-o` that cannot be written."""
    return InputError(f"{path} cannot be written ({problem}); choose another file for -o.", kind="output_unwritable")
