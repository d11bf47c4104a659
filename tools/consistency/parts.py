"""WholeAndParts against the whole that they are said to make up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.consistency.printed import COUNT, Printed, count, printed
from tools.consistency.sizes import NUMBER_OR_WORD, whole_number
from tools.consistency.statements import Statement

_BARE = r"(?<![\w.,/–-])(?<!\d )"


class WholeAndParts(NamedTuple):
    """A whole and what it is said to consist of."""

    whole: int
    parts: list[int]
    place: tuple[int, int]


_PEOPLE = (
    r"(?:participants|patients|subjects|people|persons|individuals|respondents|students|children|adults|volunteers"
    r"|women|men|cases"
    r"|infants|nurses|teachers|animals|mice|rats|samples|articles|papers|studies|trials|adolescents|workers"
    r"|physicians|households)"
)
_SEX = r"(?:females?|males?|women|men|girls|boys)"
_SEXES = re.compile(
    rf"{_BARE}(?P<whole>{COUNT}) (?:[a-z-]+ ){{0,2}}{_PEOPLE}"
    rf"\s?[(,:–]\s?(?:[nN]\s?=\s?)?(?P<first>{COUNT}) (?P<one>{_SEX})"
    rf"(?:\s?[,;/&]\s?|,? and )(?P<second>{COUNT}) (?P<other>{_SEX})(?!,? (?:and|;))"
)
_ALLOCATED = re.compile(
    rf"{_BARE}(?P<whole>{COUNT}) (?:[a-z-]+ ){{0,3}}{_PEOPLE} (?:[a-z-]+ ){{0,3}}?"
    r"(?:randomi[sz]ed|assigned|allocated|divided|split|classified|categori[sz]ed|grouped)\b"
)
_GROUP_SIZE = re.compile(rf"[(\[]\s?[nN]\s?=\s?(?P<n>{COUNT})\s?[)\]]")
_ITEM = NUMBER_OR_WORD
_THING = r"(?: [^\d,;:.()]+?)?"
_LIST = rf"(?P<list>{_ITEM}{_THING}(?:, {_ITEM}{_THING})*,? and {_ITEM}{_THING})"
_WHOLE_THING = rf"{_BARE}(?P<whole>{_ITEM}) (?!of\b|to\b|and\b|or\b|in\b|h\b|min\b)(?:[^\W\d_][\w’-]* ?){{1,3}}"
_GROUPS = (
    re.compile(rf"{_WHOLE_THING}(?:(?!{_ITEM} of)[^:;.()\d]){{0,60}}: {_LIST}(?=[.;)(]|$)", re.IGNORECASE),
    re.compile(rf"{_WHOLE_THING}(?:[a-z]+ ){{0,4}}[a-z]* ?\({_LIST}(?=[;)])", re.IGNORECASE),
    re.compile(rf"{_WHOLE_THING}[^:;.()\d]{{0,40}}(?:split|divided) into {_LIST}(?=[.;)(]|$)", re.IGNORECASE),
    re.compile(rf"{_WHOLE_THING}[^.;\d]{{0,60}}\. Of these,? {_LIST}(?=[.;(]|$)", re.IGNORECASE),
)


def check_parts(statement: Statement) -> Iterator[ComputedFinding]:
    """Groups that do not make up the whole that they are said to be the parts of."""
    yield from _shares_of_a_whole(statement)
    for found in said_parts(statement):
        total = sum(found.parts)
        if total != found.whole:
            yield statement.finding(
                "sum of parts",
                "medium",
                found.place,
                computation=f"{' + '.join(map(str, found.parts))} = {total}, printed is {found.whole}",
                consistent=f"{total} in all, or parts that sum to {found.whole}",
            )


def said_parts(statement: Statement) -> list[WholeAndParts]:
    """The wholes of a paragraph with their parts."""
    return [*_sexes(statement), *_allocated(statement), *_listed(statement), *_too_many(statement)]


def _sexes(statement: Statement) -> Iterator[WholeAndParts]:
    """`120 participants (70 women and 40 men)`."""
    for match in _SEXES.finditer(statement.text):
        if _is_female(match["one"]) != _is_female(match["other"]):
            yield WholeAndParts(count(match["whole"]), [count(match["first"]), count(match["second"])], match.span())


def _is_female(word: str) -> bool:
    return word.startswith(("f", "w", "g"))


def _allocated(statement: Statement) -> Iterator[WholeAndParts]:
    """`120 patients were randomised to exercise (n = 60) or rest (n = 50)`."""
    for match in _ALLOCATED.finditer(statement.text):
        _, end = statement.sentence_at(match.start())
        sizes = list(_GROUP_SIZE.finditer(statement.text, match.end(), end))
        parts = [count(size["n"]) for size in sizes]
        if len(parts) > 1 and len(_GROUP_SIZE.findall(statement.text[match.start() : match.end()])) == 0:
            yield WholeAndParts(count(match["whole"]), parts, (match.start(), sizes[-1].end()))


def _listed(statement: Statement) -> Iterator[WholeAndParts]:
    """`132 had emerged: 44 with water, 45 under mulch and 43 with feed`, in brackets, split into, or of these."""
    for pattern in _GROUPS:
        for match in pattern.finditer(statement.text):
            parts = [
                whole_number(number)
                for number in re.findall(rf"(?:^|, (?:and )?| and )({_ITEM})(?!\w)", match["list"], re.IGNORECASE)
            ]
            whole, total = whole_number(match["whole"]), sum(parts)
            near = whole < 2 * total and total < 2 * whole
            if len(parts) > 1 and whole > max(parts) and near and len(parts) == len(_ANY_ITEM.findall(match["list"])):
                yield WholeAndParts(whole, parts, match.span())


_ANY_ITEM = re.compile(rf"(?<!\w)(?!one\W*$|ones?[;,.]){_ITEM}(?!\w)", re.IGNORECASE)


_FROM = re.compile(
    rf"{_BARE}(?P<first>{_ITEM}) of (?:the|our|all) (?P<whole>{COUNT}) (?:[^\W\d_][\w’-]* ){{1,4}}"
    rf"(?P<word>from|to|at|in) "
    rf"(?P<list>[^\d,;:.()]+(?:, {_ITEM} (?P=word) [^\d,;:.()]+)*,? and {_ITEM} (?P=word) )",
    re.IGNORECASE,
)
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
    for match in _ALL.finditer(statement.text):
        parts = [whole_number(number) for number in _ANY_ITEM.findall(match["list"])]
        if count(match["whole"]) < sum(parts) <= 1.1 * count(match["whole"]):
            yield WholeAndParts(count(match["whole"]), parts, match.span())


_PERCENT = re.compile(r"(?<![\d.])(?P<percent>\d{1,2}(?:\.\d+)?)\s?%")
_EXHAUSTIVE = re.compile(
    r"\b(?:make up|add up to|sum to|account for) (?:the whole|all of|100|everything|the total)", re.IGNORECASE
)
_SCALES = (
    r"\bnone\b.*\bmild\b.*\bmoderate\b.*\bsevere\b",
    r"\bvery good\b.*\bgood\b.*\bfair\b.*\bpoor\b",
    r"\bnever\b.*\b(?:rarely|seldom)\b.*\b(?:sometimes|occasionally)\b.*\b(?:often|always)\b",
    r"\b(?:strongly )?agree\w*\b.*\bneutral\b.*\bdisagree",
)
"""Answers of which everyone gives one."""
_ONE_ANSWER = re.compile("|".join(f"(?:{scale})" for scale in _SCALES), re.IGNORECASE)


def _shares_of_a_whole(statement: Statement) -> Iterator[ComputedFinding]:
    """Percentages of a sentence that make up the whole by what it says, or by the scale that they are of."""
    for start, end in [] if statement.row else statement.sentences():
        sentence = statement.text[start:end]
        shares: list[Printed] = [printed(match["percent"]) for match in _PERCENT.finditer(sentence)]
        if len(shares) < 3 or not (_EXHAUSTIVE.search(sentence) or (_ONE_ANSWER.search(sentence) and len(shares) == 4)):
            continue
        total, slack = sum(share.value for share in shares), sum(share.half for share in shares)
        if slack + 0.5 < abs(total - 100) < 30:
            yield statement.finding(
                "sum of parts",
                "medium",
                (start, end),
                computation=f"{' + '.join(f'{share.value:g}' for share in shares)} = {total:g}%, of one whole",
                consistent="percentages that sum to 100",
            )
