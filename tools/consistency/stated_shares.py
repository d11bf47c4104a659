"""A share in figures or words against the two counts of its clause, in whatever order the three stand.

`We mailed 480 surveys and got 312 back, a response rate of 75%`, `a majority of the jurors (17 of 44)`. Only a clause
with one share and one pair of counts is read, and only where the larger count is said to be the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import FRACTION, SMALL_NUMBERS, WHOLE, value_of
from tools.consistency.counted import Counted, counted
from tools.consistency.percentages import counted_shares
from tools.consistency.printed import NUMBER_OR_WORD, printed, whole_number
from tools.consistency.statements import Statement

_NO_SHARE = (
    r"(?!\s?(?-i:[A-Z]{2,3}s?)\b|\s(?:confidence|credible|power|significance|alpha|reduction|decrease|increase|improvement"
    r"|change|decline|drop|rise|gain|loss|higher|lower|more|less|fewer|greater|larger|smaller|faster|slower|better|worse"
    r"|identity|interval|ethanol|saline|humidity|(?:relative |absolute )?risk"
    r"|of (?:the )?(?:variance|variation|time|(?:potential|total|overall) [a-z]+)"
    r"|to \d|or (?:more|less|greater|higher|lower)|and over)\b|\s?[–-]\s?\d)"
)
_WHOLE_WORDS = re.sub(r"(?<!\[-) ", "[ ]", WHOLE)
_FRACTION = re.sub(r"(?<!\[-) ", "[ ]", FRACTION)
_STATED = re.compile(
    rf"""
    (?<! [\w.,–<>≤≥-] ) (?P<percent> \d{{1,3}} (?: \.\d+ )? ) \s? (?: % | per[ ]?cent\b )
        {_NO_SHARE.replace(" ", "[ ]")}
    | \b (?P<words> {_WHOLE_WORDS} ) [ ] per[ ]?cent\b
    | \b (?P<side> (?: more | less | fewer | over ) [ ] (?: than [ ] )? half \b | (?: the | a ) [ ] majority [ ] of \b
        | (?: the | a ) [ ] minority [ ] of \b )
    | \b (?P<fraction> one [ ] in [ ] (?: {"|".join(list(SMALL_NUMBERS)[2:])} ) \b | {_FRACTION}
        | half (?= [ ] of ) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PAIR = re.compile(
    rf"(?<![\w.,/–-])(?P<part>{NUMBER_OR_WORD})(?:\s?/\s?|(?: [^\W\d_][\w’'-]*){{0,2}} (?:out )?of (?:(?:the"
    rf"|all|our|these|those|a"
    rf"|total) ){{0,3}})(?P<whole>{NUMBER_OR_WORD})(?![\d%/]|\s?%|\.\d)",
    re.IGNORECASE,
)
_SAYS_WHOLE = re.compile(
    r"(?:^|\b(?:of|among|amongst|in|from|to|sent|mailed|invited|posted|surveyed|screened|included|enrolled|examined|tested|analy[sz]ed|[a-z]+ed"
    r"|total|sample|N =|n =|were)(?: (?:the|all|our|these|those|a|total|of|further))*)\W*$",
    re.IGNORECASE,
)
_CLAUSES = re.compile(
    r";\s(?![^(]*\))|, (?:and|but|while|whereas|versus|vs\.?|compared (?:with|to)) |\bcompared (?:with|to) "
)
_FURTHER = re.compile(
    r"(?:This|That|These|It) (?:is|was|are|were|corresponds?|gives?|equals?|amounts?|makes?|means?)\b"
)
_CHANGE = re.compile(
    r"\b(?:by|increas\w+|decreas\w+|reduc\w+|weighted|adjusted|predicted|expected|at least|up to|power"
    r"|improv\w+|from|average|mean|median)(?: of| to)?\W*$",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(?:about|approximately|around|roughly|nearly|almost|over|under|circa|ca\.|more than|less than"
    r"|fewer than|some|just"
    r"|at least|up to)\W*$|[~≈<>≤≥±]\W*$",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:below|above|beneath|exceed(?:s|ed|ing)?|threshold of|cut-?off of)\s$", re.IGNORECASE)
"""Before a limit, which is no share of anything."""
_SIDE = re.compile(r"\b(?:(?P<more>more than|over|at least)|less than|fewer than|under|at most)\W*$", re.IGNORECASE)
_FARTHEST = {False: (1.25, 6.0), True: (1.4, 10.0)}
"""Factor and percentage points by which a share in words may differ from its counts, without and with `nearly`."""


_FEWEST = 9
"""What is less behind a stroke is a fraction or a dose."""
_SLIP = 15
"""Percentage points by which a share may miss its counts and still be of the whole that stands before it."""
_NEAR = 60
"""Characters between a part and its share."""


class _Stated(NamedTuple):
    low: float
    high: float
    text: str
    start: int
    exact: bool
    """Whether it is printed in figures."""


def check_stated_shares(statement: Statement) -> Iterator[ComputedFinding]:
    """Shares that the only two counts of their clause do not give."""
    if statement.row:
        return
    known = {share.match.start("percent") for share in counted_shares(statement.text)}
    for start, end in statement.sentences():
        yield from _in_words_and_figures(statement, (start, end), list(_stated(statement.text[start:end])))
    for start, end in _clauses(statement):
        clause = statement.text[start:end]
        shares = [share for share in _stated(clause) if not _CHANGE.search(clause[: share.start])]
        pairs = list(_PAIR.finditer(_without_shares(clause)))
        if len(shares) == len(pairs) > 1:  # `8% in one group (4/50) and 12% in the other (6/50)`
            yield from _in_order(statement, (start, end), shares, pairs, known)
            continue
        if len(shares) != 1 or start + shares[0].start in known:
            continue
        pair = (
            _direct(clause, shares[0])
            or _pair(clause, shares[0])
            or _apposed(statement.text[_previous(statement, start) : start], clause, shares[0])
            or _counted_behind(statement.text[_previous(statement, start) : start], clause, shares[0])
        )
        if (
            pair
            and not _holds(shares[0], *pair)
            and not _explained(shares[0], counted(_without_shares(statement.text)))
        ):
            yield _finding(statement, (start, end), shares[0], *pair)


def _in_order(
    statement: Statement,
    place: tuple[int, int],
    shares: list[_Stated],
    pairs: list[re.Match[str]],
    known: set[int],
) -> Iterator[ComputedFinding]:
    """As many shares as pairs of counts: each belongs to its own, if but one is wrong."""
    counts = [(whole_number(match["part"]), whole_number(match["whole"])) for match in pairs]
    wrong = [(share, *pair) for share, pair in zip(shares, counts, strict=True) if pair[1] and not _holds(share, *pair)]
    if len(wrong) == 1 and wrong[0][0].exact and place[0] + wrong[0][0].start not in known:
        yield _finding(statement, place, *wrong[0])


def _clauses(statement: Statement) -> Iterator[tuple[int, int]]:
    """Clauses with one share each; a sentence that begins with `This corresponds to` goes on with the one before."""
    sentences: list[tuple[int, int]] = []
    for start, end in statement.sentences():
        if sentences and _FURTHER.match(statement.text, start):
            sentences[-1] = (sentences[-1][0], end)
        else:
            sentences.append((start, end))
    for start, end in sentences:
        if len(list(_stated(statement.text[start:end]))) < 2:
            yield start, end
            continue
        cuts = [start, *(match.end() for match in _CLAUSES.finditer(statement.text, start, end)), end]
        yield from pairwise(cuts)


def _stated(clause: str) -> Iterator[_Stated]:
    for match in _STATED.finditer(clause):
        if _BOUND.search(clause[: match.start()]):
            continue
        loose = _LOOSE.search(clause[: match.start()]) is not None
        if match["percent"]:
            percent = printed(match["percent"])
            slack = 3.0 if loose else 0.0
            yield _Stated(percent.low - slack, percent.high + slack, f"{match['percent']}%", match.start(), exact=True)
        elif match["words"]:
            value = value_of(match["words"].lower())
            yield _Stated(
                value - (3 if loose else 0.5), value + (3 if loose else 0.5), match[0], match.start(), exact=True
            )
        elif match["side"]:
            above = re.match(r"more|over|(?:the|a) majority", match[0], re.IGNORECASE)
            yield _Stated(*((50.001, 100.0) if above else (0.0, 49.999)), match[0], match.start(), exact=False)
        else:
            words = match["fraction"].lower()
            value = 1 / SMALL_NUMBERS[words.split()[-1]] if words.startswith("one in ") else value_of(words)
            factor, points = _FARTHEST[loose]
            low, high = max(100 * value / factor, 100 * value - points), min(100 * value * factor, 100 * value + points)
            if side := _SIDE.search(clause[: match.start()]):
                low, high = (low, 100.0) if side["more"] else (0.0, high)
            yield _Stated(low, high, match[0], match.start(), exact=False)


def _pair(clause: str, share: _Stated) -> tuple[int, int] | None:
    """Part and whole: the only `8 of 32` of a clause, or its only two counts, if the larger is said to be the whole."""
    pairs = [
        (whole_number(match["part"]), whole_number(match["whole"]))
        for match in _PAIR.finditer(_without_shares(clause))
        if not re.search(r"\b(?:points|marks)\b", match[0])
        and ("/" not in match[0] or whole_number(match["whole"]) > _FEWEST)
        for near in [_NEAR if "/" in match[0] else 2 * _NEAR]
        if match.start() - near < share.start < match.end() + near
        and not ("/" in match[0] and re.search(r"~\D*\d", _without_shares(clause)[share.start : match.start()]))
    ]
    if pairs:
        number, of = pairs[0]
        return (number, of) if len(pairs) == 1 and 0 < number <= of > 2 else None
    counts = counted(_without_shares(clause))
    if len(counts) != 2 or re.search(r"\d\.\d(?!\d*\s?%)", clause):
        return None
    part, whole = sorted(counts)
    if part.end < share.start:
        near = share.start - part.end < _NEAR and (part.start > whole.start or whole.start > share.start)
    else:
        in_bracket = re.search(r"\([^)]*$", clause[share.start : part.start]) is not None
        near = in_bracket and part.start - share.start < _NEAR
    if not near or re.search(r"(?<!-)\b(?:one|another)\b", clause.replace(share.text, "")):
        return None
    says = _SAYS_WHOLE.search(clause[: whole.start])
    return (part.number, whole.number) if says and 0 < part.number < whole.number else None


_DIRECT = re.compile(
    rf" (?:of (?:the|all|our|these) )?(?P<whole>{NUMBER_OR_WORD})(?: [^\W\d_][\w’'-]*){{0,5}} "
    rf"\(\s?(?:n\s?=\s?)?(?P<part>{NUMBER_OR_WORD})\s?\)",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"(?: of (?:them|these|those|the [a-z]+))?\s?\(\s?(?:n\s?=\s?)?(?P<part>\d[\d,]*)\s?\)")
_APPOSED = re.compile(
    r"(?:\ban?(?: [a-z-]+){0,3} (?:rate|share|proportion|percentage|response|yield|return|sensitivity|specificity"
    r"|prevalence|incidence) of|\b(?:in other words|that is|i\.e\.|equivalent to|equals?|corresponding to|which is)"
    r",?)(?: about| roughly)?(?: in)? $",
    re.IGNORECASE,
)
"""What makes a share say again what the counts before it said."""


def _direct(clause: str, share: _Stated) -> tuple[int, int] | None:
    """Part and whole that follow a share in words: `two thirds of the 48 shops (n = 23)`."""
    found = None if share.exact else _DIRECT.match(clause, share.start + len(share.text))
    if found is None:
        return None
    part, whole = whole_number(found["part"]), whole_number(found["whole"])
    return (part, whole) if 0 < part < whole else None


def _apposed(before: str, clause: str, share: _Stated) -> tuple[int, int] | None:
    """The count before a share that says it again, and the only larger count of its clause or the sentence before."""
    if not _APPOSED.search(clause[: share.start]):
        return None
    here = counted(_without_shares(clause[: share.start]))
    larger = {each.number for each in [*counted(before), *here] if here and each.number > here[-1].number}
    return (here[-1].number, larger.pop()) if len(larger) == 1 and here[-1].number > 1 else None


def _counted_behind(before: str, clause: str, share: _Stated) -> tuple[int, int] | None:
    """The count in brackets behind a share, of the only larger count before it: `640 tweets. One in five (128)`."""
    found = _BEHIND.match(clause, share.start + len(share.text))
    if found is None:
        return None
    part = whole_number(found["part"])
    larger = {each.number for each in counted(f"{before} {clause[: share.start]}") if each.number > part}
    whole = larger.pop() if len(larger) == 1 else 0
    near = whole and share.low - _SLIP < 100 * part / whole < share.high + _SLIP
    return (part, whole) if near else None


def _previous(statement: Statement, place: int) -> int:
    """Where the sentence before the one at a place begins."""
    begins = [start for start, _ in statement.sentences() if start < place]
    return begins[-1] if begins else 0


def _in_words_and_figures(
    statement: Statement, place: tuple[int, int], shares: list[_Stated]
) -> Iterator[ComputedFinding]:
    """A share in words and the figure in the bracket behind it: `more than half of the pairs (27/61, 44%)`."""
    clause = statement.text[slice(*place)]
    for said, figure in pairwise(shares):
        between = clause[said.start + len(said.text) : figure.start]
        beside = re.fullmatch(r"[^().;:,\d]{0,40}\((?:[^()%]*,\s?)?", between)
        if said.exact or not figure.exact or not beside or (figure.low <= said.high and said.low <= figure.high):
            continue
        yield statement.finding(
            "percentage",
            "low",
            (place[0] + said.start, place[0] + figure.start + len(figure.text)),
            computation=f"{figure.text} is not {said.text}",
            consistent="one share in words and in figures",
        )


def _without_shares(text: str) -> str:
    """The text, of the same length, with a sign for each letter of its shares."""
    return _STATED.sub(lambda match: "~" * len(match[0]), text)


def _holds(share: _Stated, part: int, whole: int) -> bool:
    return share.low <= 100 * part / whole <= share.high


def _explained(share: _Stated, counts: list[Counted]) -> bool:
    """Whether any two counts of the paragraph, or what they leave, give the share."""
    numbers = {each.number for each in counts}
    return any(
        _holds(share, part, whole) or (share.exact and _holds(share, whole - part, whole))
        for whole in numbers
        for part in numbers
        if 0 < part < whole
    )


def _finding(statement: Statement, place: tuple[int, int], share: _Stated, part: int, whole: int) -> ComputedFinding:
    exact = 100 * part / whole
    close = share.exact and share.low - 2 <= exact <= share.high + 2
    return statement.finding(
        "percentage",
        "low" if close else "medium",
        place,
        computation=f"{part} of {whole} is {exact:.1f}%, printed is {share.text}",
        consistent=f"{exact:.3g}%, or other counts",
    )
