"""Reported tests: a statistic, its degrees of freedom and its p-value, read by what each number is called.

Every number stands for all values that round to it, as in Nuijten et al. (2016), "The prevalence of statistical
reporting errors in psychology (1985-2013)", Behavior Research Methods 48: a p-value is wrong if no statistic that
rounds to the printed one gives a p-value that rounds to the printed one, and the decision changes if the two lie on
both sides of 0.05. Where a text allows several readings, such as two degrees of freedom, all of them must be wrong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import SMALL_NUMBERS
from tools.numbers.read_tables import RoleCell, lines_of, told_about
from tools.numbers.records import NUMBER, RoundedNumber, format_number, format_range, parse_number, told_sizes
from tools.numbers.statements import Statement, TableRows
from tools.text import sentence_ends

ALPHA = 0.05
EQUAL = {"was": "=", "of": "=", "is": "=", ":": "=", "": "="}
"""Other words and signs that a p-value may have for an equals sign."""
P_VALUE = (
    r"(?<![\w’'-])(?:[pP]|Pr(?:ob)?\s?>\s?\|?[A-Za-zχ]{1,4}2?²?\|?)(?:\s?[-–]?\s?[Vv]alues?)?(?:\s?\((?:two|one|2"
    r"|1)[- ](?:tailed|sided)\))?\s?"
    r"(?P<relation>[=<>≤≥:]|was|of|is|(?=0?\.\d))\s?(?P<p>(?:[01]?\.\d+|\d(?:\.\d+)?(?=\s?x\s?10|[eE]-))"
    r"(?:\s?x\s?10\s?\^?\s?\{?\s?[-–]\s?\d+\}?|[eE]-\d+)?)"
)
"""Pattern of a p-value with its relation."""
_SIGNIFICANCE = re.compile(rf"{P_VALUE}|(?<![\w-])(?P<ns>n\.\s?s\.|ns|NS|not significant)(?!\w)")
_ONE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?)"
_TWO = rf"{_ONE}\s?(?:[,;/]|and)\s?{_ONE}"
_DF_WORD = r"(?:(?:(?:residual|error|denominator) )?(?:\bd\.?\s?f(?![a-z])\.?|degrees? of freedom|\b\u03bd))"
_WORDS = "|".join(SMALL_NUMBERS)
_DEGREES = re.compile(
    rf"{_DF_WORD}_?1\s?=\s?(?P<first>{_ONE})\s?[,;]\s?{_DF_WORD}_?2\s?=\s?(?P<second>{_ONE})"
    rf"|{_DF_WORD}\s?(?:=|:|of)?\s?(?P<behind>{_TWO}|{_ONE})"
    rf"|(?<!able )(?<![\w)]-)(?<![\w)] - )(?<!–)(?<!– )(?P<before>{_TWO}|{_ONE}"
    rf"|\b(?:{_WORDS})\b)\s{_DF_WORD}(?! (?:fewer|less|more|lost|too)\b)",
    re.IGNORECASE,
)
"""`df = 38`, `2 and 57 degrees of freedom`, `df1 = 2, df2 = 57`"""
_NAMED_AFTER = (
    r"wald|log[\s-]?rank|lemeshow|wallis|friedman|mcnemar|haenszel|breslow[–-]day|likelihood[\s-]ratio|omnibus|bartlett"
)
"""Tests whose statistic is compared with χ²."""
_NAMES = rf"""
    (?P<r> (?i: \b (?: pearson | spearman ) (?: [’']s )? ) (?: \s (?: correlation | coefficient | rank ) )*
           (?: \s (?: r (?: _?s )? | rho | \u03c1 ) (?!\w) )?
         | (?<! [\w'’/-] ) (?: r (?: _?\{{? s \}}? )? | rho | \u03c1 (?: _?s )? ) (?! [A-Za-z'’-] ) )
  | (?P<chi> (?: χ | \\chi | \b [Cc]hi | \b X (?= \s? \^? \s? [2²] ) ) [\s-]? (?: \^? \s? \{{? [2²] \}}? | square[d]? )?
           | (?i: \b (?: {_NAMED_AFTER} ) (?: [’']s )? [\s-] (?: test \s )? statistic | (?<! [a-z] ) deviance ) )
  | (?<! [\w'’/-] ) (?: (?P<t> Δ? t ) | (?P<F> Δ? F | [Vv]ariance \s ratio )
      | (?P<z> [zZ] | [Nn]ormal \s deviate | [Cc]ritical \s ratio )
      | (?P<Q> (?: Cochran’s \s )? Q (?: [_ ]? [A-Za-z]{{1,7}} )? | H ) ) (?! [A-Za-z'’] )
"""
STATISTIC = re.compile(
    rf"""
    (?: {_NAMES} )
    (?: \s? [(\[] \s? (?: {_DF_WORD} \s? = \s? )? (?P<inside> {_ONE} (?: \s? [,;] \s? {_ONE} )? )
          (?: \s? [,;] \s? [nN] \s? = \s? \d[\d,]* )? \s? [)\]]                          # t(38), χ²(1, N = 184)
      | _? \{{? (?P<below> \d+ (?:\.\d+)? (?: \s? , \s? \d+ (?:\.\d+)? )? ) \}}? (?= \s{{0,2}} = )   # F_{{2,57}}
    )?
    (?: [\s-] (?: value | score | statistic | ratio | coefficient | test ) )*
    (?: \s{{0,2}} (?: [=:] | (?: of | was ) \b ) \s?
      | ,? (?: \s [a-z]+ ){{0,3}}? \s (?= [-–+]? \s? \d* \. \d ) )                       # amounted to 6.83
    (?P<value> {NUMBER} ) (?! \s? % )
    """.replace("degrees? of freedom", r"degrees?\ of\ freedom").replace("|denominator) )?", r"|denominator)\ )?"),
    re.VERBOSE,
)
"""A statistic with the degrees of freedom that stand in brackets, or below the line, at its name."""
PAIRS = re.compile(r"(?<!\w)[nN]\s?=\s?(?P<n>\d[\d,]*)")
_NEXT_CLAIM = re.compile(r"\b(?:and|but|while|whereas|or|versus|vs)\b(?!\W*$)|\.\s+[A-Z]|(?<!\w)[FtQ]\s?[(\[]|χ")
"""What parts a statistic from a p-value that is not its own."""
_FARTHEST = 90  # characters from a statistic to its p-value, without what tells its degrees of freedom
_FEWEST_PAIRS = 8

_ONE_SIDED = re.compile(r"\b(?:one|1)[- –]?(?:tailed|sided)|\bdirectional (?:test|hypothes)", re.IGNORECASE)
_ADJUSTED = re.compile(
    r"bonferroni|(?<!-)\bcorrected|FWE|adjust|holm\b|tukey|scheff|dunnett|s[ií]d[aá]k|fdr|benjamini"
    r"|post[- ]hoc|permut|bootstrap"
    r"|exact test|monte carlo|mixtures? of (?:χ|chi)|chi-?bar|(?-i:\bq\s?[=<])",
    re.IGNORECASE,
)
_SPHERICITY = re.compile(r"greenhouse|huynh", re.IGNORECASE)
"""A correction of the degrees of freedom, of which whole ones have nothing yet."""
_RAW = re.compile(
    r"\b(?:raw|uncorrected|unadjusted|not (?:corrected|adjusted))\b"
    r"|\b(?:level|threshold|alpha|\u03b1)(?: [a-z]+){0,2} (?:bonferroni|correct)"
    r"|\bbonferroni(?:[’']s)?[- ](?:[a-z]+ ){0,2}(?:level|threshold|alpha|\u03b1)",
    re.IGNORECASE,
)
"""Nothing was done to the p-values: what was corrected is the level that they are compared with."""
TAILS = ("t", "F", "r", "Q", "z", "chi")
"""Statistics of which the p-value can be computed."""
P_CELL = re.compile(
    r"(?:[pP]\s?)?(?P<relation>[<>=≤≥]?)\s?(?P<p>[01]?\.\d+|[01](?=\.?$))\s?[a-z†‡§]?|(?P<ns>n\.?\s?s\.?|NS)"
)
_NUMBER_CELL = re.compile(
    rf"(?:[A-Za-zχ²2]{{1,2}}\s?(?:\([\d., ]+\)\s?)?=\s?)?(?P<value>{NUMBER})"
    rf"(?:\s?[(\[](?P<behind>[\d., ]+)[)\]])?\s?[a-z†‡§]?$"
)
_ERROR = re.compile(r"error|residuals?\b|within", re.IGNORECASE)


@dataclass(frozen=True)
class ReportedTest:
    """A test as it is printed."""

    name: str
    value: RoundedNumber
    readings: tuple[tuple[RoundedNumber, ...], ...]
    """Degrees of freedom, each set of them that the text allows."""
    relation: str
    """=, <, >, ≤, ≥ or ns."""
    p: RoundedNumber
    place: tuple[int, int]

    @property
    def two_sided(self) -> bool:
        """Whether its p-value counts both tails."""
        return self.name in {"t", "r", "z"}

    def p_values(self, reading: tuple[RoundedNumber, ...]) -> tuple[float, float]:
        """The smallest and the largest p-value of all statistics and degrees of freedom that are printed like these."""
        size = abs(self.value.value)
        sizes = (max(0.0, size - self.value.half), size + self.value.half)
        # Degrees of freedom with decimals are of a correction, and count at both ends of what they round to.
        ends = [
            (each.value,) if each.half == 0.5 else (each.value - each.half, each.value + each.half) for each in reading
        ]
        found = [tail(self.name, each, degrees) for each in sizes for degrees in product(*ends)]
        return min(found), max(found)


def tail(name: str, value: float, degrees: tuple[float, ...]) -> float:
    """The p-value of a statistic of at least this size, of both tails where it has two."""
    from scipy import special, stats  # noqa: PLC0415 - only papers with tests wait for it

    if name == "z":
        return float(special.erfc(value / math.sqrt(2)))
    if name == "F":
        return float(stats.f.sf(value, *degrees))
    if name in {"chi", "Q"}:
        return float(stats.chi2.sf(value, *degrees))
    if name == "r":
        if value >= 1:
            return 0.0
        value *= math.sqrt(degrees[0] / (1 - value**2))
    return float(2 * stats.t.sf(value, *degrees))


class _Statistic(NamedTuple):
    """A statistic of a text, before its p-value is known."""

    name: str
    value: RoundedNumber
    beside: str
    """Degrees of freedom at its name."""
    start: int
    end: int


def reported_tests(text: str) -> Iterator[ReportedTest]:
    """The tests of a text: each statistic with the p-value next to it and the degrees of freedom near both."""
    statistics = list(_statistics(text))
    values = list(_SIGNIFICANCE.finditer(text))
    unread = text  # signs, as many, stand for what has been read
    for start, end in [*((each.start, each.end) for each in statistics), *(each.span() for each in values)]:
        unread = f"{unread[:start]}{'#' * (end - start)}{unread[end:]}"
    known = list(_DEGREES.finditer(unread))
    used: set[int] = set()
    for at, statistic in enumerate(statistics):
        begin = statistics[at - 1].end if at else 0
        end = statistics[at + 1].start if at + 1 < len(statistics) else len(text)
        value = _p_behind(text, statistic, values, known, end) or _p_before(text, statistic, values)
        if value is None or value.start() in used:
            continue
        used.add(value.start())
        begin = max([begin, *(each.end() for each in values if each.end() <= statistic.start and each is not value)])
        later = [each.start() for each in values if each.start() >= max(value.end(), statistic.end)]
        near = [each for each in known if begin <= each.start() and each.end() <= min([end, *later])]
        readings = _readings(statistic, text, near)
        if readings:
            place = min(statistic.start, value.start()), max(statistic.end, value.end())
            yield reported_test(statistic.name, statistic.value, readings, value, place)


def reported_test(
    name: str,
    value: RoundedNumber,
    readings: Sequence[tuple[RoundedNumber, ...]],
    p: re.Match[str],
    place: tuple[int, int],
) -> ReportedTest:
    """A test whose p-value is a match of a p-value, or of a word for one above 0.05."""
    relation = "ns" if p["ns"] else EQUAL.get(p["relation"], p["relation"])
    return ReportedTest(
        name, value, tuple(readings), relation, RoundedNumber(ALPHA, 0.0) if p["ns"] else parse_number(p["p"]), place
    )


def _statistics(text: str) -> Iterator[_Statistic]:
    for match in STATISTIC.finditer(text):
        name = next(name for name in ("r", "chi", "t", "F", "z", "Q") if match[name])
        value = parse_number(match["value"])
        if (name == "r" and abs(value.value) > 1) or (name in {"F", "chi", "Q"} and value.value < 0):
            continue
        yield _Statistic(name, value, match["inside"] or match["below"] or "", *match.span())


def _p_behind(
    text: str, statistic: _Statistic, values: Sequence[re.Match[str]], known: Sequence[re.Match[str]], end: int
) -> re.Match[str] | None:
    """The first p-value after a statistic if no other claim lies between."""
    value = next((each for each in values if statistic.end <= each.start() < end), None)
    if value is None:
        return None
    gap = text[statistic.end : value.start()]
    for each in known:
        if statistic.end <= each.start() and each.end() <= value.start():
            gap = gap.replace(each[0], "")
    return None if len(gap) > _FARTHEST or _NEXT_CLAIM.search(gap) else value


def _p_before(text: str, statistic: _Statistic, values: Sequence[re.Match[str]]) -> re.Match[str] | None:
    """The p-value directly before a statistic, as in `(p = .002, t(38) = 2.41)`."""
    value = next((each for each in reversed(values) if each.end() <= statistic.start), None)
    return value if value and re.fullmatch(r"\s?[,;:(]?\s?", text[value.end() : statistic.start]) else None


def _readings(statistic: _Statistic, text: str, near: Sequence[re.Match[str]]) -> list[tuple[RoundedNumber, ...]]:
    """All degrees of freedom that a statistic may have: those at its name, else those told near it."""
    if statistic.name == "z":
        return [()]
    told = [statistic.beside] if statistic.beside else [told for each in near for told in _told_degrees(each)]
    if statistic.name == "r" and not told:
        return _of_pairs(text, statistic)
    return list(usable(statistic.name, told))


def _told_degrees(match: re.Match[str]) -> list[str]:
    if match["first"]:
        return [f"{match['first']}, {match['second']}"]
    return [match["behind"] or match["before"]]


def usable(name: str, told: Sequence[str]) -> Iterator[tuple[RoundedNumber, ...]]:
    """Those of the printed degrees of freedom that a statistic of this name can have: two of an F, else one."""
    for text in told:
        numbers = re.fullmatch(
            rf"({_ONE})\s?(?:[,;/]|and)\s?({_ONE})" if name == "F" else rf"({_ONE})",
            str(SMALL_NUMBERS.get(text.lower(), text)).strip("() "),
        )
        degrees = tuple(map(parse_number, numbers.groups())) if numbers else ()
        if degrees and all(each.value > 0 for each in degrees):
            yield degrees


def _of_pairs(text: str, statistic: _Statistic) -> list[tuple[RoundedNumber, ...]]:
    """Degrees of freedom of a correlation: two less than the n beside it, or than one that its sentence tells."""
    beside = PAIRS.search(text, statistic.end, statistic.end + 40)
    if beside:
        return of_sizes([int(beside["n"].replace(",", ""))])
    starts = [0, *(end for end in sentence_ends(text) if end <= statistic.start)]
    ends = [*(end for end in sentence_ends(text) if end > statistic.start), len(text)]
    sentence = text[starts[-1] : ends[0]]
    return of_sizes([*told_sizes(sentence)])


def of_sizes(sizes: Sequence[int]) -> list[tuple[RoundedNumber, ...]]:
    """Degrees of freedom of a correlation of any number of pairs from the smallest to the largest of these."""
    pairs = [size for size in sizes if size >= _FEWEST_PAIRS]
    return [(RoundedNumber(size - 2, 0.5),) for size in range(min(pairs), max(pairs) + 1)] if pairs else []


def check_tests(statement: Statement) -> Iterator[ComputedFinding]:
    """Findings about the tests of a paragraph."""
    for test in reported_tests(statement.text):
        start, end = statement.sentence_at(test.place[0])
        yield from _check(statement, test, statement.text[start:end])


def check_test_tables(tables: Sequence[TableRows]) -> Iterator[ComputedFinding]:
    """Findings about the tests of tables."""
    for rows in tables:
        told = told_about(rows)
        lines = list(lines_of(rows))
        for at, line in enumerate(lines):
            for statement, test in _tests_of(line, lines[at + 1 :], told):
                yield from _check(statement, test, f"{told} {statement.text}")


def _tests_of(
    line: Sequence[RoleCell], below: Sequence[Sequence[RoleCell]], told: str
) -> Iterator[tuple[Statement, ReportedTest]]:
    """Each p-value of a line with the only statistic before it, or else behind it."""
    begin = 0
    places = [at for at, cell in enumerate(line) if cell.role == "p"]
    for at in places:
        part = line[begin : at + 1]
        if not any(cell.role in TAILS for cell in part):
            part = line[at : min([each for each in places if each > at], default=len(line))]
        begin = at + 1
        statistics = [cell for cell in part if cell.role in TAILS]
        p = P_CELL.fullmatch(line[at].text)
        value = _NUMBER_CELL.match(statistics[0].text) if len(statistics) == 1 else None
        if p is None or value is None:
            continue
        name = statistics[0].role
        number = parse_number(value["value"])
        readings = list(_readings_of(statistics[0], value["behind"] or "", line, below, told))
        if readings and not (name == "r" and abs(number.value) > 1):
            yield line[at].statement, reported_test(name, number, readings, p, (0, 0))


def _readings_of(
    statistic: RoleCell, behind: str, line: Sequence[RoleCell], below: Sequence[Sequence[RoleCell]], told: str
) -> Iterator[tuple[RoundedNumber, ...]]:
    """Degrees of freedom of a cell: in it or its title, in its line, of the error below it, or told of the table."""
    if statistic.role == "z":
        yield ()
        return
    own = [cell.text for cell in line if cell.role == "df" and cell.text]
    first, second = (next((cell.text for cell in line if cell.role == role), "") for role in ("df1", "df2"))
    error = next((_df_of(each) for each in below if each and _ERROR.match(each[0].text) and _df_of(each)), "")
    pairs = [cell.text for cell in line if cell.role == "n"]
    beside = re.search(rf"(?:[(\[_{{]|[Ft](?=\d))\s?(?:{_DF_WORD}\s?=\s?)?({_ONE}(?:,\s?{_ONE})?)", statistic.title)
    for texts in (
        [behind] if behind else [],
        [beside[1]] if beside else [],
        [f"{first}, {second}"] if first and second else [],
        [f"{each}, {error}" for each in own] if error and statistic.role == "F" else [],
        own,
        [] if own or pairs else [told for match in _DEGREES.finditer(told) for told in _told_degrees(match)],
    ):
        if found := list(usable(statistic.role, texts)):
            yield from found
            return
    if statistic.role == "Q" and "Q" in statistic.title and not own:
        studies = [int(cell.text) for cell in line if cell.role == "k" and cell.text.isdecimal()]
        yield from ((RoundedNumber(each - 1, 0.5),) for each in studies if each > 1)
    if statistic.role == "r" and not own:
        yield from of_sizes([int(text) for text in pairs if text.isdecimal()] or [*told_sizes(told)])


def _df_of(line: Sequence[RoleCell]) -> str:
    return next((cell.text for cell in line if cell.role == "df"), "")


def _check(statement: Statement, test: ReportedTest, around: str) -> Iterator[ComputedFinding]:
    """A finding if no reading of a test fits its p-value."""
    ranges = [test.p_values(reading) for reading in test.readings]
    if any(_fits(test, low, high) for low, high in ranges):
        return
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    uncorrected = _SPHERICITY.search(around) and all(each.half == 0.5 for each in test.readings[0])
    adjusted = _ADJUSTED.search(around) and not _RAW.search(around)
    if (uncorrected or adjusted) and test.p.value > high:
        return
    changed = _changes_decision(test, low, high)
    if test.two_sided and any(_fits(test, least / 2, most / 2) for least, most in ranges):
        if not _ONE_SIDED.search(f"{around} {statement.text}"):
            yield statement.finding(
                "test and p-value",
                "medium" if changed else "low",
                test.place,
                computation=f"{_shown(test)} gives a two-sided p of {format_range(low, high)}; the printed p is half of it",
                consistent=f"p = {format_number((low + high) / 2, 2)}, or the word one-sided beside it",
            )
        return
    sides = "a two-sided p" if test.two_sided else "p"
    decision = f", on the other side of {ALPHA}" if changed else ""
    printed_p = "not significant" if test.relation == "ns" else f"p {test.relation} {test.p.value:g}"
    yield statement.finding(
        "test and p-value",
        "high" if changed else "medium",
        test.place,
        computation=f"{_shown(test)} gives {sides} of {format_range(low, high)}, printed is {printed_p}{decision}",
        consistent=f"p = {format_range(low, high)}" if high >= 0.001 else "p < 0.001",
    )


def _fits(test: ReportedTest, low: float, high: float) -> bool:
    """Whether p-values from `low` to `high` fit what is printed."""
    slack = 1e-12
    return {
        "=": low - slack <= test.p.high and high + slack >= test.p.low,
        "<": low < test.p.high,
        "≤": low <= test.p.high,
        ">": high > test.p.low,
        "≥": high >= test.p.low,
        "ns": high > ALPHA,
    }[test.relation]


def _changes_decision(test: ReportedTest, low: float, high: float) -> bool:
    """Whether the computed p-values lie on the other side of 0.05 than the printed one."""
    if test.relation in {"<", "≤", "="} and test.p.value <= ALPHA:
        return low > ALPHA
    above = test.relation == "ns" or (test.relation in {">", "≥"} and test.p.value >= ALPHA)
    return (above or (test.relation == "=" and test.p.value > ALPHA)) and high <= ALPHA


def _shown(test: ReportedTest) -> str:
    name = "χ²" if test.name in {"chi", "Q"} else test.name  # Q and the H of Kruskal and Wallis are compared with χ²
    ends = dict.fromkeys((test.readings[0], test.readings[-1]))
    degrees = " to ".join(", ".join(f"{each.value:g}" for each in reading) for reading in ends)
    return f"{name}({degrees}) = {test.value.value:g}" if degrees else f"{name} = {test.value.value:g}"
