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
from tools.checks.quantity_lexicon import WHOLE_NUMBER_WORDS
from tools.checks.quotes import TextSpan, find_quote
from tools.numbers import records
from tools.numbers.statements import Statement, detect_notation, normalize_signs

# A decimal, a percentage, or a number behind a sign, as in `n = 28`; else two counts, which no years and citations are.
_REPORTED_NUMBER = re.compile(r"\d\.\d|\d\s?%|[=<>≤≥±]\s?\.?\d")
_COUNT_IN_TEXT = re.compile(
    rf"(?<![\w.,\[(-])(?!one\b|(?:19|20)\d\d\b){records.NUMBER_OR_WORD}(?![\w\])])", re.IGNORECASE
)
_PRINTED_NUMBER = re.compile(  # < .001, 12%, -0.3, twelve; the dash of 1.1-3.9 is no minus
    rf"(?P<sign>[=<>≤≥])?\s?(?P<minus>(?<![\d%)])[-–])?(?P<number>{records.UNSIGNED_NUMBER}|\b(?:{WHOLE_NUMBER_WORDS})\b)(?P<percent>\s?%)?",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"…|\.\.\.")
_MEANING_FIELDS = {"tails", "adjustment", "whole", "binary", "items", "approximate", "measure", "scale"}
_UNSTATED_VALUES = ("", "unstated", "unknown", False, None)
Record = TypeVar("Record", bound=records.NumberRecord)


class PrintedNumber(NamedTuple):
    """A number as a quote prints it."""

    number: records.RoundedNumber
    sign: Any  # Before it; `=` if there is none.
    percentage: bool


class UnsupportedEntryError(ValueError):
    """An entry of the model that its passage does not print."""


class NumbersByRole(dict[str, list[PrintedNumber]]):
    """The numbers of an entry by their roles; what is asked for and not there makes it unsupported."""

    def require_number(self, role: str) -> Any:
        """Return the only number with a role."""
        if len(found := self.get(role, [])) != 1:
            raise UnsupportedEntryError(f"it has not one number for {role}")
        return found[0].number

    def require_whole_number(self, role: str) -> int:
        """Return the only number with a role, which has to be whole."""
        if (number := self.require_number(role)).half != 0.5:
            raise UnsupportedEntryError(f"it has not one whole number for {role}")
        return int(number.value)


def choose_passages(document: Document) -> list[Statement]:
    """Return the paragraphs and tables that hold numbers worth reading: they report some, or count twice."""
    passages = _read_passages(document).values()
    return [
        each for each in passages if _REPORTED_NUMBER.search(each.text) or len(_COUNT_IN_TEXT.findall(each.text)) > 1
    ]


def _read_passages(document: Document) -> dict[str, Statement]:
    notation = detect_notation([normalize_signs(paragraph["text"]) for paragraph in document["paragraphs"]])
    return {each["id"]: Statement(each, notation.normalize_text(each["text"])) for each in document["paragraphs"]}


def collect_records(
    readings: Sequence[NumberReading], document: Document
) -> tuple[list[records.NumberRecord], list[str]]:
    """Return the records of what a model has read, and what it has not read or what its passage does not print."""
    passages = _read_passages(document)
    found, unread = list[records.NumberRecord](), list[str]()
    for reading in readings:
        at, dropped = reading["paragraph"], list[str]()
        unread += [f"{at}, by the model: {reading['problem']}"] if reading["problem"] else []
        for entry in reading["entries"]:
            try:
                place, numbers = _find_quoted_numbers(entry, passages[at].text)
                found.append(
                    _RECORD_MAKERS.get(entry["kind"], _make_test_record)((passages[at], place), entry, numbers)
                )
            except UnsupportedEntryError as reason:
                dropped.append(f"{reason} (“{entry['quote']}”)")
        unread += [f"{at}, entries of the model, {len(dropped)}: {'; '.join(dropped)}"] if dropped else []
    return found, unread


def merge_records(read: Sequence[Record], by_model: Sequence[records.NumberRecord], kind: type[Record]) -> list[Record]:
    """Return the records of code, and those of the model at places where code has read none of the kind.

    Where both have read the same numbers, the model tells what they mean. A row of a table has no places.
    """
    joined = list(read)
    for other in (each for each in by_model if isinstance(each, kind)):
        there = [at for at, each in enumerate(joined) if _has_overlap(each, other)]
        told = {name: getattr(other, name) for name in _MEANING_FIELDS & vars(other).keys()}
        for at in [at for at in there if _collect_rounded_numbers(joined[at]) == _collect_rounded_numbers(other)][:1]:
            joined[at] = replace(
                joined[at], **{name: value for name, value in told.items() if value not in _UNSTATED_VALUES}
            )
        joined += [] if there else [other]
    return joined


def _has_overlap(read: records.NumberRecord, other: records.NumberRecord) -> bool:
    if read.statement.paragraph["id"] != other.statement.paragraph["id"]:
        return False
    return read.statement.row or (read.place[0] < other.place[1] and other.place[0] < read.place[1])


def _collect_rounded_numbers(record: records.NumberRecord) -> set[records.RoundedNumber]:
    return {value for value in vars(record).values() if isinstance(value, records.RoundedNumber)}


def _find_quoted_numbers(entry: ReadEntry, text: str) -> tuple[tuple[int, int], NumbersByRole]:
    """Find the longest piece of the quote of an entry, and its numbers in all pieces."""
    pieces = [piece for piece in _ELLIPSIS.split(normalize_signs(entry["quote"])) if piece.strip()]
    places = [place for piece in pieces if (place := find_quote(piece, text, fewest=1))]
    if not places or len(places) < len(pieces):
        raise UnsupportedEntryError("the quote does not stand in the passage")
    printed = [number for place in places for number in _list_printed_numbers(text, place)]
    numbers = NumbersByRole()
    for each in entry["numbers"]:
        typed = normalize_signs(each["number"])
        wanted = [number.number for number in _list_printed_numbers(typed, TextSpan(0, len(typed)))][:1]
        found = next((number for number in printed if number.number in wanted), None)
        if found is None:
            raise UnsupportedEntryError(f"{each['number']} does not stand in the quote")
        numbers.setdefault(each["role"], []).append(found)
    longest = max(places, key=lambda place: place.end - place.start)
    return (longest.start, longest.end), numbers


def _list_printed_numbers(text: str, place: TextSpan) -> Iterator[PrintedNumber]:
    """List the numbers at a place, with the signs around them; a comma may also divide two degrees of freedom."""
    for found in _PRINTED_NUMBER.finditer(text, max(0, place.start - 3)):
        if place.start < found.end("number") and found.start("number") < place.end:
            word = found["number"]
            digits = word if word[-1].isdigit() else str(records.parse_whole_number(word))
            for each in dict.fromkeys((digits, *digits.split(","))):
                number = records.parse_number(f"{found['minus'] or ''}{each}")
                yield PrintedNumber(number, found["sign"] or "=", found["percent"] is not None)


_RecordLocation = tuple[Statement, tuple[int, int]]


def _make_test_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.ReportedTest:
    kind: Any = entry["kind"]
    remarks, degrees = entry["remarks"], tuple(each.number for each in numbers.get("df", []))
    if len(degrees) != {"z": 0, "F": 2}.get(kind, 1):
        raise UnsupportedEntryError(f"it has {len(degrees)} degrees of freedom")
    statistic, p = numbers.require_number("statistic"), numbers.require_number("p")
    relation, p_relation = (numbers[role][0].sign for role in ("statistic", "p"))
    if not (all(each.value > 0 for each in degrees) and 0 <= p.value <= 1 and relation in "=<>"):
        raise UnsupportedEntryError("its statistic, degrees of freedom or p-value cannot be")
    tails: Any = "one" if "one-sided" in remarks else "two" if "two-sided" in remarks else "unstated"
    adjustment = entry["name"] if "adjusted" in remarks else ""
    return records.ReportedTest(*at, kind, statistic, relation, degrees, p, p_relation, tails, adjustment)


def _make_mean_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.MeanAndDeviation:
    is_whole, is_binary = (remark in entry["remarks"] for remark in ("whole numbers", "yes or no"))
    deviation = numbers.require_number("deviation") if "deviation" in numbers else None
    items = numbers.require_whole_number("items") if "items" in numbers else 1 if is_whole else None
    mean, n = numbers.require_number("mean"), numbers.require_whole_number("n")
    return records.MeanAndDeviation(*at, mean, deviation, n, items, is_whole, is_binary, percentage=False)


def _make_proportion_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.Proportion:
    count, total, percentage = (
        numbers.require_whole_number("count"),
        numbers.require_whole_number("total"),
        numbers.require_number("percentage"),
    )
    return records.Proportion(*at, count, total, percentage, approximate="approximate" in entry["remarks"])


def _make_estimate_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.Estimate:
    scales: list[Any] = [each for each in ("ratio", "difference") if each in entry["remarks"]]
    value, low, high = (numbers.require_number(role) for role in ("value", "low", "high"))
    level = numbers.require_number("level").value / 100 if "level" in numbers else 0.95
    p = numbers.require_number("p") if "p" in numbers else None
    relation: Any = numbers["p"][0].sign if p else "="
    return records.Estimate(*at, entry["name"], [*scales, "unknown"][0], value, low, high, level, p, relation)


def _make_total_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.ReportedTotal:
    """Make the record of a total and its parts; of a number told twice the second place is the only part."""
    is_repeated = entry["kind"] == "number told twice"
    heads, parts = (numbers.get(role, []) for role in ("told" if is_repeated else "total", "part"))
    told = heads if is_repeated else [*heads, *parts]
    if is_repeated and not _ELLIPSIS.search(entry["quote"]):
        raise UnsupportedEntryError("its quote is of one place, not of two")
    if len(heads) != 1 + is_repeated or len(told) < 3 - is_repeated or len({each.percentage for each in told}) > 1:
        raise UnsupportedEntryError(
            "its numbers are not two, or a total and its parts, all of them percentages or none"
        )
    total, *others = (each.number for each in told)
    is_exclusive, is_complete = (is_repeated or remark in entry["remarks"] for remark in ("no overlap", "all parts"))
    is_share = told[0].percentage
    return records.ReportedTotal(*at, entry["name"], total, tuple(others), is_share, is_exclusive, is_complete)


_RECORD_MAKERS: dict[str, Callable[[_RecordLocation, ReadEntry, NumbersByRole], records.NumberRecord]] = {
    "mean": _make_mean_record,
    "proportion": _make_proportion_record,
    "estimate": _make_estimate_record,
    "number told twice": _make_total_record,
    "parts of a whole": _make_total_record,
}
