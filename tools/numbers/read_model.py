"""Turn what a model has read of a passage into records.

The model types what a passage reports; it computes nothing and judges nothing. Its quote must stand in the passage, and
each of its numbers in the quote, with the decimals that are printed; else the entry is dropped. The sign before a
number and the percent sign behind it are read from the quote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from state.documents import Document
from state.number_check import NumberReading, ReadEntry
from tools.checks.quantity_lexicon import WHOLE
from tools.checks.quotes import Place, locate
from tools.numbers import records
from tools.numbers.statements import Statement, detect_notation, plain_signs

# A decimal, a percentage, or a number behind a sign, as in `n = 28`; else two counts, which no years and citations are.
_REPORTED = re.compile(r"\d\.\d|\d\s?%|[=<>≤≥±]\s?\.?\d")
_COUNTED = re.compile(rf"(?<![\w.,\[(-])(?!one\b|(?:19|20)\d\d\b){records.NUMBER_OR_WORD}(?![\w\])])", re.IGNORECASE)
_PRINTED = re.compile(  # < .001, 12%, -0.3, twelve; the dash of 1.1-3.9 is no minus
    rf"(?P<sign>[=<>≤≥])?\s?(?P<minus>(?<![\d%)])[-–])?(?P<number>{records.UNSIGNED}|\b(?:{WHOLE})\b)(?P<percent>\s?%)?",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(r"…|\.\.\.")
_MEANINGS = {"tails", "adjustment", "whole", "binary", "items", "approximate", "measure", "scale"}
_NOTHING = ("", "unstated", "unknown", False, None)
Record = TypeVar("Record", bound=records.NumberRecord)


class PrintedNumber(NamedTuple):
    """A number as a quote prints it."""

    number: records.RoundedNumber
    sign: Any  # Before it; `=` if there is none.
    percentage: bool


class Unsupported(ValueError):
    """An entry of the model that its passage does not print."""


class Numbers(dict[str, list[PrintedNumber]]):
    """The numbers of an entry by their roles; what is asked for and not there makes it unsupported."""

    def one(self, role: str) -> Any:
        """Return the only number with a role."""
        if len(found := self.get(role, [])) != 1:
            raise Unsupported(f"it has not one number for {role}")
        return found[0].number

    def whole(self, role: str) -> int:
        """Return the only number with a role, which has to be whole."""
        if (number := self.one(role)).half != 0.5:
            raise Unsupported(f"it has not one whole number for {role}")
        return int(number.value)


def choose_passages(document: Document) -> list[Statement]:
    """Return the paragraphs and tables that hold numbers worth reading: they report some, or count twice."""
    passages = _list_passages(document).values()
    return [each for each in passages if _REPORTED.search(each.text) or len(_COUNTED.findall(each.text)) > 1]


def _list_passages(document: Document) -> dict[str, Statement]:
    notation = detect_notation([plain_signs(paragraph["text"]) for paragraph in document["paragraphs"]])
    return {each["id"]: Statement(each, notation.normalize(each["text"])) for each in document["paragraphs"]}


def collect_records(
    readings: Sequence[NumberReading], document: Document
) -> tuple[list[records.NumberRecord], list[str]]:
    """Return the records of what a model has read, and what it has not read or what its passage does not print."""
    passages = _list_passages(document)
    found, unread = list[records.NumberRecord](), list[str]()
    for reading in readings:
        at, dropped = reading["paragraph"], list[str]()
        unread += [f"{at}, by the model: {reading['problem']}"] if reading["problem"] else []
        for entry in reading["entries"]:
            try:
                place, numbers = _find_numbers(entry, passages[at].text)
                found.append(_MAKERS.get(entry["kind"], _make_test)((passages[at], place), entry, numbers))
            except Unsupported as reason:
                dropped.append(f"{reason} (“{entry['quote']}”)")
        unread += [f"{at}, entries of the model, {len(dropped)}: {'; '.join(dropped)}"] if dropped else []
    return found, unread


def join_records(read: Sequence[Record], by_model: Sequence[records.NumberRecord], kind: type[Record]) -> list[Record]:
    """Return the records of code, and those of the model at places where code has read none of the kind.

    Where both have read the same numbers, the model tells what they mean. A row of a table has no places.
    """
    joined = list(read)
    for other in (each for each in by_model if isinstance(each, kind)):
        there = [at for at, each in enumerate(joined) if _overlap(each, other)]
        told = {name: getattr(other, name) for name in _MEANINGS & vars(other).keys()}
        for at in [at for at in there if _list_numbers(joined[at]) == _list_numbers(other)][:1]:
            joined[at] = replace(joined[at], **{name: value for name, value in told.items() if value not in _NOTHING})
        joined += [] if there else [other]
    return joined


def _overlap(read: records.NumberRecord, other: records.NumberRecord) -> bool:
    if read.statement.paragraph["id"] != other.statement.paragraph["id"]:
        return False
    return read.statement.row or (read.place[0] < other.place[1] and other.place[0] < read.place[1])


def _list_numbers(record: records.NumberRecord) -> set[records.RoundedNumber]:
    return {value for value in vars(record).values() if isinstance(value, records.RoundedNumber)}


def _find_numbers(entry: ReadEntry, text: str) -> tuple[tuple[int, int], Numbers]:
    """Find the longest piece of the quote of an entry, and its numbers in all pieces."""
    pieces = [piece for piece in _LEFT_OUT.split(plain_signs(entry["quote"])) if piece.strip()]
    places = [place for piece in pieces if (place := locate(piece, text, fewest=1))]
    if not places or len(places) < len(pieces):
        raise Unsupported("the quote does not stand in the passage")
    printed = [number for place in places for number in _list_printed(text, place)]
    numbers = Numbers()
    for each in entry["numbers"]:
        typed = plain_signs(each["number"])
        wanted = [number.number for number in _list_printed(typed, Place(0, len(typed)))][:1]
        found = next((number for number in printed if number.number in wanted), None)
        if found is None:
            raise Unsupported(f"{each['number']} does not stand in the quote")
        numbers.setdefault(each["role"], []).append(found)
    longest = max(places, key=lambda place: place.end - place.start)
    return (longest.start, longest.end), numbers


def _list_printed(text: str, place: Place) -> Iterator[PrintedNumber]:
    """List the numbers at a place, with the signs around them; a comma may also divide two degrees of freedom."""
    for found in _PRINTED.finditer(text, max(0, place.start - 3)):
        if place.start < found.end("number") and found.start("number") < place.end:
            word = found["number"]
            digits = word if word[-1].isdigit() else str(records.whole_number(word))
            for each in dict.fromkeys((digits, *digits.split(","))):
                number = records.parse_number(f"{found['minus'] or ''}{each}")
                yield PrintedNumber(number, found["sign"] or "=", found["percent"] is not None)


_At = tuple[Statement, tuple[int, int]]


def _make_test(at: _At, entry: ReadEntry, numbers: Numbers) -> records.ReportedTest:
    kind: Any = entry["kind"]
    remarks, degrees = entry["remarks"], tuple(each.number for each in numbers.get("df", []))
    if len(degrees) != {"z": 0, "F": 2}.get(kind, 1):
        raise Unsupported(f"it has {len(degrees)} degrees of freedom")
    statistic, p = numbers.one("statistic"), numbers.one("p")
    relation, p_relation = (numbers[role][0].sign for role in ("statistic", "p"))
    if not (all(each.value > 0 for each in degrees) and 0 <= p.value <= 1 and relation in "=<>"):
        raise Unsupported("its statistic, degrees of freedom or p-value cannot be")
    tails: Any = "one" if "one-sided" in remarks else "two" if "two-sided" in remarks else "unstated"
    adjustment = entry["name"] if "adjusted" in remarks else ""
    return records.ReportedTest(*at, kind, statistic, relation, degrees, p, p_relation, tails, adjustment)


def _make_mean(at: _At, entry: ReadEntry, numbers: Numbers) -> records.MeanAndDeviation:
    is_whole, is_binary = (remark in entry["remarks"] for remark in ("whole numbers", "yes or no"))
    deviation = numbers.one("deviation") if "deviation" in numbers else None
    items = numbers.whole("items") if "items" in numbers else 1 if is_whole else None
    mean, n = numbers.one("mean"), numbers.whole("n")
    return records.MeanAndDeviation(*at, mean, deviation, n, items, is_whole, is_binary, percentage=False)


def _make_proportion(at: _At, entry: ReadEntry, numbers: Numbers) -> records.Proportion:
    count, total, percentage = numbers.whole("count"), numbers.whole("total"), numbers.one("percentage")
    return records.Proportion(*at, count, total, percentage, approximate="approximate" in entry["remarks"])


def _make_estimate(at: _At, entry: ReadEntry, numbers: Numbers) -> records.Estimate:
    scales: list[Any] = [each for each in ("ratio", "difference") if each in entry["remarks"]]
    value, low, high = (numbers.one(role) for role in ("value", "low", "high"))
    level = numbers.one("level").value / 100 if "level" in numbers else 0.95
    p = numbers.one("p") if "p" in numbers else None
    relation: Any = numbers["p"][0].sign if p else "="
    return records.Estimate(*at, entry["name"], [*scales, "unknown"][0], value, low, high, level, p, relation)


def _make_total(at: _At, entry: ReadEntry, numbers: Numbers) -> records.ToldTotal:
    """Make the record of a total and its parts; of a number told twice the second place is the only part."""
    is_repeated = entry["kind"] == "number told twice"
    heads, parts = (numbers.get(role, []) for role in ("told" if is_repeated else "total", "part"))
    told = heads if is_repeated else [*heads, *parts]
    if is_repeated and not _LEFT_OUT.search(entry["quote"]):
        raise Unsupported("its quote is of one place, not of two")
    if len(heads) != 1 + is_repeated or len(told) < 3 - is_repeated or len({each.percentage for each in told}) > 1:
        raise Unsupported("its numbers are not two, or a total and its parts, all of them percentages or none")
    total, *others = (each.number for each in told)
    is_exclusive, is_complete = (is_repeated or remark in entry["remarks"] for remark in ("no overlap", "all parts"))
    is_share = told[0].percentage
    return records.ToldTotal(*at, entry["name"], total, tuple(others), is_share, is_exclusive, is_complete)


_MAKERS: dict[str, Callable[[_At, ReadEntry, Numbers], records.NumberRecord]] = {
    "mean": _make_mean,
    "proportion": _make_proportion,
    "estimate": _make_estimate,
    "number told twice": _make_total,
    "parts of a whole": _make_total,
}
