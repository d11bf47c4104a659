"""Read the records of a sentence: only formats that a field prescribes, such as those of the APA.

Where the meaning of words would decide what a number is, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, cast, get_args

from tools.numbers.records import (
    ALPHA,
    NUMBER,
    P_VALUE,
    DegreesOfFreedom,
    Relation,
    ReportedTest,
    RoundedNumber,
    TestKind,
    parse_number,
)
from tools.numbers.statements import Statement

_KINDS: tuple[TestKind, ...] = get_args(TestKind)
_DEGREES = r"\d+(?:\.\d+)?(?:\s?[,;]\s?\d+(?:\.\d+)?)?"
_STATISTIC = rf"""
    (?<! [\w’'.^] )
    (?: (?: (?P<t> t ) | (?P<F> Δ? F ) ) (?: _? [12] (?= \s? \( ) )?         # t, F, F2(1, 19) of items
      | (?P<r> r ) | (?P<z> [zZ] )
      | (?P<Q> Q (?: [\s_-]? \{{? [A-Za-z]{{1,7}} \}}? )? | H )                  # Q, QB, Q-within, H of ranks
      | (?P<chi> Δ? (?: χ | \\chi | [Cc]hi | G ) [\s-]? (?: \^? \s? \{{? [2²] \}}? | squared? )?
          | [Xxcvw] \s? \^? [2²]                                             # X2; fonts make c, v or w of χ,
          | (?<! [-–] ) [2²] (?= \s? [(\[] ) )                               # or nothing: 2(1) = 4.2
    )
    (?: \s{{0,2}} [(\[] (?P<inside> [^()\[\]|]{{1,40}} ) [)\]]                   # t(38), χ²(1, N = 184)
      | _? \{{? \(? (?P<below> {_DEGREES} ) \)? \}}? )?                        # t_38, F1,38
    \s{{0,2}} (?P<comparison> [=<>] ) \s{{0,2}}
    (?P<value> (?-x:{NUMBER}) ) (?! \d | [.,]\d | \s\d | \s? [%x×·] )        # no part of 2,76 or of 1 231.24
    (?: [,;]? \s? \(? d\.? \s? f\.? \s? = \s? (?P<behind> {_DEGREES} ) \)? )?  # t = 2.20, df = 38
"""
# What APA puts between a statistic and its p: MSE = 1.2, η² = .12, 95% CI [0.1, 0.9].
_BETWEEN = rf"""
    \s? [,;]? \s{{0,2}} \(?
    (?: (?! [tFzZQHχ] [\W\d_] | [pP] (?! artial ) )                                # another statistic, or p
        [A-Za-zχηωεφβΔ] [\w²^’'{{}}-]{{0,12}} (?: \s [\w²^]{{1,8}} )? \s? [=<>] \s? (?-x:{NUMBER}) \s? %?
      | 9\d \s? % \s? CI \s? [=:]? \s? [(\[] [^()\[\]]{{1,30}} [)\]] )
    \)?
"""
_NOT_SIGNIFICANT = r"(?:[pP]\s?[=>]?\s?)?(?P<ns>n\.\s?s\.|ns|NS|N\.\s?S\.)(?!\w)"
_TEST = re.compile(
    rf"""
    {_STATISTIC} (?: {_BETWEEN} ){{0,3}}? [\s,;:(]{{1,5}}
    (?: (?: one | two | [12] ) [ –-] (?: tailed | sided ) \s )? (?: {P_VALUE} | (?-x:{_NOT_SIGNIFICANT}) )
    """,
    re.VERBOSE,
)
_LARGE = r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"  # t(1,245)
_FORMS = {
    "z": "",
    "F": rf"(\d+(?:\.\d+)?)\s?[,;]\s?{_LARGE}",
    "chi": r"(\d+(?:\.\d+)?)(?:\s?[,;]\s?[\d,]+)?",  # the second is N
}
_SIZE = re.compile(r"[,;]?\s?[nN]\s?=\s?(?P<n>\d+(?:,\d{3})*)\s?[,;]?\s?")
_ONE_SIDED = re.compile(r"\b(?:one|1)[- –]?(?:tailed|sided)\b|\bdirectional (?:test|hypothes)", re.IGNORECASE)
_TWO_SIDED = re.compile(r"\b(?:two|2)[- –]?(?:tailed|sided)\b", re.IGNORECASE)
_ADJUSTED = re.compile(
    r"bonferroni|\bholm\b|hochberg|benjamini|false[- ]discovery|\bFDR\b|family[- ]?wise|\bFWER?\b|tukey|scheff[eé]"
    r"|dunnett|s[ií]d[aá]k|newman[- ]keuls|(?<!un)(?:adjusted|corrected) (?:p\b|for multiple)"
    r"|\bp[- ]values? (?:were |are )?(?:adjusted|corrected)",
    re.IGNORECASE,
)
_NEAR = 400  # characters on either side, in which a correction or a number of tails is told of a test
_SPHERICITY = re.compile(r"greenhouse|huynh", re.IGNORECASE)


def speaks_of_one_side(text: str) -> bool:
    """Return whether a text speaks of a one-sided test."""
    return _ONE_SIDED.search(text) is not None


def find_tails(text: str) -> Literal["one", "two", "unstated"]:
    """Return how many tails of a distribution a text says that its tests count."""
    return "one" if speaks_of_one_side(text) else "two" if _TWO_SIDED.search(text) else "unstated"


def find_adjustment(text: str, degrees: DegreesOfFreedom) -> str:
    """Return the words of a text that name a correction of the p-value; empty if none do.

    A correction for sphericity is one while the degrees of freedom are whole, which shows that they are uncorrected.
    """
    found = _ADJUSTED.search(text)
    if not found and all(each.half >= 0.5 for each in degrees):
        found = _SPHERICITY.search(text)
    return found[0] if found else ""


def read_tests(statement: Statement) -> Iterator[ReportedTest]:
    """Read `t(38) = 2.20, p = .034`: a statistic, its degrees of freedom and its p-value directly behind it."""
    for match in _TEST.finditer(statement.text):
        kind = next(name for name in _KINDS if match[name])
        value = parse_number(match["value"])
        degrees = read_degrees(kind, match["inside"] or match["below"] or match["behind"] or "")
        is_odd = (match["below"] and kind not in {"t", "F", "chi"}) or (value.value < 0 and kind in {"F", "chi", "Q"})
        if degrees is None or is_odd:  # H2 is heritability, and r2 a share of variance
            continue
        near = statement.text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        yield ReportedTest(
            statement=statement,
            place=match.span(),
            kind=kind,
            statistic=value,
            statistic_relation=cast("Literal['=', '<', '>']", match["comparison"]),
            degrees=degrees,
            p=RoundedNumber(ALPHA, 0.0) if match["ns"] else parse_number(match["p"]),
            p_relation=cast("Relation", "ns" if match["ns"] else match["relation"]),
            tails=find_tails(near),
            adjustment=find_adjustment(near, degrees),
        )


def read_degrees(kind: TestKind, text: str) -> DegreesOfFreedom | None:
    """Read `1, 38`, `df = 38` or `2, N = 90`; None unless they are as many as the statistic has, and above zero."""
    size = _SIZE.search(text)
    told = re.sub(r"d\.?\s?f\.?\s?=", "", _SIZE.sub("", text)).strip()
    if kind == "r" and size and not told:
        return (RoundedNumber(parse_number(size["n"]).value - 2, 0.5),)
    found = re.fullmatch(_FORMS.get(kind, _LARGE), re.sub(r"^[lI](?=[,;])", "1", told))  # l as a scan has a 1
    degrees = tuple(map(parse_number, found.groups())) if found else ()
    return degrees if found and all(each.value > 0 for each in degrees) else None
