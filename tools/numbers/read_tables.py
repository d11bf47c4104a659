"""Read the records of tables: each cell is what the headings above it, or before it, name.

A heading is taken apart at its brackets and commas, and each part looked up among the names that a field prescribes:
`OR (95% CI)` makes of `1.50 (1.02, 2.20)` an estimate and its interval. A cell that has another number of values than
its heading names is not read, nor are values that cannot be told to belong together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import NamedTuple, cast

from tools.numbers.read_text import PEOPLE, find_adjustment, find_tails, read_degrees, read_scale
from tools.numbers.records import (
    ALPHA,
    COUNT,
    NUMBER,
    DegreesOfFreedom,
    Estimate,
    GroupComparison,
    MeanAndDeviation,
    Proportion,
    Relation,
    ReportedTest,
    RoundedNumber,
    TestKind,
    parse_number,
    whole_number,
)  # fmt: skip
from tools.numbers.statements import PaperTable, Statement

_NAMES = {
    "n": "n; N; sample size; number of participants; number of patients; no. of participants; no. of patients",
    "k": "k; studies; number of studies; no. of studies",
    "count": "count; counts; frequency; freq; number; no; events",
    "percentage": "%; percent; percentage; per cent",
    "mean": "M; mean; means",
    "deviation": "SD; standard deviation; standard deviations; std dev; std. dev; std. deviation",
    "error": "SE; SEM; standard error; std. error",
    "ratio": "OR; aOR; RR; aRR; HR; aHR; IRR; odds ratio; risk ratio; hazard ratio; rate ratio; relative risk",
    "difference": "MD; SMD; WMD; RD; mean difference; risk difference; difference; b; B; β; beta; coefficient; slope",
    "d": "d; cohen’s d; cohen's d; hedges’ g; hedges' g",
    "estimate": "estimate; adjusted mean; marginal mean; geometric mean; weighted mean; least squares mean; LS mean",
    "interval": "CI; confidence interval; CrI; credible interval; confidence limits",
    "low": "LL; LCL; lower; lower limit; lower bound; lower CI; CI lower; 2.5%; 2.5 %",
    "high": "UL; UCL; upper; upper limit; upper bound; upper CI; CI upper; 97.5%; 97.5 %",
    "t": "t; t value; t statistic; t ratio",
    "F": "F; F value; F statistic; F ratio",
    "z": "z; Z; z value; z statistic; wald z",
    "r": "r; pearson’s r; pearson's r; pearson r; correlation; correlation coefficient",
    "chi": "χ2; χ 2; X2; chi square; chi squared; chi square statistic",
    "Q": "Q; cochran’s q; cochran's q",
    "df": "df; d.f; degrees of freedom",
    "df1": "df1; num. df; num df; numerator df; between df; df_1",
    "df2": "df2; den. df; den df; denominator df; within df; error df; residual df; df_2",
    "p": "p; P; p value; P value; sig; significance; Pr",
}
_ROLES = {name: role for role, names in _NAMES.items() for name in names.split("; ")}
_WHOLE_HEADINGS = frozenset("bBdgβrQHk")  # letters that name groups and vitamins, too, where other words stand before
STATISTICS = frozenset({"t", "F", "z", "r", "chi", "Q"})
_ESTIMATES = frozenset({"ratio", "difference", "estimate", "d"})
_CONTENTS = frozenset({"count", "percentage", "mean", "deviation", "error"})
_SIZE = re.compile(rf"\b[nN]\s?=\s?(?P<n>{COUNT})")
_COUNT = re.compile(COUNT)
_LEVEL = re.compile(r"(?P<level>9\d(?:\.\d)?)\s?%\s?(?=[Cc])")  # 95% CI
_PARTS = re.compile(r"[()\[\],;:/±_]|\+/-|\band\b")
_VALUES = re.compile(r"\s?(?:[(\[;]|±|\+/-)\s?")  # parts the values of a cell: 1.50 (1.02, 2.20); 3.4 ± 1.2
_BEGINS_NUMBER = re.compile(r"[<>=≤≥~≈-]?\s?[-–+]?\.?\d")
_NUMBER_CELL = re.compile(rf"(?P<value>{NUMBER})\s?%?\s?[a-z†‡§]?")
_ENDS = re.compile(rf"(?P<low>{NUMBER})\s?%?\s?(?:to|[-–,;])\s?(?P<high>{NUMBER})\s?%?")
P_CELL = re.compile(
    r"(?:[pP]\s?)?(?P<relation>[<>=≤≥]?)\s?(?P<p>0?\.\d+|1(?:\.0+)?|\d(?:\.\d+)?[eE][-–]\d+)\s?[a-z†‡§]?"
    r"|(?P<ns>n\.?\s?s\.?|NS)"
)
_OWN_NAME = re.compile(r"(?P<heading>[^=]+?)\s?=\s?(?P<value>[-–+]?[\d.]+)")  # t(38) = 2.20
_COUNT_AND_SHARE = re.compile(r"\d+ ?\(\d+(?:\.\d+)? ?%\)")  # 12 (40%)
_PAIR_TOLD = {
    ("mean", "deviation"): re.compile(r"\b(?:M|[Mm]eans?)(?: and |\s?[(±]\s?)(?:SDs?|standard deviations?)\b"),
    ("count", "percentage"): re.compile(r"\b(?:[nN]|[Nn]umbers?) \((?:%|percentages?)\)"),
}
_ERROR = re.compile(r"error\b|residuals?\b|within\b", re.IGNORECASE)


class TableHeading(NamedTuple):
    """What the words above a column, or before a row, name."""

    words: str = ""
    roles: tuple[str, ...] = ()
    """Of the values of each cell, in their order."""
    n: int | None = None
    degrees: tuple[str, ...] = ()
    """The numbers of `F(2, 57)`."""
    pure: bool = False
    """Whether the words are names of roles and nothing else."""


@dataclass(frozen=True)
class TableValue:
    """A value of a cell with what the headings say that it is."""

    role: str
    text: str
    heading: TableHeading
    label: str
    """The words before its row."""
    statement: Statement


class ParsedTable(NamedTuple):
    """A table as lines of values that belong together: its rows, or its columns if the names stand at the left."""

    about: str
    """Caption, headings and notes."""
    lines: list[list[TableValue]]


def parse_heading(words: str) -> TableHeading:
    """Look up the parts of a heading among the names of roles."""
    sizes = {whole_number(found["n"]) for found in _SIZE.finditer(words)}
    rest = _LEVEL.sub("", _SIZE.sub("", words)).replace("\\", "")
    parts = [
        " ".join(part.replace("-", " ").replace("²", "2").replace("^", "").split()).strip(" .")
        for part in _PARTS.split(rest)
    ]
    if sizes and len(parts[0]) == 1:
        parts = parts[1:]  # B (n = 20) is a group
    named = [(part, *_find_role(part)) for part in parts if part]
    roles = tuple(role for _, role, _ in named if role)
    numbers = tuple(part for part, role, _ in named if not role and re.fullmatch(r"\d+(?:\.\d+)?", part))
    return TableHeading(
        words=words,
        roles=roles,
        n=sizes.pop() if len(sizes) == 1 else None,
        degrees=numbers if STATISTICS & set(roles) else (),
        pure=bool(roles) and all(whole for _, _, whole in named),
    )


def _find_role(part: str) -> tuple[str, bool]:
    """Return the role that a part of a heading ends with, and whether it is nothing else."""
    words = part.partition(" for ")[0].split()
    if " for " in part and words[-1] != "CI":
        return "", False  # `p for trend` belongs to no statistic of its row
    for start in range(len(words)):
        name = " ".join(words[start:])
        role = _ROLES.get(name) or (_ROLES.get(name.lower()) if len(name) > 1 else None)
        if role and not (start and name in _WHOLE_HEADINGS):
            return role, start == 0
    return "", False


def parse_table(table: PaperTable) -> ParsedTable:
    """Take a table apart into lines of values with roles."""
    depth = _count_heading_rows(table.rows)
    body = list(zip(table.rows[depth:], table.statements[depth - 1 :], strict=True))
    labels = [parse_heading(row[0]) for row, _ in body]
    columns = _list_columns(table.rows[:depth])
    at_top, at_left = ({role for each in group if each.pure for role in each.roles} for group in (columns, labels))
    turned = len(at_left) > len(at_top)
    told = [roles for roles, pattern in _PAIR_TOLD.items() if pattern.search(f"{table.caption} ; {table.notes}")]
    section = TableHeading(roles=told[0] if len(told) == 1 else ())
    if not turned:
        columns = _add_sizes(columns, labels, [row for row, _ in body])
    grid: list[list[list[TableValue]]] = []
    for label, (row, statement) in zip(labels, body, strict=True):
        if row[0] and not any(row[1:]):
            section = label if label.roles else section._replace(words=label.words)
        elif len(row) == len(columns):
            named = (
                label if label.roles else section._replace(words=f"{section.words} {label.words}".strip(), n=label.n)
            )
            cells = zip(columns[1:], row[1:], strict=True)
            grid.append([_read_cell(column, named, cell, statement) for column, cell in cells])
    lines = zip(*grid, strict=True) if turned else grid
    about = " ; ".join(filter(None, [table.caption, *(column.words for column in columns), table.notes]))
    return ParsedTable(about, [[value for cell in line for value in cell] for line in lines])


def _count_heading_rows(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows stand above the first that has a number, at least one."""
    for at, row in enumerate(rows[1:], 1):
        cells = [cell for cell in row[1:] if cell]
        if not cells or any(_BEGINS_NUMBER.match(cell) and not parse_heading(cell).roles for cell in cells):
            return at
    return 1


def _list_columns(rows: Sequence[Sequence[str]]) -> list[TableHeading]:
    """Return what the headings of each column name; the lowest that names a role decides."""
    filled = [list(row) for row in rows]
    for row in filled[:-1]:  # a heading over several columns stands in the first of them
        for at in range(2, len(row)):
            row[at] = row[at] or row[at - 1]
    columns: list[TableHeading] = []
    for at, cells in enumerate(zip_longest(*filled, fillvalue="")):
        levels = [parse_heading(cell) for cell in cells if cell]
        naming = next((level for level in reversed(levels) if level.roles), TableHeading())
        n = next((level.n for level in reversed(levels) if level.n), None)
        columns.append(naming._replace(words="; ".join(level.words for level in levels), n=n))
        if at and not any(row[at : at + 1] and row[at] for row in rows) and columns[at - 1].roles == ("interval",):
            columns[at - 1 :] = [columns[at - 1]._replace(roles=(role,)) for role in ("low", "high")]
    return columns


def _add_sizes(
    columns: list[TableHeading], labels: Sequence[TableHeading], rows: Sequence[Sequence[str]]
) -> list[TableHeading]:
    """Return the columns with the n that a row named `n` tells of each."""
    sizes = next((row for label, row in zip(labels, rows, strict=True) if label.pure and label.roles == ("n",)), None)
    if sizes is None or len(sizes) != len(columns):
        return columns
    told = [whole_number(cell) if _COUNT.fullmatch(cell) else None for cell in sizes]
    return [column._replace(n=column.n or n) for column, n in zip(columns, told, strict=True)]


def _read_cell(column: TableHeading, label: TableHeading, cell: str, statement: Statement) -> list[TableValue]:
    """Return the values of a cell, none if its headings do not name each of them."""
    own = _OWN_NAME.fullmatch(cell)
    shared = _COUNT_AND_SHARE.fullmatch(cell)
    naming = parse_heading(own["heading"]) if own else TableHeading()
    if own and naming.roles:
        cell = own["value"]
    elif column.roles and label.roles and column.roles != label.roles and {*column.roles, *label.roles} <= _CONTENTS:
        return []  # the column says that it holds percentages, and the row that it holds means
    elif shared and not column.roles and not label.roles:
        naming = TableHeading(roles=("count", "percentage"))
    else:
        naming = column if column.roles else label
    texts = [text for text in _VALUES.split(cell.rstrip(")] ")) if text]
    if len(texts) != len(naming.roles):
        return []
    heading = naming._replace(words=column.words, n=column.n or label.n)
    pairs = zip(naming.roles, texts, strict=True)
    return [TableValue(role, text.strip(), heading, label.words, statement) for role, text in pairs]


def _find_beside(
    line: Sequence[TableValue], at: int, among: Collection[str], roles: Collection[str]
) -> TableValue | None:
    """Return the value that belongs to another of its line: where there are as many, the first to the first.

    Args:
        line: The values of a line.
        at: Place of the value to which another belongs.
        among: The roles that such values have.
        roles: The roles of what belongs to them.
    """
    owners = [place for place, each in enumerate(line) if each.role in among]
    others = [each for each in line if each.role in roles]
    return others[owners.index(at)] if at in owners and len(owners) == len(others) else None


def _parse_cell(value: TableValue | None) -> RoundedNumber | None:
    """Return the number of a cell; None where there is no cell, or it holds anything else."""
    found = _NUMBER_CELL.fullmatch(value.text) if value else None
    return parse_number(found["value"]) if found else None


def _parse_p(value: TableValue | None) -> tuple[RoundedNumber | None, Relation]:
    """Return the p-value of a cell with its relation; None where there is none."""
    found = P_CELL.fullmatch(value.text) if value else None
    if found is None:
        return None, "="
    if found["ns"]:
        return RoundedNumber(ALPHA, 0.0), "ns"
    return parse_number(found["p"]), cast("Relation", found["relation"] or "=")


def read_proportions(table: ParsedTable) -> Iterator[Proportion]:
    """Read `12 (40%)` below a heading that tells how many there are: `Tea (n = 30)`."""
    above: dict[str, list[int]] = {}
    for line in table.lines:
        counts = {
            id(each): whole_number(each.text) for each in line if each.role == "count" and _COUNT.fullmatch(each.text)
        }
        for count, percentage in pairwise(line):
            number = _parse_cell(percentage)
            if id(count) not in counts or percentage.role != "percentage" or number is None or not count.heading.n:
                continue
            yield Proportion(
                statement=count.statement,
                place=(0, 0),
                count=counts[id(count)],
                total=count.heading.n,
                percentage=number,
                approximate=False,
                other_totals=(sum(counts.values()), *above.get(count.heading.words, [])),
            )
        for each in line:
            if id(each) in counts:
                above.setdefault(each.heading.words, []).append(counts[id(each)])


def read_means(table: ParsedTable) -> Iterator[MeanAndDeviation]:
    """Read means whose n a heading or a column tells, each with the deviation beside it."""
    for line in table.lines:
        yield from _read_means_of(line)


def _read_means_of(line: Sequence[TableValue]) -> Iterator[MeanAndDeviation]:
    for at, each in enumerate(line):
        of_people = each.role == "percentage" and PEOPLE.search(f"{each.heading.words} {each.label}")
        mean = _parse_cell(each) if each.role == "mean" or of_people else None
        size = _find_beside(line, at, {each.role}, {"n"})
        n = each.heading.n or (whole_number(size.text) if size and _COUNT.fullmatch(size.text) else None)
        if mean is None or not n or (of_people and any(other.role == "count" for other in line)):
            continue
        scale = read_scale(f"{each.statement.caption} {each.heading.words} {each.label}")
        yield MeanAndDeviation(
            statement=each.statement,
            place=(0, 0),
            mean=mean,
            deviation=_parse_cell(_find_beside(line, at, {each.role}, {"deviation"})),
            n=n,
            items=scale.items,
            whole=scale.whole,
            binary=scale.binary,
            percentage=bool(of_people),
        )


def read_estimates(table: ParsedTable) -> Iterator[Estimate]:
    """Read estimates with the interval and the p-value of the same line."""
    for line in table.lines:
        for at, each in enumerate(line):
            value = _parse_cell(each) if each.role in _ESTIMATES else None
            low, high = (_find_beside(line, at, _ESTIMATES, {role}) for role in ("low", "high"))
            whole = _find_beside(line, at, _ESTIMATES, {"interval"})
            if each.role == "ratio" and [behind.role for behind in line[at + 1 : at + 2]] == ["interval"]:
                whole = line[at + 1]  # in `b | SE | OR | 95% CI` the interval is that of OR
            ends = _ENDS.fullmatch(whole.text if whole else f"{low.text} to {high.text}" if low and high else "")
            if value is None or ends is None:
                continue
            level = _LEVEL.search((whole or low or each).heading.words) or _LEVEL.search(table.about)
            p, relation = _parse_p(_find_beside(line, at, _ESTIMATES, {"p"}))
            yield Estimate(
                statement=each.statement,
                place=(0, 0),
                measure=each.heading.words,
                scale="ratio" if each.role == "ratio" else "unknown" if each.role == "estimate" else "difference",
                value=value,
                low=parse_number(ends["low"]),
                high=parse_number(ends["high"]),
                level=float(level["level"]) / 100 if level else 0.95,
                p=p,
                p_relation=relation,
            )


def read_tests(table: ParsedTable) -> Iterator[ReportedTest]:
    """Read statistics with the degrees of freedom and the p-value of the same line."""
    for below, line in enumerate(table.lines, 1):
        for at, each in enumerate(line):
            value = _parse_cell(each) if each.role in STATISTICS else None
            p, relation = _parse_p(_find_beside(line, at, STATISTICS, {"p"}))
            if value is None or p is None:
                continue
            degrees = _find_degrees(line, at, table.lines[below:])
            if degrees is not None:
                yield ReportedTest(
                    statement=each.statement,
                    place=(0, 0),
                    kind=cast("TestKind", each.role),
                    statistic=value,
                    statistic_relation="=",
                    degrees=degrees,
                    p=p,
                    p_relation=relation,
                    tails=find_tails(table.about),
                    adjustment=find_adjustment(table.about, degrees),
                )


def _find_degrees(
    line: Sequence[TableValue], at: int, below: Sequence[Sequence[TableValue]]
) -> DegreesOfFreedom | None:
    """Find degrees of freedom in the heading, in the line, or in the line of the error below it; of r by n pairs."""
    kind = cast("TestKind", line[at].role)
    beside = {role: _find_beside(line, at, STATISTICS, {role}) for role in ("df", "df1", "df2", "n", "k")}
    own, first, second, pairs, studies = (each.text if each else "" for each in beside.values())
    error = next((each.text for row in below for each in row if each.role == "df" and _ERROR.match(each.label)), "")
    told = [", ".join(line[at].heading.degrees), f"{first}, {second}", own, f"{own}, {error}"]
    if kind == "r" and pairs:
        told.append(f"n = {pairs}")
    if kind == "Q" and studies.isdecimal():
        told.append(str(int(studies) - 1))
    return next((found for text in told if (found := read_degrees(kind, text)) is not None), None)


def read_comparisons(table: ParsedTable) -> Iterator[GroupComparison]:
    """Read rows with the means, deviations and n of two groups and one t or one Cohen's d."""
    for line in table.lines:
        groups = [mean for mean in _read_means_of(line) if mean.deviation]
        for measure in ("t", "d"):
            values = [at for at, each in enumerate(line) if each.role == measure]
            value = _parse_cell(line[values[0]]) if len(values) == 1 else None
            if len(groups) != 2 or value is None:
                continue
            degrees = _find_degrees(line, values[0], []) if measure == "t" else None
            yield GroupComparison(
                statement=line[values[0]].statement,
                place=(0, 0),
                groups=(groups[0], groups[1]),
                measure=measure,
                value=value,
                degrees=degrees[0].value if degrees else None,
            )
