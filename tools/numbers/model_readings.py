"""Turn the numbers that a model has read in a passage into records.

The model types what a passage reports; it computes nothing and judges nothing. Its quote must stand in the passage, and
each of its numbers in the quote, with the printed decimals; otherwise the entry is dropped. The sign before a number
and the percent sign behind it are read from the quote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from state.documents import Document
from state.number_check import NumberReading, ReadEntry
from tools.checks.quantity_lexicon import WHOLE_NUMBER_WORDS
from tools.checks.quotes import TextSpan, find_quote
from tools.numbers import records
from tools.numbers.statements import Statement, detect_notation, normalize_signs

# A decimal, a percentage, or a number behind a sign, as in `n = 28`.
_REPORTED_NUMBER = re.compile(r"\d\.\d|\d\s?%|[=<>≤≥±]\s?\.?\d")
# Not a year, nor a citation in brackets.
_COUNT_IN_TEXT = re.compile(
    rf"(?<![\w.,\[(-])(?!one\b|(?:19|20)\d\d\b){records.NUMBER_OR_WORD}(?![\w\])])", re.IGNORECASE
)
# < .001, 12%, -0.3, twelve; the dash of 1.1-3.9 is no minus.
_PRINTED_NUMBER = re.compile(
    rf"(?P<sign>[=<>≤≥])?\s?(?P<minus>(?<![\d%)])[-–])?(?P<number>{records.UNSIGNED_NUMBER}|\b(?:{WHOLE_NUMBER_WORDS})\b)(?P<percent>\s?%)?",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"…|\.\.\.")
_MEANING_FIELDS = {"tails", "adjustment", "whole", "binary", "items", "approximate", "measure", "scale"}
_UNSTATED_VALUES = ("", "unstated", "unknown", False, None)
Record = TypeVar("Record", bound=records.NumberRecord)


class PrintedNumber(NamedTuple):
    """Named tuple of a number and the signs around it, as a quote prints them."""

    number: records.RoundedNumber
    sign: Any  # `=`, `<` or the like before the number; `=` by default
    percentage: bool


class UnsupportedEntryError(ValueError):
    """An entry of the model whose quote or numbers are not in the passage, or cannot make up its record."""


class NumbersByRole(dict[str, list[PrintedNumber]]):
    """Dictionary of the numbers of an entry by their roles, such as mean or total."""

    def require_number(self, role: str) -> Any:
        """Return the only number of a role, with its rounding, or raise `UnsupportedEntryError` if it has not one."""
        if len(found := self.get(role, [])) != 1:
            raise UnsupportedEntryError(f"it has not one number for {role}")
        return found[0].number

    def require_whole_number(self, role: str) -> int:
        """Return the only number of a role as an int; raise `UnsupportedEntryError` if it has decimals."""
        if (number := self.require_number(role)).half != 0.5:
            raise UnsupportedEntryError(f"it has not one whole number for {role}")
        return int(number.value)


def choose_passages(document: Document) -> list[Statement]:
    """Return as statements the paragraphs and tables that a model should read: with a reported number or two counts."""

    def is_worth_reading(text: str) -> bool:
        return _REPORTED_NUMBER.search(text) is not None or len(_COUNT_IN_TEXT.findall(text)) > 1

    return [passage for passage in _read_passages(document).values() if is_worth_reading(passage.text)]


def _read_passages(document: Document) -> dict[str, Statement]:
    """Return the paragraphs of a document as statements in plain signs, by their ids."""
    notation = detect_notation(document)
    return {each["id"]: Statement(each, notation.normalize_text(each["text"])) for each in document["paragraphs"]}


def collect_records(
    readings: Sequence[NumberReading], document: Document
) -> tuple[list[records.NumberRecord], list[str]]:
    """Make records of the entries of a model; return them and messages about unread passages and dropped entries."""
    passages = _read_passages(document)
    found, unread = list[records.NumberRecord](), list[str]()
    for reading in readings:
        at, dropped = reading["paragraph"], list[str]()
        unread += [f"{at}, by the model: {reading['problem']}"] if reading["problem"] else []
        for entry in reading["entries"]:
            try:
                place, numbers = _find_quoted_numbers(entry, passages[at].text)
                found.append(_make_record((passages[at], place), entry, numbers))
            except UnsupportedEntryError as reason:
                dropped.append(f"{reason} (“{entry['quote']}”)")
        unread += [f"{at}, entries of the model, {len(dropped)}: {'; '.join(dropped)}"] if dropped else []
    return found, unread


def merge_records(read: Sequence[Record], by_model: Sequence[records.NumberRecord], kind: type[Record]) -> list[Record]:
    """Return the records of code, with the meanings that the model states, and the model's where code has none.

    If both have read equal numbers, the record of code gets the meaning that the model states. `read`
    holds records of this kind, `by_model` those of all kinds.
    """
    merged = list(read)
    for other in (each for each in by_model if isinstance(each, kind)):
        overlapping: list[int] = []
        for at, each in enumerate(merged):
            is_same_paragraph = each.statement.paragraph["id"] == other.statement.paragraph["id"]
            # A row of a table has no places.
            meets = each.statement.row or (each.place[0] < other.place[1] and other.place[0] < each.place[1])
            if is_same_paragraph and meets:
                overlapping.append(at)
        numbers = _collect_rounded_numbers(other)
        twin = next((at for at in overlapping if _collect_rounded_numbers(merged[at]) == numbers), None)
        if twin is not None:
            meaning = {name: getattr(other, name) for name in _MEANING_FIELDS & vars(other).keys()}
            stated = {name: value for name, value in meaning.items() if value not in _UNSTATED_VALUES}
            merged[twin] = replace(merged[twin], **stated)
        merged += [] if overlapping else [other]
    return merged


def _collect_rounded_numbers(record: records.NumberRecord) -> set[records.RoundedNumber]:
    """Return the rounded numbers among the fields of a record, as a set."""
    return {value for value in vars(record).values() if isinstance(value, records.RoundedNumber)}


def _find_quoted_numbers(entry: ReadEntry, text: str) -> tuple[tuple[int, int], NumbersByRole]:
    """Return the span of the longest piece of a quote, and its numbers by role, or raise `UnsupportedEntryError`."""
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
    """Yield the numbers at a place with their signs (=, <, -, %); one with commas also as its single pieces."""
    for found in _PRINTED_NUMBER.finditer(text, max(0, place.start - 3)):
        if place.start < found.end("number") and found.start("number") < place.end:
            word = found["number"]
            digits = word if word[-1].isdigit() else str(records.parse_whole_number(word))
            # A comma may also separate two degrees of freedom.
            for each in dict.fromkeys((digits, *digits.split(","))):
                number = records.parse_number(f"{found['minus'] or ''}{each}")
                yield PrintedNumber(number, found["sign"] or "=", found["percent"] is not None)


_RecordLocation = tuple[Statement, tuple[int, int]]


def _make_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.NumberRecord:
    """Return the record of an entry at a statement and span; raise `UnsupportedEntryError` if numbers do not fit."""
    remarks = entry["remarks"]
    match entry["kind"]:
        case "mean":
            is_whole, is_binary = (remark in remarks for remark in ("whole numbers", "yes or no"))
            deviation = numbers.require_number("deviation") if "deviation" in numbers else None
            items = numbers.require_whole_number("items") if "items" in numbers else 1 if is_whole else None
            mean, n = numbers.require_number("mean"), numbers.require_whole_number("n")
            return records.MeanAndDeviation(*at, mean, deviation, n, items, is_whole, is_binary, percentage=False)
        case "proportion":
            count, total = numbers.require_whole_number("count"), numbers.require_whole_number("total")
            percentage = numbers.require_number("percentage")
            return records.Proportion(*at, count, total, percentage, "approximate" in remarks)
        case "estimate":
            scales: list[Any] = [each for each in ("ratio", "difference") if each in remarks]
            value, low, high = (numbers.require_number(role) for role in ("value", "low", "high"))
            level = numbers.require_number("level").value / 100 if "level" in numbers else 0.95
            p = numbers.require_number("p") if "p" in numbers else None
            relation: Any = numbers["p"][0].sign if p else "="
            return records.Estimate(*at, entry["name"], [*scales, "unknown"][0], value, low, high, level, p, relation)
        case "number told twice" | "parts of a whole":
            return _make_total_record(at, entry, numbers)
        case _:
            return _make_test_record(at, entry, numbers)


def _make_test_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.ReportedTest:
    """Return the test of an entry; raise `UnsupportedEntryError` if its degrees of freedom or its numbers cannot be."""
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


def _make_total_record(at: _RecordLocation, entry: ReadEntry, numbers: NumbersByRole) -> records.ReportedTotal:
    """Return the record of a total and its parts, or of a repeated number, whose second mention is its only part."""
    is_repeated = entry["kind"] == "number told twice"
    heads, parts = (numbers.get(role, []) for role in ("told" if is_repeated else "total", "part"))
    printed = heads if is_repeated else [*heads, *parts]
    is_mixed = len({each.percentage for each in printed}) > 1
    if is_repeated and not _ELLIPSIS.search(entry["quote"]):
        raise UnsupportedEntryError("its quote is of one place, not of two")
    if len(heads) != 1 + is_repeated or len(printed) < 3 - is_repeated or is_mixed:
        problem = "its numbers are not two, or a total and its parts, all of them percentages or none"
        raise UnsupportedEntryError(problem)
    total, *others = (each.number for each in printed)
    is_exclusive, is_complete = (is_repeated or remark in entry["remarks"] for remark in ("no overlap", "all parts"))
    is_share = printed[0].percentage
    return records.ReportedTotal(*at, entry["name"], total, tuple(others), is_share, is_exclusive, is_complete)
