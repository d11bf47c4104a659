"""Means and standard deviations that no whole numbers have.

GRIM: Brown and Heathers (2017), "The GRIM test", Social Psychological and Personality Science 8. A mean of n whole
numbers is a multiple of 1/n. GRIMMER: Anaya (2016), "The GRIMMER test", PeerJ Preprints 4:e2400. The sum of the squares
of whole numbers is a whole number, and even where their sum is.

Only means are checked whose n is told: beside them as `n = 19` or `(17 each)`, or in a title, row or column of their
table; and only where the text says that the numbers behind them are whole.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import SMALL_NUMBERS, unit_after
from tools.numbers.records import RoundedNumber, parse_number
from tools.numbers.statements import PaperTable, Statement

_DECIMAL = re.compile(r"(?<![\w.,/])(?<![–-])\d+\.\d+(?!\d|[.,]\d|\s?%|\s?[–-]\s?\d)")
_MEAN_CUE = re.compile(
    r"\bM(?=\s*(?:=|_|±|\(|,|:|\d))|\b[Mm]eans?\b|\b[Aa]verag(?:e|es|ed|ing)\b|\bx̄"
    r"|\b(?:rose|fell|increased|decreased|improved|dropped|went) from\b"
)
_MEAN_BEHIND = re.compile(
    r"[^.;\d]{0,40}?(?:\bon average\b|\(\s*(?:mean|M|average)\b)|\s*±[^.;]{0,6}[\d.]+[^;\d]{0,25}\((?:mean|M)"
)
_DEVIATION = r"(?:\bS\.?\s?D\b\.?|\bs\.\s?d\.|\bsd\b|\b[Ss]tandard deviations?\b|\b[Ss]td\b\.?(?: dev\b\.?)?)"
_DEVIATION_CUE = re.compile(rf"(?:±|\+/-|{_DEVIATION}(?:\s?\([^()]*\))?)\s*(?:=|of|was|were|is|:)?\s*$")
_OTHER_CUE = re.compile(
    r"(?:\b(?!(?-i:M)(?:\b|_)|mean|average)[^\W\d]\w*(?:\s?\([^()]*\))?\s*[=<>≤≥]|[<>≤≥~≈]"
    r"|\b(?:medians?|ranges?|rang(?:ed|ing)|intervals?|CI|ratio|p|by|than|about|approximately|around|nearly|almost|S?MD"
    r"|[ORH]R|SEM?|standard errors?|alpha|kappa|maximum|minimum|between|up to"
    r"|(?:difference|change|increase|decrease|reduction|improvement|gain|interval)s? (?:in [a-z ]+)?of)"
    r"\s*(?:of|from|was|is|:|,)?(?:\s\d[\d.]*\s(?:to|and))?)\s*$",
    re.IGNORECASE,
)
"""What makes a number anything but a mean."""
_IN_ORDER = re.compile(r",? respectively\b")
_RANGE_END = re.compile(r"(?<!from )\d\s?to\s$")
_RANGE_START = re.compile(r"\s?to\s\d")
_NEVER = re.compile(
    r"\b(?:differ\w*|changes?|effects?|ratios?|log\w*|gains?|weighted|adjusted|estimated|predicted|marginal|geometric"
    r"|per ?cent\w*|standardi[sz]ed|composite|subscales?|index|rates?|proportions?|medians?)\b|%",
    re.IGNORECASE,
)
"""What is no mean of whole numbers, whatever it is of."""
_MEASURED = re.compile(
    r"\b(?:ages?|aged|weigh\w*|heights?|BMI|times?|durations?|lengths?|latenc\w+|speeds?|incomes?|doses?|costs?"
    r"|distances?|temperatures?|concentrations?|intensit\w+|densit\w+|mass|volumes?|sizes?|levels?|hours?|minutes?"
    r"|follow-up|years?|days?|weeks?|months?)\b",
    re.IGNORECASE,
)
"""What may have any value."""
_PER_TIME = re.compile(
    r"\b(?:per|a|each|every) (?:[A-Za-z-]+ ){0,2}?(?:hour|day|night|week|month|year|minute|second)\b"
)
_COMPLETED = re.compile(r"\b(?:completed|whole|full) years\b|\blast birthday\b|\byears completed\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\blikert|\bsingle[- ]items?\b|\bsingle (?:[a-z-]+ )?(?:item|question)\b|\b(?:one|1)[- ](?:[a-z-]+ )?item\b"
    r"|\bwhole (?:[a-z]+ )?(?:numbers?|points?|marks?|scores?|grades?|years|counts?)|\bwhole-number|\bintegers?\b"
    r"|\bcompleted years\b|\blast birthday\b|\bcorrect (?:answers|items)\b"
    r"|\b(?:mean|average) (?:number|count)\b|\bcounted\b|\btall(?:y|ied)\b|\bcounts? of\b|\b(?:a|as|are|is) counts?\b"
    r"|\b(?:[4-9]|10|11|four|five|six|seven|nine|ten|eleven)[- ](?:point|step) (?:[a-z]+ )?(?:scale|items?|response)",
    re.IGNORECASE,
)
"""What says that each number of the text is whole."""
_NUMBER_TOLD = re.compile(
    r"\bnumber (?:of (?!participants|patients|subjects)[a-z]+|(?!needed)[a-z]+ed\b|correct\b)|\bhow many\b",
    re.IGNORECASE,
)
"""What says so of its own sentence and the next one, or of a table."""
_NUMBER_OF = re.compile(r"\b(?:numbers? of|how many|counts?)\b", re.IGNORECASE)
_FEWEST = 5
"""Of fewer, no mean is told."""
_OWN = re.compile(r"\b[nN]\s*=\s*(?P<n>\d[\d,]*)")
_EACH = re.compile(r"\((?:n\s?=\s?)?(?P<n>\d+) (?:each|(?:in|per) (?:each )?(?:group|arm|condition)|of each)\)")
_ITEMS = re.compile(
    r"\b(?P<k>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|twelve)[- ](?:likert[- ])?items?\b", re.IGNORECASE
)
_MANY_ITEMS = re.compile(
    r"\b(?:mean|average|sum) (?:of|over|across) (?:the |all |these )?(?:[a-z]+ )?items\b|\bsubscales?\b"
    r"|\bmulti-?item\b|\bcomposite\b|\baveraged? (?:over|across)\b|\bindex\b",
    re.IGNORECASE,
)
_SUMMED = re.compile(
    r"\bsum scores?\b|\bpoints? each\b|\bpartial credit\b|\bcorrect\b|\bout of \d|\bright or wrong\b", re.IGNORECASE
)
"""Items that are counted, not averaged."""


class Mean(NamedTuple):
    """A mean of whole numbers with the deviation beside it."""

    text: str
    place: tuple[int, int]
    """Of it and its deviation."""
    sizes: frozenset[int]
    """How many numbers it may be of."""
    items: int
    """How many whole numbers each of those is the mean of."""
    deviation: str = ""


def check_whole_numbers(statement: Statement, before: str) -> Iterator[ComputedFinding]:
    """Means and deviations of a paragraph that cannot be those of whole numbers.

    Args:
        statement: Where they are printed.
        before: The text that tells what the numbers are: this section, up to the statement and with it.
    """
    items = _items(before)
    if statement.row or items is None:
        return
    whole = _WHOLE.search(before) is not None
    earlier = ""
    for start, end in statement.sentences():
        sentence = statement.text[start:end]
        found = [mean for mean in _means(sentence, before) if _is_whole(sentence, mean, earlier, whole=whole)]
        for mean, sizes in zip(found, _sizes(statement.text, sentence, found), strict=True):
            if max(sizes, default=0) >= _FEWEST:
                place = start + mean.place[0], start + mean.place[1]
                yield from _check(statement, mean._replace(place=place, sizes=frozenset(sizes), items=items))
        earlier = sentence


def _means(sentence: str, context: str) -> Iterator[Mean]:
    """The decimal numbers of a sentence that are means, each with the deviation behind it."""
    told = list(_MEAN_CUE.finditer(sentence))
    decimals = list(_DECIMAL.finditer(sentence))
    roles = [_role(sentence, match, context) for match in decimals]
    for at, match in enumerate(decimals):
        deviation = decimals[at + 1] if roles[at + 1 : at + 2] == ["deviation"] else None
        close = deviation is not None and deviation.start() - match.end() < 40
        cued = any(cue.start() < match.start() for cue in told) or _MEAN_BEHIND.match(sentence, match.end())
        if at > 1 and roles[at - 1] == "" and roles[at - 2] == "deviation" and _IN_ORDER.match(sentence, match.end()):
            roles[at] = "deviation"  # `a mean of 3.50 and a deviation of 1.17, with saline 4.08 and 1.26 respectively`
        if roles[at] == "" and (cued or (close and re.search(_DEVIATION, sentence))):
            end = deviation.end() if deviation and close else match.end()
            yield Mean(match[0], (match.start(), end), frozenset(), 1, deviation[0] if deviation and close else "")


def _role(sentence: str, match: re.Match[str], context: str) -> str:
    """What a decimal number is by the cue next to it: a deviation, something else, or, if empty, perhaps a mean."""
    before = sentence[max(0, match.start() - 60) : match.start()]
    if _DEVIATION_CUE.search(before):
        return "deviation" if re.search(_DEVIATION, context) else "other"
    if re.search(r"\d\s?\(\s?$", before):
        return "deviation" if re.search(rf"(?:M|[Mm]ean)s?\s*\(\s*{_DEVIATION}\s*\)", context) else "other"
    unit = unit_after(sentence, match.end(), spelled=False)
    measured = unit is not None and unit[0].dimension != "fold" and not _COMPLETED.search(context)
    ranged = _RANGE_END.search(before) or (_RANGE_START.match(sentence, match.end()) and not before.endswith("from "))
    return "other" if measured or ranged or _OTHER_CUE.search(before) else ""


def _is_whole(sentence: str, mean: Mean, earlier: str, *, whole: bool) -> bool:
    """Whether a mean is of whole numbers: where the text says so of what it reports, and it is of nothing measured."""
    start = mean.place[0]
    opens = max(sentence.rfind(sign, 0, start) for sign in ";.:") + 1
    cues = [cue.start() for cue in _MEAN_CUE.finditer(sentence, opens, start)]
    named = sentence[min(cues, default=opens) : start].replace("_", " ")
    if _NEVER.search(named) or _PER_TIME.search(sentence[start : start + 60]):
        return False
    measured = _MEASURED.search(named) and not _NUMBER_OF.search(named) and not _COMPLETED.search(sentence)
    return (whole or _NUMBER_TOLD.search(f"{earlier} {sentence}") is not None) and not measured


def _sizes(text: str, sentence: str, means: Sequence[Mean]) -> list[set[int]]:
    """For each mean of a sentence its n, as it is told beside the mean or of each group."""
    own = [(match.start(), int(match["n"].replace(",", ""))) for match in _OWN.finditer(sentence)]
    if not own or not means:
        each = {int(match["n"]) for match in _EACH.finditer(text)}
        return [each for _ in means]
    if len(own) == len(means):
        return [{size} for _, size in own]
    # The only `n = 20` of a sentence is that of the nearest mean.
    nearest = (
        min(means, key=lambda mean: abs(mean.place[0] - own[0][0])) if len({size for _, size in own}) == 1 else None
    )
    return [{own[0][1]} if mean is nearest else set() for mean in means]


def _items(text: str) -> int | None:
    """How many whole numbers a value is the mean of; None if it is not told."""
    told = {SMALL_NUMBERS.get(found["k"].lower()) or int(found["k"]) for found in _ITEMS.finditer(text)}
    told.discard(1)
    if _SUMMED.search(text):
        return 1
    if len(told) == 1:
        return told.pop()
    return 1 if not told and not _MANY_ITEMS.search(text) else None


def _check(statement: Statement, mean: Mean) -> Iterator[ComputedFinding]:
    shown, value = mean.text, parse_number(mean.text)
    possible = {
        size: range(math.ceil(value.low * (size * mean.items)), math.floor(value.high * (size * mean.items)) + 1)
        for size in mean.sizes
    }
    size = max(mean.sizes)
    of = f"{size} whole numbers" if mean.items == 1 else f"{size} means of {mean.items} whole numbers"
    if not any(possible.values()):
        decimals, numbers = len(shown.partition(".")[2]), size * mean.items
        below = math.floor(value.value * numbers)
        near = [f"{total / numbers:.{decimals}f}" for total in (below, below + 1)]
        yield statement.finding(
            "mean of whole numbers",
            "medium",
            mean.place,
            computation=f"{below}/{numbers} = {near[0]} and {below + 1}/{numbers} = {near[1]}, "
            f"so no {of} have a mean of {shown}",
            consistent=f"{near[0]} or {near[1]}, or another n",
        )
    elif (
        mean.deviation
        and mean.items == 1
        and not any(
            _has_squares(parse_number(mean.deviation), total, each, divisor)
            for each, sums in possible.items()
            for total in sums
            for divisor in (each - 1, each)  # of the sample, or of the population
        )
    ):
        size, sums = next((each, sums) for each, sums in possible.items() if sums)
        yield statement.finding(
            "deviation of whole numbers",
            "medium",
            mean.place,
            computation=f"no {size} whole numbers that sum to {' or '.join(map(str, sums))} have a standard deviation "
            f"of {mean.deviation}: the sum of their squares would be no whole number, or odd where their sum is even",
            consistent="another deviation or n",
        )


def _has_squares(deviation: RoundedNumber, total: int, size: int, divisor: int) -> bool:
    least = divisor * max(0.0, deviation.low) ** 2 + total**2 / size
    most = divisor * deviation.high**2 + total**2 / size
    return any(squares % 2 == total % 2 for squares in range(math.ceil(least - 1e-9), math.floor(most + 1e-9) + 1))


_TITLE_MEAN = re.compile(r"\bM\b|\b(?:means?|averages?)\b(?! (?:diff|change))", re.IGNORECASE)
_TITLE_DEVIATION = re.compile(_DEVIATION)
_PAIR = re.compile(r"(?P<mean>-?\d+\.\d+)\s?(?:\(|±|\+/-)\s?(?P<sd>\d+\.\d+)\s?\)?")
_SIZE_TITLE = re.compile(r"(?:.*[\s,(])?[nN]\)?|sample size", re.IGNORECASE)


def check_whole_number_table(table: PaperTable, rows: Sequence[Statement], notes: str) -> Iterator[ComputedFinding]:
    """Means and deviations of a table that cannot be those of whole numbers.

    A cell is what the titles of its column and row say. Its n stands in the title of its column or row, or in a column
    or row of sizes.

    Args:
        table: The table.
        rows: A statement for each of its rows, to quote.
        notes: What stands below it.
    """
    about = f"{table.caption} {' '.join(table.header)} {notes}"
    items = _items(about)
    if items is None or not (_WHOLE.search(about) or _NUMBER_TOLD.search(about)):
        return
    for row, statement in zip(table.rows, rows, strict=True):
        for column in range(1, min(len(row), len(table.header))):
            mean = _cell_mean(table, row, column, notes)
            named = f"{table.header[column]} {row[0]}"
            measured = _MEASURED.search(named) and not _NUMBER_OF.search(named)
            if mean is None or measured or _NEVER.search(named):
                continue
            sizes = _cell_sizes(table, row, column)
            if max(sizes, default=0) >= _FEWEST:
                yield from _check(statement, mean._replace(sizes=frozenset(sizes), items=items))


def _cell_mean(table: PaperTable, row: Sequence[str], column: int, notes: str) -> Mean | None:
    """The mean of a cell, if the titles of its column, its row or the table say that it is one."""
    title, name, cell = table.header[column], row[0], row[column]
    says = next((text for text in (title, name, table.caption, notes) if _TITLE_MEAN.search(text)), "")
    pair = _PAIR.fullmatch(cell)
    if pair:
        both = says and _TITLE_DEVIATION.search(says)
        return Mean(pair["mean"], (0, 0), frozenset(), 1, pair["sd"]) if both else None
    alone = [bool(_TITLE_MEAN.search(text)) and not _TITLE_DEVIATION.search(text) for text in (title, name)]
    if not re.fullmatch(r"-?\d+\.\d+", cell) or not any(alone):
        return None
    if alone[0]:
        beside = zip(table.header[column + 1 : column + 2], row[column + 1 : column + 2], strict=False)
        deviation = next((value for other, value in beside if _TITLE_DEVIATION.search(other)), "")
    else:
        at = next(at for at, other in enumerate(table.rows) if other is row)
        below = [other for other in table.rows[at + 1 : at + 2] if other and column < len(other)]
        deviation = next((other[column] for other in below if _TITLE_DEVIATION.search(other[0])), "")
    return Mean(cell, (0, 0), frozenset(), 1, deviation if re.fullmatch(r"\d+\.\d+", deviation) else "")


def _cell_sizes(table: PaperTable, row: Sequence[str], column: int) -> set[int]:
    """How many the mean of a cell may be of."""
    own = next((found for text in (table.header[column], row[0]) if (found := _OWN.search(text))), None)
    if own:
        return {int(own["n"].replace(",", ""))}
    titles = [at for at, title in enumerate(table.header) if at and at < len(row) and _SIZE_TITLE.fullmatch(title)]
    if columns := [at for at in titles if row[at].isdecimal()]:
        return {int(row[at]) for at in columns}
    sizes = [other for other in table.rows if len(other) > column and _SIZE_TITLE.fullmatch(other[0])]
    return {int(other[column]) for other in sizes if other[column].isdecimal()}
