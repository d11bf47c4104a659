"""Rows of tables as sentences, so that one set of patterns reads both: the header says what each cell is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_HEADERS = {
    "t": r"t(?:[- ]?(?:value|statistic|test))?",
    "F": r"F(?:[- ]?(?:value|statistic|ratio))?",
    "r": r"(?:pearson(?:’s|'s)? )?r",
    "z": r"[zZ](?:[- ]?(?:value|score|statistic))?",
    "Q": r"(?:cochran(?:’s|'s)? )?Q",
    "chi": r"(?:χ ?\^?[2²]|X[2²]|chi[- ]squared?|\\chi\^?2?)(?: value| statistic)?",
    "df": r"d\.? ?f\.?|degrees of freedom",
    "p": r"[pP](?:[- ]?values?)?",
    "M": r"M|mean|average|mean score",
    "SD": r"S\.?D\.?|standard deviation|std\.?(?: dev(?:iation)?\.?)?",
    "n": r"[nN]|sample size|participants|patients|respondents",
    "total": r"total|[nN]|all|sample|denominator|group size|randomi[sz]ed|assessed|enrolled|of",
    "part": (
        r"events?|cases|n with .*|responders|count|number|frequency|[nN]|yes|positive|affected|recovered|completed"
        r"|improved|died"
    ),
    "%": r"%|per ?cent(?:age)?|share(?: \(%\))?|proportion \(%\)|rate \(%\)|.*\(%\)|.* %",
    "CI": r"(?P<level>\d\d) ?% ?(?:CI|confidence interval|conf\. int\.)",
    "low": r"(?:95 ?% ?CI )?(?:lower(?: (?:limit|bound|95%.*))?|LL|LCL)",
    "high": r"(?:95 ?% ?CI )?(?:upper(?: (?:limit|bound|95%.*))?|UL|UCL)",
    "ratio": (
        r"(?:adjusted |crude |unadjusted )?(?:a|adj\. ?)?(?:OR|RR|HR|IRR|odds ratio|risk ratio|relative risk"
        r"|hazard ratio|(?:incidence )?rate ratio|aOR|aHR|aRR)"
    ),
    "difference": r"(?:mean |risk )?diff(?:erence)?\.?|MD|SMD|RD|β|beta|B|b|coefficient|coef\.?|estimate|effect",
}
_ANY_CASE = {name for name in _HEADERS if len(name) > 2} | {"df", "CI"}
_KINDS = {
    name: re.compile(f"(?:{pattern})", re.IGNORECASE if name in _ANY_CASE else 0) for name, pattern in _HEADERS.items()
}
_RATIO_CI = re.compile(
    r"(?P<name>.*?)\s*[(\[,]\s*(?P<level>\d\d)\s?% ?(?:CI|confidence interval)\s*[)\]]?", re.IGNORECASE
)
_GROUP_SIZE = re.compile(r"[(\[,]?\s*[nN]\s?=\s?(?P<n>\d[\d,]*)\s*[)\]]?")
_MEAN_SD = re.compile(r"(?:M|mean)\s?(?:\(\s?SD\s?\)|±\s?SD|,? ?SD)", re.IGNORECASE)
_CELL_COUNT = re.compile(r"(?P<n>\d[\d,]*)\s?\(\s?(?P<percent>\d+(?:\.\d+)?)\s?%?\s?\)")
_CELL_PERCENT = re.compile(r"(?P<percent>\d+(?:\.\d+)?)\s?%\s?\(\s?(?P<n>\d[\d,]*)\s?\)")
_PAIR = re.compile(r"(?P<mean>-?\d+(?:\.\d+)?)\s?(?:\(|±|\+/-)\s?(?P<sd>\d+(?:\.\d+)?)\s?\)?")
_P_CELL = re.compile(r"(?P<relation>[<>=≤≥]?)\s?(?P<value>[01]?\.\d+\S*)(?P<stars>\s?\*{1,3})?")
_INTERVAL_CELL = re.compile(r"[(\[]?\s?-?[\d.]+\s?(?:to|[-–,;])\s?-?[\d.]+\s?[)\]]?")
_NUMBER_CELL = re.compile(r"[-–]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)\s?%?")


def row_sentences(rows: Sequence[Sequence[str]]) -> Iterator[tuple[int, str]]:
    """Each row of a table and what it says, in the words in which a paper's text would say it.

    Args:
        rows: Cells in plain signs; the first row is the header.

    Yields:
        The row's number, and its cells with those the header explains made a sentence.
    """
    header = [" ".join(cell.split()) for cell in rows[0]]
    names = [_kind(cell) for cell in header]
    for number, row in enumerate(rows[1:], start=1):
        cells = [" ".join(cell.split()) for cell in row]
        parts = [*_tests(names, cells), *_counts(header, names, cells), *_means(header, names, cells)]
        parts += _intervals(header, names, cells)
        explained = "; ".join(parts)
        yield (
            number,
            f"{'; '.join(filter(None, cells))} ;; {explained}" if explained else "; ".join(filter(None, cells)),
        )
    yield 0, "; ".join(filter(None, header))


def _kind(cell: str) -> set[str]:
    """What a header may say that the cells below it are."""
    return {name for name, pattern in _KINDS.items() if pattern.fullmatch(cell)}


def _cell(names: Sequence[set[str]], cells: Sequence[str], kind: str) -> str:
    """The first cell of a kind; empty if there is none."""
    return next((cell for name, cell in zip(names, cells, strict=False) if kind in name), "")


def _p(names: Sequence[set[str]], cells: Sequence[str]) -> str:
    cell = _cell(names, cells, "p")
    if found := _P_CELL.fullmatch(cell):
        return f"p {found['relation'] or '='} {found['value']}"
    return "p = ns" if cell.lower().replace(".", "").strip() == "ns" else ""


def _tests(names: Sequence[set[str]], cells: Sequence[str]) -> Iterator[str]:
    """`t(38) = 2.20, p = .034` of columns for statistic, degrees of freedom and p-value."""
    p = _p(names, cells).replace("p = ns", "ns")
    degrees = _cell(names, cells, "df").strip("() ")
    for kind in ("t", "F", "r", "Q", "chi", "z"):
        value = _cell(names, cells, kind)
        if p and _NUMBER_CELL.fullmatch(value):
            sign = "χ2" if kind == "chi" else kind
            if kind == "z":
                yield f"z = {value}, {p}"
            elif degrees:
                yield f"{sign}({degrees}) = {value}, {p}"
            elif kind == "r" and _cell(names, cells, "n").isdigit():
                yield f"r({int(_cell(names, cells, 'n')) - 2}) = {value}, {p}"


def _counts(header: Sequence[str], names: Sequence[set[str]], cells: Sequence[str]) -> Iterator[str]:
    """`12 of 40 (30%)` of a cell `12 (30%)` below `(n = 40)`, or of three columns."""
    for title, cell in zip(header, cells, strict=False):
        size = _GROUP_SIZE.search(title)
        found = _CELL_COUNT.fullmatch(cell) or _CELL_PERCENT.fullmatch(cell)
        counted = found and ("%" in cell or "%" in title)
        if found and counted and size:
            yield f"{found['n']} of {size['n']} ({found['percent']}%)"
    percents = [at for at, name in enumerate(names) if "%" in name and at < len(cells)]
    if len(percents) != 1:
        return
    percent = re.fullmatch(r"(\d+(?:\.\d+)?)\s?%?", cells[percents[0]])
    whole = [at for at, cell in enumerate(cells) if re.fullmatch(r"\d[\d,]*", cell) and at < len(names)]
    totals = [at for at in whole if "total" in names[at]]
    parts = [at for at in whole if "part" in names[at] or at not in totals]
    if percent and len(whole) == 2 and totals and len(set(parts) | set(totals)) == 2:
        small, large = sorted(int(cells[at].replace(",", "")) for at in whole)
        yield f"{small} of {large} ({percent[1]}%)"
    fraction = next((cell for cell in cells if re.fullmatch(r"\d[\d,]*\s?/\s?\d[\d,]*", cell)), "")
    if percent and fraction:
        yield f"{fraction} ({percent[1]}%)"


def _means(header: Sequence[str], names: Sequence[set[str]], cells: Sequence[str]) -> Iterator[str]:
    """`M = 3.45, SD = 1.21, n = 20` of columns for mean, deviation and size."""
    size = _cell(names, cells, "n")
    mean, deviation = _cell(names, cells, "M"), _cell(names, cells, "SD")
    if mean and size.isdigit():
        yield f"M = {mean}, SD = {deviation}, n = {size}" if deviation else f"M = {mean}, n = {size}"
    for title, cell in zip(header, cells, strict=False):
        pair = _PAIR.fullmatch(cell)
        group = _GROUP_SIZE.search(title)
        if pair and _MEAN_SD.search(title) and (group or size.isdigit()):
            yield f"M = {pair['mean']}, SD = {pair['sd']}, n = {group['n'] if group else size}"


def _intervals(header: Sequence[str], names: Sequence[set[str]], cells: Sequence[str]) -> Iterator[str]:
    """`OR 1.50 (95% CI 0.90 to 2.50), p = 0.12` of one, two or three columns."""
    p = _p(names, cells)
    behind = f", {p}" if p and "ns" not in p else ""
    for title, name, cell in zip(header, names, cells, strict=False):
        joined = _RATIO_CI.fullmatch(title)
        whole = re.fullmatch(r"(?P<value>-?[\d.]+)\s?(?P<interval>[(\[]?.*)", cell)
        if joined and whole and _INTERVAL_CELL.fullmatch(whole["interval"].strip()):
            inside = whole["interval"].strip("()[] ")
            yield f"{_name(joined['name'])} = {whole['value']} ({joined['level']}% CI {inside}){behind}"
        elif (
            name & {"ratio", "difference"}
            and _NUMBER_CELL.fullmatch(cell)
            and (interval := _interval(header, names, cells))
        ):
            yield f"{_name(title)} = {cell} ({interval}){behind}"


def _name(title: str) -> str:
    return "mean difference" if _KINDS["difference"].fullmatch(title) else title or "estimate"


def _interval(header: Sequence[str], names: Sequence[set[str]], cells: Sequence[str]) -> str:
    """`95% CI 0.90 to 2.50` of a column, or of the two of its ends."""
    for title, cell in zip(header, cells, strict=False):
        level = _KINDS["CI"].fullmatch(title)
        if level and _INTERVAL_CELL.fullmatch(cell):
            return f"{level['level']}% CI {cell.strip('()[] ')}"
    low, high = _cell(names, cells, "low"), _cell(names, cells, "high")
    return f"95% CI {low} to {high}" if low and high else ""
