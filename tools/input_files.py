"""Files that people hand over: read whole and checked before any work; what is wrong is told with its file and line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import AnyStr, TypeVar

from pydantic import BaseModel, ValidationError

from state.errors import BadInput
from state.settings import describe

_Model = TypeVar("_Model", bound=BaseModel)


def read_file(path: Path, what: str) -> bytes:
    """The bytes of a file.

    Args:
        path: The file.
        what: It should be, for the message: "key".

    Raises:
        BadInput: It cannot be read.
    """
    try:
        return read_pipe(path) if path.is_fifo() else path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); name a {what}.", kind="missing_file") from error


def read_pipe(path: Path, limit: int | None = None) -> bytes:
    """What is written to a named pipe, at most about `limit` bytes; it can be read only once.

    Raises:
        BadInput: It is empty and nobody writes to it; to wait for somebody would look like work.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
        first = pipe.raw.read(1)  # nothing yet is None; nothing ever is empty
        if first == b"":
            raise BadInput(
                f"The pipe {path} is empty, and nobody writes to it; begin to write first, or name a file.",
                kind="empty_input",
            )
        os.set_blocking(pipe.fileno(), True)
        return (first or b"") + pipe.read(limit)


def read_text(path: Path, what: str) -> str:
    """A whole file, with its line ends as they are.

    Args:
        path: The file.
        what: It should be, for the message: "file of the corpus".

    Raises:
        BadInput: It cannot be read, or is not UTF-8.
    """
    try:
        return read_file(path, what).decode("utf-8-sig")  # spreadsheets put a byte order mark before UTF-8
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8.", kind="not_utf8") from error


def filled_lines(lines: Iterable[AnyStr]) -> list[tuple[int, AnyStr]]:
    """Those that hold something, each with its number from 1.

    Args:
        lines: Of a file, split at line feeds only: str.splitlines would also split at a U+2028 inside a text.
    """
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


def from_json(schema: type[_Model], data: str | bytes, problem: str) -> _Model:
    """JSON as a `schema`.

    Args:
        schema: What it must be.
        data: The JSON.
        problem: What to say if it is not: "Line 3 of corpus.jsonl is no paper".

    Raises:
        BadInput: It is no JSON, or does not fit; says why.
    """
    try:
        return schema.model_validate_json(data)
    except ValidationError as error:
        raise BadInput(f"{problem}: {describe(error)}.") from error


def read_lines(path: Path, schema: type[_Model], what: str) -> list[tuple[int, _Model]]:
    """The records of a JSON Lines file, each with the number of its line; empty lines are passed over.

    Args:
        path: The file.
        schema: Of a line.
        what: A line should be, for messages: "paper with its reviews".

    Raises:
        BadInput: The file cannot be read, has no record, or a line does not fit the schema.
    """
    found = [
        (number, from_json(schema, line, f"Line {number} of {path} is no {what}"))
        for number, line in filled_lines(read_file(path, "JSON Lines file").split(b"\n"))
    ]
    if not found:
        raise BadInput(f"{path} is empty; give a file with one {what} a line.", kind="empty_input")
    return found
