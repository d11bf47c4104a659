"""Reads the records of a file in any of the forms that corpora come in: JSON Lines, a JSON list, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from state.errors import BadInput
from tools.configuration import describe
from tools.input_files import filled_lines, read_text
from tools.jobs import Record

_Model = TypeVar("_Model", bound=BaseModel)


class Entry(NamedTuple):
    """A record, and where it stands."""

    where: str
    """For messages: "Line 3 of corpus.jsonl"."""
    record: Record


def read_entries(path: Path) -> list[Entry]:
    """Read all records of a file.

    Args:
        path: A table with a header if its name ends in .csv; else a JSON list of objects, or one object a line. Empty
            lines are passed over.

    Raises:
        BadInput: The file cannot be read, holds no record, or something else than records.
    """
    text = read_text(path, "file of the corpus")
    if path.suffix.lower() == ".csv":
        entries = _rows(text, path)
    elif text.lstrip().startswith("["):
        entries = _listed(text, path)
    else:
        entries = [_object(line, f"Line {number} of {path}") for number, line in filled_lines(text.split("\n"))]
    if not entries:
        raise BadInput(f"{path} is empty; give a file with a record for each sample.", kind="empty_input")
    return entries


def checked(schema: type[_Model], where: str, values: Mapping[str, Any]) -> _Model:
    """Values as a `schema`.

    Args:
        schema: What they must be.
        where: They stand, for the message.
        values: Read from a file.

    Raises:
        BadInput: They do not fit; says which of them.
    """
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        raise BadInput(f"{where} cannot be used: {describe(error)}.") from error


def in_one(text: object) -> object:
    """Sentences as one text with single spaces; what is no text is left as it is, for the schema to refuse."""
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = " ".join(text)
    return " ".join(text.split()) if isinstance(text, str) else text


def _object(line: str, where: str) -> Entry:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where} is no JSON ({error}); mend the line.") from error
    return _entry(value, where)


def _listed(text: str, path: Path) -> list[Entry]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is no JSON ({error}); mend the file.") from error
    return [_entry(value, f"Record {number} of {path}") for number, value in enumerate(values, start=1)]


def _entry(value: object, where: str) -> Entry:
    if not isinstance(value, dict):
        raise BadInput(f"{where} is no JSON object; give an object for each sample.")
    return Entry(where, value)


def _rows(text: str, path: Path) -> list[Entry]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        rows = list(reader)
    except csv.Error as error:
        raise BadInput(f"{path} is no table that can be read ({error}); save it as CSV with a header.") from error
    return [
        Entry(f"Row {number} of {path}", {name: value for name, value in row.items() if name is not None})
        for number, row in enumerate(rows, start=1)
    ]
