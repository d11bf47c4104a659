"""Numbers of a table against those that they are the sum of.

Which column is the sum of others is seldom said, and its name may be any. It shows in the numbers: where `done` and
`left` make up `planned` in most rows, by more than chance, a row in which they do not is the finding. A name such as
`Total` or `Whole test` makes up for the rows that a small table lacks. Rows are read as columns are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.consistency.counted import counted
from tools.consistency.printed import Printed, printed
from tools.consistency.slips import one_slip
from tools.consistency.statements import PaperTable, Statement

_NUMBER = re.compile(r"[€$£]?\s?(?P<number>(?:\d{1,3}(?:[, ]\d{3})+|\d+)(?:\.\d+)?)\s?%?(?:\s?\(.*)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SUM_NAME = re.compile(
    r"\b(?:Σ|(?:sub|grand )?totals?|all|sums?|overall|together|both|whole|entire|combined|altogether)\b"
    r"(?! (?:causes?|scores?)\b)",
    re.IGNORECASE,
)
_ENDS_AS_SUM = re.compile(r"\b(?:as a whole|in all|in total|altogether|(?:sub)?total|combined)\W*$", re.IGNORECASE)
_LEAVES = re.compile(
    r"(?:excluded|withdr[ae]w\w*|lost|dropped out|dropouts?|removed|duplicates|ineligible|not eligible|declined)\b",
    re.IGNORECASE,
)
_BY_NUMBERS = 3.0
"""Digits in which the sums of the lines that agree must agree if no name says that they are sums."""
_OF_ALL = 1.8
"""Where all other numbers of a line are its parts."""
_BY_NAME = 1.0
_FARTHEST = (0.7, 1.4)
"""Of sum to total; what is farther away is hardly a sum, but a mean."""


class _Line(NamedTuple):
    """What a line says about a sum: its parts, their total, and where it stands."""

    at: int
    parts: list[Printed]
    total: Printed

    @property
    def fits(self) -> bool:
        return adds_up(self.parts, self.total)

    @property
    def agreement(self) -> float:
        """The digits in which sum and total agree."""
        return max(0.0, math.log10(max(self.total.value, 1e-9) / (2 * self.total.half + 2 * self._slack)))

    @property
    def is_telling(self) -> bool:
        """Whether there is something to sum."""
        return sum(part.value > 0 for part in self.parts) > 1

    @property
    def _slack(self) -> float:
        return sum(part.half for part in self.parts) if self.total.half < 0.5 else 0.0

    @property
    def is_slip(self) -> bool:
        """Whether one digit, or two exchanged ones, are all that is wrong."""
        off = self.total.value - sum(part.value for part in self.parts)
        return one_slip(self.total, self.total.value - off) or any(
            one_slip(part, part.value + off) for part in self.parts
        )

    @property
    def is_near(self) -> bool:
        ratio = sum(part.value for part in self.parts) / self.total.value if self.total.value else 0.0
        return _FARTHEST[0] < ratio < _FARTHEST[1]


_Cells = list[list[Printed | None]]


def check_sums(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Rows and columns that are not what the others show them to be: sums."""
    names = [row[0] if row else "" for row in table.rows]
    width = len(table.header)
    cells: _Cells = [[number_of(row[at]) if at < len(row) else None for at in range(1, width)] for row in table.rows]
    if any(_SUM_NAME.search(title) for title in table.header[:1]) and not any(map(number_of, names)):
        return
    first = [number_of(row[0]) if row else None for row in table.rows]
    titles = table.header[1:]
    if all(first) and _SUM_NAME.search(table.header[-1]) and len(table.rows) == 1:  # no column of names
        cells, titles = [[number, *row] for number, row in zip(first, cells, strict=True)], table.header
    for line, _ in _wrong(cells, titles):
        yield _finding(rows[line.at], line)
    if _is_data(table.header[1:]):
        names, cells = [table.header[0], *names], [[number_of(title) for title in table.header[1:]], *cells]
    turned = [[row[at] for row in cells] for at in range(width - 1)]
    for line, total in _wrong(turned, names):
        yield _finding(rows[max(0, total - (len(names) - len(rows)))], line)
    yield from _flow(table, rows)
    yield from _against_caption(table, rows)


_EXCLUSIVE = re.compile(
    r"\b(?:first|main|principal|primary|single|only|one [a-z]+ per|each [a-z]+ (?:was|had|once)|others?|none"
    r"|unknown|not (?:stated"
    r"|known|recorded)|missing|unclear)\b",
    re.IGNORECASE,
)
"""What says that nothing is in two rows."""


def _against_caption(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """The only column of counts against the only number of things in the caption that one slip makes its sum."""
    columns = [
        [number_of(row[at]) if at < len(row) else None for row in table.rows] for at in range(1, len(table.header))
    ]
    counts = [[each for each in column if each and each.half == 0.5] for column in columns]
    whole = [column for column in counts if len(column) == len(table.rows) > 2]
    names = " ".join(row[0] for row in table.rows if row)
    told = [Printed(float(each.number), 0.5) for each in counted(table.caption)]
    if len(whole) != 1 or _SUM_NAME.search(names):
        return
    total = sum(number.value for number in whole[0])
    lines = [_Line(0, whole[0], number) for number in told]
    if any(number.value == total for number in told) or sum(line.is_near for line in lines) != 1:
        return
    line = next(line for line in lines if line.is_near)
    slip = one_slip(line.total, total)
    if (
        slip
        and _EXCLUSIVE.search(f"{table.caption} {names}")
        and line.total.value > max(number.value for number in whole[0])
    ):
        yield _finding(rows[-1], line)


def number_of(cell: str) -> Printed | None:
    """The number of a cell, without a percentage or a deviation in brackets behind it."""
    found = _NUMBER.fullmatch(cell)
    return printed(found["number"]) if found else None


def adds_up(parts: Sequence[Printed], total: Printed) -> bool:
    """Whether the parts may sum to the total; counts must, rounded numbers and percentages may by their rounding."""
    rounded = total.half < 0.5 or total.value == 100
    slack = sum(part.half for part in parts) + total.half if rounded else 0.0
    return abs(sum(part.value for part in parts) - total.value) <= slack + 1e-6


def _is_data(titles: Sequence[str]) -> bool:
    """Whether what is read as the header is a row like the others."""
    return bool(titles) and all(number_of(title) and not _YEAR.fullmatch(title) for title in titles)


def _wrong(cells: _Cells, names: Sequence[str]) -> Iterator[tuple[_Line, int]]:
    """Lines in which a place is not the sum of those beside it that it is in the others, and that place."""
    for total, name in enumerate(names):
        named = _SUM_NAME.search(name) is not None
        found = [(_lines(cells, total, chosen), chosen) for chosen in _beside(total, len(names))]
        lines, chosen = max(found, key=lambda each: _agreement(each[0]), default=([], []))
        right = [line for line in lines if line.fits]
        wrong = [line for line in lines if not line.fits]
        needed = _BY_NAME if named else _OF_ALL if len(chosen) == len(names) - 1 else _BY_NUMBERS
        if len(right) >= len(wrong) and _agreement(lines) >= needed:
            yield from ((line, total) for line in wrong if line.is_slip or (named and line.is_near))
        elif (_SUM_NAME.match(name) or _ENDS_AS_SUM.search(name)) and not right and total in {0, len(names) - 1}:
            alone = _lines(cells, total, [at for at in range(len(names)) if at != total])
            if len(alone) == 1 and alone[0].is_near and not alone[0].fits:
                yield alone[0], total


def _beside(total: int, width: int) -> list[list[int]]:
    """All others, and two or more places directly before or behind one."""
    before = [list(range(start, total)) for start in range(total - 1)]
    behind = [list(range(total + 1, end)) for end in range(total + 3, width + 1)]
    return [[at for at in range(width) if at != total], *before, *behind] if width > 2 else []


def _lines(cells: _Cells, total: int, chosen: Sequence[int]) -> list[_Line]:
    lines = []
    for at, row in enumerate(cells):
        parts = [number for place in chosen if (number := row[place])]
        whole = row[total]
        if whole and len(parts) == len(chosen) and len(parts) > 1:
            lines.append(_Line(at, parts, whole))
    return lines


def _agreement(lines: Sequence[_Line]) -> float:
    right = [line for line in lines if line.fits]
    return sum(line.agreement for line in right) if any(line.is_telling for line in right) else 0.0


def _flow(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """`Assessed 210, excluded 60, randomised 150` below each other: who came minus who left is who stayed."""
    left = [at for at, row in enumerate(table.rows) if row and _LEAVES.match(row[0])]
    for at in left:
        if not 0 < at < len(table.rows) - 1 or {at - 1, at + 1} & set(left):
            continue
        for column in range(1, len(table.header)):
            numbers = [found for row in table.rows[at - 1 : at + 2] if (found := number_of("".join(row[column:][:1])))]
            if len(numbers) < 3 or adds_up(numbers[1:], numbers[0]):
                continue
            came, went, stayed = (number.value for number in numbers)
            if came > stayed > 0.7 * (came - went):
                yield _finding(rows[at + 1], _Line(at + 1, numbers[1:], numbers[0]))


def _finding(statement: Statement, line: _Line) -> ComputedFinding:
    exact = f"{sum(number.value for number in line.parts):.10g}"
    return statement.finding(
        "sum of parts",
        "medium",
        (0, 0),
        computation=f"{' + '.join(f'{number.value:g}' for number in line.parts)} = {exact}, "
        f"printed is {line.total.value:.10g}",
        consistent=f"{exact}, or parts that sum to {line.total.value:.10g}",
    )
