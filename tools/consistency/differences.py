"""Differences that are told beside the two numbers that they are of: `from 24.1 g to 27.4 g, a gain of 4.3 g`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from state.computed_findings import ComputedFinding
from tools.consistency.printed import UNSIGNED, printed, short
from tools.consistency.statements import Statement

_UNIT = r"(?:\s?(?:%|°C|(?!to\b|and\b|or\b)[a-zA-Zµ]{1,12}\b))?"
_YEAR = r"(?:19|20)\d\d"
_DIRECTION = "(?:gain|rise|increase|improvement|growth|drop|fall|decrease|decline|loss|reduction|difference|change)"
_A_CHANGE = rf"(?:an? |the |corresponding to an? |representing an? |which is an? )(?:[a-z]+ ){{0,2}}?{_DIRECTION}"
_FROM_TO = re.compile(
    rf"""
    \b from \s (?P<first> {UNSIGNED} ) (?P<unit> {_UNIT} ) (?: \s [^\d.;]{{0,40}}? (?: {_YEAR} )? )?
    \s to \s (?P<last> {UNSIGNED} ) (?P<same> {_UNIT} )
    (?: [^\d.;,]{{0,40}} (?: {_YEAR} )? )? [,(:–] \s?
    (?: {_A_CHANGE.replace(" ", "[ ]")} \s of \s | (?:or \s)? an? \s (?= [\d.]+ \s? % \s {_DIRECTION} ) )
    (?P<change> {UNSIGNED} ) (?P<of> \s? (?: % (?! \s? point ) | percentage )? )
    """,
    re.VERBOSE,
)
_ABOVE = re.compile(
    rf"""
    (?<![\w.,–-]) (?P<last> {UNSIGNED} ) (?P<unit> {_UNIT} ) [^\d.;]{{0,30}} , \s
    (?P<change> {UNSIGNED} ) \s? (?P<of> (?: % (?! \s? point) )? ) (?: \s? [a-z%]+ ){{0,2}}
    \s (?: above | below | over | under | more \s than | less \s than | higher \s than | lower \s than
    | better \s than | worse \s than ) \s [^\d.;,]{{0,40}}? \b (?: of | with | at | \( ) \s? (?P<first> {UNSIGNED} )
    """,
    re.VERBOSE,
)
_RANGE = re.compile(
    rf"\branged? from (?P<first>{UNSIGNED}){_UNIT} to (?P<last>{UNSIGNED}){_UNIT}\s?[(,]\s?(?:a "
    rf"|the )?range(?: of| =)? (?P<change>{UNSIGNED})(?P<of>)(?P<unit>)"
)


def check_differences(statement: Statement) -> Iterator[ComputedFinding]:
    """A printed change that is neither the difference of its two numbers nor, in per cent, its share of the first."""
    for match in (match for pattern in (_FROM_TO, _ABOVE, _RANGE) for match in pattern.finditer(statement.text)):
        first, last, change = (printed(match[name]) for name in ("first", "last", "change"))
        size = abs(last.value - first.value)
        slack = first.half + last.half + change.half + 1e-9
        bases = [base for base in (first.value, last.value) if base > 0]
        as_share = match["of"].strip() == "%" and any(abs(100 * size / base - change.value) <= 1.0 for base in bases)
        if abs(size - change.value) <= slack or as_share or (match["of"].strip() == "%" and first.value <= 0):
            continue
        computation = f"{last.value:g} − {first.value:g} = {last.value - first.value:.6g}"
        share = match["of"].strip() == "%" and "%" not in match["unit"]
        if share and first.value > 0:
            computation += f", which is {100 * size / first.value:.1f}% of {first.value:g}"
        yield statement.finding(
            "sum of parts",
            "medium",
            match.span(),
            computation=f"{computation}, printed is {change.value:g}{'%' if share else ''}",
            consistent=f"{short(100 * size / first.value if share and first.value > 0 else size)}, or other numbers",
        )
