"""Counts of a table against its percentages and its totals, and numbers of the text against its cells.

What a percentage is of, and whether a column is a sum, is seldom said in words. It is taken for known where most rows
agree on it; a row that does not agree is the finding.

Where a sentence has every word of a row's name and of a column's, and one number printed with the decimals of the cell,
it tells that cell. A number that is nearly the cell's and stands nowhere in the table is a slip in one of the two; so
is one with the digits of a cell in another order, beside a number of the same row or column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.consistency.printed import UNSIGNED, Printed, printed
from tools.consistency.slips import are_exchanged, digits_differ_by_slip
from tools.consistency.statements import PaperTable, Statement, TableRows
from tools.consistency.table_sums import adds_up, check_sums, number_of

_COUNT = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_BOTH = re.compile(r"(?P<n>\d[\d,]*)\s?\(\s?(?P<percent>\d+(?:\.\d+)?)\s?%?\s?\)")
_SIZE = re.compile(r"\b[nN]\s?=\s?(?P<n>\d[\d,]*)")
_TURNED = re.compile(r"(?P<percent>\d+(?:\.\d+)?)\s?%?\s?\(\s?(?P<n>\d[\d,]*)\s?\)")
_FRACTION = re.compile(
    r"(?P<n>\d[\d,]*)\s?(?:/|of)\s?(?P<whole>\d[\d,]*)(?:\s?\(\s?(?P<percent>\d+(?:\.\d+)?)\s?%?\s?\))?"
)
_PERCENT = re.compile(r"\(?(?P<percent>\d+(?:\.\d+)?)\s?%?\)?")
_IS_PERCENT = re.compile(r"%|per ?cent", re.IGNORECASE)
_IS_SHARE = re.compile(r"%|per ?cent|\brates?\b|\bshares?\b|\bproportions?\b|\bratio\b", re.IGNORECASE)
_SAYS_SIZE = re.compile(
    r"(?:[nN]|sample size|(?:total )?(?:number|no\.) of [a-z ]+|total|participants|patients"
    r"|all [a-z]+)(?:,? \(?[nN]\)?)?",
    re.IGNORECASE,
)
"""Name of a row that tells how many each column is of."""
_TOTAL = re.compile(
    r"(?:grand |row |column |sub)?(?:total|all(?: [a-z]+)?|sum|overall|both|together)s?(?:,? \(?n\)?)?|whole sample",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+|(?<![\d.,])\d+(?![\d.%])")


def check_table(table: PaperTable, rows: Sequence[Statement], notes: str) -> Iterator[ComputedFinding]:
    """Findings about the counts of a table.

    Args:
        table: The table.
        rows: A statement for each of its rows, to quote.
        notes: What stands below it.
    """
    for column in range(len(table.header)):
        yield from _percentages(table, rows, column)
    yield from _row_shares(table, rows)
    yield from _row_fractions(table, rows)
    yield from _row_groups(table, rows)
    yield from _sized_columns(table, rows)
    yield from _turned_shares(table, rows)
    yield from check_sums(table, rows)
    yield from _hundred(table, rows, notes)


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def _percentages(table: PaperTable, rows: Sequence[Statement], column: int) -> Iterator[ComputedFinding]:
    """A column of `12 (30%)`, or of counts beside one of percentages, against the whole that most of its rows have."""
    pairs = {at: pair for at, row in enumerate(table.rows) if (pair := _pair(table, row, column))}
    size = _told_whole(table, pairs, column)
    if len(pairs) < 2:
        return
    if len(pairs) == 2 and not size:  # alleles, sexes: of their sum, or of nothing that is known
        size = sum(part for part, _ in pairs.values())
        if not any(_fits(*pair, size) and pair[1].half < 0.5 for pair in pairs.values()):
            return
    told = f"{table.header[column]} {table.caption}"
    wholes = {size} if size else {_int(number) for number in _NUMBERS.findall(told)}
    if not size:
        wholes |= {_int(row[column]) for row in table.rows if column < len(row) and _COUNT.fullmatch(row[column])}
        wholes |= {sum(part for part, _ in pairs.values()), *(part for part, _ in pairs.values())}
    fits = {whole: [at for at, pair in pairs.items() if _fits(*pair, whole)] for whole in wholes if whole > 0}
    whole = max(fits, key=lambda each: len(fits[each]), default=0)
    if not whole or len(fits[whole]) < (0.5 * len(pairs) if size else max(2, 0.6 * len(pairs))):
        return
    for at, (part, percent) in pairs.items():
        if at not in fits[whole] and part <= whole:
            exact = 100 * part / whole
            yield rows[at].finding(
                "percentage",
                "low" if abs(exact - percent.value) <= 2 * percent.half + 1e-9 else "medium",
                (0, 0),
                computation=f"{part} of {whole} is {exact:.1f}%, printed is {percent.value:g}%; the other rows of the "
                f"column are of {whole}",
                consistent=f"{exact:.1f}%",
            )


def _told_whole(table: PaperTable, pairs: Mapping[int, tuple[int, Printed]], column: int) -> int:
    """The whole that the header names as `n = 120`, or a row named total as 100 %; 0 if neither does."""
    if size := _SIZE.search(table.header[column]):
        return _int(size["n"])
    sizes = {_int(number) for number in _SIZE.findall(table.caption)}
    if len(sizes) == 1 and not any(_SIZE.search(title) for title in table.header):
        return sizes.pop()
    totals = (part for at, (part, percent) in pairs.items() if percent.value == 100 and _is_total(table.rows[at]))
    return next(totals, 0)


def _is_total(row: Sequence[str]) -> bool:
    return bool(row) and _TOTAL.fullmatch(_bare(row[0])) is not None


def _pair(table: PaperTable, row: Sequence[str], column: int) -> tuple[int, Printed] | None:
    """Count and percentage of a cell, or of it and the next one."""
    if column >= len(row):
        return None
    cell, label = row[column], f"{table.header[column]} {row[0]} {table.caption}"
    found = _BOTH.fullmatch(cell)
    if found and not re.search(r"\bSD\b|±|mean", label):
        return _int(found["n"]), printed(found["percent"])
    turned = _TURNED.fullmatch(cell)
    if turned and ("%" in cell.partition("(")[0] or re.match(r"% ?\(n\)", table.header[column])):
        return _int(turned["n"]), printed(turned["percent"])
    after = row[column + 1] if column + 1 < len(row) else ""
    percent = _PERCENT.fullmatch(after)
    titles = f"{table.header[column + 1] if column + 1 < len(table.header) else ''} {after} {table.header[column]}"
    if column > 0 and _COUNT.fullmatch(cell) and percent and _IS_PERCENT.search(titles):
        return _int(cell), printed(percent["percent"])
    return None


def _fits(part: int, percent: Printed, whole: int) -> bool:
    return percent.holds(100 * part / whole)


class _Share(NamedTuple):
    """Part, whole and percentage of a line, and the place of the percentage in it."""

    part: int
    whole: int
    percent: Printed
    shown: int


def _row_shares(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """A percentage in each row, or in each column, against two other numbers of it, which most of them agree on."""
    for at, share in _odd_shares(table.rows):
        yield _share_finding(rows[at], share.part, share.whole, share.percent)
    width = min(map(len, table.rows))
    for _, share in _odd_shares([[row[at] for row in table.rows] for at in range(1, width)], first=0):
        if _IS_SHARE.search(f"{table.rows[share.shown][0]} {table.rows[share.shown][1]}"):
            yield _share_finding(rows[share.shown], share.part, share.whole, share.percent)


def _odd_shares(lines: Sequence[Sequence[str]], first: int = 1) -> Iterator[tuple[int, _Share]]:
    """Lines whose percentage is not that of the two places that it is of in the others."""
    places = range(first, max(map(len, lines), default=0))
    for shown in places:
        best: tuple[list[int], dict[int, _Share]] = ([], {})
        for part, whole, way in ((a, b, way) for a in places for b in places for way in ("of", "both", "rest")):
            if whole in {part, shown}:
                continue
            found = {at: share for at, line in enumerate(lines) if (share := _share(line, part, whole, shown, way))}
            right = [at for at, share in found.items() if _fits(share.part, share.percent, share.whole)]
            if len(right) > len(best[0]):
                best = (right, found)
        right, found = best
        percents = [found[at].percent for at in right]
        telling = any(each.half < 0.5 and 0 < each.value < 100 for each in percents)  # hardly by chance
        if len(right) >= (1 if telling and len(found) == 2 else max(2, 0.6 * len(found))):
            yield from ((at, found[at]) for at in sorted(found.keys() - set(right)))


def _share(line: Sequence[str], part: int, whole: int, shown: int, way: str) -> _Share | None:
    """The share of one place of another, of the sum of both, or of what the one leaves of the other."""
    if max(part, whole, shown) >= len(line):
        return None
    joined = _BOTH.fullmatch(line[part])
    percent = joined["percent"] if joined and shown == part else ""
    if not percent and shown != part and (alone := _PERCENT.fullmatch(line[shown])):
        percent = alone["percent"]
    number, of = joined["n"] if joined else line[part], line[whole]
    if not percent or not _COUNT.fullmatch(number) or not _COUNT.fullmatch(of):
        return None
    one, total = _int(number), _int(of)
    one, total = {"of": (one, total), "both": (one, total + one), "rest": (total - one, total)}[way]
    return _Share(one, total, printed(percent), shown) if total > 1 and one >= 0 else None


def _share_finding(statement: Statement, part: int, whole: int, percent: Printed) -> ComputedFinding:
    exact = 100 * part / whole
    return statement.finding(
        "percentage",
        "low" if abs(exact - percent.value) <= 2 * percent.half + 1e-9 else "medium",
        (0, 0),
        computation=f"{part} of {whole} is {exact:.1f}%, printed is {percent.value:g}%; the other rows agree",
        consistent=f"{exact:.1f}%",
    )


def _row_fractions(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Cells `12/40 (30%)`, or `12/40` beside the only percentage of the row or above one in the row below."""
    for row, below, statement in zip(table.rows, table.rows[1:], rows[1:], strict=False):
        for cell, shown in zip(row[1:], below[1:], strict=False):
            found, percent = _FRACTION.fullmatch(cell), _PERCENT.fullmatch(shown)
            if not found or not percent or not _IS_SHARE.search(f"{below[0]} {shown}"):
                continue
            part, whole = _int(found["n"]), _int(found["whole"])
            if 0 < part <= whole and not _fits(part, printed(percent["percent"]), whole):
                yield _share_finding(statement, part, whole, printed(percent["percent"]))
    for row, statement in zip(table.rows, rows, strict=True):
        fractions = [found for cell in row if (found := _FRACTION.fullmatch(cell))]
        percents = [
            found["percent"]
            for title, cell in zip(table.header, row, strict=False)
            if _IS_PERCENT.search(title + cell) and (found := _PERCENT.fullmatch(cell))
        ]
        beside = percents[0] if len(percents) == len(fractions) == 1 else ""
        for found in fractions:
            shown = found["percent"] or beside
            part, whole = _int(found["n"]), _int(found["whole"])
            if shown and 0 < part <= whole and not _fits(part, printed(shown), whole):
                yield _share_finding(statement, part, whole, printed(shown))


def _row_groups(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Rows of cells `12 (40%)` that are of the row's sum in another row, too."""
    pairs = {
        at: found
        for at, row in enumerate(table.rows)
        if len(found := [pair for column in range(1, len(row)) if (pair := _both(row[column]))]) > 1
    }
    wholes = {at: sum(part for part, _ in found) for at, found in pairs.items()}
    right = [at for at, found in pairs.items() if all(_fits(*pair, wholes[at]) for pair in found)]
    for at in pairs.keys() - set(right) if right and len(right) >= len(pairs) / 2 else ():
        fitting = [_fits(*pair, wholes[at]) for pair in pairs[at]]
        if fitting.count(False) == 1:
            part, percent = pairs[at][fitting.index(False)]
            yield _share_finding(rows[at], part, wholes[at], percent)


def _both(cell: str) -> tuple[int, Printed] | None:
    found = _BOTH.fullmatch(cell)
    return (_int(found["n"]), printed(found["percent"])) if found and "%" in cell else None


def _sized_columns(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Cells `12 (40%)` against the row that tells how many each column is of, if most are of them."""
    sizes = next((row for row in table.rows if row and _SAYS_SIZE.fullmatch(_bare(row[0]))), None)
    found = [
        (at, column, *pair)
        for at, row in enumerate(table.rows)
        for column in range(1, len(row))
        if sizes and column < len(sizes) and _COUNT.fullmatch(sizes[column]) and (pair := _both(row[column]))
    ]
    wrong = [each for each in found if sizes and not _fits(each[2], each[3], _int(sizes[each[1]]))]
    for at, column, part, percent in wrong if 0 < 2 * len(wrong) <= len(found) else ():
        if sizes and part <= _int(sizes[column]):
            yield _share_finding(rows[at], part, _int(sizes[column]), percent)


def _turned_shares(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Rows for the whole, the count and the percentage of one thing, and a column for each group."""
    names = [row[0] if row else "" for row in table.rows]
    sizes = next((row for row, name in zip(table.rows, names, strict=True) if _SAYS_SIZE.fullmatch(_bare(name))), None)
    for at, name in enumerate(names):
        counts = next(
            (
                row
                for row, other in zip(table.rows, names, strict=True)
                if other != name and _thing(other) == _thing(name)
            ),
            None,
        )
        if sizes is None or counts is None or sizes is counts or not _IS_PERCENT.search(name):
            continue
        told = [
            (_int(counts[column]), _int(sizes[column]), printed(found["percent"]))
            for column in range(1, min(map(len, (sizes, counts, table.rows[at]))))
            if _COUNT.fullmatch(counts[column]) and _COUNT.fullmatch(sizes[column])
            if (found := _PERCENT.fullmatch(table.rows[at][column]))
        ]
        wrong = [each for each in told if each[0] > each[1] or not _fits(each[0], each[2], each[1])]
        for part, whole, percent in wrong if 0 < 2 * len(wrong) <= len(told) else ():
            yield _share_finding(rows[at], part, whole, percent)


def _thing(name: str) -> str:
    """`Employed` of the rows `Employed, n` and `Employed (%)`."""
    return re.sub(r"[\s,(]*(?:%|per ?cent|n|no\.)\s?\)?$", "", name).lower()


_ONE_ANSWER = re.compile(
    r"exactly one (?:category|answer|group)|one answer (?:per|a|by each)|(?:mutually exclusive|exclusive categories)"
    r"|column (?:percentages|per cent)|percentages (?:add up|sum) to 100",
    re.IGNORECASE,
)


def _hundred(table: PaperTable, rows: Sequence[Statement], notes: str) -> Iterator[ComputedFinding]:
    """Columns of percentages of one whole that do not sum to 100: another one does, or the notes say so."""
    sums = {}
    for column, title in enumerate(table.header):
        numbers = [found for row in table.rows if (found := number_of("".join(row[column:][:1])))]
        if "%" in title and len(numbers) == len(table.rows) > 2:
            sums[column] = numbers
    hundred = Printed(100.0, 0.05)
    shares = [column for column, title in enumerate(table.header) if "%" in title]
    lines = {
        at: numbers
        for at, row in enumerate(table.rows)
        if len(numbers := [found for column in shares if (found := number_of("".join(row[column:][:1])))])
        == len(shares)
    }
    whole = [at for at, numbers in lines.items() if adds_up(numbers, hundred)]
    for at in lines.keys() - set(whole) if len(shares) > 2 and len(whole) > len(lines) / 2 > 1 else ():
        total = sum(number.value for number in lines[at])
        yield rows[at].finding(
            "sum of parts",
            "medium",
            (0, 0),
            computation=f"{' + '.join(f'{number.value:g}' for number in lines[at])} = {total:g}%; "
            f"the other rows sum to 100%",
            consistent="percentages that sum to 100",
        )
    right = [column for column, numbers in sums.items() if adds_up(numbers, hundred)]
    told = _ONE_ANSWER.search(f"{table.caption} {notes}") is not None
    for column in sums.keys() - set(right) if right or told else ():
        total = sum(number.value for number in sums[column])
        if 80 < total < 125:
            parts = " + ".join(f"{number.value:g}" for number in sums[column])
            why = "its parts are of one whole" if told else "the other column sums to 100%"
            yield rows[-1].finding(
                "sum of parts",
                "medium",
                (0, 0),
                computation=f"the column {table.header[column]} is {parts} = {total:g}%; {why}",
                consistent="percentages that sum to 100",
            )


def _bare(title: str) -> str:
    return re.sub(r"\s?[(\[]\s?[nN]\s?(?:=\s?[\d,]+)?\s?[)\]]|[:*†]|\s\(\d+\s?[–-]\s?\d+\)$", "", title).strip()


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
    """A number with two digits in another order than in a cell, beside a number that stands next to that cell, too."""
    cells = list(_cells(table))
    told = [printed(match[0]) for match in _TOLD_NUMBER.finditer(sentence)]
    known = [number for number in told if any(number == cell.value for cell in cells)]
    beside = [cell for cell in cells if cell.value in known]
    near = [
        (number, cell)
        for number in told
        if number not in known
        for cell in cells
        if sum(_digits(each.value) for each in beside if _is_next(each, cell)) > _FEWEST_DIGITS
    ]
    found = [(number, cell) for number, cell in near if _are_exchanged(number, cell.value)] or [
        (number, cell) for number, cell in near if _is_slip(number, cell.value) and _is_told(sentence, table, cell)
    ]
    return found[0] if len(found) == 1 else None


def _is_next(one: _Cell, other: _Cell) -> bool:
    return (one.row == other.row) != (one.column == other.column)


def _are_exchanged(one: Printed, other: Printed) -> bool:
    return one.half == other.half and are_exchanged(
        *(f"{round(each.value / (2 * each.half))}" for each in (one, other))
    )


def _is_slip(one: Printed, other: Printed) -> bool:
    """Whether one of three or more digits is wrong."""
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
