"""Percentages against the counts beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from tools.numbers.records import COUNT, NUMBER_OR_WORD, RoundedNumber, parse_number, whole_number
from tools.numbers.statements import PaperTable, Statement

_BARE = r"(?<![\w.,/–-])(?<!\d\s)"
_PERCENT = r"(?P<percent>\d{1,3}(?:\.\d+)?)\s?(?:%|per ?cent\b)"
_PART = rf"(?P<part>{COUNT})"
_PART_OR_WORD = rf"(?P<part>{NUMBER_OR_WORD})"
_WHOLE = rf"(?P<whole>{COUNT})(?![%\d/]|\s?%|\.\d)"
_WHOLE_OR_WORD = rf"(?P<whole>{NUMBER_OR_WORD})(?![%\d/-]|\s?%|\.\d)"
_OF = r"\s?(?:/|(?:out )?of(?: (?:the|all|a total of))?(?: the)?(?= \d))\s?"
_OF_WORDS = r" (?:out )?of(?: (?:the|all|a total of))?(?: the)? "
_THINGS = r"(?:\s(?!and\b|or\b|but\b|while\b|with\b|of\b)[^\W\d_][\w’'-]*){0,4}"
_OF_THINGS = r"(?: of(?: the| all)?(?: [^\W\d_][\w’'-]*){1,4})?"
_COUNTED = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # 20% (8 of 32), 20% (8/32 patients), 20% of patients (8 of 32)
        rf"{_BARE}{_PERCENT}{_OF_THINGS},?\s?[(\[]\s?(?:n\s?=\s?)?{_PART}{_OF}{_WHOLE}(?!\s?[x×]|\s?[a-z]{{0,3}}/)",
        # 8 of 32 patients (20%), 8/32 (20%)
        rf"{_BARE}{_PART}{_OF}{_WHOLE}{_THINGS}\s?[(\[,]\s?(?:or |i\.e\.,? )?{_PERCENT}(?=\s?[)\];,.]|$)",
        # Eight of the 32 patients (20%)
        rf"{_BARE}{_PART_OR_WORD}{_OF_WORDS}{_WHOLE_OR_WORD}{_THINGS}\s?[(\[]\s?{_PERCENT}(?=\s?[)\];,])",
        # 8 (20%) of 32, 8 (20%) of the 32
        rf"{_BARE}{_PART}\s?[(\[]\s?(?:i\.e\.,? |or |that is,? )?{_PERCENT}\s?[)\]]"
        rf"\s?(?:of|out of)(?: the| all)?\s{_WHOLE}",
        # 8 patients, 20% of the 32
        rf"{_BARE}{_PART}{_THINGS}, (?:or |i\.e\.,? )?{_PERCENT} of (?:the|all|all the) {_WHOLE}",
        # 8 patients (20% of 32)
        rf"{_BARE}{_PART}{_THINGS}\s?[(\[]\s?{_PERCENT} of (?:the |all |all the )?{_WHOLE}",
        # 20% (8) of the 32
        rf"{_BARE}{_PERCENT}\s?[(\[]\s?(?:n\s?=\s?)?{_PART}\s?[)\]] of (?:the |all |all the )?{_WHOLE}",
        # 8/32 = 20%
        rf"{_BARE}{_PART}\s?/\s?{_WHOLE}\s?=\s?{_PERCENT}",
        # Of these 32, 8 (20%); among 32 patients, 8 (20%)
        rf"\b(?:of|among) (?:(?:these|the|those|all|our) )?{_WHOLE}{_THINGS}, (?:only |a further )?"
        rf"{_PART_OR_WORD}{_THINGS} "
        rf"[(\[]\s?{_PERCENT}\s?[)\]](?! of\b)",
    )
]
_LOOSE = re.compile(
    r"(?:about|approximately|approx\.?|around|roughly|nearly|almost|over|under|circa|ca\.|more than|less than"
    r"|at least|up to|[~≈<>≤≥±])\s?$",
    re.IGNORECASE,
)
_NOT_A_SHARE = re.compile(
    r"\b(?:increase[sd]?|decrease[sd]?|reduc(?:ed|tion)|higher|lower|more|less|fewer|change[sd]?|difference"
    r"|improve(?:d|ment)|weighted|adjusted|confidence|CI|power|humidity)\W*$",
    re.IGNORECASE,
)


def check_percentages(statement: Statement) -> Iterator[ComputedFinding]:
    """Percentages that the counts beside them do not give."""
    text, told = statement.text, set[int]()
    for match in (match for pattern in _COUNTED for match in pattern.finditer(text)):
        part, whole, percent = whole_number(match["part"]), whole_number(match["whole"]), parse_number(match["percent"])
        possible = whole > 0 and not (part > whole and "/" in match[0]) and percent.value <= 100
        changes = _NOT_A_SHARE.search(text[max(0, match.start() - 25) : match.start()])
        if not possible or changes or match.start("percent") in told:
            continue
        told.add(match.start("percent"))
        loose = _LOOSE.search(text[max(0, match.start("percent") - 25) : match.start("percent")])
        exact = 100 * part / whole
        if not (abs(percent.value - exact) < 3 if loose else percent.holds(exact)):
            yield _finding(statement, match.span(), part, whole, percent)


_GROUP = re.compile(r"\b[nN]\s?=\s?(?P<whole>\d[\d,]*)")
_CELL = re.compile(rf"(?P<part>{COUNT})\s?\(\s?(?P<percent>\d{{1,3}}(?:\.\d+)?)\s?%?\s?\)")


def check_percentage_table(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Cells like `12 (40%)` below a title that tells how many there are: `Tea (n = 30)`."""
    groups = [_GROUP.search(title) for title in table.header]
    for row, statement in zip(table.rows, rows, strict=True):
        for group, cell in zip(groups, row, strict=False):
            share = _CELL.fullmatch(cell)
            if not group or not share or "%" not in f"{cell} {row[0]}":
                continue
            part, whole, percent = (
                whole_number(share["part"]),
                whole_number(group["whole"]),
                parse_number(share["percent"]),
            )
            if whole >= max(part, 1) and not percent.holds(100 * part / whole):
                yield _finding(statement, (0, 0), part, whole, percent)


def _finding(
    statement: Statement, place: tuple[int, int], part: int, whole: int, percent: RoundedNumber
) -> ComputedFinding:
    exact, shown = 100 * part / whole, f"{percent.value:g}"
    decimals = max(0, round(-math.log10(2 * percent.half)))
    others = [str(other) for other in range(whole + 1) if percent.holds(100 * other / whole)]
    instead = f", or {' or '.join(others[:2])} of {whole}" if others else ""
    return statement.finding(
        "percentage",
        "low" if abs(exact - percent.value) <= 2 * percent.half + 1e-9 else "medium",
        place,
        computation=f"{part} of {whole} is {exact:.{max(1, decimals + 1)}f}%, printed is {shown}%",
        consistent=f"{exact:.{decimals}f}%{instead}",
    )
