"""One quantity with two values, in two places of a paper.

What the abstract or the conclusion says against the rest of the paper; an estimate with its interval, of whose three
numbers two agree; the years of a study, of which one end agrees; and values that follow from others, as people times
hours do, and group sizes from the ratio of an allocation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import unit_after
from tools.consistency.intervals import ReportedInterval, reported_intervals
from tools.consistency.printed import COUNT, NUMBER_OR_WORD, UNSIGNED, Printed, count, printed, short, whole_number
from tools.consistency.statements import Statement

_NUMBER = re.compile(
    rf"(?<![\w.,–/^-])(?P<number>{UNSIGNED})(?: (?:thousand|million|billion)\b)?"
    rf"(?P<unit>\s?(?:%|percent\b|per cent\b|°\s?[CF]\b|[^\W\d_][\w/°µ-]*))?"
)
_SUMMARY = re.compile(r"abstract|summary|conclu|introduction|discussion", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "the and for with that this from were was are our their has have had not than which these those into between "
        "among who whose its also can may more most all each both any other such been being over under after before "
        "during within using used total they there when where while did does one two three",
    )
)
_NO_UNITS = {"and", "to", "or", "of", "v", "vs", "versu", "versus", "in", "x", "ci", "with", "for", "from", "at"}
_REACH = 7  # words on either side of a number that tell what it is
_ALIKE = 0.75


@dataclass(frozen=True)
class Quantity:
    """A number with what is said around it."""

    value: Printed
    unit: str
    """What is measured, or the noun that is counted."""
    scale: float
    zero: float
    """Where its unit's zero lies on the base unit's scale: degrees."""
    counted: bool
    """Whether its unit is a noun."""
    words: frozenset[str]
    opening: tuple[str, ...]
    """The words of its sentence before it."""
    things: tuple[str, ...]
    """The two words behind the number."""
    statement: Statement
    place: tuple[int, int]

    @property
    def base(self) -> float:
        """The value in the base unit."""
        return self.value.value * self.scale + self.zero

    def same_value(self, other: Quantity) -> bool:
        """Whether both may be roundings of one value."""
        half = max(self.value.half * self.scale, other.value.half * other.scale)
        return abs(self.base - other.base) <= 1.0001 * half


def quantities(statement: Statement) -> Iterator[Quantity]:
    """The numbers of a paragraph that stand before a unit or a noun."""
    for match in _NUMBER.finditer(statement.text):
        unit = (match["unit"] or "").strip()
        measured = unit_after(statement.text, match.end("number"), spelled=False) if unit else None
        noun = unit.lower().rstrip("s")
        if not measured and (not unit or noun in _NO_UNITS):
            continue
        start, end = statement.sentence_at(match.start())
        before = _words(statement.text[start : match.start()])
        after = _words(statement.text[match.end() : end])[:_REACH]
        yield Quantity(
            value=printed(match["number"]),
            unit=" per ".join([measured[0].dimension, *measured[0].per]) if measured else noun,
            scale=measured[0].factor if measured else 1.0,
            zero=measured[0].zero if measured else 0.0,
            counted=not measured,
            words=frozenset([*before[-_REACH:], *after]),
            opening=tuple(before),
            things=tuple(re.findall(r"[^\W\d_]+", statement.text[match.end("number") : end].lower())[:2]),
            statement=statement,
            place=(match.start(), max(match.end(), measured[1] if measured else 0)),
        )


def _words(text: str) -> list[str]:
    return [word.lower()[:6] for word in _WORD.findall(text) if word.lower() not in _STOP]


def check_repeated(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Numbers of the abstract and the conclusion that the rest of the paper has otherwise in like words."""
    whole = [quantity for part in parts if not part.row for quantity in quantities(part)]
    texts = " ".join(part.text for part in parts if not is_summary(part))
    for summary in whole:
        if not is_summary(summary.statement):
            continue
        rivals = [other for other in whole if not is_summary(other.statement) and _rival(summary, other)]
        rivals = [other for other in rivals if _other_prefix(summary, other) or not _stands(summary, whole, texts)]
        values = {other.base for other in rivals}
        if len(values) == 1 and not any(is_summary(each.statement) and each.same_value(rivals[0]) for each in whole):
            yield _finding(summary, rivals[0])


def is_summary(part: Statement) -> bool:
    """Whether a statement stands in a section that tells again what others tell."""
    section = part.paragraph["section"]
    return not section or _SUMMARY.search(section) is not None


def _stands(summary: Quantity, whole: Sequence[Quantity], texts: str) -> bool:
    """Whether the rest of the paper has this number too, as printed or in another unit."""
    printed_there = re.search(rf"(?<![\d.]){re.escape(_text(summary))}(?!\d|\.\d)", texts)
    converted = any(
        other.unit == summary.unit and other.same_value(summary) for other in whole if not is_summary(other.statement)
    )
    return printed_there is not None or converted


def _text(quantity: Quantity) -> str:
    return quantity.statement.text[slice(*quantity.place)].split()[0].rstrip("%")


def _rival(summary: Quantity, other: Quantity) -> bool:
    """Whether another number says the same of the same thing."""
    if not _comparable(summary, other) or summary.same_value(other):
        return False
    if _alike(summary, other) or _same_opening(summary, other):
        return True
    if _mistyped(summary, other) or _other_prefix(summary, other):
        return True
    same_things = summary.things == other.things and len("".join(summary.things)) > 9
    return same_things and len(summary.words & other.words) >= 3 and _near(summary.base, other.base)


def _mistyped(summary: Quantity, other: Quantity) -> bool:
    """Whether two numbers of like things have the same digits in another order."""
    one, two = (re.sub(r"\D", "", str(each.value.value)) for each in (summary, other))
    same = summary.value.half == other.value.half and summary.scale == other.scale and " per " not in summary.unit
    if not same or sorted(one) != sorted(two) or one == two:
        return False
    counted = summary.counted and len(summary.unit) > 3
    return counted or len(summary.words & other.words) >= (1 if len(set(one) - {"0"}) > 2 else 2)


def _other_prefix(summary: Quantity, other: Quantity) -> bool:
    """Whether two masses or volumes have one number with prefixes a thousand apart, and a word in common."""
    ratio = summary.scale / other.scale
    same = (
        summary.value == other.value
        and summary.unit == other.unit
        and summary.unit.split(" per ")[0] in {"mass", "volume"}
        and bool(summary.words & other.words)
    )
    return same and any(0.9 < ratio / factor < 1.1 for factor in (1e-3, 1e3))


def _alike(summary: Quantity, other: Quantity) -> bool:
    """Whether nearly all the words around one number stand around the other."""
    shared = len(summary.words & other.words)
    fewer = min(len(summary.words), len(other.words))
    return shared >= max(4, _ALIKE * fewer) or (not summary.counted and shared == fewer == 3)


def _comparable(summary: Quantity, other: Quantity) -> bool:
    """Whether both are of one unit; `per day` counts only where both say it."""
    one, two = summary.unit.split(" per "), other.unit.split(" per ")
    return one[0] == two[0] and (one == two or len(one) == 1 or len(two) == 1)


def _same_opening(summary: Quantity, other: Quantity) -> bool:
    """Whether both sentences say the same up to the number: `Median follow-up was 6.5 years`."""
    return summary.opening == other.opening and len(summary.opening) > 1 and not summary.counted


def _near(one: float, other: float) -> bool:
    """Whether two numbers are so close that they are meant to be one."""
    return 0.8 < one / other < 1.25 if one and other else False


def _finding(summary: Quantity, other: Quantity) -> ComputedFinding:
    section = other.statement.paragraph["section"] or other.statement.paragraph["id"]
    there = " ".join(other.statement.text[slice(*other.place)].split())
    here = " ".join(summary.statement.text[slice(*summary.place)].split())
    unit = (
        f" ({short((other.base - summary.zero) / summary.scale)} in the same unit)"
        if _converted(summary, other)
        else ""
    )
    return summary.statement.finding(
        "one number, two values",
        "medium" if _alike(summary, other) or _mistyped(summary, other) else "low",
        summary.statement.sentence_at(summary.place[0]),
        computation=f"{here} here, {there}{unit} in {section} ({other.statement.paragraph['id']}), "
        "of what is said in the same words",
        consistent="one value in both places",
    )


def _converted(one: Quantity, other: Quantity) -> bool:
    return (one.scale, one.zero) != (other.scale, other.zero)


_OPENS = re.compile(r"$|.*(?:abstract|summary)", re.IGNORECASE)
"""Sections that a paper opens with; what has no heading stands before the first one."""
_SEASON = re.compile(
    r"\b(?P<season>spring|summer|autumn|winter|fall|January|February|March|April|May|June|July|August|September|October"
    r"|November|December)(?: of)? (?P<year>(?:19|20)\d\d)\b"
)


def check_seasons(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """A season or month of the abstract with a year that the rest of the paper does not have, but others of it."""
    body = " ".join(part.text for part in parts if not is_summary(part))
    years: dict[str, set[str]] = {}
    for match in _SEASON.finditer(body):
        years.setdefault(match["season"], set()).add(match["year"])
    for part in (part for part in parts if _OPENS.match(part.paragraph["section"])):
        for match in _SEASON.finditer(part.text):
            others = years.get(match["season"], set())
            if others and match["year"] not in body:
                told = " and ".join(f"{match['season']} {year}" for year in sorted(others))
                yield part.finding(
                    "one number, two values",
                    "medium",
                    match.span(),
                    computation=f"{match[0]} here; the text has {told}, and {match['year']} nowhere",
                    consistent="one date in both places",
                )


_FEWEST_DIGITS = 4
"""Of the two numbers that agree: fewer may agree by chance."""
_FARTHEST_NUMBER = 1.25
"""Times by which the third may differ; what is farther away is another estimate."""

_Place = tuple[Statement, ReportedInterval]


def check_repeated_estimates(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Estimates of abstract and conclusion that the rest of the paper has with one number changed."""
    places = [(part, interval) for part in parts for interval in reported_intervals(part.text)]
    body = [place for place in places if not is_summary(place[0])]
    said = {_numbers(interval) for _, interval in body}
    for part, interval in places:
        if not is_summary(part) or _numbers(interval) in said:
            continue
        rivals = [place for place in body if _one_differs(interval, place[1])]
        if len({_numbers(other) for _, other in rivals}) == 1:
            yield _differing_estimates((part, interval), rivals[0])


def _numbers(interval: ReportedInterval) -> tuple[float, float, float]:
    return interval.estimate.value, interval.low.value, interval.high.value


def _one_differs(one: ReportedInterval, other: ReportedInterval) -> bool:
    if one.scale != other.scale or one.level != other.level:
        return False
    pairs = list(zip((one.estimate, one.low, one.high), (other.estimate, other.low, other.high), strict=True))
    alike = [first for first, second in pairs if first == second]
    rest = [(first, second) for first, second in pairs if first != second]
    if len(rest) != 1 or rest[0][0].half != rest[0][1].half:
        return False
    digits = sum(len(re.sub(r"\D", "", f"{each.value:g}")) for each in alike)
    first, second = (each.value for each in rest[0])
    return digits >= _FEWEST_DIGITS and first * second > 0 and 1 / _FARTHEST_NUMBER < first / second < _FARTHEST_NUMBER


def _shown(interval: ReportedInterval) -> str:
    estimate, low, high = _numbers(interval)
    return f"{estimate:g} ({low:g} to {high:g})"


def _differing_estimates(summary: _Place, other: _Place) -> ComputedFinding:
    (part, interval), (there, second) = summary, other
    section = there.paragraph["section"] or there.paragraph["id"]
    return part.finding(
        "one number, two values",
        "medium",
        interval.place,
        computation=f"{_shown(interval)} here, {_shown(second)} in {section} ({there.paragraph['id']})",
        consistent="the same three numbers in both places",
    )


_MONTH = r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December) )?"
_PERIOD = re.compile(
    rf"(?:(?:\b(?:from|between|during|in)\s|\(){_MONTH}(?P<first>(?:19|20)\d\d)\s?(?:to|and|until|–|-)"
    rf"|(?<![\d–-])(?P<bare>(?:19|20)\d\d)\s?(?:to|until|–))\s?{_MONTH}"
    r"(?P<last>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_PERIOD_WORD = re.compile(r"[^\W\d_]{4,}")
_FEWEST = 2  # words that both sentences have
_FARTHEST_YEAR = 3  # years; what is farther away is of other data


class Period(NamedTuple):
    """First and last year, with the words of the sentence."""

    years: tuple[str, str]
    words: frozenset[str]
    statement: Statement
    place: tuple[int, int]


def check_periods(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Years of the abstract that the rest of the paper has with another beginning or end, and nowhere as they are."""
    periods = [period for part in parts if not part.row for period in _periods(part)]
    body = [period for period in periods if not is_summary(period.statement)]
    said = {period.years for period in body}
    for here in periods:
        if not is_summary(here.statement) or here.years in said:
            continue
        only = len({each.years for each in periods}) == 2
        rivals = [there for there in body if _is_rival(here, there, only=only)]
        if len({there.years for there in rivals}) == 1:
            section = rivals[0].statement.paragraph["section"] or rivals[0].statement.paragraph["id"]
            told = "–".join(rivals[0].years)
            yield here.statement.finding(
                "one number, two values",
                "medium",
                here.place,
                computation=f"{'–'.join(here.years)} here, {told} in {section} "
                f"({rivals[0].statement.paragraph['id']}), of what is said in like words",
                consistent="the same years in both places",
            )


def _periods(part: Statement) -> Iterator[Period]:
    for match in _PERIOD.finditer(part.text):
        start, end = part.sentence_at(match.start())
        words = frozenset(word.lower()[:6] for word in _PERIOD_WORD.findall(part.text[start:end]))
        yield Period((match["first"] or match["bare"], match["last"]), words, part, match.span())


def _is_rival(here: Period, there: Period, *, only: bool) -> bool:
    """Whether the years have one end in common, or, if the paper has no others, at least their number."""
    apart = [int(one) - int(other) for one, other in zip(here.years, there.years, strict=True)]
    shared = len(here.words & there.words)
    shifted = only and apart[0] == apart[1] and shared >= _FEWEST
    one_end = min(map(abs, apart)) == 0 and shared >= (1 if only else _FEWEST)
    return (one_end or shifted) and 0 < max(map(abs, apart)) <= _FARTHEST_YEAR


_TIMES = re.compile(
    rf"(?<![\w.,/–-])(?P<number>{NUMBER_OR_WORD}) (?P<thing>[^\W\d_]+?)s for (?P<time>{NUMBER_OR_WORD})"
    rf" (?P<unit>hour|day|week|month|year)s\b[^.;]{{0,60}}?(?<![\d.,])(?P<product>{COUNT})"
    rf" (?P=thing)s?[- ](?P=unit)s\b",
    re.IGNORECASE,
)


_PRODUCT = re.compile(
    rf"(?<![\w.,/–-])(?P<total>{UNSIGNED}) (?P<unit>[a-z]{{3,}}?)s? [^.;()\d]*\(\s?(?P<number>{UNSIGNED})"
    rf"(?: [a-z]+)? x (?P<each>{UNSIGNED}) (?P=unit)s?\s?\)",
)


def check_products(statement: Statement) -> Iterator[ComputedFinding]:
    """`Four accelerators for 72 hours, which amounts to 576 accelerator-hours`, `12 hours in total (8 x 1.5 hours)`."""
    for match in _PRODUCT.finditer(statement.text):
        number, each, total = (printed(match[name]) for name in ("number", "each", "total"))
        slack = number.value * each.half + total.half
        if abs(number.value * each.value - total.value) > slack:
            yield _differing_product(statement, match.span(), (number.value, each.value, total.value), match["unit"])
    for match in _TIMES.finditer(statement.text):
        things, time, product = (whole_number(match[name]) for name in ("number", "time", "product"))
        if things * time != product:
            unit = f"{match['thing']}-{match['unit']}"
            yield _differing_product(statement, match.span(), (things, time, product), unit)


def _differing_product(
    statement: Statement, place: tuple[int, int], numbers: tuple[float, float, float], unit: str
) -> ComputedFinding:
    number, each, product = numbers
    return statement.finding(
        "one number, two values",
        "medium",
        place,
        computation=f"{number:g} × {each:g} = {number * each:g}, printed is {product:g}",
        consistent=f"{number * each:g} {unit}s, or other factors",
    )


_RATIO = re.compile(
    r"\b(?:ratio of (?P<first>\d):(?P<second>\d)|(?P<one>\d):(?P<other>\d) (?:ratio|randomi[sz]ation|allocation))\b"
)
_ALLOTTED = re.compile(r"\b(?:randomi[sz]ed|allotted|allocated|assigned|randomly)\b", re.IGNORECASE)
_GROUP = re.compile(rf"\(\s?[nN]\s?=\s?(?P<n>{COUNT})\s?\)")
_FAR = 1.3
"""Times by which simple randomisation hardly ever misses the ratio in groups of twenty or more."""


def check_allocation(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """`Randomised in a ratio of 2:1` beside `to books (n = 80) or vouchers (n = 80)`."""
    told = [(part, match) for part in parts for match in _RATIO.finditer(part.text) if _ALLOTTED.search(part.text)]
    groups = [(part, pair) for part in parts if (pair := _groups(part))]
    if len({match[0] for _, match in told}) != 1 or len(groups) != 1:
        return
    part, match = told[0]
    where, (one, other) = groups[0]
    planned = int(match["first"] or match["one"]) / int(match["second"] or match["other"])
    found = max(one, other) / min(one, other)
    furthest = max(planned, 1 / planned)
    if min(one, other) >= 20 and max(found / furthest, furthest / found) > _FAR:
        yield part.finding(
            "one number, two values",
            "medium",
            part.sentence_at(match.start()),
            computation=f"{one} and {other} ({where.paragraph['id']}) are in a ratio of {found:.2g}:1, "
            f"printed is {match[0]}",
            consistent="a ratio and group sizes that belong together",
        )


def _groups(part: Statement) -> tuple[int, int] | None:
    """The two group sizes of the only sentence that allots people to groups."""
    for start, end in part.sentences():
        sizes = [count(found["n"]) for found in _GROUP.finditer(part.text, start, end)]
        if len(sizes) == 2 and min(sizes) > 0 and _ALLOTTED.search(part.text, start, end):
            return sizes[0], sizes[1]
    return None
