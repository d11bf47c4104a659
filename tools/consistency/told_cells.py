"""Sentences against the cells of a table that they tell.

Where a sentence has every word of a row's name and of a column's, and one number printed with the decimals of the cell,
it tells that cell. A number that is nearly the cell's and stands nowhere in the table is a slip in one of the two; so
is one with the digits of a cell in another order, or with one wrong digit, beside a number of the same row or column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.consistency.printed import UNSIGNED, Printed, printed
from tools.consistency.slips import are_exchanged, digits_differ_by_slip
from tools.consistency.statements import Statement, TableRows

_TOLD_NUMBER = re.compile(rf"(?<![\w.,/–-]){UNSIGNED}(?![\w/]|\.\d)")
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
    """Sentences whose number is nearly, but not, that of the cell that they tell or that others of theirs are by."""
    prose = [part for part in parts if not part.row]
    text = " ".join(part.text for part in prose)
    for each in tables:
        for part in prose:
            for start, end in part.sentences():
                found = _told(part.text[start:end], each)
                found = found or _exchanged(part.text[start:end], each)
                if found and not _stands(found[1].value, text):
                    yield _finding(part, (start, end), *found, each)


def _told(sentence: str, table: TableRows) -> tuple[Printed, _Cell] | None:
    """The number of a sentence and the cell that it must be, if it is another."""
    said = _words(sentence)
    rows = _named([_BESIDE.sub("", row[0]) if row else "" for row in table.table.rows], said)
    titles = ["", *(_BESIDE.sub("", title) for title in table.table.header[1:])]
    columns = [1] if len(titles) == 2 else _named(titles, said)
    if len(rows) != 1 or len(columns) != 1:
        return None
    cells = list(_cells(table))
    cell = next((each for each in cells if (each.row, each.column) == (rows[0], columns[0])), None)
    numbers = [printed(match[0]) for match in _TOLD_NUMBER.finditer(sentence)]
    like = [
        number
        for number in numbers
        if cell and number.half == cell.value.half and (number.half < 0.5 or number.value > 99)
    ]
    if cell is None or len(like) != 1 or any(each.value == like[0] for each in cells):
        return None
    return (like[0], cell) if 0.8 < like[0].value / (cell.value.value or 1.0) < 1.25 else None


_FEWEST_DIGITS = 2
"""More than those that numbers beside it must have in common with the table, which fewer may have by chance."""


def _exchanged(sentence: str, table: TableRows) -> tuple[Printed, _Cell] | None:
    """A number with a slip in its digits against a cell, beside a number that stands in its row or column, too."""
    cells = list(_cells(table))
    told = [printed(match[0]) for match in _TOLD_NUMBER.finditer(sentence)]
    known = [number for number in told if any(number == cell.value for cell in cells)]
    beside = [cell for cell in cells if cell.value in known]
    pairs = [(number, cell) for number in told if number not in known for cell in cells]
    exchanged = [each for each in pairs if _are_exchanged(each[0], each[1].value)]
    wrong = [each for each in pairs if _is_slip(each[0], each[1].value)]
    for found in (exchanged, [each for each in wrong if _is_told(sentence, table, each[1])]):
        sure = [each for each in found if _digits_beside(beside, each[1]) > _FEWEST_DIGITS]
        if sure:
            return sure[0] if len(sure) == 1 else None
    return None


def _digits_beside(beside: Sequence[_Cell], cell: _Cell) -> int:
    """Of the numbers of the sentence that stand in the row or column of the cell."""
    return sum(_digits(each.value) for each in beside if _is_next(each, cell))


def _is_next(one: _Cell, other: _Cell) -> bool:
    return (one.row == other.row) != (one.column == other.column)


def _are_exchanged(one: Printed, other: Printed) -> bool:
    return one.half == other.half and are_exchanged(
        *(f"{round(each.value / (2 * each.half))}" for each in (one, other))
    )


def _is_slip(one: Printed, other: Printed) -> bool:
    """Whether one slip makes one of two numbers of three or more digits of the other."""
    digits = [f"{round(each.value / (2 * each.half))}" for each in (one, other)]
    return one.half == other.half and min(map(len, digits)) > 2 and digits_differ_by_slip(*digits)


def _is_told(sentence: str, table: TableRows, cell: _Cell) -> bool:
    """Whether the sentence has a word of the titles of the cell's row and column each."""
    titles = (table.table.rows[cell.row][0], table.table.header[cell.column])
    return all(_words(_BESIDE.sub("", title)) & _words(sentence) for title in titles)


def _digits(number: Printed) -> int:
    return len(f"{round(number.value / (2 * number.half))}")


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
    return any(printed(match[0]) == value for match in _TOLD_NUMBER.finditer(text))


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
