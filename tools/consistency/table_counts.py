"""Counts of a table against its percentages and its totals.

What a percentage is of, and whether a column is a sum, is seldom said in words. It is taken for known where most rows
agree on it; a row that does not agree is the finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.consistency.printed import Printed, printed
from tools.consistency.statements import PaperTable, Statement
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
    for at, share in _odd_shares(table.rows, table.header, range(1, len(table.header))):
        yield _share_finding(rows[at], share.part, share.whole, share.percent, "the other rows agree")
    width = min(map(len, table.rows), default=0)
    columns = [[row[at] for row in table.rows] for at in range(1, width)]
    names = [row[0] if row else "" for row in table.rows]
    for _, share in _odd_shares(columns, names, range(len(names))):
        yield _share_finding(rows[share.shown], share.part, share.whole, share.percent, "the other columns agree")


_MOST = 20
"""Columns or rows among which a share, its part and its whole are looked for."""


def _odd_shares(
    lines: Sequence[Sequence[str]], names: Sequence[str], places: Sequence[int]
) -> Iterator[tuple[int, _Share]]:
    """Lines whose percentage is not that of the two places that it is of in the others.

    Args:
        lines: Rows, or columns.
        names: Of the places in a line.
        places: Where a part, a whole or a percentage may stand.
    """
    cells = {at: [_parsed(line[at] if at < len(line) else "") for line in lines] for at in places[:_MOST]}
    counts = [at for at, column in cells.items() if any(cell.number is not None for cell in column)]
    for shown, column in cells.items():
        if not any(cell.percent for cell in column) or not (
            _IS_SHARE.search(names[shown]) or any(cell.is_share for cell in column)
        ):
            continue
        best: tuple[list[int], dict[int, _Share]] = ([], {})
        for part, whole, way in ((a, b, way) for a in counts for b in counts for way in ("of", "both", "rest")):
            if whole in {part, shown}:
                continue
            trios = enumerate(zip(cells[part], cells[whole], column, strict=True))
            found = {at: share for at, trio in trios if (share := _share(*trio, way, shown, inside=part == shown))}
            right = [at for at, share in found.items() if _fits(share.part, share.percent, share.whole)]
            if len(right) > len(best[0]):
                best = (right, found)
        right, found = best
        percents = [found[at].percent for at in right]
        telling = any(each.half < 0.5 and 0 < each.value < 100 for each in percents)  # hardly by chance
        if len(right) >= (1 if telling and len(found) == 2 else max(2, 0.6 * len(found))):
            yield from ((at, found[at]) for at in sorted(found.keys() - set(right)))


class _Parsed(NamedTuple):
    """What a cell may be."""

    number: int | None
    percent: Printed | None
    """Behind the count, or alone."""
    joined: bool
    """Whether it stands behind a count."""
    is_share: bool
    """Whether its form says that it is one: it has a sign for per cent, decimals or a count before it."""


def _parsed(cell: str) -> _Parsed:
    if joined := _BOTH.fullmatch(cell):
        return _Parsed(_int(joined["n"]), printed(joined["percent"]), joined=True, is_share=True)
    alone = _PERCENT.fullmatch(cell)
    count = _int(cell) if _COUNT.fullmatch(cell) else None
    percent = printed(alone["percent"]) if alone else None
    return _Parsed(count, percent, joined=False, is_share=alone is not None and re.search(r"[.%]", cell) is not None)


def _share(part: _Parsed, whole: _Parsed, shown: _Parsed, way: str, place: int, *, inside: bool) -> _Share | None:
    """The share of one cell of another, of the sum of both, or of what the one leaves of the other."""
    if part.number is None or whole.number is None or shown.percent is None or shown.joined != inside:
        return None
    counts = {
        "of": (part.number, whole.number),
        "both": (part.number, whole.number + part.number),
        "rest": (whole.number - part.number, whole.number),
    }
    one, total = counts[way]
    return _Share(one, total, shown.percent, place) if total > 1 and one >= 0 else None


def _share_finding(statement: Statement, part: int, whole: int, percent: Printed, why: str = "") -> ComputedFinding:
    exact = 100 * part / whole
    return statement.finding(
        "percentage",
        "low" if abs(exact - percent.value) <= 2 * percent.half + 1e-9 else "medium",
        (0, 0),
        computation="; ".join(filter(None, [f"{part} of {whole} is {exact:.1f}%, printed is {percent.value:g}%", why])),
        consistent=f"{exact:.1f}%",
    )


def _row_fractions(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Cells `12/40 (30%)`, or `12/40` beside the only percentage of the row or above one in the row below."""
    for row, below, statement in zip(table.rows, table.rows[1:], rows[1:], strict=False):
        for cell, shown in zip(row[1:], below[1:], strict=False):
            found, percent = _FRACTION.fullmatch(cell), _PERCENT.fullmatch(shown)
            if not found or not percent or not _IS_PERCENT.search(f"{below[0]} {shown}"):
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
    wholes = {at: whole for at, found in pairs.items() if (whole := sum(part for part, _ in found))}
    right = [at for at, whole in wholes.items() if all(_fits(*pair, whole) for pair in pairs[at])]
    for at in wholes.keys() - set(right) if right and len(right) >= len(pairs) / 2 else ():
        fitting = [_fits(*pair, wholes[at]) for pair in pairs[at]]
        if fitting.count(False) == 1:
            part, percent = pairs[at][fitting.index(False)]
            yield _share_finding(rows[at], part, wholes[at], percent, "the other cells agree")


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
            yield _share_finding(rows[at], part, _int(sizes[column]), percent, "most of the other cells agree")


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
            yield _share_finding(rows[at], part, whole, percent, "the other columns agree")


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
        if not 80 < total < 125:
            continue
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
