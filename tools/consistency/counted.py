"""Whole numbers of a sentence that count things: neither measured, nor years, ages, names, ranges or statistics."""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.checks.quantity_lexicon import unit_after
from tools.consistency.printed import NUMBER_OR_WORD, whole_number

_NUMBER = re.compile(
    rf"(?<![\w.,/–:^~-])(?<!\d\s)(?<![=<>≤≥±]\s)(?<![=<>≤≥±])(?P<number>{NUMBER_OR_WORD})(?![\w%–]|\s?%|[.,:]\d"
    rf"|-\w|\sper ?cent\b)",
    re.IGNORECASE,
)
_SIZE = re.compile(r"(?<![\w-])[nN]\s?=\s?(?P<number>\d[\d,]*)(?![\d.]*\d)")
_NAMED = re.compile(
    r"\b(?:figs?\.?|figures?|tables?|sections?|steps?|days?|weeks?|months?|years?|aged?|age of|ages|grades?"
    r"|types?|phases?"
    r"|stages?|versions?|levels?|items?|questions?|chapters?|class|visits?|numbers?|nos?\.|p|rounds?|times?"
    r"|files?|units?|states?|lanes?|refs?\.?|eqs?\.?|appendix|models?|experiments?|stud(?:y|ies)|groups?|cohorts?|trials?|cases?"
    r"|samples?|sites?|conditions?|lines?|pH|instar|scale|supplements?|between|minus|plus|by|lot|power"
    r"|\d(?: \w+)? to) $",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\s?(?:x\b|×|[*±]|\^?[°∘]|years?[- ]old|or (?:more|older|over|higher|fewer|less)\b|to \d|and over|times\b"
    r"|days?\b|weeks?\b"
    r"|months?\b|years?\b|hours?\b|minutes?\b|seconds?\b|points?\b|fold\b|[ap]\.?m\.\b|dollars\b|euros\b"
    r"|(?-i:[A-Z])\b(?!-)|thousand|million|billion|or \d)",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\s?$|\b(?:in|since|from|of)"
    r" $"
)


_LONGEST = 40
"""Characters of a number in digits or in words; what is longer counts nothing."""


class Counted(NamedTuple):
    """A number of things and where it stands."""

    number: int
    start: int
    end: int


def counted(sentence: str) -> list[Counted]:
    """The numbers of a sentence that count things, in their order."""
    found = {}
    enumerated = "(1)" in sentence
    for match in _NUMBER.finditer(sentence):
        start, end = match.span("number")
        if len(match["number"]) > _LONGEST:
            continue
        if enumerated and sentence[start - 1 : start] == "(" and sentence[end : end + 1] == ")":
            continue
        if _counts(sentence, match["number"], start, end):
            found[start] = Counted(whole_number(match["number"]), start, end)
    for match in _SIZE.finditer(sentence):
        start, end = match.span("number")
        found[start] = Counted(whole_number(match["number"]), start, end)
    return [found[start] for start in sorted(found)]


def _counts(sentence: str, number: str, start: int, end: int) -> bool:
    before, after = sentence[max(0, start - 14) : start], sentence[end : end + 14]
    cited = (before.endswith("[") and after.startswith("]")) or re.match(r"\s[,;.]", after) is not None
    cited = cited or (
        re.match(r",\s?\d", after) is not None
        and len(number) < 5
        and re.search(r"[a-z](?<! of)(?<! from)(?<!were)(?<!and) $", before) is not None
    )
    if number.lower() == "one" or cited or _NAMED.search(before) or _OTHERWISE.match(after):
        return False
    if re.fullmatch(r"(?:19|20)\d\d", number) and (
        _MONTH.search(before) or not re.match(r"\s(?:[a-z-]+ )?[a-z]{3,}s\b", after)
    ):
        return False
    return unit_after(sentence, end, spelled=not number[0].isdigit()) is None
