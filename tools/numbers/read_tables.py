"""Lines of tables by roles: each cell with what its header, at the top or at the left, says that it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, cast

from tools.numbers.read_text import find_adjustment, find_tails, read_degrees
from tools.numbers.records import (
    ALPHA,
    NUMBER,
    DegreesOfFreedom,
    Relation,
    ReportedTest,
    RoundedNumber,
    TestKind,
    parse_number,
)
from tools.numbers.statements import Statement, TableRows

_LEADING = r"(?:.*[,:] )?(?:[A-Za-z’'-]+ ){0,2}?"
_ENDING = r"(?:[- ]?(?:values?|statistics?|scores?|ratio|tests?|stat\.?))?(?:[ _]?[(\[{].*[)\]}]|_\d+|_?\d+,\s?\d+)?"
_BESIDE = r"(?:[ ,]*[(\[{].*[)\]}])?"
_PATTERNS = {
    "p": (
        rf"(?:.*[ (])?[pP](?:[- ]?values?)?(?: (?:for|of) (?!trend|interaction).*)?(?:, .*)?{_BESIDE}"
        rf"|[Ss]ig(?:\.|nificance)?{_BESIDE}|[Pp](?:r(?:ob)?)? ?[>(].*"
    ),
    "t": rf"{_LEADING}t{_ENDING}",
    "F": rf"{_LEADING}Δ? ?F{_ENDING}",
    "z": rf"{_LEADING}[zZ]{_ENDING}",
    "Q": rf"{_LEADING}(?:Q(?:_?[A-Za-z]{{1,7}})?|H){_ENDING}",
    "r": rf"{_LEADING}(?:r(?:_?s)?|rho|\u03c1|[Cc]orrelation(?: coefficient)?)(?: (?:with|between) .*)?{_BESIDE}",
    "chi": rf"{_LEADING}(?:χ|[Cc]hi|X(?= ?\^?[2²])|\\chi)[ -]?(?:\^?[2²]|squared?)?{_ENDING}",
    "df1": r"(?i:num(?:erator)?\.?|between|effect|hypothesis)[ -]?d\.? ?f\.?|(?:d\.? ?f\.?|\u03bd)[_ ]?(?:1|num\.?)",
    "df2": r"(?i:den(?:om(?:inator)?)?\.?|within|error|residual)[ -]?d\.? ?f\.?|(?:d\.? ?f\.?|\u03bd)[_ ]?(?:2|den\.?)",
    "df": r"d\.? ?f\.?|[Dd][Ff]|[Dd]egrees of freedom|\u03bd",
    "n": r"[nN]|[Pp]airs|[Ss]ample size|[Pp]articipants|[Pp]atients|[Ss]tudents|[Cc]hildren|[Ss]ubjects",
    "k": r"(?:[Nn]umber of |[Nn]o\. of )?(?:k|[Ss]tudies|[Tt]rials)(?: \(k\))?",
    "low": r"(?i:from|(?:.*[ (%])?(?:lower|low|LL|LCL|LCI|2\.5 ?%)(?: ?(?:limit|bound|end|CI|conf|9\d|[(,]).*)?)",
    "high": r"(?i:to|(?:.*[ (%])?(?:upper|high|UL|UCL|UCI|97\.5 ?%)(?: ?(?:limit|bound|end|CI|conf|9\d|[(,]).*)?)",
    "interval": (
        r"(?i:(?:.*[ (])?(?:CI|CrI|intervals?|(?:confidence )?limits|conf\. int\.)(?:[ (,].*)?|\(?9\d ?%(?: .*)?)"
    ),
    "ratio": (
        r"(?:.*[ (])?(?:a|adj\. ?)?(?:OR|RR|HR|IRR|PR|sHR)(?:[ (,].*)?"
        r"|(?i:(?:.*\b)?(?:odds|risk|hazards?|rate|prevalence) ratio.*|(?:.*\b)?relative risk.*)"
    ),
    "difference": (
        r"(?i:(?:.*\b)?(?:difference|diff\.|coefficient|coef\.|slope|beta)(?:[ ,(].*)?|(?:hedges|cohen).*)"
        r"|(?:.*[ (])?(?:MD|SMD|WMD|RD|β|[Bbdg]|Δ.*)(?:[ (,].*)?"
    ),
    "estimate": r"(?i:(?:.*\b)?(?:estimate|effect|change|value|mean|median|proportion)(?:[ ,(].*)?)",
}
ROLES = {name: re.compile(f"(?:{pattern})") for name, pattern in _PATTERNS.items()}
_ALWAYS_ROLES = {"p", "t", "F", "z", "Q", "r", "chi", "df", "interval", "low", "high"}
_BOTH = re.compile(r"(?P<first>[^(\[,]+?)\s?[(\[,]\s?(?P<second>[^()\[\]]+)[)\]]?")
_BOTH_INSIDE = re.compile(r"(?P<first>[-–+]?\s?[\d.]+)\s?[(\[,;]\s?(?P<second>[^()\[\]]+)[)\]]?")
_TEST = re.compile(r"(?P<title>[^=]+?)\s?=\s?(?P<value>[-–+]?[\d.]+)")

P_CELL = re.compile(
    r"(?:[pP]\s?)?(?P<relation>[<>=≤≥]?)\s?(?P<p>0?\.\d+|1(?:\.0+)?)\s?[a-z†‡§]?|(?P<ns>n\.?\s?s\.?|NS)"
)
_NUMBER_CELL = re.compile(rf"(?P<value>{NUMBER})(?:\s?[(\[](?P<behind>[\d., ]+)[)\]])?\s?[a-z†‡§]?$")
_TITLE_DEGREES = re.compile(r"(?:[(\[_{]|[Ft](?=\d))\s?(?P<degrees>(?:df\s?=\s?)?\d[\d., ]*)")
_ERROR = re.compile(r"error|residuals?\b|within", re.IGNORECASE)
_STATISTICS = {"t", "F", "r", "Q", "z", "chi"}


class RoleCell(NamedTuple):
    """A cell of a table."""

    role: str
    """A key of `ROLES`, or nothing."""
    title: str
    text: str
    statement: Statement
    """The row that it stands in."""


def role_of(title: str) -> str:
    """What a header says that its cells are."""
    plain = re.sub(r"\s+", " ", title.replace("\\", "")).strip(" :")
    return next((name for name, pattern in ROLES.items() if plain and pattern.fullmatch(plain)), "")


def lines_of(rows: TableRows) -> Iterator[list[RoleCell]]:
    """The lines of a table that belong together: its rows, or its columns if the titles stand at the left."""
    titles, below = _header(rows)
    left = {role_of(cells[0]) for cells, _ in below if cells}
    if len(_ALWAYS_ROLES & left) > len(_ALWAYS_ROLES & set(map(role_of, titles))):
        for column in range(1, max(len(cells) for cells, _ in below)):
            yield [
                cell
                for cells, statement in below
                for cell in _cells(cells[0], "".join(cells[column : column + 1]), statement)
            ]
    else:
        for cells, statement in below:
            columns = zip(*_without_split(titles, cells), strict=True)
            yield [cell for title, text in columns for cell in _cells(title, text, statement)]


def told_about(rows: TableRows) -> str:
    """What is told about a table: its caption, header, notes, and rows of a single cell."""
    lone = [cells[0] for cells in rows.table.rows if cells and sum(map(bool, cells)) == 1 and len(cells[0]) > 3]
    return " ; ".join([rows.table.caption, *filter(None, rows.table.header), *lone, rows.notes])


def _header(rows: TableRows) -> tuple[list[str], list[tuple[list[str], Statement]]]:
    """The titles of the columns and the rows below them; titles may stand below others, or below a caption."""
    titles, below = rows.table.header, list(zip(rows.table.rows, rows.rows, strict=True))
    while len(below) > 1 and titles[0] and not any(titles[1:]) and any(below[0][0][1:]):
        titles, below = below[0][0], below[1:]
    first = below[0][0]
    if len(below) > 1 and sum(map(bool, map(role_of, first[1:]))) >= 2 and not re.search(r"\d\.\d", " ".join(first)):
        return [low or high for low, high in zip_longest(first, titles, fillvalue="")], below[1:]
    return titles, below


def _without_split(titles: list[str], cells: list[str]) -> tuple[list[str], list[str]]:
    """An interval of which each end has a column, below one title, as one cell."""
    for at in range(min(len(titles), len(cells)) - 1):
        if role_of(titles[at]) == "interval" and not titles[at + 1] and re.fullmatch(r"[-–]?[\d.]+", cells[at + 1]):
            joined = f"{cells[at]} to {cells[at + 1]}"
            titles, cells = [*titles[: at + 1], *titles[at + 2 :]], [*cells[:at], joined, *cells[at + 2 :]]
            break
    return titles[: len(cells)], cells[: len(titles)]


def _cells(title: str, text: str, statement: Statement) -> Iterator[RoleCell]:
    """A cell, or two if title and cell each hold a second thing, as in `OR (95% CI)` and `F (p)`.

    A cell that says itself what it is, as `t(38) = 2.20` does, has that as its title.
    """
    if (test := _TEST.fullmatch(text)) and role_of(test["title"]):
        title, text = test["title"], test["value"]
    titles, texts = _BOTH.fullmatch(title), _BOTH_INSIDE.fullmatch(text)
    if titles and texts and role_of(titles["first"]) and role_of(titles["second"]):
        for name in ("first", "second"):
            yield RoleCell(role_of(titles[name]), titles[name], texts[name].strip(), statement)
    else:
        yield RoleCell(role_of(title), title, text, statement)


def read_tests(rows: TableRows) -> Iterator[ReportedTest]:
    """Read each p-value of a line with the only statistic before it."""
    about = told_about(rows)
    lines = list(lines_of(rows))
    for below, line in enumerate(lines, 1):
        begin = 0
        for at, cell in enumerate(line):
            p = P_CELL.fullmatch(cell.text) if cell.role == "p" else None
            statistics = [each for each in line[begin:at] if each.role in _STATISTICS]
            begin = at + 1 if cell.role == "p" else begin
            value = _NUMBER_CELL.match(statistics[0].text) if len(statistics) == 1 else None
            degrees = _find_degrees(statistics[0], value["behind"] or "", line, lines[below:]) if p and value else None
            if p and value and degrees is not None:
                yield ReportedTest(
                    statement=cell.statement,
                    place=(0, 0),
                    kind=cast("TestKind", statistics[0].role),
                    statistic=parse_number(value["value"]),
                    statistic_relation="=",
                    degrees=degrees,
                    p=RoundedNumber(ALPHA, 0.0) if p["ns"] else parse_number(p["p"]),
                    p_relation=cast("Relation", "ns" if p["ns"] else p["relation"] or "="),
                    tails=find_tails(about),
                    adjustment=find_adjustment(about, degrees),
                )


def _find_degrees(
    statistic: RoleCell, behind: str, line: Sequence[RoleCell], below: Sequence[Sequence[RoleCell]]
) -> DegreesOfFreedom | None:
    """Find degrees of freedom in a cell, in its title, in its line, or in the line of the error below it."""
    own, error = _df_of(line), next((_df_of(each) for each in below if _ERROR.match(each[0].text)), "")
    first, second = (next((cell.text for cell in line if cell.role == role), "") for role in ("df1", "df2"))
    title = _TITLE_DEGREES.search(statistic.title)
    told = [behind, title["degrees"] if title else "", f"{first}, {second}", own, f"{own}, {error}"]
    kind = cast("TestKind", statistic.role)
    return next((found for text in told if (found := read_degrees(kind, text)) is not None), None)


def _df_of(line: Sequence[RoleCell]) -> str:
    return next((cell.text for cell in line if cell.role == "df"), "")
