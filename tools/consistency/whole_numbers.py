"""Means and standard deviations that no whole numbers have.

GRIM: Brown and Heathers (2017), "The GRIM test", Social Psychological and Personality Science 8. A mean of n whole
numbers is a multiple of 1/n. GRIMMER: Anaya (2016), "The GRIMMER test", PeerJ Preprints 4:e2400. The sum of the squares
of whole numbers is a whole number, and even where their sum is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import SMALL_NUMBERS, unit_after
from tools.consistency.counted import counted
from tools.consistency.printed import COUNT, Printed, count, printed, told_sizes
from tools.consistency.statements import Statement

_NUMBER = r"-?\d+\.\d+"
_N = r"[nN]\s?=\s?(?P<n>\d[\d,]*)"
_MEAN = (
    r"(?:\bM\s?=?\s?"
    r"|\b(?:[Mm]eans?|[Aa]verages?)(?P<of>(?: (?!diff|change|effect|ratio)(?:[a-z-]+"
    r"|\d+ [a-z]+)){0,6}?)(?: \((?:SD|M|n)\))?"
    r"\s?(?:=|:|of|was|were|)\s?"
    r"|\b[Nn]umber of (?:[a-z-]+ ){0,3}[a-z-]+\s?[:=]\s?)"
    rf"(?P<mean>{_NUMBER})"
)
"""`M = 3.45`, `the mean number of errors was 3.45`, `number of errors: 3.45`"""
_DEVIATION = r"(?:(?:SD|S\.D\.|s\.d\.)\s?(?:=|of|was|:)?|standard deviation(?: of| was| =)?)"
_SD = rf"(?:(?:\s?[,;(±]|,? (?:and|with) (?:the|an?))\s?{_DEVIATION}?\s?(?P<sd>{_NUMBER})\)?)?"
_THING = r"(?: [a-z]{3,})?"
_STATISTICS = (
    re.compile(rf"{_MEAN}{_SD}{_THING}\s?[,;(]\s?{_N}"),
    re.compile(rf"{_N}\s?\)?\s?[,;:]\s?{_MEAN}{_SD}"),
    re.compile(
        rf"\({_N}(?:, [a-z ]+)?\)\s?(?:(?:it|they|was|were|gave|had|made|scored|averaged|rated|a|mean"
        rf"|of) ){{0,3}}(?P<mean>{_NUMBER}){_SD}"
    ),
    re.compile(
        rf"(?:[Mm]ean|M)\s?±\s?SD\s?[:=,]?\s?(?P<mean>{_NUMBER})\s?±\s?(?P<sd>{_NUMBER})(?: [a-z]+)?\s?[,;(]\s?{_N}"
    ),
    re.compile(rf"(?P<mean>{_NUMBER})\s?±\s?(?P<sd>{_NUMBER}) [a-z]+ \((?:mean|M)\s?±\s?SD, {_N}\)"),
)
"""A mean with its n beside it."""
_HELD = re.compile(
    rf"\b(?P<n>{COUNT}) (?:[a-z-]+ ){{1,3}}(?:held|had|laid|bore|produced|contained|reported|made|gave|scored)"
    rf" (?P<mean>{_NUMBER}) [a-z]+ on average"
)
"""So many things, each of which had so many on average."""
_ALONE = (
    re.compile(rf"{_MEAN}{_SD}(?!\d|\s?[,;(]\s?[nN]\s?=)"),
    re.compile(rf"\b(?P<mean>{_NUMBER}) [a-z]+ on average{_SD}"),
    re.compile(rf"\baveraged (?P<mean>{_NUMBER}){_SD}"),
    re.compile(rf"\b[Oo]n average,? (?:[a-z-]+ |\d+ ){{0,5}}?(?P<mean>{_NUMBER})"),
    re.compile(rf"(?<![\d.±-])(?P<mean>{_NUMBER})\s?±\s?(?P<sd>{_NUMBER}) [a-z]+ \((?:mean|M)\s?±\s?SD\)"),
    re.compile(rf"\b(?:averaged|(?:rose|fell|increased|decreased|improved|dropped|went) from) (?P<mean>{_NUMBER})"),
    re.compile(rf"\baveraged {_NUMBER} [^.;\d]{{0,40}}and (?P<mean>{_NUMBER})"),
    re.compile(rf"\b(?:rose|fell|increased|decreased|improved|dropped|went) from {_NUMBER} to (?P<mean>{_NUMBER})"),
)
"""A mean whose n is the only one that the paragraph or caption tells."""
_SPLIT = re.compile(r"\bgroups?\b|\barms?\b|\bwomen\b.*\bmen\b|\bcontrols\b|\bsub(?:sample|set)s?\b", re.IGNORECASE)
"""Where people are told apart, no mean is known to be of all of them."""
_WHOLE = re.compile(
    r"\blikert|\bsingle[- ]items?\b|\b(?:one|1)[- ](?:[a-z-]+ )?item\b|"
    r"\bwhole[- ](?:numbers?|points?|marks?|scores?|grades?)|\bintegers?\b"
    r"|\bnumber (?:of (?!participants|patients|subjects)[a-z]+|(?!needed)[a-z]+ed\b|correct\b)"
    r"|\b(?:mean|average) (?:number|count)\b|\bhow many\b|\bcounts? of\b|\ba count\b"
    r"|\bcounted\b"
    r"|\b(?:[4-9]|10|11|four|five|six|seven|nine|ten|eleven)[- ](?:point|step) (?:[a-z]+ )?(?:scale|items?|response)"
    r"|\b(?:queens|eggs|larvae|chicks|nestlings|pups|seeds|flowers|leaves|fruits|visits|children|teeth|lesions|falls)"
    r" per [a-z]+"
    r"|\b(?:scored|graded|rated) (?:from )?[01] (?:\([^)]*\) )?(?:to|-|–) (?:\d|10|100)\b"
    r"|\bnumber of (?:siblings|children|pregnancies|visits|falls|errors|words|eggs|chicks|offspring)\b"
    r"|\b(?:mean|score|rating)s? \([01] ?(?:–|-|to) ?(?:5|6|7|9|10)\)"
    r"|\bwhole (?:points|number)|\bcould not be cut\b|\bhow many\b|\b(?:bark|bite|call|visit|error|fall) counts\b"
    r"|\bhalf points\b|\bcorrect answers\b|\bno partial credit\b|\b(?:eggs|children|falls|errors|visits) on average\b"
    r"|\b(?:scale|rated|rating)\b[^.]{0,40}?\b(?:from )?[01] (?:\([^)]*\) )?(?:to|-|–) (?:5|6|7|9|10|100)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?:\s?(?:±|\(\s?(?:SD|±)?)\s?=?\s?{_NUMBER}\s?\)?)?\s(?P<things>[a-z]{{3,}})(?! (?:per|each|every)\b)"
)
"""What a mean is of, behind it or its deviation; what is counted per something else has more numbers than n."""
_WHOLE_NAME = re.compile(r"\b(?:number|count|score|rating|answer|response|mark|item|value)s?\b")
"""What `the mean …` is of where the text around has said that it is counted or rated; ages are not meant."""
_TITLE = re.compile(r"(?:^| )(?P<things>[A-Za-z]{3,})(?: [a-z]{3,})? ?(?:\(|, ?)(?:[Mm]ean|M)\b")
"""What a column of means is of."""
_MEASURES = re.compile(
    r"(?:score|point|mark|rating|grade|level|value|ratio|rate|time|degree|age|percentile|portion|serving|drink|unit"
    r"|response|difference|change|standard|log|week|year|month|hour|index|range|weight|length|height|dose|income|s?d"
    r"|cost|size|volume|temperature|concentration|intensit|densit|mass|distance|speed|duration|latenc|count|average)"
    r"(?:s|ies)?",
    re.IGNORECASE,
)
"""What may have any value, though it has a plural."""
_PLURAL = re.compile(r"[a-z]+[^su\W]s|young|offspring|children|people|men|women|larvae|mice|teeth|feet", re.IGNORECASE)

_ITEMS = re.compile(
    r"\b(?P<k>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|twelve)[- ](?:likert[- ])?items?\b", re.IGNORECASE
)
_MANY_ITEMS = re.compile(
    r"\b(?:mean|average|sum) (?:of|over|across) (?:the |all |these )?(?:[a-z]+ )?items\b|\bsubscales?\b"
    r"|\bcomposite\b|\baveraged? (?:over|across)\b|\bmean of the\b|\bindex\b",
    re.IGNORECASE,
)


def check_whole_numbers(statement: Statement, before: str) -> Iterator[ComputedFinding]:
    """Means and deviations that cannot be those of whole numbers.

    Args:
        statement: Where they are printed.
        before: The text that tells what the numbers are: this section, up to the statement and with it.
    """
    for match, mean, size, items in whole_number_means(statement, before):
        yield from _check(statement, match, mean, size, items)


def whole_number_means(statement: Statement, before: str) -> Iterator[tuple[re.Match[str], Printed, int, int]]:
    """Means of whole numbers, how many they are of and how many numbers each of those is the mean of."""
    whole = _WHOLE.search(before) is not None or _is_counted(statement.caption, _TITLE.finditer(statement.caption))
    items = _items(before)
    if items is None:
        return
    for match, mean, size in _means(statement):
        behind = _BEHIND.match(statement.text, match.end("mean"))
        named = (match.groupdict().get("of") or "").strip()
        about_it = whole and (not named or _WHOLE_NAME.search(named))
        if not about_it and not _is_counted(statement.text, [behind] if behind else []):
            continue
        if 2 * mean.half * size * items < 1 and size > 1:  # otherwise every mean is possible
            yield match, mean, size, items


def _is_counted(text: str, matches: Iterable[re.Match[str]]) -> bool:
    """Whether one of the matches names what can be counted: `a mean of 1.87 falls`, a column `Errors (mean)`."""
    return any(
        _PLURAL.fullmatch(match["things"])
        and not _MEASURES.fullmatch(match["things"])
        and not unit_after(text, match.start("things"), spelled=False)
        for match in matches
    )


def _means(statement: Statement) -> Iterator[tuple[re.Match[str], Printed, int]]:
    """Means with the n beside them, or with the only one of the paragraph or caption."""
    found = [match for pattern in (*_STATISTICS, _HELD) for match in pattern.finditer(statement.text)]
    taken = {match.start("mean") for match in found}
    yield from ((match, printed(match["mean"]), count(match["n"])) for match in found)
    yield from (known for known in _of_their_sentence(statement) if known[0].start("mean") not in taken)
    sizes = told_sizes(f"{statement.caption} {statement.text}") or _things(statement.text)
    if len(sizes) == 1 and not found and not _SPLIT.search(statement.text):
        size = sizes.pop()
        alone = {match.start("mean"): match for pattern in _ALONE for match in pattern.finditer(statement.text)}
        yield from ((match, printed(match["mean"]), size) for match in alone.values())


def _things(text: str) -> set[int]:
    """The numbers of things that a text counts."""
    return {each.number for each in counted(text) if re.match(r" (?:[a-z-]+ )?[a-z]{3,}s\b", text[each.end :])}


def _of_their_sentence(statement: Statement) -> Iterator[tuple[re.Match[str], Printed, int]]:
    """The only mean of a sentence that tells one n, which may be that of a group."""
    for start, end in [] if statement.row else statement.sentences():
        sizes = {count(found["n"]) for found in re.finditer(_N, statement.text[start:end])}
        means = {
            match.start("mean"): match
            for pattern in _ALONE
            for match in pattern.finditer(statement.text, start, end)
            if match.end() <= end
        }
        if len(sizes) == len(means) == 1 and _SPLIT.search(statement.text):
            (size,), (match,) = sizes, means.values()
            yield match, printed(match["mean"]), size


def _items(text: str) -> int | None:
    """How many whole numbers a value is the mean of; None if it is not told."""
    told = {SMALL_NUMBERS.get(found["k"].lower()) or int(found["k"]) for found in _ITEMS.finditer(text)}
    told.discard(1)
    if len(told) == 1:
        return told.pop()
    return 1 if not told and not _MANY_ITEMS.search(text) else None


def _check(
    statement: Statement, match: re.Match[str], mean: Printed, size: int, items: int
) -> Iterator[ComputedFinding]:
    sums = possible_sums(mean, size * items)
    shown = match["mean"]
    decimals = len(shown.partition(".")[2])
    of = f"{size} whole numbers" if items == 1 else f"{size} means of {items} whole numbers"
    if not sums:
        below = math.floor(mean.value * size * items)
        near = [f"{total / (size * items):.{decimals}f}" for total in (below, below + 1)]
        yield statement.finding(
            "mean of whole numbers",
            "medium",
            match.span(),
            computation=f"{below}/{size * items} = {near[0]} and {below + 1}/{size * items} = {near[1]}, "
            f"so no {of} have a mean of {shown}",
            consistent=f"{near[0]} or {near[1]}, or another n",
        )
    elif match.groupdict().get("sd") and items == 1 and not possible_deviation(printed(match["sd"]), sums, size):
        yield statement.finding(
            "deviation of whole numbers",
            "medium",
            match.span(),
            computation=f"no {of} that sum to {' or '.join(map(str, sums))} have a standard deviation of "
            f"{match['sd']}: "
            "the sum of their squares would be no whole number, or odd where their sum is even",
            consistent="another deviation or n",
        )


def possible_sums(mean: Printed, numbers: int) -> list[int]:
    """The sums of so many whole numbers whose mean is printed like this."""
    return list(range(math.ceil(mean.low * numbers), math.floor(mean.high * numbers) + 1))


def possible_deviation(deviation: Printed, sums: list[int], size: int) -> bool:
    """Whether whole numbers with one of these sums can have the deviation, of the sample or of the population."""
    return any(_has_squares(deviation, total, size, divisor) for total in sums for divisor in (size - 1, size))


def _has_squares(deviation: Printed, total: int, size: int, divisor: int) -> bool:
    least = divisor * max(0.0, deviation.low) ** 2 + total**2 / size
    most = divisor * deviation.high**2 + total**2 / size
    return any(squares % 2 == total % 2 for squares in range(math.ceil(least - 1e-9), math.floor(most + 1e-9) + 1))
