"""A quantity of which a paper has just two values, each in sections of its own, in like words.

`We interviewed 24 teachers` in the Methods and `all 26 teachers` in the Results; `nine weeks` in the Abstract and
`49 days` in the Methods; an odds ratio of 2.7 and `OR 1.7`. A paper that has a third value of the same unit, noun or
name tells of several things, and so does one in which either value stands in the other section, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import WHOLE, unit_after
from tools.consistency.printed import UNSIGNED, Printed, printed, short, whole_number
from tools.consistency.slips import are_exchanged, digits_differ_by_slip
from tools.consistency.statements import Statement, TableRows

_NUMBER = re.compile(
    rf"(?<![\w.,/^–-])(?<![=<>≤≥±]\s)(?<!\b[Pp]\s)(?P<number>{UNSIGNED}|\b(?:{WHOLE})\b)"
    rf"(?: (?P<scale>thousand|million|billion)\b)?(?![\w–]|[.,]\d|-(?!\w+ ))",
    re.IGNORECASE,
)
_NAMES = {
    "odds ratio": r"(?:adjusted |pooled )?(?:odds ratio|\ba?OR\b)",
    "hazard ratio": r"(?:adjusted )?(?:hazards? ratio|\ba?HR\b)",
    "risk ratio": r"(?:risk ratio|relative risk|\bRR\b)",
    "rate ratio": r"(?:rate ratio|\bIRR\b)",
    "mean age": r"\b(?:mean|average) age(?: of (?:the )?\w+)?",
    "median age": r"\bmedian age(?: of (?:the )?\w+)?",
    "accuracy": r"\b[Aa]ccuracy",
    "F1": r"\bF1(?:[- ]scores?)?",
    "AUC": r"(?:\bAU(?:RO)?C\b|area under the (?:ROC )?curve)",
    "BLEU": r"\bBLEU(?: score)?",
    "kappa": r"(?:\bkappa\b|κ)",
    "alpha": r"Cronbach[’']s (?:alpha|\u03b1)",
    "R2": r"\bR ?\^?[2²]",
    "prevalence": r"\b[Pp]revalence(?: of [a-z ]{3,30}?)?",
    "sensitivity": r"\bsensitivity",
    "specificity": r"\bspecificity",
    "response rate": r"\bresponse rate",
    "correlation": r"(?:\bcorrelation(?: coefficient)?|(?<![\w’'-])r(?:\s?\(\d+\))?(?= =))",
    "heritability": r"\b[Hh]eritability(?: of [a-z ]{3,30}?)?",
    "effect size": r"(?:\beffect size|Cohen[’']s d)",
}
_NAMED = re.compile(
    "|".join(
        rf"(?P<{name.replace(' ', '_')}>{pattern}(?: (?:for|of|in|among) [^.;,()\d]{{3,60}}?"
        rf"| \([A-Z]{{1,4}}\))?(?: =|:| of| was| is| reached|,|) ?(?:about )?"
        rf"(?={UNSIGNED}))"
        for name, pattern in _NAMES.items()
    )
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for with that this from were was are our their has have had not than which these those into between "
        "among who its also can may more most all each both any other such been over under after before during within "
        "using used total they there when where while did does about mean average only but one two three per "
        "controlled",
    )
)
_NOT_ONE = re.compile(
    r"\b(?:another|further|other|additional|first|second|third|last|each|every|per|at least|up to|more than"
    r"|less than|over|under"
    r"|about|around|nearly|almost|approximately|some|only|than|increas\w+ (?:by|of)|reduc\w+ (?:by|of)|by|to"
    r"|from|and|or|of|plus|minus)\W*$",
    re.IGNORECASE,
)
"""What stands before a number that is one of several, or none of its own."""
_WHOLE_GROUP = re.compile(r"\b(?:of|to|by|from)\W*$", re.IGNORECASE)
_ENDS_RANGE = re.compile(r"\d(?: ?[a-z%°]+)? (?:to|and|or) $")
_VAGUE = {"time", "ratio", "angle"}
"""Dimensions of which a text has many values; in these more words must agree."""
_NO_NOUNS = frozenset(
    re.findall(
        r"\w+",
        "of and or to in on at for with from by as is was were are had has have the a an per than that which who",
    )
)
_PART_OF_PAPER = re.compile(
    r"abstract|summary|introduction|background|method|material|participants|procedure|results|findings|discussion|conclu",
    re.IGNORECASE,
)
"""Sections of one study; others may tell of one case or outcome each."""
_CONTRASTS = frozenset(
    re.findall(
        r"\w+",
        "preop posto basel initi final prete postt contr place femal males women boys girls previ pilot train valid",
    )
)
"""Beginnings of words of which one value has one and the other another: `before` and `after` an operation."""
_SHARED = 0.5
"""Of the words around the value that has fewer."""
_SHARED_OF_NOUN = 0.6
"""As much, where the noun that is counted is one of the words."""
_OTHER_NUMBER = re.compile(r"(?<![\d.,])(?!(?:19|20)\d\d\b)(?:\d[\d.,]*\d|\d(?= [a-z])(?: [a-z]+)?)")
_FARTHEST_COUNT = 1.5
"""Times by which numbers of things may differ that have one wrong digit."""
_ENOUGH = 4
"""Of what speaks for a slip."""
_FARTHEST = 3.0
"""Times by which two values may differ that are meant to be one, but for a power of ten."""


_OF_WHOLE = re.compile(
    rf"(?<![\w.,/–-])(?P<part>\d[\d,]*|\b(?:{WHOLE})) (?:out )?of (?:the |these |all "
    rf"|our )*(?P<whole>\d[\d,]*)(?![\w%]|\s?%|\.\d)",
    re.IGNORECASE,
)
_WHOLE_FIRST = re.compile(
    rf"\bOf (?:the |these |all |our )*(?P<whole>\d[\d,]*) [a-z ]{{3,30}}, (?P<part>\d[\d,]*"
    rf"|(?:{WHOLE}))\b(?!\s?%|\.\d)",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(
    r"\b[Ii]n (?:(?:early|late|January|February|March|April|May|June|July|August|September|October|November"
    r"|December) )?"
    r"(?P<part>(?:19|20)\d\d)\b(?! ?[–-])"
)


_IN_MONTH = re.compile(
    r"\b(?P<month>January|February|March|April|May|June|July|August|September|October|November|December)"
    r" (?P<part>(?:19|20)\d\d)\b"
)


_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}


class _Value(NamedTuple):
    key: str
    base: float
    half: float
    words: frozenset[str]
    statement: Statement
    place: tuple[int, int]
    alone: bool
    """Whether it is told as the only one: not `a further 12`."""
    whole: bool
    """Whether it is told as all there are: `these 26 teachers`, or as what its sentence is about."""
    digits: str = ""
    """As printed, without leading zeros; none of what is no measure."""

    @property
    def section(self) -> str:
        return self.statement.paragraph["section"].split(" > ")[0]

    @property
    def where(self) -> str:
        """Its section, or its paragraph in a paper without headings."""
        return self.section or self.statement.paragraph["id"]

    @property
    def is_counted(self) -> bool:
        """Whether it is a number of things."""
        return self.key not in _NAMES and not self.key.startswith("in ")

    @property
    def sentence(self) -> tuple[int, int]:
        return self.statement.sentence_at(self.place[0])

    def same(self, other: _Value) -> bool:
        return abs(self.base - other.base) <= 1.0001 * max(self.half, other.half)


def check_told_twice(parts: Sequence[Statement], tables: Sequence[TableRows]) -> Iterator[ComputedFinding]:
    """Quantities with one value in one section and another in another."""
    for values in _by_key(parts, tables).values():
        distinct = _distinct(values)
        pairs = list(_slips(distinct))
        if len(distinct) == 2:
            pairs += _pairs_in_like_words(*distinct)
        if pairs:
            yield _finding(*pairs[0])


def _pairs_in_like_words(first: Sequence[_Value], second: Sequence[_Value]) -> Iterator[tuple[_Value, _Value]]:
    """What is said of the only two values of a kind in like words, in sections that have one of them each."""
    sections = [{each.section for each in group} for group in (first, second)]
    apart = not sections[0] & sections[1] and any(_PART_OF_PAPER.search(each) for each in sections[0] | sections[1])
    if apart and all(each.alone for each in [*first, *second]):
        yield from ((one, other) for one in first for other in second if _like(one, other))


def _slips(distinct: Sequence[Sequence[_Value]]) -> Iterator[tuple[_Value, _Value]]:
    """Pairs of which one is a slip for the other, in places that have one of them each."""
    for first, second in combinations(distinct, 2):
        only = len(distinct) == 2
        apart = not {each.where for each in first} & {each.where for each in second}
        if all(each.alone for each in [*first, *second]):
            yield from (
                (one, other)
                for one in first
                for other in second
                if (apart or (only and _goes_on(one, other))) and _is_slip_of(one, other, only=only)
            )


def _goes_on(one: _Value, other: _Value) -> bool:
    """Whether the later of two exchanged values of a section is told as all there are: `All 321 enrolled patients`."""
    apart = one.statement is not other.statement or one.sentence != other.sentence
    return apart and other.whole and _slip(one, other) > 1


def _by_key(parts: Sequence[Statement], tables: Sequence[TableRows]) -> dict[str, list[_Value]]:
    """All values of a paper, those of one unit, noun or name together."""
    told = [(part, part.text) for part in parts if not part.row]
    for each in tables:
        counts = (_caption_count(each.table.caption), *map(_header_count, each.table.header))
        told += [(each.rows[0], count) for count in counts]
    kinds: dict[str, list[_Value]] = defaultdict(list)
    for statement, text in told:
        for value in _values(statement, text):
            kinds[value.key].append(value)
    return kinds


def _values(statement: Statement, text: str) -> Iterator[_Value]:
    yield from _parts(statement, text)
    named = {match.end(): match for match in _NAMED.finditer(text)}
    for match in _NUMBER.finditer(text):
        start, end = match.start("number"), match.end()
        number = match["number"]
        in_digits = number[0].isdigit() or number[0] == "."
        value = printed(number) if in_digits else Printed(float(whole_number(number)), 0.5)
        scale = _SCALES.get((match["scale"] or "").lower(), 1.0)
        key, factor, zero, last = "", 1.0, 0.0, end
        behind = re.match(
            r"\s?%? (?P<name>accuracy|prevalence|sensitivity|specificity|response rate)\b", text[end : end + 30]
        )
        if start in named and in_digits:
            key = (named[start].lastgroup or "").replace("_", " ")
        elif behind and in_digits:
            key = behind["name"]
        elif measured := unit_after(text, _behind_deviation(text, end), spelled=not in_digits):
            unit, last = measured
            key = "" if unit.dimension == "fold" else "in " + " per ".join([unit.dimension, *unit.per])
            factor, zero = unit.factor, unit.zero
        elif noun := re.match(
            r"-(?P<part>[a-z]{3,}) |[ -](?:[a-z-]+ )??(?P<noun>[a-z]{3,}s|people|children|women|men|mice|sheep)\b"
            r"(?! and [a-z]+s\b)",
            text[end : end + 40],
        ):
            name = noun["noun"] or f"{noun['part']}s"
            key = "" if name in _NO_NOUNS or number.lower() == "one" else name
        if not key or re.fullmatch(r"(?:19|20)\d\d", number):
            continue
        sentence = statement.sentence_at(start) if text is statement.text else (0, len(text))
        words = [*_words(text[sentence[0] : start])[-7:], *_words(text[end : sentence[1]])[:7]]
        before = text[sentence[0] : start]
        alone = not _NOT_ONE.search(before) or _WHOLE_GROUP.search(before) is not None
        alone = alone and not _ENDS_RANGE.search(before)
        whole = re.search(r"(?:^|\b(?:all|these|those|our|the)(?: the| of the)? )$", before, re.IGNORECASE) is not None
        base, half = value.value * scale * factor + zero, value.half * scale * factor
        digits = re.sub(r"\D", "", number if in_digits else f"{value.value:g}").lstrip("0")
        yield _Value(key, base, half, frozenset(words), statement, (start, last), alone, whole, digits)


def _behind_deviation(text: str, end: int) -> int:
    """Where `± 2.8` behind a number ends, whose unit stands behind both."""
    deviation = re.compile(rf"\s?±\s?{UNSIGNED}").match(text, end)
    return deviation.end() if deviation else end


def _parts(statement: Statement, text: str) -> Iterator[_Value]:
    """`31 of the 60 dogs`, `Of 60 dogs, 31`, and years: `in March 2021`."""
    for match in (
        match for pattern in (_OF_WHOLE, _WHOLE_FIRST, _IN_YEAR, _IN_MONTH) for match in pattern.finditer(text)
    ):
        groups = match.groupdict()
        key = f"of {groups['whole']}" if "whole" in groups else f"of {groups.get('month') or 'a year'}"
        start, end = statement.sentence_at(match.start()) if text is statement.text else (0, len(text))
        words = _words(f"{text[start : match.start()]} {text[match.end() : end]}")
        place = match.span("part")
        yield _Value(key, float(whole_number(match["part"])), 0.0, frozenset(words), statement, place, True, True)


def _words(text: str) -> list[str]:
    return [word.lower()[:5] for word in _WORD.findall(text) if word.lower() not in _STOP]


def _caption_count(caption: str) -> str:
    """`Parents who took part (N = 421)` as `421 parents who took part`."""
    size = re.search(r"\b[nN] ?= ?(?P<n>\d[\d,]*)", caption)
    noun = re.search(
        r"\b(?P<noun>[A-Za-z][a-z]{3,}s|people|children|women|men)\b", re.sub(r"^\W*Table \w+[.:]?", "", caption)
    )
    return f"{size['n']} {noun['noun'].lower()} {caption}" if size and noun else ""


def _header_count(title: str) -> str:
    """`All participants (n = 302)` as `all 302 participants`."""
    told = re.fullmatch(r"(?:All|Total|Overall) (?P<noun>[a-z]+s|people|children) ?\([nN] ?= ?(?P<n>\d[\d,]*)\)", title)
    return f"all {told['n']} {told['noun']}" if told else ""


def _distinct(values: Sequence[_Value]) -> list[list[_Value]]:
    """Values in groups that may be roundings of one."""
    groups: list[list[_Value]] = []
    for value in values:
        group = next((group for group in groups if all(value.same(other) for other in group)), None)
        if group is None:
            groups.append([value])
        else:
            group.append(value)
    return groups


def _like(one: _Value, other: _Value) -> bool:
    """Whether two values are said of the same thing."""
    shared, fewer = len(one.words & other.words), min(len(one.words), len(other.words))
    if not _near(one, other) or shared < _SHARED * fewer or (one.words ^ other.words) & _CONTRASTS:
        return False
    if one.key in _NAMES or one.key.startswith("of "):
        return shared > 0
    if not one.key.startswith("in "):
        return _like_nouns(one, other, shared, fewer)
    vague = one.key.removeprefix("in ").split(" per ")[0] in _VAGUE
    return shared >= min(2 if vague else 1, max(1, fewer))


def _is_slip_of(one: _Value, other: _Value, *, only: bool) -> bool:
    """Whether a slip of the hand makes one value of the other, and what is said around both speaks for it.

    Exchanged digits, a point in another place and a wrong digit weigh as they are rarely met by chance; so do words
    and numbers that both sentences have, and that the paper has no third value.
    """
    if not _near(one, other) or one.words & _CONTRASTS != other.words & _CONTRASTS:
        return False
    shared, fewer = len(one.words & other.words), min(len(one.words), len(other.words))
    words = (shared >= max(2, _SHARED * fewer) or shared > 2) + (shared >= max(4, _SHARED * fewer))
    anchors = min(2, len(_beside(one) & _beside(other)))
    slip = _slip(one, other)
    if slip > 1 and only and shared > 0 and one.where != other.where and len(one.digits) > 1:
        return True
    return slip > 0 and shared > 0 and slip + words + anchors + only + one.whole + other.whole >= _ENOUGH


def _slip(one: _Value, other: _Value) -> int:
    """How telling a slip is: 2 for exchanged digits and a shifted point, 1 for a wrong digit, 0 for none."""
    if not one.digits or not other.digits:
        return 0
    figures = [value.digits.strip("0") for value in (one, other)]
    if (figures[0] == figures[1] != "1") or are_exchanged(one.digits, other.digits):
        return 2
    close = not one.is_counted or max(one.base, other.base) < _FARTHEST_COUNT * min(one.base, other.base)
    digits = [value.digits[: min(len(one.digits), len(other.digits))] for value in (one, other)]
    return int(close and len(digits[0]) > 1 and digits_differ_by_slip(*digits))


def _beside(value: _Value) -> set[str]:
    """The other numbers of its sentence, but for years; those of one digit with the word behind them."""
    start, end = value.sentence
    text = f"{value.statement.text[start : value.place[0]]} {value.statement.text[value.place[1] : end]}"
    return set(_OTHER_NUMBER.findall(text))


def _like_nouns(one: _Value, other: _Value, shared: int, fewer: int) -> bool:
    """Of things that are counted the noun is one of the words; small numbers and parts of a group need more of them."""
    if max(one.base, other.base) < 10:
        return shared > 2
    return shared > 0 if one.whole or other.whole else shared > 1 and shared >= _SHARED_OF_NOUN * fewer


def _near(one: _Value, other: _Value) -> bool:
    if one.base <= 0 or other.base <= 0:
        return False
    ratio = max(one.base, other.base) / min(one.base, other.base)
    return ratio <= _FARTHEST or any(abs(ratio / power - 1) < 1e-6 for power in (10.0, 100.0, 1000.0))


def _finding(one: _Value, other: _Value) -> ComputedFinding:
    here, there = (" ".join(_shown(value).split()) for value in (one, other))
    return one.statement.finding(
        "one number, two values",
        "low",
        one.sentence,
        computation=f"{here} here, {there} in {other.section or other.statement.paragraph['id']} "
        f"({other.statement.paragraph['id']}); no third value of it is in the paper",
        consistent="one value in both places",
    )


def _shown(value: _Value) -> str:
    name = value.key if value.key in _NAMES else ""
    if value.statement.row:
        return f"{short(value.base, 6)} {value.key}"
    return f"{name} {value.statement.text[slice(*value.place)]}"
