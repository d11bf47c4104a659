"""Read records from sentences, only in formats that a field prescribes, such as those of the APA.

A number whose kind depends on the meaning of the words around it is not read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Literal, cast, get_args

from tools.checks.quantity_lexicon import SMALL_NUMBERS
from tools.numbers import records
from tools.numbers.records import COUNT, NUMBER, NUMBER_OR_WORD, P_VALUE, UNSIGNED_NUMBER, parse_number
from tools.numbers.statements import Statement

_KINDS: tuple[records.TestKind, ...] = get_args(records.TestKind)
_DEGREES = r"\d+(?:\.\d+)?(?:\s?[,;]\s?\d+(?:\.\d+)?)?"
_T_OR_F = r"(?:(?P<t>t)|(?P<F>Δ?F))(?:_?[12](?=\s?\())?"  # t, F, F2(1, 19) of items
_Q = r"(?P<Q>Q(?:[\s_-]?\{?[A-Za-z]{1,7}\}?)?|H)"  # Q, QB, Q-within, H of ranks
_CHI = (
    r"(?P<chi>Δ?(?:χ|\\chi|[Cc]hi|G)[\s-]?(?:\^?\s?\{?[2²]\}?|squared?|(?!\d))"  # χ², chi-square, G2; not χ12 of χ₁²
    r"|[Xxcvw]\s?\^?[2²]|(?<![-–])[2²](?=\s?[(\[]))"  # X2; of a lost χ fonts make c, v, w or nothing
)
_NAME = rf"(?<![\w’'.^])(?:{_T_OR_F}|(?P<r>r)|(?P<z>[zZ])|{_Q}|{_CHI})"
_INSIDE = r"\s{0,2}[(\[](?P<inside>[^()\[\]|]{1,40})[)\]]"  # t(38), χ²(1, N = 184)
_BELOW = rf"_?\{{?\(?(?P<below>{_DEGREES})\)?\}}?"  # t_38, F1,38
_BEHIND = rf"[,;]?\s?\(?d\.?\s?f\.?\s?=\s?(?P<behind>{_DEGREES})\)?"  # t = 2.20, df = 38
_NOT_CONTINUED = r"(?!\d|[.,]\d|\s\d|\s?[%x×·])"  # not a part of 2,76 or 1 231.24
_VALUE = rf"\s{{0,2}}(?P<comparison>[=<>])\s{{0,2}}(?P<value>{NUMBER}){_NOT_CONTINUED}"
_SYMBOL = r"(?![tFzZQHχ][\W\d_]|[pP](?!artial))[A-Za-zχηωεφβΔ][\w²^’'{}-]{0,12}(?:\s[\w²^]{1,8})?"  # ηp², Cohen's d
_INTERVAL_OF_EFFECT = r"9\d\s?%\s?CI\s?[=:]?\s?[(\[][^()\[\]]{1,30}[)\]]"  # 95% CI [0.1, 0.9]
# The APA allows effect sizes and the like between a statistic and its p, such as MSE = 1.2.
_BETWEEN = rf"\s?[,;]?\s{{0,2}}\(?(?:{_SYMBOL}\s?[=<>]\s?{NUMBER}\s?%?|{_INTERVAL_OF_EFFECT})\)?"
_NOT_SIGNIFICANT = r"(?:[pP]\s?[=>]?\s?)?(?P<ns>n\.\s?s\.|ns|NS|N\.\s?S\.)(?!\w)"
_SIGNIFICANCE = rf"(?:(?:one|two|[12])[ –-](?:tailed|sided)\s)?(?:{P_VALUE}|{_NOT_SIGNIFICANT})"
_TEST = re.compile(
    rf"{_NAME}(?:{_INSIDE}|{_BELOW})?{_VALUE}(?:{_BEHIND})?(?:{_BETWEEN}){{0,3}}?[\s,;:(]{{1,5}}{_SIGNIFICANCE}"
)
_LARGE = r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"  # t(1,245)
_FORMS = {
    "z": "",
    "r": rf"({COUNT})",
    "F": rf"(\d+(?:\.\d+)?)\s?[,;]\s?{_LARGE}",
    "chi": r"(\d+(?:\.\d+)?)(?:\s?[,;]\s?[\d,]+)?",  # the second is N
}
_SIZE = re.compile(r"[,;]?\s?[nN]\s?=\s?(?P<n>\d+(?:,\d{3})*)\s?[,;]?\s?")
# An equivalence test is two one-sided tests (Schuirmann, 1987, Journal of Pharmacokinetics and Biopharmaceutics 15).
ONE_SIDED = re.compile(
    r"\b(?:one|1)[- –]?(?:tailed|sided)\b|\bdirectional (?:test|hypothes)"
    r"|\b(?:equivalence|(?:non-?)?inferiority) (?:test|bound|margin)|\bTOST\b|\bstatistically equivalent\b",
    re.IGNORECASE,
)
_TWO_SIDED = re.compile(r"\b(?:two|2)[- –]?(?:tailed|sided)\b", re.IGNORECASE)
ADJUSTMENT = re.compile(
    r"bonferroni|\bholm\b|hochberg|benjamini|false[- ]discovery|\bFDR\b|family[- ]?wise|\bFWER?\b|tukey|scheff[eé]"
    r"|dunnett|s[ií]d[aá]k|newman[- ]keuls|(?<!un)(?:adjusted|corrected) p\b|\bmultiple[- ](?:comparison|test|hypothes)"
    r"|\bpost[- ]?hoc\b|\bglht\b|\bp[- ]values? (?:were |are )?(?:adjusted|corrected)",
    re.IGNORECASE,
)
# On either side of a number a correction, a number of tails or a scale may be named for it.
_CONTEXT_CHARACTERS = 400
SPHERICITY = re.compile(r"greenhouse|huynh", re.IGNORECASE)
RANK_TEST = re.compile(r"wilcoxon|mann[- –]?whitney|signed[- ]ranks?\b|rank[- ]sum", re.IGNORECASE)


def read_tests(statement: Statement) -> Iterator[records.ReportedTest]:
    """Yield the tests of a statement's text, with degrees of freedom and p, such as `t(38) = 2.20, p = .034`."""
    for match in _TEST.finditer(statement.text):
        kind = next(name for name in _KINDS if match[name])
        value = parse_number(match["value"])
        degrees = parse_degrees_of_freedom(kind, match["inside"] or match["below"] or match["behind"] or "")
        # H2 is heritability, r2 a share of variance and a whole z a coordinate. F, χ² and Q are never negative.
        is_subscript = match["below"] is not None and kind in {"r", "z", "Q"}
        is_impossible = value.half >= 0.5 if kind == "z" else kind in {"F", "chi", "Q"} and value.value < 0
        if degrees is None or is_subscript or is_impossible:
            continue
        near = statement.text[max(0, match.start() - _CONTEXT_CHARACTERS) : match.end() + _CONTEXT_CHARACTERS]
        sign = cast("Literal['=', '<', '>']", match["comparison"])
        yield records.ReportedTest(statement, match.span(), kind, value, sign, degrees, *parse_p_value(match, near))


def parse_p_value(match: re.Match[str] | None, about: str) -> tuple[Any, Any, records.Tails, str]:
    """Return the p-value of a match (None without any), its relation, and tails and adjustment named in a text."""
    groups, p, relation = match.groupdict() if match else {}, None, "="
    if groups.get("p"):
        p, relation = parse_number(groups["p"]), groups["relation"] or "="
    elif groups.get("ns"):
        p, relation = records.RoundedNumber(records.ALPHA, 0.0), "ns"
    tails: Any = "one" if ONE_SIDED.search(about) else "two" if _TWO_SIDED.search(about) else "unstated"
    adjusted = ADJUSTMENT.search(about)
    return p, relation, tails, adjusted[0] if adjusted else ""


def parse_degrees_of_freedom(kind: records.TestKind, text: str) -> records.DegreesOfFreedom | None:
    """Parse degrees of freedom (`1, 38`, `df = 38`, `2, N = 90`); None unless the statistic has as many, above zero."""
    size = _SIZE.search(text)
    listed = re.sub(r"d\.?\s?f\.?\s?=", "", _SIZE.sub("", text)).strip()
    if kind == "r" and size and not listed:
        return (records.RoundedNumber(parse_number(size["n"]).value - 2, 0.5),)
    # Scans read the 1 of F(1, 38) as l or I.
    found = re.fullmatch(_FORMS.get(kind, _LARGE), re.sub(r"^[lI](?=[,;])", "1", listed))
    degrees = tuple(map(parse_number, found.groups())) if found else ()
    return degrees if found and all(each.value > 0 for each in degrees) else None


_BARE = r"(?<![\w.,/–-])(?<!\d\s)"
_PERCENTAGE = r"(?P<percentage>\d{1,3}(?:\.\d+)?)\s?%"
_OF = rf"(?P<count>{NUMBER_OR_WORD})(?:\s?/\s?| (?:out )?of (?:the |all )?)(?P<total>{COUNT})"  # no words: one of three
_COUNTED_NOUN = r"(?:\s(?!and\b|or\b|but\b|of\b)[a-z][\w’'-]*){0,3}"  # of 32 patients
_COUNT_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # 8 of 32 patients (25%), (8/32, 25%)
        rf"{_BARE}{_OF}(?:{_COUNTED_NOUN}\s?[(\[]|,)\s?{_PERCENTAGE}(?=\s?(?:[)\],;|]|$))",
        # 25% (8 of 32), 25% (8/32)
        rf"{_BARE}{_PERCENTAGE}{_COUNTED_NOUN}\s?[(\[]\s?{_OF}{_COUNTED_NOUN}(?=\s?[)\],;])",
        # 8 (25%) of 32
        rf"{_BARE}(?P<count>{COUNT})\s?[(\[]\s?{_PERCENTAGE}\s?[)\]] of (?:the |all )?(?P<total>{COUNT})",
    )
]
PEOPLE = re.compile(
    r"\b(?:participants|patients|respondents|subjects|people|adults|children|students|women|men)\b", re.IGNORECASE
)
_SHARE_OF_PEOPLE = re.compile(rf"{_BARE}{_PERCENTAGE} of (?:the |all |these )?(?P<n>{COUNT}) {PEOPLE.pattern}")
_APPROXIMATE = re.compile(
    r"(?i:about|approximately|around|roughly|nearly|almost|over|under|(?:more|less) than|at least|up to|[~≈<>≤≥])\s?$"
)


def _is_approximate_or_bound(text: str, place: int) -> bool:
    """Return whether a word or sign before a number says that it is approximate (about, ~) or a bound (over, <)."""
    return _APPROXIMATE.search(text, max(0, place - 20), place) is not None


def read_proportions(statement: Statement) -> Iterator[records.Proportion]:
    """Yield proportions such as `x of N (y%)`, `x/N (y%)`, `y% (x of N)` and `x (y%) of N`."""
    for match in (match for pattern in _COUNT_PATTERNS for match in pattern.finditer(statement.text)):
        count, total = records.parse_whole_number(match["count"]), records.parse_whole_number(match["total"])
        percentage = parse_number(match["percentage"])
        approximate = _is_approximate_or_bound(statement.text, match.start("percentage"))
        if percentage.value <= 100:
            yield records.Proportion(statement, match.span(), count, total, percentage, approximate)


_WHOLE = re.compile(
    r"\blikert\b|\b(?:\d{1,2}|three|four|five|six|seven|nine|ten|eleven)-point\b|\bwhole numbers?\b|\bintegers?\b"
    r"|\bsingle[- ]item\b|\bare (?:all )?counts\b",
    re.IGNORECASE,
)
_BINARY = re.compile(
    r"\b(?:binary|dichotomous) (?:answer|variable|outcome|item|response|measure)s?\b|\b0 = \w+[,;] 1 =", re.IGNORECASE
)
_ITEMS = re.compile(rf"\b(?P<items>\d{{1,2}}|single|one|{'|'.join(SMALL_NUMBERS)})[- ]items?\b", re.IGNORECASE)


def parse_scale(text: str) -> dict[str, Any]:
    """Return the fields `whole`, `binary` and `items` of a mean in a dictionary, as a text states them."""
    words = {found["items"].lower() for found in _ITEMS.finditer(text)}
    numbers = {1 if word == "single" else SMALL_NUMBERS.get(word) or int(word) for word in words}
    counted = re.search(r"\bwhole numbers?\b|\bare (?:all )?counts\b", text) and not numbers
    items = 1 if counted else numbers.pop() if len(numbers) == 1 else None
    return {"whole": _WHOLE.search(text) is not None, "binary": _BINARY.search(text) is not None, "items": items}


_MEAN = re.compile(
    rf"""
    (?: (?<! \w ) [nN] \s? = \s? (?P<n_before> {COUNT} ) [,;:] \s )?
    (?<! [\w’'-] ) (?: M | [Mm]ean ) (?P<pair> \s? (?: \( \s? SD \s? \) | ± \s? SD ) )?
    \s{{0,2}} (?: = | : | of | was )? \s? (?P<mean> {NUMBER} )
    (?: [\s,;(\[]* SD \s{{0,2}} (?: = | : | of )? \s? (?P<deviation> {UNSIGNED_NUMBER} )
      | \s? (?: \( | ± ) \s? (?P<second> {UNSIGNED_NUMBER} ) )?                  # M (SD) = 3.48 (1.20)
    (?! [.,]?\d | \s? % ) (?: [\s,;()\[\]]* (?<! \w ) [nN] \s? = \s? (?P<n> {COUNT} ) )?
    """,
    re.VERBOSE,
)


def read_means(statement: Statement) -> Iterator[records.MeanAndDeviation]:
    """Yield means such as `M = 3.48, SD = 1.20, n = 20` (n is needed), and `67% of the 150 participants`."""
    text, make_record = statement.text, partial(records.MeanAndDeviation, statement)
    for match in _MEAN.finditer(text):
        if n := match["n"] or match["n_before"]:
            end = statement.find_sentence_span(match.start())[1]
            scale = parse_scale(text[max(0, match.start() - _CONTEXT_CHARACTERS) : end])
            spread = match["deviation"] or (match["second"] if match["pair"] else None)
            mean, deviation = parse_number(match["mean"]), parse_number(spread) if spread else None
            yield make_record(match.span(), mean, deviation, records.parse_whole_number(n), **scale, percentage=False)
    for match in _SHARE_OF_PEOPLE.finditer(text):
        if not _is_approximate_or_bound(text, match.start()):
            share, n = parse_number(match["percentage"]), records.parse_whole_number(match["n"])
            yield make_record(match.span(), share, None, n, items=1, whole=True, binary=False, percentage=True)


_RATIO = r"(?:odds|risk|hazards?|(?:incidence )?rate|prevalence) ratio|relative risk|a?(?:OR|RR|HR)|IRR|PR"
_DIFFERENCE = (
    r"(?:(?:weighted |standardi[sz]ed )?mean |risk )?difference|MD|SMD|WMD|RD|[Cc]ohen[’']s d|[Hh]edges[’']s? g"
    r"|slope|coefficient|[dgbBβ]"
)
# SE = 0.05, t(38) = 2.4
_OTHER_VALUES = rf"(?:[,;]?\s?(?:SEM?|SD|t|z|Z|df|[nN]|[Ww]ald χ2)\s?(?:\([\d., ]+\))?\s?[=<>]\s?{NUMBER})*"
_BEFORE_INTERVAL = re.compile(
    rf"""
    (?<! [\w’'-] ) (?: (?P<ratio> (?-x:{_RATIO}) ) | (?P<difference> (?-x:{_DIFFERENCE}) ) )
    (?: \s? [(\[] [A-Za-z]{{1,5}} [)\]] )? \s? (?: = | : | , | of | was | is )? \s?     # odds ratio (OR) =
    (?<! [\w.,/±] ) (?<! ± \s ) (?P<value> {NUMBER} ) (?: \s? (?: % | [a-zA-Zµ°/]{{1,12}} (?: \s points )? ) )?
    (?-x:{_OTHER_VALUES}(?:[,;]\s?{P_VALUE})?) [\s,;:(\[]* $
    """,
    re.VERBOSE,
)
_INTERVAL_BEHIND = re.compile(
    rf"""
    (?: (?P<level> 9\d (?: \.\d )? ) \s? % \s?
        (?: CI | CrI | (?: confidence | credible ) \s intervals? (?: \s? \(CI\) )? )
        \s? (?: = | : | , | of | from )? \s? [(\[]?
      | \( ) \s?                                                # [12, 13] are citations
    (?P<low> {NUMBER} ) (?: \s? % )?
    (?: \s? (?: to | [,;] ) | \s[–-](?=\s) | [–-](?!\s) )       # in -0.21 -0.08 the second dash is a minus, too
    \s? (?P<high> {NUMBER} ) (?! \d | \.\d | \s? % \s? [Cc] )
    \s? %? \s? [)\]]?
    """,
    re.VERBOSE,
)
_P_BEHIND = re.compile(rf"{_OTHER_VALUES}[\s,;)\]]*(?:and )?{P_VALUE}(?!\sfor\b)")  # p = .04 for interaction
_EFFECT = re.compile(rf"(?<![\w’'-])(?:[Cc]ohen[’']s )?d\s{{0,2}}=\s?(?P<d>{NUMBER})")
_MAX_ESTIMATE_CHARACTERS = 120  # from its name to its interval


def read_estimates(statement: Statement) -> Iterator[records.Estimate]:
    """Yield estimates with their intervals and p-values, such as `OR 1.50 (95% CI 1.02 to 2.20), p = .04`."""
    text = statement.text
    for match in _INTERVAL_BEHIND.finditer(text):
        before = _BEFORE_INTERVAL.search(text, max(0, match.start() - _MAX_ESTIMATE_CHARACTERS), match.start())
        low, high = parse_number(match["low"]), parse_number(match["high"])
        # Parentheses without a level hold an interval only behind a ratio: OR 1.50 (1.02-2.20).
        if before is None or not (match["level"] or (before["ratio"] and low.value < high.value)):
            continue
        behind = _P_BEHIND.match(text, match.end())
        near = text[max(0, match.start() - _CONTEXT_CHARACTERS) : match.end() + _CONTEXT_CHARACTERS]
        place = (before.start(), behind.end() if behind else match.end())
        scale: Any = "ratio" if before["ratio"] else "difference"
        value, level = parse_number(before["value"]), float(match["level"] or 95) / 100
        p = parse_p_value(behind or before, near)
        yield records.Estimate(statement, place, before[scale], scale, value, low, high, level, *p)


def find_comparisons(
    means: Sequence[records.MeanAndDeviation], tests: Sequence[records.ReportedTest]
) -> Iterator[records.GroupComparison]:
    """Yield the single t or Cohen's d of each sentence with means, deviations and n of exactly two groups."""
    sentences = defaultdict[tuple[int, tuple[int, int]], list[records.MeanAndDeviation]](list)
    for mean in means:
        if mean.deviation and not mean.statement.row:
            sentences[id(mean.statement), mean.statement.find_sentence_span(mean.place[0])].append(mean)
    for (_, place), groups in sentences.items():
        statement = groups[0].statement
        t_tests = [each for each in tests if each.statement is statement and each.kind == "t"]
        t_tests = [each for each in t_tests if place[0] <= each.place[0] < place[1]]
        degrees = t_tests[0].degrees[0].value if len(t_tests) == 1 else None
        effects = [parse_number(found["d"]) for found in _EFFECT.finditer(statement.text, *place)]
        measures: dict[Any, list[records.RoundedNumber]] = {"t": [each.statistic for each in t_tests], "d": effects}
        for measure, values in measures.items():
            if len(groups) == 2 and len(values) == 1:
                yield records.GroupComparison(statement, place, (groups[0], groups[1]), measure, values[0], degrees)
