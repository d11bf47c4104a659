"""Estimates with confidence intervals: whether estimate, interval and p-value fit together.

The p-value that belongs to an interval follows Altman and Bland (2011), "How to obtain the P value from a confidence
interval", BMJ 343:d2304.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from state.computed_findings import ComputedFinding
from tools.numbers.read_tables import P_CELL, RoleCell, lines_of, told_about
from tools.numbers.records import ALPHA, NUMBER, P_VALUE, UNSIGNED, RoundedNumber, format_number, parse_number
from tools.numbers.statements import Statement, TableRows

Scale = Literal["ratio", "difference", "share", "unknown"]

_RATIO = (
    r"(?:(?i:adjusted|crude|unadjusted|pooled|summary|overall) )?"
    r"(?:(?i:factor|(?:odds|risk|hazards?|(?:incidence )?rate|prevalence) ratios?|relative risks?)"
    r"|a?(?:OR|RR|HR|IRR|PR)s?)"
)
_DIFFERENCE = (
    r"(?:(?i:mean|risk|weighted|standardi[sz]ed|absolute|adjusted|estimated|treatment) ){0,2}"
    r"(?:(?i:differences?(?: in (?:[a-z]+ ){0,3}[a-z]+)?(?: of| was)?|cohen[’']s d|hedges[’'] g|beta|coefficient"
    r"|effect size|slope|gain|reduction of|increase of)|(?:MD|SMD|WMD|RD)s?|d|g|β|[Bb])"
)
_SHARE = (
    r"(?:(?i:sensitivity|specificity|prevalence|incidence|proportion|mean|median|estimate|kappa)"
    r"|AUC|AUROC|r|\u03c1|κ|ICC|I2)"
)
_NAME = rf"""(?x:
    (?<! [\w’'-] )
    (?: (?P<ratio> (?-x:{_RATIO}) ) | (?P<difference> (?-x:{_DIFFERENCE}) ) | (?P<share> (?-x:{_SHARE}) ) )
    (?: \s? [(\[] [A-Za-z]{{1,5}} [)\]] )?                                   # odds ratio (OR)
    (?: (?: \s for (?: \s [\w-]+ ){{1,5}}? )? \s? (?: = | : | was | is | were ) \s?   # for death was
      | \s? (?: , | of ) \s? | \s )
)"""
"""What the estimate is, with its abbreviation in brackets, and a sign or word that leads to the number."""
_TIMES = re.compile(r"(?:\s|-)?(?:times|fold|is to 1|: ?1(?!\d))\b")
_MULTIPLIED = re.compile(r"(?:\bmultipl[a-z]+\b[^.;]{0,60} by|\ba factor of) $")
_SIGNED = rf"[-–+]?\s?{UNSIGNED}"
_ESTIMATE = rf"(?P<estimate>{_SIGNED})"
_UNIT = r"(?P<unit>\s?(?:%|°C|[a-zA-Zµ]{1,8}(?:/[a-zA-Z]{1,5})?(?:[²³2])?|percentage points|points))?"
_UNIT_OF_TIME = (
    r"(?P<unit>\s?(?:%|°C|mm Hg|percentage points|[a-zA-Zµ]{1,10}(?: per [a-z]+|/[a-zA-Z]{1,5})?(?:[²³2])?))"
)
_LEVEL = r"""(?x:
    (?P<level> 9\d (?: \.\d )? ) \s? (?: % | per\s?cent ) \s? (?: [A-Za-z-]+ \s )?
    (?: CIs?\b | CrIs?\b | (?i: (?: confidence | credible | credibility ) \s )? (?i: intervals? | limits? )
        (?: \s? [(\[] CI [)\]] )? )
  | \bCI \s? (?P<level_behind> 9\d (?: \.\d )? ) \s? %
)"""
_LOW = rf"(?P<low>{_SIGNED})(?P<unit1>\s?(?!(?:to|and)\b)[%a-zA-Zµ°/]{{1,8}})?"
_HIGH = rf"(?P<high>{_SIGNED})(?P<after>\s?%)?"
_INTERVAL = (
    rf"(?:[A-Za-z][a-z]+ )?{_LEVEL}\s?(?:=|:|,|from|of|was|is|between|ranging from|ranged from"
    rf"|(?:by|from) [A-Za-z’' -]{{3,40}}?)?\s?[(\[{{]?\s?{_LOW}"
    rf"\s?(?:to|,|;|-|–|and|\.\.\.?|…)\s?{_HIGH}(?:\s?[)\]])?"
)
_P = (
    r"(?:(?:(?:\s[a-z%]{1,8})?[;,]\s?[tz]\s?(?:\([\d., ]+\))?\s?=\s?[-–]?\d+\.\d+"
    r"(?:[,;]\s?(?:d\.?f\.?\s?=\s?\d+|\d+\s?d\.?\s?f\.?))?)?"
    rf"(?:(?!\b9\d\s?%|\b(?:and|but|while|whereas|or|versus|vs|heterogeneity|interaction|trend)\b|\.\s|[=<>]|[pP]\s?[-=<>≤≥vV:]|\d\.\d).){{0,60}}?"
    rf"(?:and )?{P_VALUE})?"
)
"""The p-value behind an interval, if no other number or claim lies between"""
_BESIDE = rf"(?:\s?[,;]?\s?(?:SE|SEM|S\.E\.|SD|t|z|p|P|n|N)(?:\s?\([\d., ]+\))?\s?[=<>]\s?{_SIGNED})*"
"""`SE = 0.05, t(38) = 2.4` between an estimate and its interval"""
_NAMED = re.compile(rf"{_NAME}{_ESTIMATE}{_UNIT}{_BESIDE}\s?[,;:]?\s?(?:with an? |[(\[])?\s?{_INTERVAL}{_P}")
"""`OR 1.50, 95% CI 1.02 to 2.20, p = 0.04`"""
_CHANGED = re.compile(rf"\b(?P<verb>by|of|was|were|is|at|and) {_ESTIMATE}{_UNIT_OF_TIME}\s?[(\[]\s?{_INTERVAL}{_P}")
"""`rose by 3.4 points (95% CI 1.9 to 5.9)`"""
_COMPARED = re.compile(
    rf"(?<![\w.,/–=-]){_ESTIMATE}(?P<unit>(?:\s?%)?)(?: [a-zA-Z%/-]+){{0,3}}?"
    rf" (?:more|fewer|less|higher|lower|greater|longer|shorter"
    rf"|larger|smaller|faster|slower|later|earlier|sooner|quicker|heavier|lighter|taller|deeper|better|worse)\b[^.;:()\[\]\d]{{0,80}}\s?[(\[,]\s?{_INTERVAL}{_P}"
)
"""`2.4 more open questions than the others (95% CI 0.6 to 4.2)`"""
_UNNAMED = re.compile(
    rf"""
    (?<! [\w’'-] ) (?P<ratio> (?-x:{_RATIO}) ) (?: \s (?: of | for ) (?: \s [a-z-]+ ){{1,4}}? )?
    (?: \s? (?: = | : | , | of | was ) \s? | \s )
    {_ESTIMATE} (?P<unit> ) \s?
    [(\[] \s? (?P<low> {_SIGNED} ) (?P<unit1> ) \s? (?: to | [,;] | - | – ) \s? (?P<high> {_SIGNED} ) (?P<after> ) \s?
    [)\]] {_P}
    """,
    re.VERBOSE,
)
"""`OR 1.50 (1.02–2.20)`: what stands in brackets behind a ratio is its interval."""
_PERCENT = re.compile(rf"(?<![\w.,-])(?P<estimate>{UNSIGNED})(?P<unit>\s?%)\s?[(\[]\s?{_INTERVAL}\s?%?\s?[)\]]?")
"""`12% (95% CI 8 to 16)`"""
_ENDS = re.compile(
    rf"[(\[]?\s?(?P<low>{NUMBER})\s?%?\s?(?:to|[-–,;…]|\.\.\.?)\s?(?P<high>{NUMBER})\s?%?\s?[)\]]?", re.IGNORECASE
)
_NUMBER_CELL = re.compile(rf"(?P<value>{NUMBER})\s?%?(?:\s?[a-z†‡§])?")
_ESTIMATES = {"ratio", "difference", "estimate", "r", ""}
_WIDEST_ASYMMETRY = 0.25
"""Of half the width on the log scale; profile and exact intervals are a little asymmetric."""

_LINEAR_ASYMMETRY = 0.1
"""The same where the estimate lies in the middle of the interval as it is printed."""


@dataclass(frozen=True)
class ReportedInterval:
    """An estimate with its confidence interval and, where it is printed, its p-value."""

    scale: Scale
    estimate: RoundedNumber
    low: RoundedNumber
    high: RoundedNumber
    level: float
    relation: str
    p: RoundedNumber | None
    place: tuple[int, int]

    @property
    def null(self) -> float:
        """The value of no effect."""
        return 1.0 if self.scale == "ratio" else 0.0


def _scale(match: re.Match[str], text: str) -> Scale:
    """What the name or the verb before an estimate tells of its scale."""
    told = match.groupdict()
    if _TIMES.match(text, match.end("estimate")) or _MULTIPLIED.search(text, 0, match.start("estimate")):
        return "ratio"
    if told.get("ratio"):
        return "ratio"
    if told.get("difference") or told.get("verb") == "by" or match.re is _COMPARED:
        return "difference"
    return "share" if told.get("share") or match.re is _PERCENT else "unknown"


def _readable(match: re.Match[str]) -> bool:
    """Whether the interval is of the estimate's unit."""
    unit, inside = (match["unit"] or "").strip(), (match["unit1"] or match["after"] or "").strip()
    return not (inside and unit and inside != unit)


def _interval(match: re.Match[str], scale: Scale) -> ReportedInterval:
    groups = match.groupdict()
    low, high = parse_number(match["low"]), parse_number(match["high"])
    if high.value < low.value and match["low"][0] not in "-–" and scale != "ratio" and match["estimate"][0] in "-–":
        low, high = RoundedNumber(-low.value, low.half), RoundedNumber(-high.value, high.half)
    return ReportedInterval(
        scale=scale,
        estimate=parse_number(match["estimate"]),
        low=low,
        high=high,
        level=float(groups.get("level") or groups.get("level_behind") or 95),
        relation=groups.get("relation") or "",
        p=parse_number(groups["p"]) if groups.get("p") else None,
        place=match.span(),
    )


def check_intervals(statement: Statement) -> Iterator[ComputedFinding]:
    """Findings about the estimates of a paragraph or row that stand directly before their interval, each once."""
    taken: set[int] = set()
    for pattern in (_NAMED, _CHANGED, _COMPARED, _PERCENT, _UNNAMED):
        for match in pattern.finditer(statement.text):
            place = match.start("estimate")
            if place not in taken and (pattern is _PERCENT or _readable(match)):
                yield from _check(statement, _interval(match, _scale(match, statement.text)))
            taken.add(place)


def check_interval_tables(tables: Sequence[TableRows]) -> Iterator[ComputedFinding]:
    """Findings about the intervals of tables."""
    for rows in tables:
        told = told_about(rows)
        lines = list(lines_of(rows))
        signed = any(cell.role in {"interval", "low"} and _NEGATIVE.match(cell.text) for line in lines for cell in line)
        for line in lines:
            for statement, interval in _intervals_of(line, told, signed=signed):
                yield from _check(statement, interval)


def _check(statement: Statement, interval: ReportedInterval) -> Iterator[ComputedFinding]:
    found = (check(statement, interval) for check in (_outside, _asymmetric, _askew, _against_p))
    yield from [each for each in found if each][:1]


def _intervals_of(line: Sequence[RoleCell], told: str, *, signed: bool) -> Iterator[tuple[Statement, ReportedInterval]]:
    """Each interval of a line with the estimate before it and the p-value behind it."""
    for at, cell in enumerate(line):
        ends = _ENDS.fullmatch(cell.text) if cell.role == "interval" else None
        if cell.role == "low" and [each.role for each in line[at + 1 : at + 2]] == ["high"]:
            ends = _ENDS.fullmatch(f"{cell.text} to {line[at + 1].text}")
        estimate = line[at - 1] if at else None
        if estimate and estimate.role in {"p", "n"}:
            estimate = line[at - 2] if at > 1 else None
        value = _NUMBER_CELL.fullmatch(estimate.text) if estimate and estimate.role in _ESTIMATES else None
        if not ends or not estimate or not value:
            continue
        behind = next((each for each in line[at + 1 :] if each.role in {"p", "interval", "low"}), None)
        p = P_CELL.fullmatch(behind.text) if behind and behind.role == "p" else None
        p = p if p and p["p"] else None
        level = re.search(r"(9\d(?:\.\d)?)\s?%", cell.title) or re.search(r"(9\d(?:\.\d)?)\s?%", told)
        yield (
            cell.statement,
            ReportedInterval(
                scale=_scale_of(estimate, told, signed=signed),
                estimate=parse_number(value["value"]),
                low=parse_number(ends["low"]),
                high=parse_number(ends["high"]),
                level=float(level[1]) if level else 95,
                relation=p["relation"] or "=" if p else "",
                p=parse_number(p["p"]) if p else None,
                place=(0, len(cell.statement.text)),
            ),
        )


def _scale_of(estimate: RoleCell, told: str, *, signed: bool) -> Scale:
    """The scale of a cell, as its title and what is told of the table say; a table with a sign is not of ratios."""
    about_ratios = re.search(rf"(?<!\w){_RATIO}(?!\w)", told) is not None
    if estimate.role == "ratio":
        return "ratio"
    if estimate.role == "difference":
        return "unknown" if about_ratios else "difference"
    if signed and not about_ratios and _EFFECT.search(estimate.title):
        return "difference"
    return "ratio" if about_ratios and estimate.role == "estimate" else "unknown"


def _shown(interval: ReportedInterval) -> str:
    return f"{interval.low.value:g} to {interval.high.value:g}"


_NEGATIVE = re.compile(r"[(\[]?\s?-\s?[\d.]")
_EFFECT = re.compile(r"\b(?:effect|estimate|change)\b", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:reduc|decreas|declin|decremen|fell|fall|drop|low|less|few|loss|lost|short|worse|negativ|inverse|small|slow"
    r"|minus|diminish|attenuat|relie|improv|shrank|shrink|cut|save|saving|differ)",
    re.IGNORECASE,
)
"""Words that hold the sign of a number that is printed without one."""


def _outside(statement: Statement, interval: ReportedInterval) -> ComputedFinding | None:
    estimate, low, high = interval.estimate, interval.low, interval.high
    turned = low.value > high.value and high.low <= estimate.value <= low.high  # only written the other way round
    ends = sorted((low, high))
    mirrored = estimate.value > 0 > high.value and ends[0].low <= -estimate.value <= ends[1].high
    start, _ = statement.sentence_at(interval.place[0])
    unsigned = interval.scale != "ratio" and mirrored and _LESS.search(statement.text, start, interval.place[1])
    if turned or unsigned:  # "a fall of 4.2 (-5.0 to -3.3)" has its sign in the word
        return None
    if low.value > high.value:
        computation = f"the lower end {low.value:g} is above the upper end {high.value:g}"
        return statement.finding(
            "estimate and interval", "medium", interval.place, computation=computation, consistent="ends in their order"
        )
    if estimate.high >= low.low and estimate.low <= high.high:
        return None
    side = f"below {low.value:g}" if estimate.value < low.value else f"above {high.value:g}"
    return statement.finding(
        "estimate and interval",
        "medium",
        interval.place,
        computation=f"{estimate.value:g} lies outside {_shown(interval)}: it is {side}",
        consistent=f"an estimate from {low.value:g} to {high.value:g}, or the interval of this estimate",
    )


def _asymmetric(statement: Statement, interval: ReportedInterval) -> ComputedFinding | None:
    """A ratio whose interval is not around it on the log scale, whatever its numbers were before rounding."""
    if interval.scale != "ratio" or min(interval.low.low, interval.estimate.low) <= 0:
        return None
    low, high = interval.low, interval.high
    half = (math.log(high.value) - math.log(low.value)) / 2
    if half <= 0:
        return None
    linear = abs(interval.estimate.value - (low.value + high.value) / 2) <= interval.estimate.half
    share = _LINEAR_ASYMMETRY if linear else _WIDEST_ASYMMETRY
    middles = [
        (math.log(low.low) + math.log(high.low)) / 2 - share * half,
        (math.log(low.high) + math.log(high.high)) / 2 + share * half,
    ]
    if math.log(interval.estimate.high) >= middles[0] and math.log(interval.estimate.low) <= middles[1]:
        return None
    middle = math.sqrt(low.value * high.value)
    return statement.finding(
        "ratio interval",
        "medium",
        interval.place,
        computation=f"the middle of {_shown(interval)} on the log scale is √({low.value:g} × {high.value:g}) = "
        f"{format_number(middle)}, printed is {interval.estimate.value:g}",
        consistent=f"about {format_number(middle)} with this interval, or an interval around {interval.estimate.value:g}",
    )


def _askew(statement: Statement, interval: ReportedInterval) -> ComputedFinding | None:
    """A difference that is not in the middle of its interval, as that of a mean or a linear model is."""
    low, high, estimate = interval.low, interval.high, interval.estimate
    if interval.scale != "difference" or not low.value <= estimate.value <= high.value:
        return None
    middle, half = (low.value + high.value) / 2, (high.value - low.value) / 2
    slack = _WIDEST_ASYMMETRY * half + low.half + high.half + estimate.half
    if abs(estimate.value - middle) <= slack:
        return None
    return statement.finding(
        "estimate and interval",
        "low",
        interval.place,
        computation=f"the middle of {_shown(interval)} is {middle:.4g}, printed is {estimate.value:g}",
        consistent=f"about {middle:.4g} with this interval, unless it is of a skewed kind, such as a bootstrap",
    )


def _against_p(statement: Statement, interval: ReportedInterval) -> ComputedFinding | None:
    """An interval that leaves out the value of no effect beside p above 0.05, or the other way round."""
    signed = min(interval.low.value, interval.high.value) < 0 and interval.scale != "ratio"
    if interval.p is None or interval.level != 95 or (interval.scale in {"share", "unknown"} and not signed):
        return None
    low, high, null = interval.low, interval.high, interval.null
    excluded = low.low > null or high.high < null
    included = low.high < null < high.low
    significant = interval.relation in {"<", "≤", "="} and interval.p.high <= ALPHA + 1e-6
    not_significant = interval.relation in {"=", ">", "≥"} and interval.p.low > ALPHA
    if not (excluded and not_significant) and not (included and significant):
        return None
    expected = _p_value(interval)
    told = "leaves out" if excluded else "includes"
    near = f"; from the interval p is about {format_number(expected, 2)}" if expected is not None else ""
    return statement.finding(
        "interval and p-value",
        "high",
        interval.place,
        computation=f"{_shown(interval)} {told} {null:g}, the value of no effect, but p {interval.relation} "
        f"{interval.p.value:g}{near}",
        consistent=f"p {'below' if excluded else 'above'} {ALPHA} with this interval",
    )


def _p_value(interval: ReportedInterval) -> float | None:
    """The two-sided p-value of a normal estimate with this 95 % interval."""
    low, high, estimate = interval.low.value, interval.high.value, interval.estimate.value
    if interval.scale == "ratio":
        if min(low, high, estimate) <= 0:
            return None
        low, high, estimate = math.log(low), math.log(high), math.log(estimate)
    error = (high - low) / (2 * 1.959964)
    return math.erfc(abs(estimate / error) / math.sqrt(2)) if error > 0 else None
