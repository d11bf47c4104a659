"""Percentages against the counts beside them, and parts against their whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from tools.checks.quantity_lexicon import WHOLE, value_of
from tools.consistency.number_words import SMALL_NUMBERS
from tools.consistency.printed import COUNT, Printed, count, printed
from tools.consistency.statements import Statement

_BARE = r"(?<![\d.,/–-])(?<!\d )"
_PERCENT = r"(?P<percent>\d{1,3}(?:\.\d+)?)\s?(?:%|per ?cent\b)"
_PART = rf"(?P<part>{COUNT})"
_WHOLE = rf"(?P<whole>{COUNT})(?![%\d]|\s?%|\.\d)"
_OF = r"\s?(?:/|(?:out )?of(?: (?:the|all|a total of))?(?: the)?(?= \d))\s?"
_THINGS = r"(?:\s(?!and\b|or\b|but\b|while\b|with\b|of\b)[^\W\d_][\w’'-]*){0,4}"
_PATTERNS = (
    # 20% (8 of 32), 20% (8/32 patients), 20% of patients (8 of 32)
    rf"{_BARE}{_PERCENT}(?P<of> of(?: the"
    rf"| all)?(?: [^\W\d_][\w’'-]*){{1,4}})?,?\s?[(\[]\s?(?:[nN]\s?=\s?)?{_PART}{_OF}{_WHOLE}(?!\s?[x×]"
    rf"|\s?[a-z]{{0,3}}/)",
    # 8 of 32 patients (20%), 8/32 (20%)
    rf"{_BARE}{_PART}{_OF}{_WHOLE}{_THINGS}\s?[(\[,]\s?(?:or |i\.e\.,? )?{_PERCENT}(?=\s?[)\];,.]|$)",
    # 8 (20%) of 32, 8 (20%) of the 32
    rf"{_BARE}{_PART}\s?[(\[]\s?{_PERCENT}\s?[)\]]\s?(?:of|out of)(?: the| all)?\s{_WHOLE}",
    # 8 patients, 20% of the 32
    rf"{_BARE}{_PART}{_THINGS}, (?:or |i\.e\.,? )?{_PERCENT} of (?:the|all|all the) {_WHOLE}",
)
_COUNTED = [re.compile(pattern) for pattern in _PATTERNS]
_LOOSE = re.compile(
    r"(?:about|approximately|approx\.?|around|roughly|nearly|almost|over|under|circa|ca\.|more than|less than"
    r"|at least|up to"
    r"|[~≈<>≤≥±])\s?$",
    re.IGNORECASE,
)
_NOT_A_SHARE = re.compile(
    r"\b(?:increase[sd]?|decrease[sd]?|reduc(?:ed|tion)|higher|lower|more|less|fewer|change[sd]?|difference"
    r"|improve(?:d|ment)"
    r"|weighted|adjusted|confidence|CI|power|humidity)\W*$",
    re.IGNORECASE,
)


def check_percentages(statement: Statement) -> Iterator[ComputedFinding]:
    """Percentages that the counts beside them do not give."""
    for pattern in _COUNTED:
        for match in pattern.finditer(statement.text):
            part, whole, percent = count(match["part"]), count(match["whole"]), printed(match["percent"])
            if not whole > 0 or (part > whole and "/" in match[0]) or percent.value > 100:
                continue
            before = statement.text[max(0, match.start() - 25) : match.start()]
            near = statement.text[max(0, match.start("percent") - 25) : match.start("percent")]
            if _NOT_A_SHARE.search(before) or _holds(percent, 100 * part / whole, loose=bool(_LOOSE.search(near))):
                continue
            yield _percentage(statement, match, 100 * part / whole, percent)


def _holds(percent: Printed, exact: float, *, loose: bool) -> bool:
    return abs(percent.value - exact) < 3 if loose else percent.holds(exact)


def _percentage(statement: Statement, match: re.Match[str], exact: float, percent: Printed) -> ComputedFinding:
    decimals = len(match["percent"].partition(".")[2])
    rounding = abs(exact - percent.value) <= 2 * percent.half + 1e-9
    part, whole = match["part"], match["whole"]
    others = [str(other) for other in range(count(whole) + 1) if percent.holds(100 * other / count(whole))]
    instead = f", or {' or '.join(others[:2])} of {whole}" if others else ""
    return statement.finding(
        "percentage",
        "low" if rounding else "medium",
        match.span(),
        computation=f"{part} of {whole} is {exact:.{max(1, decimals + 1)}f}%, printed is {match['percent']}%",
        consistent=f"{exact:.{decimals}f}%{instead}",
    )


_LISTED = re.compile(
    rf"{_BARE}(?<![(\w])(?:[nN]\s?=\s?)?(?P<part>{COUNT}|\b(?:{'|'.join(SMALL_NUMBERS)})\b)(?: [a-z-]+){{0,3}} ?[(\[]"
    rf"(?P<percent>\d{{1,3}}(?:\.\d+)?)\s?%(?: of [^()\[\]]{{1,30}})?[)\]]"
    rf"|\((?P<inside>{COUNT})[,;] (?P<beside>\d{{1,3}}(?:\.\d+)?)\s?%\)"
)
_ANY_COUNT = re.compile(rf"{_BARE}{_PART}(?!\s?%|\.\d)")
_NUMBER_WORD = re.compile(rf"\b(?:{WHOLE})\b", re.IGNORECASE)


def check_listed_percentages(statement: Statement) -> Iterator[ComputedFinding]:
    """`Of 58 wrecks, 13 (40%) carried timber, 17 (29%) salt and 11 (19%) grain`: all but one agree on the whole."""
    if statement.row:
        return
    before = ""
    for start, end in statement.sentences():
        sentence = statement.text[start:end]
        pairs = [(*_listed_pair(match), match) for match in _LISTED.finditer(sentence)]
        near = f"{before} {sentence}"
        before = sentence
        wholes = {count(match["part"]) for match in _ANY_COUNT.finditer(near)}
        wholes |= {int(value_of(match[0].lower())) for match in _NUMBER_WORD.finditer(near)}
        fits = {
            whole: [
                at for at, (part, percent, _) in enumerate(pairs) if part < whole and percent.holds(100 * part / whole)
            ]
            for whole in wholes
            if whole > 1
        }
        whole = max(fits, key=lambda each: len(fits[each]), default=0)
        if len(pairs) < 2 or not whole or len(fits[whole]) < len(pairs) - 1:
            continue
        for at, (part, percent, match) in enumerate(pairs):
            known = len(pairs) > 2 or re.search(rf"\b(?:of|among)\b(?: [a-z]+){{0,2}} {whole}\b", near, re.IGNORECASE)
            alone = any(percent.holds(100 * part / each) for each in wholes if each > 1)
            if at not in fits[whole] and part < whole and known and not alone:
                exact = 100 * part / whole
                yield statement.finding(
                    "percentage",
                    "medium" if abs(exact - percent.value) > 2 * percent.half + 1e-9 else "low",
                    (start + match.start(), start + match.end()),
                    computation=f"{part} of {whole} is {exact:.1f}%, printed is {percent.value:g}%; the others are "
                    f"of {whole}",
                    consistent=f"{exact:.1f}%",
                )


def _listed_pair(match: re.Match[str]) -> tuple[int, Printed]:
    part = match["part"] or match["inside"]
    return SMALL_NUMBERS[part] if part in SMALL_NUMBERS else count(part), printed(match["percent"] or match["beside"])


class _Parts(NamedTuple):
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
_ITEM = rf"(?:{COUNT}|{_NUMBER_WORD.pattern})"
_THING = r"(?: [^\d,;:.()]+?)?"
_LIST = rf"(?P<list>{_ITEM}{_THING}(?:, {_ITEM}{_THING})*,? and {_ITEM}{_THING})"
_WHOLE_THING = rf"{_BARE}(?P<whole>{_ITEM}) (?!of\b|to\b|and\b|or\b|in\b|h\b|min\b)(?:[^\W\d_][\w’-]* ?){{1,3}}"
_GROUPS = (
    re.compile(rf"{_WHOLE_THING}[^:;.()\d]{{0,60}}: {_LIST}(?=[.;)(]|$)", re.IGNORECASE),
    re.compile(rf"{_WHOLE_THING}(?:[a-z]+ ){{0,4}}[a-z]* ?\({_LIST}(?=[;)])", re.IGNORECASE),
    re.compile(rf"{_WHOLE_THING}[^:;.()\d]{{0,40}}(?:split|divided) into {_LIST}(?=[.;)(]|$)", re.IGNORECASE),
    re.compile(rf"{_WHOLE_THING}[^.;\d]{{0,60}}\. Of these,? {_LIST}(?=[.;(]|$)", re.IGNORECASE),
)


def check_parts(statement: Statement) -> Iterator[ComputedFinding]:
    """Groups that do not make up the whole that they are said to be the parts of."""
    for found in [*_sexes(statement), *_allocated(statement), *_listed(statement)]:
        total = sum(found.parts)
        if total != found.whole:
            yield statement.finding(
                "sum of parts",
                "medium",
                found.place,
                computation=f"{' + '.join(map(str, found.parts))} = {total}, printed is {found.whole}",
                consistent=f"{total} in all, or parts that sum to {found.whole}",
            )


def _sexes(statement: Statement) -> Iterator[_Parts]:
    """`120 participants (70 women and 40 men)`."""
    for match in _SEXES.finditer(statement.text):
        if _is_female(match["one"]) != _is_female(match["other"]):
            yield _Parts(count(match["whole"]), [count(match["first"]), count(match["second"])], match.span())


def _is_female(word: str) -> bool:
    return word.startswith(("f", "w", "g"))


def _allocated(statement: Statement) -> Iterator[_Parts]:
    """`120 patients were randomised to exercise (n = 60) or rest (n = 50)`."""
    for match in _ALLOCATED.finditer(statement.text):
        _, end = statement.sentence_at(match.start())
        sizes = list(_GROUP_SIZE.finditer(statement.text, match.end(), end))
        parts = [count(size["n"]) for size in sizes]
        if len(parts) > 1 and len(_GROUP_SIZE.findall(statement.text[match.start() : match.end()])) == 0:
            yield _Parts(count(match["whole"]), parts, (match.start(), sizes[-1].end()))


def _listed(statement: Statement) -> Iterator[_Parts]:
    """`132 had emerged: 44 with water, 45 under mulch and 43 with feed`, in brackets, split into, or of these."""
    for pattern in _GROUPS:
        for match in pattern.finditer(statement.text):
            parts = [
                _value(number)
                for number in re.findall(rf"(?:^|, (?:and )?| and )({_ITEM})(?!\w)", match["list"], re.IGNORECASE)
            ]
            whole, total = _value(match["whole"]), sum(parts)
            near = whole < 2 * total and total < 2 * whole
            if len(parts) > 1 and whole > max(parts) and near and len(parts) == len(_ANY_ITEM.findall(match["list"])):
                yield _Parts(whole, parts, match.span())


_ANY_ITEM = re.compile(rf"(?<!\w){_ITEM}(?!\w)", re.IGNORECASE)


def _value(text: str) -> int:
    return count(text) if text[0].isdigit() else int(value_of(text.lower()))
