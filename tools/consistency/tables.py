"""Rows of tables as sentences, so that one set of patterns reads both: header and caption say what each cell is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tools.consistency.printed import told_sizes

_HEADERS = {
    "t": r"t(?:[- ]?(?:value|statistic|test))?(?: \([A-Za-z’' -]+\))?",
    "F": r"(?:Δ ?)?F(?:[- ]?(?:value|statistic|ratio|change))?",
    "r": r"(?:pearson(?:’s|'s)? )?r",
    "z": r"(?:Wald )?[zZ](?:[- ]?(?:value|score|statistic))?(?: \([A-Za-z’' -]+\))?",
    "Q": r"(?:cochran(?:’s|'s)? )?Q",
    "chi": (
        r"(?:(?:LR|Wald|Pearson|likelihood[- ]ratio) )?(?:χ ?\^?[2²]|X[2²]|chi[- ]squared?|\\chi\^?2?)"
        r"(?: value| statistic)?"
    ),
    "df": r"d\.? ?f\.?|degrees of freedom",
    "df1": r"(?:num(?:erator)?\.?|between|effect|hypothesis)[ -]d\.? ?f\.?|d\.? ?f\.?[_ ]?(?:1|num\.?|effect)",
    "df2": r"(?:den(?:om(?:inator)?)?\.?|within|error|residual)[ -]d\.? ?f\.?|d\.? ?f\.?[_ ]?(?:2|den\.?|error)",
    "p": (
        r"(?:(?:one|two)[- ](?:sided|tailed) )?[pP](?:[- ]?values?)?(?:,? ?\(?(?:one|two)[- ](?:sided|tailed)\)?)?"
        r"|Pr ?\(>.*\)|Sig\.?"
    ),
    "M": r"(?:.*, )?(?:M|[Mm]ean(?: score| rating)?|[Aa]verage)|.* \((?:M|[Mm]ean)\)|[Mm]ean (?!diff|change)[a-z ]+",
    "n": r"[nN]|sample size|participants|patients|respondents|people|students|raters|residents|children|adults",
    "%": r"%|per ?cent(?:age)?|share(?: \(%\))?|proportion \(%\)|rate \(%\)|.*\(%\)|.* %",
    "CI": r"\(?(?P<level>\d\d) ?% ?(?:CrI|CI|(?:confidence |credible )?interval|conf\. int\.)\)?",
    "low": r"(?:95 ?% ?CI )?(?:lower(?: (?:limit|bound|end|CI|95%.*))?|low|LL|LCL|LCI|CI low(?:er)?)|from|2\.5 ?%",
    "high": r"(?:95 ?% ?CI )?(?:upper(?: (?:limit|bound|end|CI|95%.*))?|high|UL|UCL|UCI|CI (?:high|upper))|to|97\.5 ?%",
    "ratio": (
        r"(?:adjusted |crude |unadjusted )?(?:a|adj\. ?)?(?:OR|RR|HR|IRR|odds ratio|risk ratio|relative risk"
        r"|hazard ratio|prevalence ratio|(?:incidence )?rate ratio|aOR|aHR|aRR)"
    ),
    "difference": (
        r"(?:mean |risk )?diff(?:erence)?\.?(?:,.*| \(.*\))?|MD|SMD|RD|β|beta|B|b|coefficient|coef\.?|estimate|effect"
        r"|slope|change"
    ),
}
_ANY_CASE = {name for name in _HEADERS if len(name) > 2} | {"df", "CI"}
_KINDS = {
    name: re.compile(f"(?:{pattern})", re.IGNORECASE if name in _ANY_CASE else 0) for name, pattern in _HEADERS.items()
}
_RATIO_CI = re.compile(
    r"(?P<name>.*?)\s*[(\[,]\s*(?P<level>\d\d)\s?% ?(?:CI|confidence interval)\s*[)\]]?", re.IGNORECASE
)
_TEST_WITH_DF = re.compile(
    r"(?P<name>t|F|r|Q|χ ?\^?[2²]?)\s?\(?(?:d\.?f\.?\s?=\s?)?(?P<df>\d[\d.]*(?:,\s?\d[\d.]*)?)\)?"
)
_WHOLE_TEST_CELL = re.compile(r"(?:t|F|r|Q|χ(?:\s?\^?\s?[2²])?)\s?(?:[(\[][^)\]]*[)\]]|_\{?[\d.,]+\}?)\s*=")
"""`t(38) = 2.20`, with its degrees of freedom in brackets or below the line."""
_TEST_DF_CELL = re.compile(r"(?P<name>t|F|Q|χ ?\^?[2²]?)\s?\(d\.?f\.?\)")
_DF_TOLD = re.compile(
    r"\bd\.?f\.?\s?=\s?(?P<df>\d[\d.]*(?:,\s?\d[\d.]*)?\d?)|(?P<words>\d+) (?:(?:residual|error"
    r"|denominator) )?(?:degrees of freedom|d\.?\s?f\b)"
)
_P_CELL = re.compile(r"(?P<relation>[<>=≤≥]?)\s?(?P<value>[01]?\.\d+)(?:\s?\*{1,3})?")
_INTERVAL_CELL = re.compile(r"[(\[]?\s?[-–]?\s?[\d.]+\s?(?:to|[-–,;])\s?[-–]?\s?[\d.]+\s?[)\]]?")
_NUMBER_CELL = re.compile(r"[-–+]?\s?(?:\d[\d,]*(?:\.\d+)?|\.\d+)\s?%?")
_SIGNS = {"chi": "χ2"}


class PaperTable(NamedTuple):
    """A table in plain signs."""

    header: list[str]
    rows: list[list[str]]
    caption: str

    @property
    def kinds(self) -> list[set[str]]:
        """What the header says that each column is."""
        return [{name for name, pattern in _KINDS.items() if pattern.fullmatch(cell)} for cell in self.header]


def read_table(rows: Sequence[Sequence[str]], caption: str) -> PaperTable:
    """A table of cells in plain signs; the first row is the header."""
    lines = [[" ".join(cell.split()) for cell in row] for row in rows]
    width = max(map(len, lines))
    return PaperTable(lines[0] + [""] * (width - len(lines[0])), lines[1:], caption)


def row_sentence(table: PaperTable, row: Sequence[str]) -> str:
    """What a row says, in the words in which a paper's text would say it."""
    kinds = table.kinds
    parts = [*_tests(table, kinds, row), *_intervals(table, kinds, row)]
    p = _p(kinds, row)
    sided = [title for title in table.header if re.search(r"sided|tailed", title)]
    return " | ".join([*filter(None, row), *sided, *parts, *([p] if p and not parts else [])])


def _cell(kinds: Sequence[set[str]], cells: Sequence[str], kind: str) -> str:
    """The first cell of a kind; empty if there is none."""
    return next((cell for names, cell in zip(kinds, cells, strict=False) if kind in names), "")


def _p(kinds: Sequence[set[str]], cells: Sequence[str]) -> str:
    cell = _cell(kinds, cells, "p")
    if found := _P_CELL.fullmatch(cell):
        return f"p {found['relation'] or '='} {found['value']}"
    return "ns" if cell.lower().replace(".", "").strip() == "ns" else ""


def _tests(table: PaperTable, kinds: Sequence[set[str]], cells: Sequence[str]) -> Iterator[str]:
    """`t(38) = 2.20, p = .034` of columns for statistic, degrees of freedom and p-value."""
    p = _p(kinds, cells)
    if not p:
        return
    for title, names, cell in zip(table.header, kinds, cells, strict=False):
        inside, beside = _TEST_WITH_DF.fullmatch(title), _TEST_DF_CELL.fullmatch(title)
        both = re.fullmatch(r"(?P<value>[-–]?[\d.]+)\s?\((?P<df>[\d., ]+)\)", cell)
        if _WHOLE_TEST_CELL.match(cell):
            yield f"{cell}, {p}"
        elif re.fullmatch(r"(?:t|z|Q|F|χ2?|χ²)\s?=\s?[-–]?[\d.]+", cell):
            degrees = _cell(kinds, cells, "df").strip("() ")
            yield f"{cell}, df = {degrees}, {p}" if degrees and cell[0] != "z" else f"{cell}, {p}"
        elif inside and _NUMBER_CELL.fullmatch(cell):
            yield f"{inside['name']}({inside['df']}) = {cell}, {p}"
        elif beside and both:
            yield f"{beside['name']}({both['df']}) = {both['value']}, {p}"
        elif (kind := next(iter(names & {"t", "F", "r", "Q", "chi", "z"}), "")) and _NUMBER_CELL.fullmatch(cell):
            degrees = _degrees(table, kinds, cells, kind)
            if kind == "z":
                yield f"z = {cell}, {p}"
            elif degrees:
                yield f"{_SIGNS.get(kind, kind)}({degrees}) = {cell}, {p}"


def _degrees(table: PaperTable, kinds: Sequence[set[str]], cells: Sequence[str], kind: str) -> str:
    """Degrees of freedom of a row: its own, those of the caption, or two less than the pairs of a correlation."""
    if own := _cell(kinds, cells, "df").strip("() "):
        return own
    both = [_cell(kinds, cells, name).strip("() ") for name in ("df1", "df2")]
    if all(both):
        return ", ".join(both) if kind == "F" else ""
    size = _size(table, kinds, cells)
    told = {found["df"] or found["words"] for found in _DF_TOLD.finditer(table.caption)}
    degrees = told.pop() if len(told) == 1 else ""
    if kind == "r" and not degrees:
        return str(size - 2) if size else ""
    return degrees if ("," in degrees) == (kind == "F") else ""


def _size(table: PaperTable, kinds: Sequence[set[str]], cells: Sequence[str]) -> int:
    """How many a row is about: its own n, or the only one of the caption; 0 if neither is told."""
    own = _cell(kinds, cells, "n").replace(",", "")
    if own:
        return int(own) if own.isdigit() else 0
    told = told_sizes(f"{table.caption} {' '.join(table.header)}")
    return told.pop() if len(told) == 1 else 0


def _intervals(table: PaperTable, kinds: Sequence[set[str]], cells: Sequence[str]) -> Iterator[str]:
    """`OR 1.50 (95% CI 0.90 to 2.50), p = 0.12` of one, two or three columns."""
    p = _p(kinds, cells)
    behind = f", {p}" if p and p != "ns" else ""
    for title, names, cell in zip(table.header, kinds, cells, strict=False):
        joined = _RATIO_CI.fullmatch(title)
        whole = re.fullmatch(r"(?P<value>[-–]?[\d.]+)\s?(?P<interval>[(\[]?.*)", cell)
        if joined and whole and _INTERVAL_CELL.fullmatch(whole["interval"].strip()):
            inside = whole["interval"].strip("()[] ")
            yield f"{_name(joined['name'], table)} = {whole['value']} ({joined['level']}% CI {inside}){behind}"
        elif (names & {"ratio", "difference", "M"} or _before_interval(table.header, title)) and _NUMBER_CELL.fullmatch(
            cell
        ):
            interval = _interval(table.header, kinds, cells)
            if interval:
                yield f"{_name(title, table)} = {cell} ({interval}){behind}"


def _before_interval(header: Sequence[str], title: str) -> bool:
    """Whether the next column holds the interval."""
    place = header.index(title)
    return place > 0 and any(_KINDS["CI"].fullmatch(after) for after in header[place + 1 : place + 2])


def _name(title: str, table: PaperTable) -> str:
    """A ratio or a difference, as the header or, for an estimate, the caption says."""
    ratio = re.search(r"odds ratio|risk ratio|hazard ratio|rate ratio|relative risk", table.caption, re.IGNORECASE)
    if ratio and title.lower() in {"estimate", "effect", ""}:
        return ratio[0]
    if _KINDS["M"].fullmatch(title):
        return "mean"
    changed = re.search(r"\b(?:change|difference)", f"{title} {table.caption}", re.IGNORECASE)
    if _KINDS["difference"].fullmatch(title) or (changed and not _KINDS["ratio"].fullmatch(title)):
        return "mean difference"
    return title if _KINDS["ratio"].fullmatch(title) else "estimate"


def _interval(header: Sequence[str], kinds: Sequence[set[str]], cells: Sequence[str]) -> str:
    """`95% CI 0.90 to 2.50` of a column, or of the two of its ends."""
    for title, cell in zip(header, cells, strict=False):
        level = _KINDS["CI"].fullmatch(title)
        if level and _INTERVAL_CELL.fullmatch(cell):
            return f"{level['level']}% CI {cell.strip('()[] ')}"
        place = header.index(title)
        split = level and header[place + 1 : place + 2] == [""] and place + 1 < len(cells)
        if level and split and _NUMBER_CELL.fullmatch(cell) and _NUMBER_CELL.fullmatch(cells[place + 1]):
            return f"{level['level']}% CI {cell} to {cells[place + 1]}"
    low, high = _cell(kinds, cells, "low"), _cell(kinds, cells, "high")
    return f"95% CI {low} to {high}" if low and high else ""
