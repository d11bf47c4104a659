"""Reported tests: how papers print them, whether one fits its p-value, and many of which few are just significant.

Every number stands for all values that round to it, as in Nuijten et al. (2016), "The prevalence of statistical
reporting errors in psychology (1985-2013)", Behavior Research Methods 48: a p-value is wrong if no statistic that
rounds to the printed one gives a p-value that rounds to the printed one, and the decision changes if the two lie on
both sides of 0.05.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from state.computed_findings import ComputedFinding, Severity
from tools.checks.quantity_lexicon import SMALL_NUMBERS
from tools.consistency.printed import NUMBER, UNSIGNED, Printed, between, printed, short
from tools.consistency.statements import Statement

STATISTICS = ("t", "F", "r", "Q", "z", "chi")
"""Names of the groups that hold a statistic; `F_inside`, `F_below`, `F_behind`, `F_words` hold degrees of freedom."""
_ONE = r"(?: \d{1,3} (?: ,\d{3} )+ (?!\d) | \d+ (?: \.\d+ )? )"
_TWO = rf"{_ONE} \s? [,;] \s? {_ONE}"
_SMALL = r"\d+ (?: \.\d+ )?"
_DF_WORD = r"(?: d\.?\s?f\.? | degrees? \s of \s freedom )"


def _statistic(name: str, letter: str, sign: str = NUMBER) -> str:
    """Pattern of a statistic: its degrees of freedom are in brackets, below the line, or behind."""
    two = name == "F"
    some, words = (_TWO, rf"{_ONE} \s? (?: , | and ) \s? {_ONE}") if two else (_ONE, _ONE)
    below = rf"{_SMALL} \s? , \s? {_SMALL}" if two else _SMALL
    named = (
        rf"| {_DF_WORD}_?1 \s? = \s? (?P<F_first> {_ONE} ) \s? [,;] \s? {_DF_WORD}_?2 \s? = \s? (?P<F_second> {_ONE} )"
    )
    pairs = rf"| [nN] \s? = \s? (?P<{name}_pairs> {_ONE} )"
    return rf"""
        {letter}
        (?: \s? [(\[] \s? (?: {_DF_WORD} \s? = \s? )? (?P<{name}_inside> {some} )
              (?: \s? [,;] \s? [nN] \s? = \s? \d[\d,]* )? \s? [)\]]                # t(38), χ²(1, N = 184)
          | _? \{{? (?P<{name}_below> {below} ) \}}? (?= \s{{0,2}} = )              # t38, F_{{2,57}}
        )?
        (?: [\s-] (?: value | score | statistic | ratio ) )?
        \s{{0,2}} (?: = | : | of | was ) \s?
        (?P<{name}> {sign} )
        (?: \s? [,;(]? \s? (?: (?: with | on | and | for ) \s )?
            (?: {_DF_WORD} \s? =? \s? (?P<{name}_behind> {some} )                  # df = 38
              | (?P<{name}_words> {words} ) \s {_DF_WORD}                          # 38 degrees of freedom
              {named if two else pairs}
            ) \)?
        )?
    """


_PEARSON = r"(?: [Pp]earson (?: ’s )? \s )? r"
_COCHRAN = r"(?: (?: Cochran’s \s )? Q (?: [_ ]? [A-Za-z]{1,7} )? | H )"
_CHI = r"""
    (?: χ | \\chi | \b [Cc]hi | \b X (?= \s? \^? \s? [2²] ) )
    [\s-]? (?: \^? \s? \{? [2²] \}? | square[d]? )?
"""
STATISTIC = rf"""
    (?: (?<! [\w'’/-] )
        (?: Δ? {_statistic("t", "t")}
          | Δ? {_statistic("F", "F", UNSIGNED)}
          | {_statistic("r", _PEARSON)}
          | {_statistic("Q", _COCHRAN)}
          | {_statistic("z", "[zZ]")}
        )
      | {_statistic("chi", _CHI)}
    )
"""
"""Verbose pattern of a statistic with its degrees of freedom."""
P_VALUE = (
    r"(?<![\w’'-])[pP](?:\s?[-–]?\s?[Vv]alues?)?(?:\s?\((?:two|one|2|1)[- ](?:tailed|sided)\))?\s?"
    r"(?P<relation>[=<>≤≥:]|was|of)\s?(?P<p>(?:[01]?\.\d+|\d(?:\.\d+)?(?=\s?x\s?10|[eE]-))"
    r"(?:\s?x\s?10\s?\^?\s?\{?\s?[-–]\s?\d+\}?|[eE]-\d+)?)"
)
"""Pattern of a p-value with its relation, verbose or not."""
_NOT_SIGNIFICANT = r"(?P<ns> (?<! [\w-] ) (?: n\.\s?s\. | ns | NS | not \s significant ) (?!\w) )"
_GAP = r"""
    (?P<gap> (?:
        (?! \. \s+ [A-Z] )                                                        # no further sentence,
        (?! (?<!\w) [pP] \s? [-=<>≤≥vV:] )                                        # p-value,
        (?! \b (?: and | but | while | whereas | or | versus | vs ) \b )          # clause
        (?! [FtQ] \s? [(\[] | χ )                                                 # or statistic,
        .                                                                         # but effect sizes and the like
    ){0,70}? )
"""
TEST = re.compile(rf"{STATISTIC} {_GAP} (?: {P_VALUE} | {_NOT_SIGNIFICANT} )", re.VERBOSE)
P_FIRST = re.compile(rf"[(\[] \s? {P_VALUE} \s? [,;:] \s? {STATISTIC} \s? [)\]]", re.VERBOSE)
"""`(p = .002, t(38) = 2.41)`"""


def degrees(match: re.Match[str], name: str) -> list[str]:
    """The degrees of freedom of the statistic of this name, as printed: one or two, none if they are not told."""
    told = next((match[f"{name}_{at}"] for at in ("inside", "below", "behind", "words") if match[f"{name}_{at}"]), "")
    if name != "F":
        return [told] if told else []
    both = re.fullmatch(rf"(?P<first> {_ONE} ) \s? (?: [,;] | and ) \s? (?P<second> {_ONE} )", told, re.VERBOSE)
    if both:
        return [both["first"], both["second"]]
    return [match["F_first"], match["F_second"]] if match["F_first"] else []


ALPHA = 0.05
EQUAL = {"was": "=", "of": "=", ":": "="}
"""Other words and signs that a p-value may have for an equals sign."""

_ONE_SIDED = re.compile(r"\b(?:one|1)[- –]?(?:tailed|sided)|\bdirectional (?:test|hypothes)", re.IGNORECASE)
_ADJUSTED = re.compile(
    r"bonferroni|corrected|adjust|holm\b|tukey|scheff|dunnett|s[ií]d[aá]k|fdr|benjamini|post[- ]hoc|permut|bootstrap"
    r"|exact test|monte carlo|mixture|chi-?bar|(?-i:\bq\s?[=<])",
    re.IGNORECASE,
)
_SPHERICITY = re.compile(r"greenhouse|huynh", re.IGNORECASE)
"""A correction of the degrees of freedom, of which whole ones have nothing yet."""


@dataclass(frozen=True)
class ReportedTest:
    """A test as it is printed."""

    name: str
    value: Printed
    degrees: tuple[Printed, ...]
    relation: str
    """=, <, >, ≤, ≥ or ns."""
    p: Printed
    place: tuple[int, int]

    @property
    def two_sided(self) -> bool:
        """Whether its p-value counts both tails."""
        return self.name in {"t", "r", "z"}

    def p_values(self) -> tuple[float, float]:
        """The smallest and the largest p-value of all statistics and degrees of freedom that are printed like these."""
        size = abs(self.value.value)
        sizes = (max(0.0, size - self.value.half), size + self.value.half)
        found = [tail(self.name, each, degrees) for each in sizes for degrees in _corners(self.degrees)]
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


def _corners(degrees: tuple[Printed, ...]) -> list[tuple[float, ...]]:
    """Degrees of freedom at both ends of what they round to: those with decimals are of a correction."""
    corners: list[tuple[float, ...]] = [()]
    for each in degrees:
        ends = (each.value,) if each.half == 0.5 else (each.value - each.half, each.value + each.half)
        corners = [(*corner, end) for corner in corners for end in ends]
    return corners


def reported_tests(text: str) -> Iterator[ReportedTest]:
    """The tests that a text reports whole: statistic, degrees of freedom and p-value."""
    read: list[tuple[int, int]] = []
    for match in (match for pattern in (P_FIRST, TEST) for match in pattern.finditer(text)):
        name = next(name for name in STATISTICS if match[name])
        told = _degrees(match, name)
        again = any(start < match.end() and match.start() < end for start, end in read)
        if again or told is None or (name == "r" and abs(printed(match[name]).value) > 1):
            continue
        read.append(match.span())
        not_significant = bool(match.groupdict().get("ns"))
        yield ReportedTest(
            name=name,
            value=printed(match[name]),
            degrees=told,
            relation="ns" if not_significant else EQUAL.get(match["relation"], match["relation"]),
            p=Printed(ALPHA, 0.0) if not_significant else printed(match["p"]),
            place=match.span(),
        )


def _degrees(match: re.Match[str], name: str) -> tuple[Printed, ...] | None:
    """Degrees of freedom; None if they are not told, or not usable."""
    if name == "z":
        return ()
    texts = degrees(match, name)
    if name == "r" and not texts and match["r_pairs"]:
        texts = [str(int(match["r_pairs"].replace(",", "")) - 2)]
    told = tuple(map(printed, texts))
    return told if told and all(each.value > 0 for each in told) else None


def check_tests(statement: Statement) -> Iterator[ComputedFinding]:
    """Findings about the tests of a paragraph or row."""
    for test in reported_tests(statement.text):
        low, high = test.p_values()
        if _fits(test, low, high):
            continue
        start, end = statement.sentence_at(test.place[0])
        sentence = statement.text[start:end]
        uncorrected = all(each.half == 0.5 for each in test.degrees) and _SPHERICITY.search(sentence)
        if (uncorrected or _ADJUSTED.search(sentence)) and test.p.value > high:
            continue
        if test.two_sided and _fits(test, low / 2, high / 2):
            if not _ONE_SIDED.search(statement.text):
                yield _one_sided(statement, test, low, high)
            continue
        yield _finding(statement, test, low, high)


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
    degrees = ", ".join(f"{each.value:g}" for each in test.degrees)
    return f"{name}({degrees}) = {test.value.value:g}" if degrees else f"{name} = {test.value.value:g}"


def _printed_p(test: ReportedTest) -> str:
    return "not significant" if test.relation == "ns" else f"p {test.relation} {test.p.value:g}"


def _one_sided(statement: Statement, test: ReportedTest, low: float, high: float) -> ComputedFinding:
    changed = _changes_decision(test, low, high)
    return statement.finding(
        "test and p-value",
        "medium" if changed else "low",
        test.place,
        computation=f"{_shown(test)} gives a two-sided p of {between(low, high)}; the printed p is half of it",
        consistent=f"p = {short((low + high) / 2, 2)}, or the word one-sided beside it",
    )


def _finding(statement: Statement, test: ReportedTest, low: float, high: float) -> ComputedFinding:
    changed = _changes_decision(test, low, high)
    sides = "a two-sided p" if test.two_sided else "p"
    decision = f", on the other side of {ALPHA}" if changed else ""
    return statement.finding(
        "test and p-value",
        "high" if changed else "medium",
        test.place,
        computation=f"{_shown(test)} gives {sides} of {between(low, high)}, printed is {_printed_p(test)}{decision}",
        consistent=f"p = {between(low, high)}" if high >= 0.001 else "p < 0.001",
    )


_P = re.compile(P_VALUE)
_CORRECTION = re.compile(
    r"bonferroni|\bholm\b|hochberg|benjamini|\bFDR\b|false[- ]discovery|tukey|scheff|dunnett|s[ií]d[aá]k|newman|\bLSD\b"
    r"|famil(?:y|iy)[- ]?wise|\bFWER?\b|multiple[- ](?:comparison|test|hypothes)|multiplicity|number of (?:tests"
    r"|comparisons)"
    r"|(?:corrected|adjusted) (?:p|\u03b1|alpha|significance)|p[- ]values? (?:were )?(?:corrected|adjusted)"
    r"|\bq[- ]?values?|exploratory"
    r"|gatekeeping|hierarchical(?:ly)? test",
    re.IGNORECASE,
)
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(SMALL_NUMBERS)})"
_MEASURES = (
    r"(?:(?:secondary|primary|clinical|outcome|remaining|further|additional|different|tested|measured) )*"
    r"(?:measures|outcomes|variables|endpoints|end points|tests|comparisons|scales|subscales|biomarkers|markers"
    r"|parameters"
    r"|genes|SNPs|variants|loci|facets|correlations|models|questions|symptoms|species|cytokines|proteins|predictors|factors|contrasts"
    r"|traits|items|domains|subgroups|groups|regions|tasks|scores|indicators|metabolites|characteristics)"
)
_NO_MEASURES = "(?:studies|trials|papers|articles|reviews|patients|participants|groups|people)"
_OTHERS = re.compile(
    rf"\b(?:none|neither|no one) of the (?:other|remaining) {_COUNT} {_MEASURES}"
    rf"|\bthe (?:other|remaining) {_COUNT.replace('count', 'rest')}(?: (?!{_NO_MEASURES})[a-z]+s)?"
    rf" (?:did not|were not|showed no"
    rf"|remained|was not|had (?:no|[pP]\b|all))"
    rf"|\bno (?:significant )?(?:differences?|effects?|associations?|changes?)[^.;]{{0,40}} (?:in|on|for"
    rf"|with) the (?:other|remaining) {_COUNT.replace('count', 'last')} {_MEASURES}",
    re.IGNORECASE,
)
_UNCHANGED = re.compile(
    rf"\b{_COUNT} of the (?:[a-z]+ )?{_MEASURES} (?:showed no|did not|were not|was not|remained|had no)", re.IGNORECASE
)
_ONE_OF = re.compile(
    rf"\b(?:only )?(?:one"
    rf"|1) (?:out )?of (?:the )?{_COUNT} (?:[a-z-]+ ){{0,2}}{_MEASURES}[^.;]{{0,60}}(?:significan|differ)",
    re.IGNORECASE,
)
_FAMILY = re.compile(
    rf"\b(?:each|any|all|every one|one|two|three|whether any) of (?:the |our )?{_COUNT} (?:[a-z-]+ )?{_MEASURES}"
    rf"|\b(?:on|in|for|of|across)"
    rf" (?:the |all )?{_COUNT.replace('count', 'rest')} (?:[a-z-]+ )?{_MEASURES}"
    rf"|\b(?:tested|compared|examined|analy[sz]ed|measured|ran|with|looked at|considered|evaluated|assessed"
    rf"|used) (?:the )?{_COUNT.replace('count', 'last')} (?:[a-z-]+ )?{_MEASURES}",
    re.IGNORECASE,
)
_FEWEST = 5
_THRESHOLD = re.compile(
    r"\b(?:reached|reach|level of|level was|threshold of|set at|significance at|cut-off of)\W*$", re.IGNORECASE
)
_MODEL = re.compile(
    r"\b(?:I2|I 2|heterogeneity|shapiro|levene|normality|goodness|collinearity|kolmogorov)", re.IGNORECASE
)


def check_many_tests(statements: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Findings about the tests of a paper, at most one a section."""
    if any(_CORRECTION.search(statement.text) for statement in statements):
        return
    sections: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        sections[statement.paragraph["section"]].append(statement)
    for parts in sections.values():
        told = next((found for part in parts for found in _told(part)), None)
        if found := told or _listed(parts):
            yield found


def _told(statement: Statement) -> Iterator[ComputedFinding]:
    """`P = 0.04. None of the other six measures differed`, or `each of 24 variables. Only zinc (p = 0.038)`."""
    values = [
        found
        for found in _P.finditer(statement.text)
        if found["relation"] not in {">", "≥"} and not _THRESHOLD.search(statement.text[: found.start()])
    ]
    significant = [found for found in values if printed(found["p"]).value <= ALPHA]
    if not significant or any(not _just_significant(found) for found in significant):
        return
    smallest = min(significant, key=lambda found: printed(found["p"]).value)
    for pattern in (_OTHERS, _UNCHANGED, _ONE_OF, _FAMILY):
        for match in pattern.finditer(statement.text):
            groups = match.groupdict()
            named = next(groups[name] for name in ("count", "rest", "last") if groups.get(name))
            number = SMALL_NUMBERS.get(named.lower()) or (int(named) if named.isdigit() else 0)
            tests = number + len(significant) if pattern in (_OTHERS, _UNCHANGED) else number
            exact = pattern is not _FAMILY or all(found["relation"] == "=" for found in significant)
            if exact and tests >= _FEWEST and len(significant) <= max(1, tests // 5):
                start, end = statement.sentence_at(smallest.start())
                place = (start, max(end, match.end()) if match.start() > start else end)
                yield from _too_many(
                    statement, place, tests, [printed(each["p"]).value for each in significant], "medium"
                )
                return


def _listed(parts: Sequence[Statement]) -> ComputedFinding | None:
    """Many p-values in one section, the smallest of which would not stand among so many."""
    found = [
        (part, match)
        for part in parts
        for match in _P.finditer(part.text)
        if not _MODEL.search(part.text[max(0, match.start() - 60) : match.start()])
    ]
    values = [(printed(match["p"]).value, match["relation"]) for _, match in found]
    significant = [value for value, relation in values if value < ALPHA and relation not in {">", "≥"}]
    exact = [value for value, relation in values if relation in {"=", ":", "was", "of"} or value > ALPHA]
    few = 0 < len(significant) <= max(1, len(values) // 5)
    if len(values) < _FEWEST or len(exact) < len(values) or not few or min(significant) * len(values) <= ALPHA:
        return None
    part, match = next((part, match) for part, match in found if printed(match["p"]).value == min(significant))
    return next(_too_many(part, part.sentence_at(match.start()), len(values), significant, "low"), None)


def _just_significant(match: re.Match[str]) -> bool:
    value = printed(match["p"]).value
    return match["relation"] in {"=", ":", "<", "≤", "was", "of"} and 0.005 <= value <= ALPHA


def _too_many(
    statement: Statement, place: tuple[int, int], tests: int, significant: Sequence[float], severity: Severity
) -> Iterator[ComputedFinding]:
    if min(significant) * tests <= ALPHA:
        return
    chance = 1 - (1 - ALPHA) ** tests
    values = " and ".join(f"{value:g}" for value in sorted(significant))
    yield statement.finding(
        "many tests",
        severity,
        place,
        computation=f"of {tests} independent tests without any effect, one or more has p < {ALPHA} in {chance:.0%} of "
        f"cases; Bonferroni asks for p < {short(ALPHA / tests, 2)}; of those printed, {values} is below {ALPHA}",
        consistent=f"a correction for {tests} tests, one primary measure named before, or a weaker claim",
    )
