"""Input and output files of the commands."""

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
    """Read and store a paper from a file, or from standard input for `-`; return it as the input of a run.

    Raises:
        InputError: If the paper cannot be used.
        StateError: If the state folder cannot be written.
    """
    if file == STANDARD_INPUT:
        return read_run_input_bytes(read_standard_input(), "standard input", scope=scope, max_pages=max_pages)
    path = Path(file).expanduser()
    # `read_document` takes a string that is no path for the text of a paper; an absolute path is none.
    if not path.exists():
        raise InputError(f"There is no file {file!r}; check its name.", kind="missing_file")
    # A pipe of the shell, as in <(...), cannot be resolved.
    paper = read_document(str(path.absolute() if path.is_fifo() else path.resolve()), scope=scope, max_pages=max_pages)
    return RunInput(name=file if path.is_fifo() else path.name, path=paper["source"], paper=paper)


def read_run_input_bytes(data: bytes, name: str, *, scope: Scope, max_pages: int) -> RunInput:
    """Read and store a paper from bytes as `read_run_input` does; a suffix of the name tells the format."""
    paper = read_document_bytes(data, name=name, scope=scope, max_pages=max_pages)
    return RunInput(name=name, path=paper["source"], paper=paper)


def read_standard_input() -> bytes:
    """Return the bytes of standard input, cut one byte above the largest accepted paper."""
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def check_output_paths(paths: list[Path], formats: Collection[str]) -> None:
    """Raise an error unless each path has the suffix of a format and can be written; writes nothing.

    Raises:
        typer.BadParameter: If a suffix names no format.
        InputError: If a file cannot be written.
    """
    for path in paths:
        if path.suffix.lower() not in formats:
            raise typer.BadParameter(f"{path} must end in one of {', '.join(formats)}.", param_hint="-o")
        if path.is_dir():
            raise build_output_error(path, "it is a folder")
        if not path.parent.is_dir():
            raise build_output_error(path, "its folder does not exist")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise build_output_error(path, "no permission")


def write_outputs(paths: list[Path], rendering: Rendering, record: RunRecord, values: Values) -> None:
    """Write the result of a run to each path, in the format of its suffix.

    Raises:
        InputError: If a file cannot be written; the run itself is kept.
    """
    for path in paths:
        result = rendering.formats[path.suffix.lower()](record, values)
        try:
            path.write_bytes(result.encode() if isinstance(result, str) else result)
        except OSError as error:
            problem = f"{error.strerror or type(error).__name__}; the run is kept, see `draftroom show {record['id']}`"
            raise build_output_error(path, problem) from error


def read_result(path: Path) -> tuple[RunRecord, Values]:
    """Read a result that `-o FILE.json` has written, as a pair: the run record and the output of its graph.

    Raises:
        InputError: If the file cannot be read or holds no result.
    """
    try:
        result = json.loads(read_text(path, "result in JSON"))
        record: RunRecord = result.pop("run")
        find_system(record["system"])
    except (ValueError, AttributeError, KeyError, TypeError, StateError) as error:
        raise InputError(f"{path} is no result of a run; give a file that `-o FILE.json` has written.") from error
    return record, result


def build_output_error(path: Path, problem: str) -> InputError:
    """Return, not raise, the error for a file of `-o` that cannot be written."""
    return InputError(f"{path} cannot be written ({problem}); choose another file for -o.", kind="output_unwritable")
