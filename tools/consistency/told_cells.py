"""A number of the text against the cell of a table that it tells.

Where a sentence has every word of a row's name and of a column's, and one number printed with the decimals of the cell,
it tells that cell. A number that is nearly the cell's and stands nowhere in the table is a slip in one of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.consistency.printed import UNSIGNED, Printed, printed
from tools.consistency.statements import Statement, TableRows

_NUMBER = re.compile(rf"(?<![\w.,/–-]){UNSIGNED}(?![\w/]|\.\d)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_BESIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
"""Units and the like in a header."""
_CELL = re.compile(rf"(?P<number>{UNSIGNED})\s?%?(?:\s?(?:[(±\[]).*)?")
_NO_NAMES = frozenset({"the", "and", "for", "with", "mean", "total", "value", "all", "per", "number"})


class _Cell(NamedTuple):
    row: int
    column: int
    value: Printed


def check_told_cells(parts: Sequence[Statement], tables: Sequence[TableRows]) -> Iterator[ComputedFinding]:
    """Sentences whose number is nearly, but not, that of the cell that they tell."""
    prose = [part for part in parts if not part.row]
    text = " ".join(part.text for part in prose)
    for each in tables:
        for part in prose:
            for start, end in part.sentences():
                found = _told(part.text[start:end], each)
                if found and not _stands(found[1].value, text):
                    yield _finding(part, (start, end), *found, each)


def _told(sentence: str, table: TableRows) -> tuple[Printed, _Cell] | None:
    """The number of a sentence and the cell that it must be, if it is another."""
    said = _words(sentence)
    rows = _named([row[0] if row else "" for row in table.table.rows], said)
    columns = _named(["", *(_BESIDE.sub("", title) for title in table.table.header[1:])], said)
    if len(rows) != 1 or len(columns) != 1:
        return None
    cells = list(_cells(table))
    cell = next((each for each in cells if (each.row, each.column) == (rows[0], columns[0])), None)
    numbers = [printed(match[0]) for match in _NUMBER.finditer(sentence)]
    like = [number for number in numbers if cell and number.half == cell.value.half < 0.5]
    if cell is None or len(like) != 1 or any(each.value == like[0] for each in cells):
        return None
    return (like[0], cell) if 0.8 < like[0].value / (cell.value.value or 1.0) < 1.25 else None


def _cells(table: TableRows) -> Iterator[_Cell]:
    for at, row in enumerate(table.table.rows):
        for column, cell in enumerate(row):
            if column and (match := _CELL.fullmatch(cell)):
                yield _Cell(at, column, printed(match["number"]))


def _named(titles: Sequence[str], said: set[str]) -> list[int]:
    """Which titles have all their words in the sentence; one that is part of another gives way to it."""
    words = [_words(title) - _NO_NAMES for title in titles]
    named = [at for at, each in enumerate(words) if each and each <= said]
    return [at for at in named if not any(words[at] < words[other] for other in named)]


def _words(text: str) -> set[str]:
    return {word.lower()[:6] for word in _WORD.findall(text)}


def _stands(value: Printed, text: str) -> bool:
    """Whether the text has the number of the cell, too."""
    return any(printed(match[0]) == value for match in _NUMBER.finditer(text))


def _finding(part: Statement, place: tuple[int, int], told: Printed, cell: _Cell, table: TableRows) -> ComputedFinding:
    row = table.rows[cell.row]
    decimals = len(f"{2 * told.half:.10f}".rstrip("0").partition(".")[2])
    return part.finding(
        "one number, two values",
        "low",
        place,
        computation=f"{told.value:.{decimals}f} here, {cell.value.value:.{decimals}f} in the table "
        f"({row.paragraph['id']}: {row.verbatim}), in a cell that is called the same",
        consistent="one value in both places",
    )
