"""Many tests without a correction, of which few are just significant."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from state.computed_findings import ComputedFinding, Severity
from tools.checks.quantity_lexicon import SMALL_NUMBERS
from tools.numbers.read_tables import P_CELL, ParsedTable
from tools.numbers.records import ALPHA, P_VALUE, format_number, parse_number
from tools.numbers.statements import Statement

_P = re.compile(P_VALUE)
_CORRECTION = re.compile(
    r"bonferroni|\bholm\b|hochberg|benjamini|\bFDR\b|false[- ]discovery|tukey|scheff|dunnett|s[ií]d[aá]k|newman|\bLSD\b"
    r"|famil(?:y|iy)[- ]?wise|\bFWER?\b|multiple[- ](?:comparison|test|hypothes)|multiplicity|number of (?:tests"
    r"|comparisons)"
    r"|(?<!un)(?:corrected|adjusted) (?:p|\u03b1|alpha|significance)|p[- ]values? (?:were )?(?:corrected|adjusted)"
    r"|\bq[- ]?values?|exploratory|\b0?\.0[15]\s?(?:/|÷|divided by)\s?\w"
    r"|\bso many (?:tests|comparisons|outcomes)\b|no demonstrable|\bchance (?:finding|alone)"
    r"|\b(?:expect\w*|compatible|explain\w*|work|due|attribut\w*)\b[^.;]{0,20}\bchance\b"
    r"|\binterpret\w*[^.;]{0,30} caution"
    r"|gatekeeping|hierarchical(?:ly)? test",
    re.IGNORECASE,
)
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(SMALL_NUMBERS)})"
_MEASURES = (
    r"(?:(?:secondary|primary|clinical|outcome|remaining|further|additional|different|tested|measured) )*"
    r"(?:measures|outcomes|variables|endpoints|end points|tests|comparisons|scales|subscales|biomarkers|markers"
    r"|parameters"
    r"|genes|SNPs|variants|loci|facets|correlations|models|questions|symptoms|species|cytokines|proteins|predictors|factors|contrasts"
    r"|traits|items|domains|properties|characters|components|metrics|samples|strata|settings|subgroups|groups|regions|tasks|scores|indicators|metabolites|characteristics)"
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
_OF_THESE = re.compile(
    rf"\b[Oo]f (?:these|those) {_COUNT},? (?:only|just|a single)\b|\bof (?:the|all"
    rf"|our) {_COUNT.replace('count', 'rest')} "
    rf"(?:[a-z-]+ )?{_MEASURES},? (?:only|just|a single|one)\b",
    re.IGNORECASE,
)
"""`Of these ten, only copper did`"""
_REST = re.compile(
    rf"\b(?:(?:other|remaining) {_COUNT} (?!{_NO_MEASURES}\b)[a-z]+|{_COUNT.replace('count', 'rest')}"
    rf" (?:other|remaining) (?!{_NO_MEASURES}\b)[a-z]+|{_COUNT.replace('count', 'last')} (?:of (?:them|these)"
    rf"|others))\b",
    re.IGNORECASE,
)
"""`the other eleven scales`, `ten of them`"""
_NO_EFFECT = re.compile(
    r"[pP](?:[- ]?values?)?\s?(?:[>≥]|exceeded|above|lay|were|was (?:above|over)|between|ranged)"
    r"|\b(?:no|not|none|nor|neither)\b"
)
_NAMED_BEFORE = re.compile(
    r"(?<!no )\b(?:(?:primary|main|principal) (?:outcome|end ?point|measure|hypothes)|pre-?specified|fixed in advance"
    r"|in advance|beforehand|a priori|pre-?registered|registered protocol)",
    re.IGNORECASE,
)
"""A test that was chosen before the others were seen needs no correction for them."""
_FEWEST = 5
_FEWEST_LISTED = 6
"""P-values of a section or table that says nothing of how many there are."""
_THRESHOLD = re.compile(
    r"\b(?:reached|reach|level of|level was|threshold of|set at|significance at|cut-off of)\W*$", re.IGNORECASE
)
_MODEL = re.compile(
    r"\b(?:I2|I 2|heterogeneity|shapiro|levene|normality|goodness|collinearity|kolmogorov)", re.IGNORECASE
)


def check_many_tests(statements: Sequence[Statement], tables: Sequence[ParsedTable]) -> Iterator[ComputedFinding]:
    """Findings about the tests of a paper, at most one a section."""
    if any(_CORRECTION.search(f"{statement.caption} {statement.text}") for statement in statements):
        return
    sections: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        sections[statement.paragraph["section"]].append(statement)
    cells = defaultdict[int, list[re.Match[str]]](list)
    for cell in (cell for table in tables for line in table.lines for cell in line if cell.role == "p"):
        if value := P_CELL.fullmatch(cell.text):
            cells[id(cell.statement)].append(value)
    for parts in sections.values():
        told = next((found for part in parts for found in _told(part)), None)
        if found := told or _listed(list(_p_values(parts, cells))):
            yield found


def _p_values(
    parts: Sequence[Statement], cells: Mapping[int, Sequence[re.Match[str]]]
) -> Iterator[tuple[Statement, re.Match[str]]]:
    """The p-values of a section; the text's that a table of the section prints too are counted once."""
    printed_in_tables = {match["p"] for part in parts for match in cells.get(id(part), []) if match["p"]}
    for part in parts:
        for match in cells.get(id(part)) or _P.finditer(part.text):
            again = not part.row and (
                match["p"] in printed_in_tables or (bool(printed_in_tables) and match["relation"] in {"<", "≤"})
            )
            if match["p"] and not again and not _MODEL.search(part.text[max(0, match.start() - 60) : match.start()]):
                yield part, match


def _told(statement: Statement) -> Iterator[ComputedFinding]:
    """`P = 0.04. None of the other six measures differed`, or `each of 24 variables. Only zinc (p = 0.038)`."""
    values = [
        found
        for found in _P.finditer(statement.text)
        if found["relation"] not in {">", "≥"} and not _THRESHOLD.search(statement.text[: found.start()])
    ]
    significant = list({found["p"]: found for found in values if parse_number(found["p"]).value <= ALPHA}.values())
    if not significant or _NAMED_BEFORE.search(statement.text) or not all(map(_just_significant, significant)):
        return
    smallest = min(significant, key=lambda found: parse_number(found["p"]).value)
    for pattern in (_REST, _OTHERS, _UNCHANGED, _ONE_OF, _OF_THESE, _FAMILY):
        for match in pattern.finditer(statement.text):
            groups = match.groupdict()
            named = next(groups[name] for name in ("count", "rest", "last") if groups.get(name))
            number = SMALL_NUMBERS.get(named.lower()) or (int(named) if named.isdigit() else 0)
            if pattern is _REST and not _NO_EFFECT.search(statement.text[slice(*statement.sentence_at(match.start()))]):
                continue
            tests = number + len(significant) if pattern in (_REST, _OTHERS, _UNCHANGED) else number
            exact = pattern is not _FAMILY or all(found["relation"] == "=" for found in significant)
            if exact and tests >= _FEWEST and len(significant) <= max(1, tests // 4):
                start, end = statement.sentence_at(smallest.start())
                place = (start, max(end, match.end()) if match.start() > start else end)
                yield from _too_many(
                    statement, place, tests, [parse_number(each["p"]).value for each in significant], "medium"
                )
                return


def _listed(found: Sequence[tuple[Statement, re.Match[str]]]) -> ComputedFinding | None:
    """Many p-values in one section, the smallest of which would not stand among so many."""
    values = [(parse_number(match["p"]).value, match["relation"]) for _, match in found]
    significant = [value for value, relation in values if value < ALPHA and relation not in {">", "≥"}]
    exact = [value for value, relation in values if relation in {"", "="} or value > ALPHA]
    few = 0 < len(significant) <= max(1, len(values) // 5)
    if len(values) < _FEWEST_LISTED or len(exact) < len(values) or not few or min(significant) * len(values) <= ALPHA:
        return None
    part, match = next((part, match) for part, match in found if parse_number(match["p"]).value == min(significant))
    place = (0, len(part.text)) if part.row else part.sentence_at(match.start())
    return next(_too_many(part, place, len(values), significant, "low"), None)


def _just_significant(match: re.Match[str]) -> bool:
    value = parse_number(match["p"]).value
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
        f"cases; Bonferroni asks for p < {format_number(ALPHA / tests, 2)}; of those printed, {values} is below {ALPHA}",
        consistent=f"a correction for {tests} tests, one primary measure named before, or a weaker claim",
    )
