"""Parts against the whole that they are said to make up.

A sentence may tell a whole and, by its words, all of its parts: `Of the 310 screened, 62 were excluded and 248 were
enrolled` has fates of which everyone meets one, `and the remaining 217` leaves nobody out, and `12 in the low-dose
group` places everyone. Any other list may leave some out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import unit_after
from tools.consistency.made_up import made_up
from tools.consistency.printed import COUNT, NUMBER_OR_WORD, UNSIGNED, Printed, count, printed, whole_number
from tools.consistency.statements import Statement

_BARE = r"(?<![\w.,/–-])(?<!\d\s)"


class WholeAndParts(NamedTuple):
    """A whole and what it is said to consist of."""

    whole: float
    parts: Sequence[float]
    place: tuple[int, int]


_SEX = r"(?:females?|males?|women|men|girls|boys)"
_IN_ALL = re.compile(
    rf"""
    {_BARE} (?P<first> {COUNT} ) \s [a-z]+ \s and \s (?P<second> {COUNT} ) \s [a-z]+ (?: \s [a-z]+ ){{0,4}} , \s
    (?: or \s )? (?P<whole> {COUNT} ) \s (?: [a-z]+ \s ){{0,2}} (?: in \s (?: all | total ) | altogether ) \b
    """,
    re.VERBOSE,
)
"""`25 calves and 59 adults were counted, 84 animals in all`"""
_ANY_NUMBER = re.compile(rf"(?<![\w.,/^–-])(?<!\d\s){UNSIGNED}(?![\d.]*\d)")
_MADE_UP = re.compile(
    r"\bsum of\b|\b(?:made up|composed|consist\w+) of\b|\bcompris\w+\b|\bnamely\b|:\s|\bdivided into\b|\bsplit into\b"
    r"|\b(?:the result of|obtained by) adding\b"
)
_IN_TOTAL = re.compile(r"\b(?:in total|in all|altogether|a total of|add(?:ing|s|ed)? up to|sum(?:ming|s|med)? to)\b")
_NO_PARTS = re.compile(r"\b(?:from \d|before|after|between|versus|vs|than|up to)")
"""With one of these the numbers are ends or states, and not parts."""
_NEAREST = 0.7
"""Of the whole: a sum that is farther from it is hardly one of its parts."""
_ITEM = NUMBER_OR_WORD
_THING = r"(?: [^\d,;:.()]+?)?"


def check_parts(statement: Statement) -> Iterator[ComputedFinding]:
    """Groups that do not make up the whole that they are said to be the parts of."""
    yield from _shares_of_a_whole(statement)
    for found in said_parts(statement):
        total = round(sum(found.parts), 6)
        if total != found.whole:
            yield statement.finding(
                "sum of parts",
                "medium",
                found.place,
                computation=f"{' + '.join(f'{part:.10g}' for part in found.parts)} = {total:.10g}, "
                f"printed is {found.whole:.10g}",
                consistent=f"{total:.10g} in all, or parts that sum to {found.whole:.10g}",
            )


def said_parts(statement: Statement) -> list[WholeAndParts]:
    """The wholes of a paragraph with their parts."""
    found = [*_in_all(statement), *_too_many(statement), *_of_one_unit(statement)]
    known = {each.whole for each in found}
    return found + [WholeAndParts(*each) for each in made_up(statement) if each[0] not in known]


def _in_all(statement: Statement) -> Iterator[WholeAndParts]:
    """`25 calves and 59 adults were counted, 84 animals in all`."""
    for match in _IN_ALL.finditer(statement.text):
        parts = [count(match["first"]), count(match["second"])]
        if max(parts) < count(match["whole"]) < 2 * sum(parts):
            yield WholeAndParts(count(match["whole"]), parts, match.span())


def _of_one_unit(statement: Statement) -> Iterator[WholeAndParts]:
    """`412 mm, the sum of 268 mm of transpiration, 97 mm of evaporation and 47 mm of interception`, in one unit."""
    for start, end in [] if statement.row else statement.sentences():
        sentence = statement.text[start:end]
        numbers = list(_ANY_NUMBER.finditer(sentence))
        kinds = {_unit_of(sentence, match) for match in numbers}
        if len(numbers) < 3 or len(kinds) != 1 or kinds & {"", "temperature", "%"}:
            continue
        values: list[Printed] = [printed(match[0]) for match in numbers]
        if _NO_PARTS.search(sentence, numbers[0].end()):
            continue
        if _MADE_UP.search(sentence, numbers[0].end(), numbers[1].start()):
            whole, parts = values[0], values[1:]
        elif _IN_TOTAL.search(sentence, numbers[-2].end()):
            whole, parts = values[-1], values[:-1]
        else:
            continue
        total, slack = sum(part.value for part in parts), whole.half + sum(part.half for part in parts)
        if whole.value and _NEAREST < total / whole.value < 1 / _NEAREST and abs(total - whole.value) > slack + 1e-9:
            yield WholeAndParts(whole.value, [part.value for part in parts], (start, end))


def _unit_of(sentence: str, match: re.Match[str]) -> str:
    """The currency before a number or the unit behind it; empty if it has neither."""
    if currency := re.search(
        r"(?:[€£]|\b(?:EUR|USD|GBP|CHF))\s?$", sentence[max(0, match.start() - 5) : match.start()]
    ):
        return currency[0].strip()
    if sentence.startswith("%", match.end()):
        return "%"
    found = unit_after(sentence, match.end(), spelled=False)
    if found is None:
        return ""
    unit, _ = found
    return unit.dimension if unit.zero else f"{unit.dimension} {unit.factor} {unit.per}"


def _is_female(word: str) -> bool:
    return word.startswith(("f", "w", "g"))


_ANY_ITEM = re.compile(rf"(?<!\w)(?!one\W*$|ones?[;,.]){_ITEM}(?!\w)", re.IGNORECASE)


_FROM = re.compile(
    rf"{_BARE}(?P<first>{_ITEM}) of (?:the|our|all) (?P<whole>{COUNT}) (?:[^\W\d_][\w’-]* ){{1,4}}"
    rf"(?P<word>from|to|at|in) "
    rf"(?P<list>[^\d,;:.()]+(?:, {_ITEM} (?P=word) [^\d,;:.()]+)*,? and {_ITEM} (?P=word) )",
    re.IGNORECASE,
)
_ELLIPTIC = re.compile(
    rf"(?:^|(?<=[.;] )){_BARE}(?P<whole>{_ITEM}) (?:[^\W\d_][\w’'-]*+ ){{0,5}}[^\W\d_][\w’'-]*+\. "
    rf"(?P<first>{_ITEM}) (?:belong|belonged|came|come|were|are|date|dated|fell|stood|lay|stemmed) (?P<word>from"
    rf"|to|at|in|on|of|with) "
    rf"(?P<list>[^\d,;:.()]+(?:, {_ITEM} (?P=word) [^\d,;:.()]+)*,? and {_ITEM} (?P=word) )",
    re.IGNORECASE,
)
"""`Seventeen jars could be dated. Eight belong to the fourth century, seven to the fifth and four to the sixth.`"""
_ALL = re.compile(
    rf"\ball (?P<whole>{COUNT}) [^\W\d_]+\. (?:[^.,;:\d]*(?:\d+ ?)?, )?"
    rf"(?P<list>{_ITEM}{_THING}(?:, {_ITEM}{_THING})+,? and {_ITEM}{_THING})(?=[.;]|$)",
    re.IGNORECASE,
)


def _too_many(statement: Statement) -> Iterator[WholeAndParts]:
    """`26 of the 90 cores came from the lake, 37 from the bog and 37 from the fen`: more than there are.

    Also `all 236 women. 127 had given birth in hospital, 98 at home and 17 in a unit`, if they are nearly as many.
    """
    for match in _FROM.finditer(statement.text):
        further = re.findall(rf"(?:, | and )({_ITEM}) {match['word']} ", match["list"], re.IGNORECASE)
        parts = [whole_number(number) for number in (match["first"], *further)]
        if sum(parts) > count(match["whole"]) > max(parts):
            yield WholeAndParts(count(match["whole"]), parts, match.span())
    for match in _ELLIPTIC.finditer(statement.text):
        further = re.findall(rf"(?:, | and )({_ITEM}) {match['word']} ", match["list"], re.IGNORECASE)
        parts = [whole_number(number) for number in (match["first"], *further)]
        whole = whole_number(match["whole"])
        if sum(parts) > whole > max(parts):
            yield WholeAndParts(whole, parts, match.span())
    for match in _ALL.finditer(statement.text):
        parts = [whole_number(number) for number in _ANY_ITEM.findall(match["list"])]
        if count(match["whole"]) < sum(parts) <= 1.1 * count(match["whole"]):
            yield WholeAndParts(count(match["whole"]), parts, match.span())


_PERCENT = re.compile(r"(?<![\d.])(?P<percent>\d{1,2}(?:\.\d+)?)\s?%")
_EXHAUSTIVE = re.compile(
    r"\b(?:make up|add up to|sum to|account for) (?:the whole|all of|100|everything|the total)"
    r"|\b(?:the rest|remaining|remainder)\b[^\d.;]{0,25}\d|\bthe other \d+(?:\.\d+)?\s?%|\b(?:composed of"
    r"|consisted of|comprised|composition"
    r"|partitioned"
    r"|land (?:cover|use)|breakdown)\b",
    re.IGNORECASE,
)
_ONE_EACH = re.compile(
    r"\b(?:exactly|only) one (?:answer|option|category|group|class|reason|cause|response|choice|main)\b"
    r"|\bmutually exclusive"
    r"|\b(?:assigned|allocated|belong\w*|sorted|placed) (?:in)?to (?:exactly |only )?one\b|\bsingle (?:answer"
    r"|choice|response)\b"
    r"|\b(?:each|every) [a-z]+ (?:[a-z]+ ){0,4}(?:into|to|in) (?:exactly |only )?one\b|\bone answer each\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(r"\bby \d")
_SCALES = (
    r"\bnone\b.*\bmild\b.*\bmoderate\b.*\bsevere\b",
    r"\bvery good\b.*\bgood\b.*\bfair\b.*\bpoor\b",
    r"\bnever\b.*\b(?:rarely|seldom)\b.*\b(?:sometimes|occasionally)\b.*\b(?:often|always)\b",
    r"\b(?:strongly )?agree\w*\b.*\bneutral\b.*\bdisagree",
    r"(?=.*\bmarried\b)(?=.*\b(?:single|unmarried|never married)\b).*\b(?:divorced|widowed)\b",
)
"""Four answers of which everyone gives one."""
_OPINIONS = (
    r"\b(?:in favou?r|agreed?|support(?:ed)?|approved?|yes)\b.*\b(?:against|disagreed?|opposed?|disapproved?|no)\b"
    r".*\b(?:no opinion|undecided|neutral|neither|unsure|not sure|don[’']t know|did not answer)\b"
)
"""Three of them."""
_KINDS = (
    r"(?=.*\bprimary\b)(?=.*\bsecondary\b).*\b(?:tertiary|higher|university)\b",
    r"(?=.*\bsand\b)(?=.*\bsilt\b).*\bclay\b",
    r"(?=.*(?<![a-z])saturated\b)(?=.*\bmonounsaturated\b).*\bpolyunsaturated\b",
    r"(?=.*\bhigh\b)(?=.*\b(?:medium|middle|moderate|intermediate)\b).*\blow\b",
)
_ONE_ANSWER = {
    4: re.compile("|".join(f"(?:{scale})" for scale in _SCALES), re.IGNORECASE),
    3: re.compile("|".join(f"(?:{kind})" for kind in (_OPINIONS, *_KINDS)), re.IGNORECASE),
}
"""By the number of answers."""


_SEX_SHARES = re.compile(
    rf"{_PERCENT.pattern} (?:(?:was|were) )?(?P<one>{_SEX}),? (?:and|,) "
    rf"{_PERCENT.pattern.replace('percent', 'rest')} (?:(?:was|were) )?(?P<other>{_SEX})\b"
)
"""`45% were male and 65% female`; less than the whole leaves out those who did not say."""


def _shares_of_a_whole(statement: Statement) -> Iterator[ComputedFinding]:
    """Percentages of a sentence that make up the whole by what it says, or by the scale that they are of."""
    for match in _SEX_SHARES.finditer(statement.text):
        one, other = printed(match["percent"]), printed(match["rest"])
        if _is_female(match["one"]) != _is_female(match["other"]) and one.low + other.low > 100:
            yield statement.finding(
                "sum of parts",
                "medium",
                match.span(),
                computation=f"{one.value:g} + {other.value:g} = {one.value + other.value:g}%, of one whole",
                consistent="percentages that sum to 100 at most",
            )
    before = ""
    for start, end in [] if statement.row else statement.sentences():
        sentence, around = statement.text[start:end], f"{before} {statement.text[start:end]}"
        before = sentence
        shares: list[Printed] = [printed(match["percent"]) for match in _PERCENT.finditer(sentence)]
        scale = _ONE_ANSWER.get(len(shares))
        if (
            len(shares) < 3
            or re.search(r"\d\s?[–-]\s?\d+(?:\.\d+)?\s?%", sentence)
            or not (
                _EXHAUSTIVE.search(sentence)
                or (_ONE_EACH.search(around) and not _CHANGES.search(sentence))
                or (scale and scale.search(sentence))
            )
        ):
            continue
        total, slack = sum(share.value for share in shares), sum(share.half for share in shares)
        if slack + 0.5 < abs(total - 100) < 21:
            yield statement.finding(
                "sum of parts",
                "medium",
                (start, end),
                computation=f"{' + '.join(f'{share.value:g}' for share in shares)} = {total:g}%, of one whole",
                consistent="percentages that sum to 100",
            )
