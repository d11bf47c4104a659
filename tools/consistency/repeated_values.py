"""One quantity with two values: what the abstract or the conclusion says, and what the rest of the paper says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from state.computed_findings import ComputedFinding
from tools.consistency.printed import UNSIGNED, Printed, printed, short
from tools.consistency.statements import Statement

_NUMBER = re.compile(
    rf"(?<![\w.,–/^-])(?P<number>{UNSIGNED})(?: (?:thousand|million|billion)\b)?"
    rf"(?P<unit>\s?(?:%|percent\b|per cent\b|[^\W\d_][\w/°µ-]*))?"
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
_UNITS = {
    "kg": ("g", 1e3),
    "g": ("g", 1.0),
    "mg": ("g", 1e-3),
    "µg": ("g", 1e-6),
    "μg": ("g", 1e-6),
    "ng": ("g", 1e-9),
    "l": ("l", 1.0),
    "L": ("l", 1.0),
    "ml": ("l", 1e-3),
    "mL": ("l", 1e-3),
    "µl": ("l", 1e-6),
    "µL": ("l", 1e-6),
    "km": ("m", 1e3),
    "m": ("m", 1.0),
    "cm": ("m", 1e-2),
    "mm": ("m", 1e-3),
    "µm": ("m", 1e-6),
    "nm": ("m", 1e-9),
    "h": ("min", 60.0),
    "hours": ("min", 60.0),
    "hour": ("min", 60.0),
    "hrs": ("min", 60.0),
    "min": ("min", 1.0),
    "minutes": ("min", 1.0),
    "minute": ("min", 1.0),
    "s": ("min", 1 / 60),
    "seconds": ("min", 1 / 60),
    "days": ("d", 1.0),
    "day": ("d", 1.0),
    "weeks": ("d", 7.0),
    "week": ("d", 7.0),
    "months": ("mo", 1.0),
    "month": ("mo", 1.0),
    "years": ("mo", 12.0),
    "year": ("mo", 12.0),
    "%": ("%", 1.0),
    "percent": ("%", 1.0),
}
_NO_UNITS = {"and", "to", "or", "of", "v", "vs", "versu", "versus", "in", "x", "ci", "with", "for", "from", "at"}
_REACH = 7  # words on either side of a number that tell what it is
_ALIKE = 0.75


@dataclass(frozen=True)
class Quantity:
    """A number with what is said around it."""

    value: Printed
    unit: str
    """As a base unit, or the noun that is counted; empty if none follows."""
    scale: float
    words: frozenset[str]
    things: tuple[str, ...]
    """The two words behind the number."""
    statement: Statement
    place: tuple[int, int]

    @property
    def base(self) -> float:
        """The value in the base unit."""
        return self.value.value * self.scale

    def same_value(self, other: Quantity) -> bool:
        """Whether both may be roundings of one value."""
        half = max(self.value.half * self.scale, other.value.half * other.scale)
        return abs(self.base - other.base) <= 1.0001 * half


def quantities(statement: Statement) -> Iterator[Quantity]:
    """The numbers of a paragraph that stand before a unit or a noun."""
    for match in _NUMBER.finditer(statement.text):
        unit = (match["unit"] or "").strip().replace("per cent", "percent")
        base, scale = _UNITS.get(unit, (unit.lower().rstrip("s"), 1.0))
        if not unit or base in _NO_UNITS:
            continue
        start, end = statement.sentence_at(match.start())
        before = _words(statement.text[start : match.start()])[-_REACH:]
        after = _words(statement.text[match.end() : end])[:_REACH]
        things = tuple(re.findall(r"[^\W\d_]+", statement.text[match.end("number") : end].lower())[:2])
        yield Quantity(
            printed(match["number"]), base, scale, frozenset([*before, *after]), things, statement, match.span()
        )


def _words(text: str) -> list[str]:
    return [word.lower()[:6] for word in _WORD.findall(text) if word.lower() not in _STOP]


def check_repeated(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Numbers of the abstract and the conclusion that the rest of the paper has otherwise in like words."""
    whole = [quantity for part in parts if not part.row for quantity in quantities(part)]
    texts = " ".join(part.text for part in parts if not _is_summary(part))
    for summary in whole:
        if not _is_summary(summary.statement):
            continue
        rivals = [other for other in whole if not _is_summary(other.statement) and _rival(summary, other)]
        rivals = [other for other in rivals if _other_prefix(summary, other) or not _stands(summary, whole, texts)]
        values = {other.base for other in rivals}
        if len(values) == 1 and not any(_is_summary(each.statement) and each.same_value(rivals[0]) for each in whole):
            yield _finding(summary, rivals[0])


def _is_summary(part: Statement) -> bool:
    return _SUMMARY.search(part.paragraph["section"]) is not None


def _stands(summary: Quantity, whole: Sequence[Quantity], texts: str) -> bool:
    """Whether the rest of the paper has this number too, as printed or in another unit."""
    printed_there = re.search(rf"(?<![\d.]){re.escape(_text(summary))}(?!\d|\.\d)", texts)
    converted = any(
        other.unit == summary.unit and other.same_value(summary) for other in whole if not _is_summary(other.statement)
    )
    return printed_there is not None or converted


def _text(quantity: Quantity) -> str:
    return quantity.statement.text[slice(*quantity.place)].split()[0].rstrip("%")


def _rival(summary: Quantity, other: Quantity) -> bool:
    """Whether another number says the same of the same thing."""
    if summary.unit != other.unit or summary.same_value(other):
        return False
    if _alike(summary, other):
        return True
    if _mistyped(summary, other) or _other_prefix(summary, other):
        return True
    same_things = summary.things == other.things and len("".join(summary.things)) > 9
    return same_things and len(summary.words & other.words) >= 3 and _near(summary.base, other.base)


def _mistyped(summary: Quantity, other: Quantity) -> bool:
    """Whether two numbers of like things have the same digits in another order."""
    one, two = (re.sub(r"\D", "", str(each.value.value)) for each in (summary, other))
    same = summary.value.half == other.value.half and summary.scale == other.scale and "/" not in summary.unit
    if not same or sorted(one) != sorted(two) or one == two:
        return False
    counted = len(summary.unit) > 3 and summary.unit not in _UNITS
    return counted or len(summary.words & other.words) >= (1 if len(set(one) - {"0"}) > 2 else 2)


def _other_prefix(summary: Quantity, other: Quantity) -> bool:
    """Whether two masses or volumes have one number with prefixes a thousand apart, and a word in common."""
    ratio = summary.scale / other.scale
    same = summary.value == other.value and summary.unit in {"g", "l"} and bool(summary.words & other.words)
    return same and any(0.9 < ratio / factor < 1.1 for factor in (1e-3, 1e3))


def _alike(summary: Quantity, other: Quantity) -> bool:
    """Whether nearly all the words around one number stand around the other."""
    shared = len(summary.words & other.words)
    return shared >= max(4, _ALIKE * min(len(summary.words), len(other.words)))


def _near(one: float, other: float) -> bool:
    """Whether two numbers are so close that they are meant to be one."""
    return 0.8 < one / other < 1.25 if one and other else False


def _finding(summary: Quantity, other: Quantity) -> ComputedFinding:
    section = other.statement.paragraph["section"] or other.statement.paragraph["id"]
    there = " ".join(other.statement.text[slice(*other.place)].split())
    here = " ".join(summary.statement.text[slice(*summary.place)].split())
    unit = f" ({short(other.base / summary.scale)} in the same unit)" if other.scale != summary.scale else ""
    return summary.statement.finding(
        "one number, two values",
        "medium" if _alike(summary, other) or _mistyped(summary, other) else "low",
        summary.statement.sentence_at(summary.place[0]),
        computation=f"{here} here, {there}{unit} in {section} ({other.statement.paragraph['id']}), "
        "of what is said in the same words",
        consistent="one value in both places",
    )


_SEASON = re.compile(
    r"\b(?P<season>spring|summer|autumn|winter|fall|January|February|March|April|May|June|July|August|September|October"
    r"|November|December)(?: of)? (?P<year>(?:19|20)\d\d)\b"
)


def check_seasons(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """A season or month of the abstract with a year that the rest of the paper does not have, but others of it."""
    body = " ".join(part.text for part in parts if not _is_summary(part))
    years: dict[str, set[str]] = {}
    for match in _SEASON.finditer(body):
        years.setdefault(match["season"], set()).add(match["year"])
    for part in (part for part in parts if re.search("abstract|summary", part.paragraph["section"], re.IGNORECASE)):
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
