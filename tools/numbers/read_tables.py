"""Read records from tables by the headings above a cell or before it.

A heading is split at its brackets and commas, and each part looked up among the names that a field prescribes: below
`OR (95% CI)`, the cell `1.50 (1.02, 2.20)` is an estimate and its interval. A cell with more or fewer values than its
heading names is not read, nor are values that cannot be matched with each other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise, zip_longest
from typing import Any, NamedTuple, cast

from tools.numbers import records
from tools.numbers.read_text import PEOPLE, parse_degrees_of_freedom, parse_p_value, parse_scale
from tools.numbers.statements import PaperTable, Statement

_ROLE_NAMES = {
    "n": "n; N; sample size; number of participants; number of patients; no. of participants; no. of patients",
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
_ROLES_BY_NAME = {name: role for role, names in _ROLE_NAMES.items() for name in names.split("; ")}
# Names that must be a whole part of a heading: `Vitamin b` is no coefficient, and `weighted %` no share of n.
_WHOLE_HEADINGS = frozenset({"b", "d", "g", "β", "r", "q", "%", "percent", "percentage"})
_STATISTIC_ROLES = frozenset({"t", "F", "z", "r", "chi", "Q"})
_CONTENT_ROLES = frozenset({"count", "percentage", "mean", "deviation", "error"})
_SIZE = re.compile(rf"\b[nN]\s?=\s?(?P<n>{records.COUNT})")
_COUNT = re.compile(records.COUNT)
_LEVEL = re.compile(r"(?P<level>9\d(?:\.\d)?)\s?%\s?(?=[Cc])")  # 95% CI
_HEADING_SEPARATOR = re.compile(r"[()\[\],;:/±_]|\+/-|\band\b")
_VALUE_SEPARATOR = re.compile(r"\s?(?:[(\[;]|±|\+/-)\s?")  # in 1.50 (1.02, 2.20) and 3.4 ± 1.2
_BEGINS_NUMBER = re.compile(r"[<>=≤≥~≈-]?\s?[-–+]?\.?\d")
_FOOTNOTE_MARK = r"(?:\s?[a-z†‡§⁰¹²³⁴-⁹])?"
_NUMBER_CELL = re.compile(rf"(?P<value>{records.NUMBER})\s?%?{_FOOTNOTE_MARK}")
_INTERVAL_CELL = re.compile(rf"(?P<low>{records.NUMBER})\s?%?\s?(?:to|[-–,;])\s?(?P<high>{records.NUMBER})\s?%?")
_P_CELL = re.compile(
    rf"(?:[pP]\s?)?(?P<relation>[<>=≤≥]?)\s?(?P<p>0?\.\d+|1(?:\.0+)?|\d(?:\.\d+)?[eE][-–]\d+){_FOOTNOTE_MARK}"
    r"|(?P<ns>n\.?\s?s\.?|NS)"
)
_NAMED_VALUE = re.compile(r"(?P<heading>[^=]+?)\s?=\s?(?P<value>[-–+]?[\d.]+)")  # t(38) = 2.20
_COUNT_AND_SHARE = re.compile(r"\d+ ?\(\d+(?:\.\d+)? ?%\)")  # 12 (40%)
_WEIGHTED = re.compile(r"\bweighted\b", re.IGNORECASE)  # percentages that are no shares of the counts
_ERROR_LABEL = re.compile(r"error\b|residuals?\b|within\b", re.IGNORECASE)


class TableHeading(NamedTuple):
    """Named tuple of a heading of a column or a row: its words, and the roles that it gives to values."""

    words: str = ""
    roles: tuple[str, ...] = ()  # of the values of each cell, in their order
    n: int | None = None
    degrees: tuple[str, ...] = ()  # degrees of freedom, such as those of `F(2, 57)`
    pure: bool = False  # whether the heading consists of names of roles only


class TableValue(NamedTuple):
    """Named tuple of a value of a cell and the role that the headings give it."""

    role: str
    text: str
    heading: TableHeading
    label: str  # words before the row
    statement: Statement


class ParsedTable(NamedTuple):
    """Named tuple of a table as lines of related values: its rows, or its columns if roles are named at the left."""

    about: str  # caption, headings and notes
    lines: list[list[TableValue]]


def _parse_heading(words: str) -> TableHeading:
    """Parse the roles, the n and the degrees of freedom that a heading names; unknown words give no role."""
    sizes = {records.parse_whole_number(found["n"]) for found in _SIZE.finditer(words)}
    rest = _LEVEL.sub("", _SIZE.sub("", words)).replace("\\", "")
    plain = re.sub("[⁰¹³⁴-⁹]", "", rest.replace("-", " ").replace("²", "2").replace("^", ""))
    parts = [" ".join(part.split()).strip(" .") for part in _HEADING_SEPARATOR.split(plain)]
    named = [(part, *_find_role(part)) for part in parts if part]
    if sizes and len(named) == 1 and len(named[0][0]) == 1:
        named = []  # B (n = 20) is a group
    roles = tuple(role for _, role, _ in named if role)
    roles = ("count", "percentage") if roles == ("n", "percentage") else roles  # n (%)
    numbers = tuple(part for part, role, _ in named if not role and re.fullmatch(r"\d+(?:\.\d+)?", part))
    return TableHeading(
        words=words,
        roles=roles,
        n=sizes.pop() if len(sizes) == 1 else None,
        degrees=numbers if _STATISTIC_ROLES & set(roles) else (),
        pure=bool(roles) and all(whole for _, _, whole in named),
    )


def _find_role(part: str) -> tuple[str, bool]:
    """Return the role that a part of a heading ends with, or an empty text, and whether it has no other words."""
    words = part.partition(" for ")[0].split()
    if " for " in part and words[-1] != "CI":
        return "", False  # `p for trend` belongs to no statistic of its row
    for start in range(len(words)):
        name = " ".join(words[start:])
        role = _ROLES_BY_NAME.get(name) or (_ROLES_BY_NAME.get(name.lower()) if len(name) > 1 else None)
        if role and not (start and name.lower() in _WHOLE_HEADINGS):
            return role, start == 0
    return "", False


def parse_table(table: PaperTable) -> ParsedTable:
    """Parse a table into lines of values, each with the role that its headings give it."""
    # 1. Read the headings. The table is turned if more roles are named at the left than at the top.
    # They are the rows above the first row with a number, at least one.
    depth = 1
    for at, row in enumerate(table.rows[1:], 1):
        filled = [cell for cell in row[1:] if cell]
        if not filled or any(_BEGINS_NUMBER.match(cell) and not _parse_heading(cell).roles for cell in filled):
            depth = at
            break
    body = list(zip(table.rows[depth:], table.statements[depth - 1 :], strict=True))
    labels = [_parse_heading(row[0]) for row, _ in body]
    columns = _parse_column_headings(table.rows[:depth])
    at_top, at_left = ({role for each in group if each.pure for role in each.roles} for group in (columns, labels))
    turned = len(at_left) > len(at_top)

    # 2. Read the cells of each row. A row without cells is the heading of those below.
    section = TableHeading()
    grid: list[list[list[TableValue]]] = []
    for label, (row, statement) in zip(labels, body, strict=True):
        if row[0] and not any(row[1:]):
            section = label
        elif len(row) == len(columns):
            words = f"{section.words} {label.words}".strip()
            naming = (label if label.roles else section)._replace(words=words, n=label.n)
            # A block of rows with its own n is of other people than the columns.
            above = [each._replace(n=None) if section.n else each for each in columns[1:]]
            cells = zip(above, row[1:], strict=True)
            grid.append([_parse_cell_values(column, naming, cell, statement) for column, cell in cells])

    # 3. Arrange the values in lines.
    lines = zip(*grid, strict=True) if turned else grid
    about = " ; ".join(filter(None, [table.caption, *(column.words for column in columns), table.notes]))
    return ParsedTable(about, [[value for cell in line for value in cell] for line in lines])


def _parse_column_headings(rows: Sequence[Sequence[str]]) -> list[TableHeading]:
    """Return a heading for each column, with the roles of its lowest heading that names any."""
    filled = [list(row) for row in rows]
    # A heading over several columns stands in the first of them.
    for row in filled[:-1]:
        for at in range(2, len(row)):
            row[at] = row[at] or row[at - 1]
    columns: list[TableHeading] = []
    for at, cells in enumerate(zip_longest(*filled, fillvalue="")):
        levels = [_parse_heading(cell) for cell in cells if cell]
        naming = next((level for level in reversed(levels) if level.roles), TableHeading())
        n = next((level.n for level in reversed(levels) if level.n), None)
        columns.append(naming._replace(words="; ".join(level.words for level in levels), n=n))
        # A column without a heading behind an interval holds the upper ends.
        if at and not any(row[at : at + 1] and row[at] for row in rows) and columns[at - 1].roles == ("interval",):
            columns[at - 1 :] = [columns[at - 1]._replace(roles=(role,)) for role in ("low", "high")]
    return columns


def _parse_cell_values(column: TableHeading, label: TableHeading, cell: str, statement: Statement) -> list[TableValue]:
    """Return the values of a cell with their roles; an empty list if the headings do not name each of them."""
    own = _NAMED_VALUE.fullmatch(cell)
    naming = _parse_heading(own["heading"]) if own else TableHeading()
    is_named_twice = column.roles and label.roles and column.roles != label.roles
    if own and naming.roles:
        cell = own["value"]
    elif is_named_twice and {*column.roles, *label.roles} <= _CONTENT_ROLES:
        return []  # by its column the cell is a percentage, by its row a mean
    elif _COUNT_AND_SHARE.fullmatch(cell) and not column.roles and not label.roles:
        naming = TableHeading(roles=("count", "percentage"))
    else:
        naming = column if column.roles else label
    texts = [text for text in _VALUE_SEPARATOR.split(cell.rstrip(")] ")) if text]
    if len(texts) != len(naming.roles):
        return []
    heading = naming._replace(words=column.words, n=column.n or label.n)
    pairs = zip(naming.roles, texts, strict=True)
    return [TableValue(role, text.strip(), heading, label.words, statement) for role, text in pairs]


def _iterate_related_values(
    table: ParsedTable, roles: Collection[str]
) -> Iterator[tuple[int, TableValue, Mapping[str, TableValue]]]:
    """Yield the number of a line, each value in it that has one of the roles, and the related values by their roles.

    The first value of a role is related to the first of another role, if the line has as many of both.
    """
    for number, line in enumerate(table.lines):
        owners = [each for each in line if each.role in roles]
        others = {role: [each for each in line if each.role == role] for role in _ROLE_NAMES}
        ends = zip(others["low"], others["high"], strict=False)
        others["interval"] += [low._replace(text=f"{low.text} to {high.text}") for low, high in ends]
        for at, owner in enumerate(owners):
            yield number, owner, {role: each[at] for role, each in others.items() if len(each) == len(owners)}


def _parse_cell_number(value: TableValue | None) -> records.RoundedNumber | None:
    """Return the number of a cell; None without a cell, or if it holds anything else."""
    found = _NUMBER_CELL.fullmatch(value.text) if value else None
    return records.parse_number(found["value"]) if found else None


def read_proportions(table: ParsedTable) -> Iterator[records.Proportion]:
    """Yield proportions from cells such as `12 (40%)` below a heading with an n, such as `Tea (n = 30)`."""
    for each, percentage in () if _WEIGHTED.search(table.about) else chain.from_iterable(map(pairwise, table.lines)):
        share = _parse_cell_number(percentage) if percentage.role == "percentage" else None
        if share and each.heading.n and each.role in {"count", "n"} and _COUNT.fullmatch(each.text):
            count = records.parse_whole_number(each.text)
            yield records.Proportion(each.statement, (0, 0), count, each.heading.n, share, approximate=False)


def read_means(table: ParsedTable) -> Iterator[records.MeanAndDeviation]:
    """Yield means, and percentages of people, with their deviations and the n of a heading or a column."""
    for _, each, beside in [*_iterate_related_values(table, {"mean"}), *_iterate_related_values(table, {"percentage"})]:
        words = f"{each.heading.words} {each.label}"
        size = beside["n"].text if "n" in beside else ""
        n = each.heading.n or (records.parse_whole_number(size) if _COUNT.fullmatch(size) else None)
        mean, is_percentage = _parse_cell_number(each), each.role == "percentage"
        if mean and n and not (is_percentage and ({"count", "n"} & beside.keys() or not PEOPLE.search(words))):
            scale = parse_scale(f"{each.statement.caption} {words}")
            numbers = (mean, _parse_cell_number(beside.get("deviation")), n)
            yield records.MeanAndDeviation(each.statement, (0, 0), *numbers, **scale, percentage=is_percentage)


def read_estimates(table: ParsedTable) -> Iterator[records.Estimate]:
    """Yield the estimates that have an interval, with it and the p-value of their line."""
    # In a table of b and OR (95% CI), the interval is that of the ratio.
    is_of_ratios = any(each.role == "ratio" for line in table.lines for each in line)
    roles = {"ratio"} if is_of_ratios else {"difference", "estimate", "d"}
    found = [
        (number, each, beside, ends)
        for number, each, beside in _iterate_related_values(table, roles)
        if "interval" in beside and (ends := _INTERVAL_CELL.fullmatch(beside["interval"].text))
    ]
    without_p = {number for number, _, beside, _ in found if "p" not in beside}
    for number, each, beside, ends in found:
        level = _LEVEL.search(f"{beside['interval'].heading.words} ; {table.about}")
        # A p-value above lines without any belongs to them all, such as the categories of a variable.
        p = None if number + 1 in without_p else beside.get("p")
        scale: Any = "ratio" if is_of_ratios else "unknown" if each.role == "estimate" else "difference"
        low, high = (records.parse_number(ends[end]) for end in ("low", "high"))
        confidence = float(level["level"]) / 100 if level else 0.95
        if value := _parse_cell_number(each):
            significance = parse_p_value(_P_CELL.fullmatch(p.text if p else ""), table.about)
            numbers = (value, low, high, confidence, *significance)
            yield records.Estimate(each.statement, (0, 0), each.heading.words, scale, *numbers)


def read_tests(table: ParsedTable) -> Iterator[records.ReportedTest]:
    """Yield the statistics that have degrees of freedom and a p-value in their line, heading or error line."""
    for number, each, beside in _iterate_related_values(table, _STATISTIC_ROLES):
        value, kind = _parse_cell_number(each), cast("records.TestKind", each.role)
        degrees = _find_degrees_of_freedom(each, beside, table.lines[number + 1 :] if kind == "F" else [])
        p = parse_p_value(_P_CELL.fullmatch(beside["p"].text if "p" in beside else ""), table.about)
        if value and p[0] and degrees is not None:
            yield records.ReportedTest(each.statement, (0, 0), kind, value, "=", degrees, *p)


def _find_degrees_of_freedom(
    statistic: TableValue, beside: Mapping[str, TableValue], below: Sequence[Sequence[TableValue]]
) -> records.DegreesOfFreedom | None:
    """Find degrees of freedom in the heading, the line or the error line below (of r: from the n); None without any."""
    own, first, second, pairs = (beside[role].text if role in beside else "" for role in ("df", "df1", "df2", "n"))
    values_below = (each for row in below for each in row)
    error = next((each.text for each in values_below if each.role == "df" and _ERROR_LABEL.match(each.label)), "")
    texts = [", ".join(statistic.heading.degrees), f"{first}, {second}", own, f"{own}, {error}", f"n = {pairs}"]
    kind = cast("records.TestKind", statistic.role)
    return next((found for text in texts if (found := parse_degrees_of_freedom(kind, text)) is not None), None)


def read_comparisons(table: ParsedTable) -> Iterator[records.GroupComparison]:
    """Yield the single t or Cohen's d of each line with means, deviations and n of exactly two groups."""
    for line in table.lines:
        row = table._replace(lines=[line])
        groups = [mean for mean in read_means(row) if mean.deviation]
        found = [_find_degrees_of_freedom(each, beside, []) for _, each, beside in _iterate_related_values(row, {"t"})]
        degrees = found[0][0].value if len(found) == 1 and found[0] else None
        for measure in ("t", "d"):
            cells = [each for each in line if each.role == measure]
            value = _parse_cell_number(cells[0]) if len(cells) == 1 else None
            if len(groups) == 2 and value:
                pair = (groups[0], groups[1])
                yield records.GroupComparison(cells[0].statement, (0, 0), pair, measure, value, degrees)
