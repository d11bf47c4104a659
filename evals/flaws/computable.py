"""Flaws that can be computed: a number with two values, or a percentage, p-value or estimate that does not fit.

The arithmetic here is not that of `tools.consistency`, so that no check is measured by what it was planted with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Final

from scipy import stats

from evals.flaws.plant import Edit, OpenPaper, OpenParagraph, sentence_at

_COUNTED: Final = re.compile(r"(?<![\w.,/–-])(\d{1,3}(?:,\d{3})+|\d{2,6})(?= (?:[a-z-]{3,} ){0,1}([a-z]{4,}s)\b)")
_NOT_COUNTED: Final = frozenset(
    [
        "minutes",
        "hours",
        "days",
        "weeks",
        "months",
        "years",
        "seconds",
        "times",
        "cycles",
        "degrees",
        "percents",
        "this",
        "volumes",
        "frames",
        "replications",
        "iterations",
        "cells",
    ]
)
_WORD: Final = re.compile(r"[A-Za-z][a-z]{3,}")
_SHARED: Final = 2
"""Words that two sentences must share beside a number and its noun, to be about the same thing."""


def changed_numbers(paper: OpenPaper, paragraph: OpenParagraph, lot: Random) -> Iterator[Edit]:
    """A count that another paragraph gives too, with another digit here."""
    for match in _COUNTED.finditer(paragraph.text):
        number, noun = match[1], match[2]
        behind = paragraph.text[match.end() : match.end() + 40]
        if noun in _NOT_COUNTED or _is_year(number) or paragraph.text.count(number) > 1 or "%" in behind:
            continue
        words = _words(sentence_at(paragraph.text, match.start())) - {noun}
        if any(len(words & (_words(other) - {noun})) >= _SHARED for other in _said(number, noun, paper, paragraph)):
            yield Edit(match.start(1), match.end(1), _another(number, lot))


def number_differs(paper: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether another paragraph has the old number of the same noun, and none has the new one."""
    match = _COUNTED.match(paragraph.text, edit.start)
    if match is None:
        return False
    old, new, noun = match[1], edit.words, match[2]
    return (
        old != new
        and any(_said(old, noun, paper, paragraph))
        and not any(_said(new, noun, paper, paragraph))
        and old not in edit.of(paragraph.text)
    )


def _said(number: str, noun: str, paper: OpenPaper, paragraph: OpenParagraph) -> Iterator[str]:
    """Sentences of other paragraphs with a number of something."""
    wanted = re.compile(rf"(?<![\w.,/–-]){re.escape(number)} (?:[a-z-]{{3,}} )?{noun}\b")
    for text in paper.others(paragraph):
        for match in wanted.finditer(text):
            yield sentence_at(text, match.start())


def _words(sentence: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(sentence)}


def _is_year(number: str) -> bool:
    return len(number) == 4 and 1800 <= int(number) <= 2100


def _another(number: str, lot: Random) -> str:
    """The number with one digit that is another; the first one stays, unless there are but two."""
    places = [place for place, sign in enumerate(number) if sign.isdigit()]
    place = lot.choice(places[1:])
    digits = [digit for digit in "123456789" if abs(int(digit) - int(number[place])) >= 2]
    return number[:place] + lot.choice(digits) + number[place + 1 :]


_INT: Final = r"\d{1,3}(?:,\d{3})+|\d+"
_PERCENT: Final = r"(?P<percent>\d+(?:\.\d+)?) ?%"
_SHARES: Final = [
    re.compile(rf"\b(?P<part>{_INT})(?: out)? of (?:the |all )?(?P<whole>{_INT})\b[^.;()%\d]{{0,60}}[(,;] ?{_PERCENT}"),
    re.compile(rf"\b(?P<part>{_INT}) ?/ ?(?P<whole>{_INT})\b[^.;()%\d]{{0,40}}[(,;:=] ?{_PERCENT}"),
    re.compile(rf"{_PERCENT},? [(\[](?:[nN] ?= ?)?(?P<part>{_INT}) ?(?:/|out of|of) ?(?P<whole>{_INT})\b"),
    re.compile(rf"\b(?P<part>{_INT}) \({_PERCENT}\)[^.;()%\d]{{0,40}} (?:out )?of (?:the |all )?(?P<whole>{_INT})\b"),
]


def wrong_percentages(_: OpenPaper, paragraph: OpenParagraph, lot: Random) -> Iterator[Edit]:
    """A percentage beside its counts, with other digits."""
    for pattern in _SHARES:
        for match in pattern.finditer(paragraph.text):
            percent = match["percent"]
            if not _share_fits(match["part"], match["whole"], percent):
                continue
            decimals = len(percent.partition(".")[2])
            reach = range(4, 8 + round(float(percent) / 4))
            offered = (float(percent) + sign * step for step in reach for sign in (-1, 1))
            values = [f"{value:.{decimals}f}" for value in offered if 1 <= value < 100]
            yield Edit(match.start("percent"), match.end("percent"), lot.choice(values))


def percentage_is_wrong(_: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether the percentage fitted its counts, and is now off by more than any rounding."""
    for pattern in _SHARES:
        for match in pattern.finditer(edit.of(paragraph.text)):
            if match.start("percent") == edit.start:
                old = paragraph.text[edit.start : edit.end]
                return _share_fits(match["part"], match["whole"], old) and not _share_fits(
                    match["part"], match["whole"], edit.words, slack=2.0
                )
    return False


def _share_fits(part: str, whole: str, percent: str, slack: float = 0.0) -> bool:
    count, total = (int(number.replace(",", "")) for number in (part, whole))
    if not total >= 5 or count > total:
        return False
    half = 0.5 * 10.0 ** -len(percent.partition(".")[2]) + 1e-9 + slack
    return abs(100 * count / total - float(percent)) <= half


_P: Final = r"[,;:]? ?\(?[pP] ?(?P<p>[=<] ?0?\.\d+)"
_VALUE: Final = r"(?P<value>[-−–]?\d*\.?\d+)"
_TESTS: Final = [
    re.compile(rf"\b(?P<test>[tr]) ?\(? ?(?P<df>\d+(?:\.\d+)?)\)? ?= ?{_VALUE}{_P}"),
    re.compile(rf"\b(?P<test>F) ?[(\[]? ?(?P<df>\d+), ?(?P<df2>\d+)[)\]]? ?= ?{_VALUE}{_P}"),
    re.compile(rf"(?P<test>[χX] ?[2²]) ?\(? ?(?P<df>\d+)(?:, ?[nN] ?= ?\d+)?\)? ?= ?{_VALUE}{_P}"),
]
_HIGHEST: Final = 0.9
"""Of the p-values that are put in."""


def wrong_p_values(_: OpenPaper, paragraph: OpenParagraph, lot: Random) -> Iterator[Edit]:
    """A p-value beside its test, five or ten times smaller or larger; "<" becomes "=" with a value above."""
    for match in _tests(paragraph.text):
        printed = match["p"]
        if not _p_fits(match, printed):
            continue
        sign, gap, lead, decimals = _parts(printed)
        value = float(printed[1:])
        factors = (10, 5, 0.2, 0.1) if sign == "=" else (3, 8, 20, 60)
        digits = max(decimals, 3) if sign == "<" else decimals
        offered = [value * factor for factor in factors]
        texts = [f"={gap}{lead}{f'{each:.{digits}f}'[1:]}" for each in offered if 2 * 10.0**-digits <= each < _HIGHEST]
        if fitting := [text for text in texts if not _p_fits(match, text)]:
            yield Edit(match.start("p"), match.end("p"), lot.choice(fitting))


def p_value_is_wrong(_: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether the p-value followed from its test, and now does not, with one side or two."""
    for match in _tests(paragraph.text):
        if match.start("p") == edit.start:
            return _p_fits(match, match["p"]) and not _p_fits(match, edit.words)
    return False


def _tests(text: str) -> Iterator[re.Match[str]]:
    for pattern in _TESTS:
        yield from pattern.finditer(text)


def _parts(printed: str) -> tuple[str, str, str, int]:
    """Sign, the space behind it, what stands before the point, and the number of decimals of a p-value."""
    number = printed[1:].strip()
    lead, _, decimals = number.partition(".")
    return printed[0], " " * (len(printed) - 1 - len(number)), lead, len(decimals)


def _p_fits(match: re.Match[str], printed: str) -> bool:
    """Whether a p-value is what the test gives, for any value that the printed statistic may be rounded from."""
    text = match["value"].replace("−", "-").replace("–", "-")
    value, half = abs(float(text)), 0.5 * 10.0 ** -len(text.partition(".")[2])
    second = float(match.groupdict().get("df2") or 0)
    bounds = [_p(match["test"], each, float(match["df"]), second) for each in (value + half, max(value - half, 0))]
    sides = (1.0, 0.5) if match["test"] in "tr" else (1.0,)
    p = float(printed[1:])
    if printed[0] == "<":
        return any(bounds[0] * side < p for side in sides)
    rounding = 0.5 * 10.0 ** -_parts(printed)[3] + 1e-9
    return any(bounds[0] * side - rounding <= p <= bounds[1] * side + rounding for side in sides)


def _p(test: str, value: float, df: float, second: float) -> float:
    """Two-sided p-value of a statistic."""
    if test == "F":
        return float(stats.f.sf(value, df, second))
    if test == "r":
        value = min(value, 0.999999)
        return float(2 * stats.t.sf(value * (df / (1 - value**2)) ** 0.5, df))
    if test == "t":
        return float(2 * stats.t.sf(value, df))
    return float(stats.chi2.sf(value, df))


_SIGNED: Final = r"[-−]?\d+(?:\. ?\d+)?"
_INTERVAL: Final = re.compile(
    rf"(?<![\w.])(?P<estimate>{_SIGNED})(?P<unit> ?%)?[,;]? ?(?:\([^()]{{0,20}}; )?[(\[]?(?:SE [\d.]+; )?"
    r"9[059] ?% (?:CI|confidence interval|credible interval)s?[:=,]? ?[(\[]?"
    rf"(?P<low>{_SIGNED}) ?%? ?(?:–|-|to|,|;) ?(?P<high>{_SIGNED})"
)


def wrong_estimates(_: OpenPaper, paragraph: OpenParagraph, lot: Random) -> Iterator[Edit]:
    """An estimate beside its interval, moved out of it."""
    for match in _INTERVAL.finditer(paragraph.text):
        estimate, low, high = (_number(match[name]) for name in ("estimate", "low", "high"))
        if not low < estimate < high:
            continue
        decimals = len(match["estimate"].replace(" ", "").partition(".")[2])
        offered = (high + (high - low) * share for share in (0.2, 0.35, 0.5))
        yield Edit(match.start("estimate"), match.end("estimate"), f"{lot.choice(list(offered)):.{decimals}f}")


def estimate_is_outside(_: OpenPaper, paragraph: OpenParagraph, edit: Edit) -> bool:
    """Whether the estimate lay in its interval, and now does not."""
    match = _INTERVAL.match(paragraph.text, edit.start)
    if match is None:
        return False
    low, high = _number(match["low"]), _number(match["high"])
    return low <= _number(match["estimate"]) <= high < _number(edit.words)


def _number(printed: str) -> float:
    return float(printed.replace("−", "-").replace(" ", ""))
