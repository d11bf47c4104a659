"""A share or mean of the whole that lies outside those of all its groups, whatever their sizes.

`4% of type X and 7% of type Y failed; taken together, 7.8%`: the share of the whole is a weighted mean of the groups'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from tools.consistency.printed import Printed, printed
from tools.consistency.statements import PaperTable, Statement

_SHARE = re.compile(
    r"(?<![\w.,–<>≤≥/-])(?P<percent>\d{1,2}(?:\.\d+)?)\s?(?:%|per ?cent\b)(?!\s?(?:CI|conf|cred|point))"
)
_WHOLE = re.compile(
    r"\b(?:overall|taken together|altogether|in all|in total|combined|pooled|as a whole|the whole [a-z]+|all (?:of them"
    r"|groups|arms|sites|[a-z]+ together|\d[\d,]*|two|three|four|five|six)|both (?:groups|arms|[a-z]+s) together)\b",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\b(?:which makes|giving|gives|so that|thus|therefore|hence|taken together|the figure (?:was|is)|corresponding to"
    r"|resulting in|makes|yields?|yielding|(?:overall|combined|pooled) (?:[a-z]+ ){0,2}(?:rate|share|proportion"
    r"|figure))\b",
    re.IGNORECASE,
)
"""That the whole is made of what stands before it."""
_TOTAL_ROW = re.compile(
    r"\W*(?:overall|all(?: (?:of them|together|groups|sites|arms|two|three|four|five|six|[a-z]+s))?|total|whole [a-z]+"
    r"|both(?: [a-z]+s?)?|combined|pooled|together|entire [a-z]+)\W*(?:\([^)]*\))?",
    re.IGNORECASE,
)
_COMBINED = re.compile(
    r"\b(?:reduc\w+|decreas\w+|increas\w+|fell|rose|differ\w*|accuracy|precision|recall|alone|of (?:their|its"
    r"|these|those)"
    r"|F1|AUC|combination|added|gain\w*)\b",
    re.IGNORECASE,
)
"""With one of these the whole is a product, a difference or a combination, and no mean."""
_GROUPS = re.compile(
    r"\b(?:sex|gender|age|group|site|cent(?:re|er)|school|district|region|country|year|month|season|ward|class|stage|arm"
    r"|cohort|species|village|city|farm|stratum|subgroup|hospital|clinic)\w*\b",
    re.IGNORECASE,
)
_WEIGHTED = re.compile(r"%|per ?cent|\brates?\b|\bmeans?\b|\baverage\b|\bproportion\b|\bM\b", re.IGNORECASE)
_UNWEIGHTED = re.compile(
    r"\bSD\b|deviation|\bSE\b|change|share of|of (?:all|the) total|cumulative|contribut", re.IGNORECASE
)
_NUMBER = re.compile(r"\W*(?P<number>\d+(?:\.\d+)?)\s?%?(?:\s?[(±].*)?\W*")
_FARTHEST = 30
"""Points between the whole and its nearest group; what lies farther away is of something else."""


def check_whole_between_groups(statement: Statement) -> Iterator[ComputedFinding]:
    """Shares of the whole that are told as following from those of two or more groups near them."""
    if statement.row:
        return
    before: tuple[int, int] | None = None
    for start, end in statement.sentences():
        for begin in [start, *([before[0]] if before else [])]:
            found = _outside(statement.text[begin:end])
            if found:
                place, whole, groups = found
                yield _finding(statement, (begin + place, end), whole, groups)
                break
        before = (start, end)


def _outside(text: str) -> tuple[int, Printed, list[Printed]] | None:
    matches = list(_SHARE.finditer(text))
    if len(matches) < 3:
        return None
    shares: list[Printed] = [printed(match["percent"]) for match in matches]
    ends = [0, *(match.end() for match in matches[:-1])]
    last = text[ends[-1] : matches[-1].end()] + re.split(r"[.;(]", text[matches[-1].end() :])[0]
    if not _WHOLE.search(last) or not _FOLLOWS.search(last) or _COMBINED.search(text):
        return None
    whole, groups = shares[-1], shares[:-1]
    return (ends[-1], whole, groups) if _is_outside(whole, groups) else None


def check_whole_row(table: PaperTable, rows: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Shares and means in a row of the whole, against those of the other rows."""
    whole = [at for at, row in enumerate(table.rows) if row and _TOTAL_ROW.fullmatch(row[0])]
    if len(whole) != 1 or whole[0] not in {0, len(table.rows) - 1} or not _GROUPS.search(table.header[0]):
        return
    for column, title in enumerate(table.header):
        cells = [_NUMBER.fullmatch(row[column]) if column < len(row) else None for row in table.rows]
        numbers: list[Printed] = [printed(cell["number"]) for cell in cells if cell]
        told = f"{title} {'%' if all('%' in row[column] for row in table.rows if column < len(row)) else ''}"
        if column == 0 or len(numbers) < max(3, len(table.rows)):
            continue
        if not _WEIGHTED.search(told) or _UNWEIGHTED.search(told) or numbers[whole[0]].value == 100:
            continue
        groups = [number for at, number in enumerate(numbers) if at != whole[0]]
        if _is_outside(numbers[whole[0]], groups):
            yield _finding(rows[whole[0]], (0, 0), numbers[whole[0]], groups)


def _is_outside(whole: Printed, groups: Sequence[Printed]) -> bool:
    low, high = min(group.low for group in groups), max(group.high for group in groups)
    added = abs(sum(group.value for group in groups) - whole.value) <= sum(group.half for group in groups) + whole.half
    near = low - _FARTHEST < whole.value < high + _FARTHEST
    return near and not added and (whole.high < low or whole.low > high)


def _finding(
    statement: Statement, place: tuple[int, int], whole: Printed, groups: Sequence[Printed]
) -> ComputedFinding:
    low, high = min(group.value for group in groups), max(group.value for group in groups)
    return statement.finding(
        "percentage",
        "medium",
        place,
        computation=f"{whole.value:g} of the whole lies outside {low:g} to {high:g}, the values of its groups",
        consistent=f"a value from {low:g} to {high:g}, whatever the sizes of the groups",
    )
