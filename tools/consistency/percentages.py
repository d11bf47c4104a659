"""Percentages against the counts beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import SMALL_NUMBERS
from tools.consistency.printed import COUNT, NUMBER_OR_WORD, PEOPLE, Printed, printed, whole_number
from tools.consistency.statements import Statement

_BARE = r"(?<![\w.,/–-])(?<!\d\s)"
_PERCENT = r"(?P<percent>\d{1,3}(?:\.\d+)?)\s?(?:%|per ?cent\b)"
_PART = rf"(?P<part>{COUNT})"
_PART_OR_WORD = rf"(?P<part>{NUMBER_OR_WORD})"
_WHOLE = rf"(?P<whole>{COUNT})(?![%\d/]|\s?%|\.\d)"
_WHOLE_OR_WORD = rf"(?P<whole>{NUMBER_OR_WORD})(?![%\d/-]|\s?%|\.\d)"
_OF = r"\s?(?:/|(?:out )?of(?: (?:the|all|a total of))?(?: the)?(?= \d))\s?"
_OF_WORDS = r" (?:out )?of(?: (?:the|all|a total of))?(?: the)? "
_THINGS = r"(?:\s(?!and\b|or\b|but\b|while\b|with\b|of\b)[^\W\d_][\w’'-]*){0,4}"
_OF_THINGS = r"(?: of(?: the| all)?(?: [^\W\d_][\w’'-]*){1,4})?"
_COUNTED = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # 20% (8 of 32), 20% (8/32 patients), 20% of patients (8 of 32)
        rf"{_BARE}{_PERCENT}{_OF_THINGS},?\s?[(\[]\s?(?:n\s?=\s?)?{_PART}{_OF}{_WHOLE}(?!\s?[x×]|\s?[a-z]{{0,3}}/)",
        # 8 of 32 patients (20%), 8/32 (20%)
        rf"{_BARE}{_PART}{_OF}{_WHOLE}{_THINGS}\s?[(\[,]\s?(?:or |i\.e\.,? )?{_PERCENT}(?=\s?[)\];,.]|$)",
        # Eight of the 32 patients (20%)
        rf"{_BARE}{_PART_OR_WORD}{_OF_WORDS}{_WHOLE_OR_WORD}{_THINGS}\s?[(\[]\s?{_PERCENT}(?=\s?[)\];,])",
        # 8 of the 32 patients. That is 20%
        rf"{_BARE}{_PART_OR_WORD}{_OF_WORDS}{_WHOLE}{_THINGS}(?:\. (?:That|This)|, which) is {_PERCENT}(?= of |[.,;])",
        # 8 (20%) of 32, 8 (20%) of the 32
        rf"{_BARE}{_PART}\s?[(\[]\s?(?:i\.e\.,? |or |that is,? )?{_PERCENT}\s?[)\]]"
        rf"\s?(?:of|out of)(?: the| all)?\s{_WHOLE}",
        # 8 patients, 20% of the 32
        rf"{_BARE}{_PART}{_THINGS}, (?:or |i\.e\.,? )?{_PERCENT} of (?:the|all|all the) {_WHOLE}",
        # 8 patients (20% of 32)
        rf"{_BARE}{_PART}{_THINGS}\s?[(\[]\s?{_PERCENT} of (?:the |all |all the )?{_WHOLE}",
        # 20% (8) of the 32
        rf"{_BARE}{_PERCENT}\s?[(\[]\s?(?:n\s?=\s?)?{_PART}\s?[)\]] of (?:the |all |all the )?{_WHOLE}",
        # 8/32 = 20%
        rf"{_BARE}{_PART}\s?/\s?{_WHOLE}\s?=\s?{_PERCENT}",
        # Of these 32, 8 (20%); among 32 patients, 8 (20%)
        rf"\b(?:of|among) (?:(?:these|the|those|all|our) )?{_WHOLE}{_THINGS}, (?:only |a further )?"
        rf"{_PART_OR_WORD}{_THINGS} "
        rf"[(\[]\s?{_PERCENT}\s?[)\]](?! of\b)",
    )
]
_LOOSE = re.compile(
    r"(?:about|approximately|approx\.?|around|roughly|nearly|almost|over|under|circa|ca\.|more than|less than"
    r"|at least|up to|[~≈<>≤≥±])\s?$",
    re.IGNORECASE,
)
_NOT_A_SHARE = re.compile(
    r"\b(?:increase[sd]?|decrease[sd]?|reduc(?:ed|tion)|higher|lower|more|less|fewer|change[sd]?|difference"
    r"|improve(?:d|ment)|weighted|adjusted|confidence|CI|power|humidity)\W*$",
    re.IGNORECASE,
)


class CountedShare(NamedTuple):
    """A percentage with the counts beside it."""

    match: re.Match[str]
    part: int
    whole: int
    percent: Printed


def counted_shares(text: str) -> Iterator[CountedShare]:
    """The percentages of a text that stand beside their counts, each once."""
    told: set[int] = set()
    for match in (match for pattern in _COUNTED for match in pattern.finditer(text)):
        part, whole, percent = whole_number(match["part"]), whole_number(match["whole"]), printed(match["percent"])
        possible = whole > 0 and not (part > whole and "/" in match[0]) and percent.value <= 100
        changes = _NOT_A_SHARE.search(text[max(0, match.start() - 25) : match.start()])
        if possible and not changes and match.start("percent") not in told:
            told.add(match.start("percent"))
            yield CountedShare(match, part, whole, percent)


def check_percentages(statement: Statement) -> Iterator[ComputedFinding]:
    """Percentages that the counts beside them do not give."""
    for match, part, whole, percent in counted_shares(statement.text):
        near = statement.text[max(0, match.start("percent") - 25) : match.start("percent")]
        if not _holds(percent, 100 * part / whole, loose=bool(_LOOSE.search(near))):
            yield _finding(statement, match.span(), part, whole, percent, why="")


def _holds(percent: Printed, exact: float, *, loose: bool) -> bool:
    return abs(percent.value - exact) < 3 if loose else percent.holds(exact)


def _finding(
    statement: Statement, place: tuple[int, int], part: int, whole: int, percent: Printed, *, why: str
) -> ComputedFinding:
    exact, shown = 100 * part / whole, f"{percent.value:g}"
    decimals = max(0, round(-math.log10(2 * percent.half)))
    others = [str(other) for other in range(whole + 1) if percent.holds(100 * other / whole)]
    instead = f", or {' or '.join(others[:2])} of {whole}" if others else ""
    return statement.finding(
        "percentage",
        "low" if abs(exact - percent.value) <= 2 * percent.half + 1e-9 else "medium",
        place,
        computation=f"{part} of {whole} is {exact:.{max(1, decimals + 1)}f}%, printed is {shown}%{why}",
        consistent=f"{exact:.{decimals}f}%{instead}",
    )


class _Share(NamedTuple):
    """A count with its percentage, whose whole stands elsewhere."""

    part: int
    percent: Printed
    place: tuple[int, int]
    """In its sentence."""
    linked: bool
    """Whether it says that its whole was named before: `of which`, `of all women`."""


_SHARE = re.compile(
    rf"""
    (?P<link> \b [Oo]f \s (?: which | whom | these | those | them ) ,? \s )?
    {_BARE} (?<! [(\w] )
    (?: [nN] \s? = \s? )?
    (?P<part> {COUNT} | \b (?: {"|".join(SMALL_NUMBERS)} ) \b )
    (?P<linked> \s of \s (?: which | whom | these | those | them ) )?
    (?: \s (?! of \b ) [a-z-]+ ){{0,6}} \s?
    [(\[] (?P<percent> \d{{1,3}} (?: \.\d+ )? ) \s? % (?P<of> \s of \s [^()\[\]]{{1,30}} )? [)\]]
    | \( (?: [nN] \s? = \s? )? (?P<inside> {COUNT} ) (?: \s [a-z]+ ){{0,2}} [,;] \s
      (?: (?: i\.e\.,? | or ) \s )? (?P<beside> \d{{1,3}} (?: \.\d+ )? ) \s? % \)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ANY_COUNT = re.compile(rf"{_BARE}(?P<number>{NUMBER_OR_WORD})(?!\s?%|\.\d)", re.IGNORECASE)


def check_listed_percentages(statement: Statement) -> Iterator[ComputedFinding]:
    """Counts with percentages whose whole is told once: `Of 58 wrecks, 13 (40%) carried timber, 17 (29%) salt`."""
    if statement.row:
        return
    before, earlier = "", ""
    beside = {share.match.start("percent") for share in counted_shares(statement.text)}
    for start, end in statement.sentences():
        sentence = statement.text[start:end]
        shares = list(_shares(sentence))
        near = {whole_number(found["number"]) for found in _ANY_COUNT.finditer(f"{before} {sentence}")}
        anywhere = {whole_number(found["number"]) for found in _ANY_COUNT.finditer(f"{earlier} {sentence}")}
        wrong = [*_odd_one(shares, near, anywhere), *_linked(shares, near, anywhere)]
        named = list(_of_same_things(sentence, shares, before, anywhere))
        if not {share for share, _, _ in wrong} - {share for share, _, _ in named}:
            wrong = named  # its own things are named, and not only those of the others
        for share, whole, why in wrong:
            place = (start + share.place[0], start + share.place[1])
            if beside & set(range(*place)):
                continue  # its whole stands beside it
            yield _finding(statement, place, share.part, whole, share.percent, why=why)
        before, earlier = sentence, f"{earlier} {sentence}"


def _shares(sentence: str) -> Iterator[_Share]:
    for match in _SHARE.finditer(sentence):
        counted_of = re.search(r"(?<!total )\bof (?:the |all )?(?:[a-z]+ )?$", sentence[: match.start()])
        if counted_of or (match["link"] and re.search(r"\d\s$", sentence[: match.start()])):
            continue  # the number is the whole of one before it
        linked = bool(match["link"] or match["linked"]) or bool(
            match["of"] and re.match(r" of (?:all|the|these|those)\b", match["of"])
        )
        linked = linked or _THOSE.search(sentence[: match.start()]) is not None
        part = whole_number(match["part"] or match["inside"])
        yield _Share(part, printed(match["percent"] or match["beside"]), match.span(), linked)


_SAID_OF = re.compile(r"\s(?:were|was|had|have|did|could|took|came|left|[a-z]+ed)\b")
"""Behind a share of what the sentence before has counted."""
_THOSE = re.compile(r"\b(?:among|of) (?:those|these|them)\b[^\d.;]*$", re.IGNORECASE)
"""Whole that was told before, in the clause that the share opens."""


def _of_same_things(
    sentence: str, shares: Sequence[_Share], before: str, anywhere: set[int]
) -> Iterator[tuple[_Share, int, str]]:
    """One of things that were counted before: `390 segments … they agreed on 351 segments (93%)`."""
    known = anywhere | {a - b for a in anywhere for b in anywhere if a > b}
    for share in shares:
        words = re.findall(r"[a-z-]{3,}", sentence[slice(*share.place)].partition("(")[0].partition(" ")[2])
        people = bool(words) and re.fullmatch(PEOPLE, words[-1])  # of whom a text tells many groups
        alone = share.place[0] == 0 and not words and _SAID_OF.match(sentence, share.place[1])
        if alone and before and not any(_fits(share, each) for each in known):
            only = {whole_number(found["number"]) for found in _ANY_COUNT.finditer(before)}
            if len(only) == 1 and max(only) > share.part:  # `We scanned 84 adults. Twelve (24.3%) were dropped`
                yield share, only.pop(), "; no other number before it gives that"
        if not words or people or any(_fits(share, whole) for whole in known):
            continue
        told = re.compile(rf"{_BARE}(?P<number>{NUMBER_OR_WORD})(?: [a-z-]+){{0,2}} {re.escape(words[-1])}\b")
        earlier = f"{before} {sentence[: share.place[0]]}"
        wholes = {number for found in told.finditer(earlier) if (number := whole_number(found["number"])) > share.part}
        if len(wholes) == 1:
            yield share, wholes.pop(), "; no other number before it gives that"


def _fits(share: _Share, whole: int) -> bool:
    return share.part < whole and share.percent.holds(100 * share.part / whole)


def _odd_one(shares: Sequence[_Share], near: set[int], anywhere: set[int]) -> Iterator[tuple[_Share, int, str]]:
    """The only one of several that is not of the whole of the others, nor of any other number of the paragraph."""
    fits = {whole: [share for share in shares if _fits(share, whole)] for whole in near if whole > 1}
    whole = max(fits, key=lambda each: len(fits[each]), default=0)
    only = near - {share.part for share in shares} == {whole}
    if (
        len(shares) < 2
        or not whole
        or len(fits[whole]) < len(shares) - 1
        or not (len(shares) > 2 or only or _exact(fits[whole]))
    ):
        return
    for share in shares:
        sure = len(shares) > 2 or only or abs(100 * share.part / whole - share.percent.value) < _SLIP
        if sure and share.part < whole and not any(_fits(share, each) for each in anywhere):
            yield share, whole, f"; the others are of {whole}"


_SLIP = 15
"""Percentage points by which one of two shares may miss the whole of the other and still be of it."""


def _exact(shares: Sequence[_Share]) -> bool:
    """Whether a share that fits is printed with decimals, which hardly fit by chance."""
    return any(share.percent.half < 0.5 for share in shares)


def _linked(shares: Sequence[_Share], near: set[int], anywhere: set[int]) -> Iterator[tuple[_Share, int, str]]:
    """One that says `of which` or `of all women`, and is of no number that was named before it."""
    wholes = [whole for whole in near if whole > 1]
    for share in shares:
        larger = [whole for whole in wholes if whole > share.part]
        if share.linked and larger and not any(_fits(share, each) for each in anywhere):
            nearest = min(larger, key=lambda each: abs(100 * share.part / each - share.percent.value))
            yield share, nearest, "; no other number before it gives that"
