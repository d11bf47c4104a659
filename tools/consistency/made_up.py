"""Counts of a sentence that make up the largest of them, where a word says that nobody is left out.

`Five withdrew and three moved away, so 62 of the 80 completed`, `700 for training, 150 for development and 150 for
testing, 1,200 in total`. The parts are all other counts of the sentence; where any of its counts is the sum of others,
the sentence has another sense and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from tools.consistency.counted import Counted, counted
from tools.consistency.printed import NUMBER_OR_WORD, count
from tools.consistency.slips import digits_differ_by_slip
from tools.consistency.statements import Statement

_LEFT = re.compile(
    r"\bleaving\b|\b(?:were|was|which|that) left\b|\bremain(?:ed|ing)\b|\bthe rest\b(?=[^.\d]{0,25}\d)"
    rf"|\bthe other {NUMBER_OR_WORD} (?:were|was|had|did|could|took|entered|formed|made)\b"
    rf"|, so (?:that )?(?:only |the )?{NUMBER_OR_WORD}\b|\bafter (?:the )?(?:remov|exclu|dropp|discard)"
    r"|\bwe (?:excluded|removed|dropped|discarded)\b|\bthis left\b",
    re.IGNORECASE,
)
"""Some leave, and the others stay."""
_FATES = re.compile(
    r"\b(?:excluded|ineligible|declined|refused|withdrew|dropped out|lost to follow-up)\b.*\b(?:enrolled"
    r"|included|randomi[sz]ed"
    r"|analy[sz]ed|completed|remained|retained|took part|participated)\b|\bdied\b.*\b(?:survived|alive)\b"
    r"|\bsurvived\b.*\bdied\b|\bpositive\b.*\bnegative\b|\bnegative\b.*\bpositive\b",
    re.IGNORECASE | re.DOTALL,
)
"""What befalls things, in pairs of which everything meets one."""
_DIVIDED = re.compile(
    r"\b(?:divided|split|partitioned|assigned|allocated|allotted|randomi[sz]ed|distributed|compris\w+"
    r"|consist(?:ed|s|ing) of"
    r"|made up|composed of|one (?:class|category|group)(?: only)?)\b|\b(?-i:N) =",
    re.IGNORECASE,
)
"""All belong to one group or another."""
_IN_ALL = re.compile(
    r"\b(?:in total|in all|altogether|a total of|sample of|sum up to|(?:the|a) sum of"
    r"|made up of|for a total|collectively|combined)\b",
    re.IGNORECASE,
)
_SEXES = re.compile(
    r"\b(?:females?|women|girls)\b.*\b(?:males?|men|boys)\b|\b(?:males?|men|boys)\b.*\b(?:females?|women|girls)\b"
)
_LOST = (
    r"\b(?:complet\w+|analy[sz]ed|lost|withdr[ae]w\w*|dropped|declined|refused|excluded|died|responded|each|per"
    r"|every|at least"
    r"|both|also|twice|respectively|including|overlap\w*|some)\b"
)
_LOST_FROM = {
    _DIVIDED: re.compile(_LOST.replace("|each", ""), re.IGNORECASE),
    _IN_ALL: re.compile(rf"{_LOST}|\b(?:had|have|with|who|whose)\b", re.IGNORECASE),
    _SEXES: re.compile(_LOST, re.IGNORECASE),
}
"""With one of these words the parts need not be all."""
_BRACKET = re.compile(r"\([^()]*\)")
_LISTED = re.compile(
    r"[^\d:()]*?(?::| –|, namely) [^:]*|[^\d()]*\((?=[^()]*[a-z])(?!(?:[a-z]+ )+\d+, \d)(?P<inside>[^()]*)\)[^\d]*"
    r"|(?:[^\d.]|\.(?! ))*\. Of (?:these|those|them)\b.*|[^\d,]*, of (?:which|whom)\b.*",
    re.DOTALL,
)
"""What follows the whole: a colon, a dash, a bracket or `of these`, and then its parts."""
_COMPLETE = re.compile(
    r"\b(?:no other|nobody|no one|nowhere|elsewhere|exclusive|exclud\w+ each other|(?:exactly|only) one"
    r"|(?:one|single|first|main) (?:reason|cause|category|group|code|type|kind)"
    r"|(?:is|was|were|are) counted|counted twice|(?:the|these) only|add(?:s|ed)? (?:up )?to|sum(?:s|med)? (?:of|to)"
    r"|some other|other (?:reasons?|causes?|types?|kinds?)|others|the rest|pool(?:ed|ing)|each \w+ \w+ one)\b",
    re.IGNORECASE,
)
"""Said of a list, or in the sentence behind it: that there are no other parts and that none of them overlap."""
_OPENS = re.compile(r"Of (?:the |all |our |these )?$")
_INTO = re.compile(r"\b(?:into|to|over|in|across|the|of|between|among)(?: one of)? $", re.IGNORECASE)
_OF = re.compile(r"\b(?:of|from|the|all|our|these) $", re.IGNORECASE)
_MARKED = re.compile(r"\b(?:total of|sample of|all|N =) $")
_UNREADABLE = re.compile(
    r"%|per cent|(?<!for )\bthe rest\b(?![^.\d]{0,25}\d)|\d \(\d+\) of|[{}]|\*\*"
    r"|\b(?:(?<!than )(?<!every )(?<!each )(?<!least )one(?! hundred| thousand"
    r"| class| category| group| reason| cause|\s?[.,;)])|another(?! \d)|single"
    r"|versus|vs|compared)\b|(?<!\b[nN]) =",
    re.IGNORECASE,
)
"""Shares, code, or numbers that are not in figures, or of several wholes."""
_FEWEST = 12
"""What is less may be the number of a thing, such as a stage."""
_WITH_UNIT = re.compile(
    r"(?P<currency>[€£]|US\$|\$)\s?(?P<amount>\d{1,3}(?:,\d{3})+|\d+)(?![\d.]*\d)"
    r"|(?<![\w.,/–-])(?P<number>\d+)[ -](?P<unit>week|day|month|year|hour|minute|second|euro|dollar|page|point"
    r"|km|ha|kg|g|mg|ml)s?\b"
)
_NAMELY = re.compile(r"[^\d:()]*(?::|, namely)")
_OPENS_LIST = re.compile(r"(?: (?:altogether|in all|in total|long))?(?: \(|: )")
_SMALLEST = 0.1
"""Of the whole: what is smaller beside one other part is hardly of the same things."""
_SLIPS = {10, 100}
"""By which a sum differs from its whole where one digit was mistyped."""
_GROUPS = re.compile(
    r"\s(?:[a-z-]+ )?(?:groups?|arms?|conditions?|sets|subsets|parts|classes|categories|clusters|sites"
    r"|cent(?:re|er)s|schools|hospitals"
    r"|cohorts?|studies|stages|batches|types|treatments|countries|cities|villages|cages|blocks|pens|plots"
    r"|tanks|rooms|wards|tubes|teams|periods|rounds|sessions)\b",
    re.IGNORECASE,
)
_FURTHER = re.compile(
    r"(?:After|This left|These|They|Their|It (?:is|was)\b|Of these|Of them|The remaining|The rest|The other)\b"
)
_CUT = re.compile(r"; |, of wh(?:ich|om)\b|, \d+ (?:to|in|for|per|from|at) each\b|, so that\b|, leaving\b")
_MOST = 9  # counts of a sentence, of which all sums are tried
_NEAR = 0.7
_OF_IT = re.compile(r"(?: [a-z%]+)? of it\b")
"""Behind a number that is a part."""


def made_up(statement: Statement) -> Iterator[tuple[int, list[int], tuple[int, int]]]:
    """Wholes with the parts that do not sum to them, and where they stand, unless a wider reading makes them right."""
    right: list[tuple[int, int]] = []
    wrong: dict[tuple[int, ...], tuple[int, list[int], tuple[int, int]]] = {}
    for start, end in [] if statement.row else _windows(statement):
        text = _without_shares(statement.text[start:end])
        things = [each for each in counted(text) if each.number and not _tells_groups(text, each)]
        listed = _behind_colon(text, _without_number_of_parts(things))
        divided = _from_whole(text, listed)
        for counts in (listed, divided, _measured(text)):
            if not 3 <= len(counts) <= _MOST or _UNREADABLE.search(text):
                continue
            whole = _whole(text, counts)
            parts = [each.number for each in counts if each is not whole]
            if (
                whole.number < _FEWEST
                or _OF_IT.match(text, whole.end)
                or (whole.number <= max(parts) and not _LEFT.search(text))
            ):
                continue
            near = _NEAR < sum(parts) / whole.number < 1 / _NEAR
            _, after = statement.sentence_at(min(end, len(statement.text) - 1))
            told = _all_told(text, whole, counts) or _is_complete(text, statement.text[end:after], whole, counts)
            if near and told and sum(parts) == whole.number and counts is not divided:
                right.append((start, end))
            elif near and told and sum(parts) != whole.number and not _explained(text, whole, counts):
                wrong.setdefault((whole.number, *parts), (whole.number, parts, (start, end)))
    for each in wrong.values():
        if not any(start <= each[2][0] and each[2][1] <= end for start, end in right):
            yield each


def _windows(statement: Statement) -> Iterator[tuple[int, int]]:
    """Sentences, together with those that go on with what they have begun, and counts with a bracket behind them."""
    before: tuple[int, int] | None = None
    earlier: tuple[int, int] | None = None
    for start, end in statement.sentences():
        cuts = [start + match.start() for match in _CUT.finditer(statement.text[start:end])]
        if before and (_FURTHER.match(statement.text, start) or _LEFT.search(statement.text, start, end)):
            yield from ((before[0], cut) for cut in [*cuts, end])
        if earlier and _LEFT.search(statement.text, start, end):  # `Sixty came. Five left. The remaining 55 …`
            yield earlier[0], end
        if before is None or not statement.text.startswith(
            ("Of these", "Of them", "Of those", "These ", "They "), start
        ):
            yield start, end
        earlier, before = before, (start, end)
        yield from ((cut + 2, end) for cut in cuts if statement.text[cut] == ";")
        yield from _brackets(statement.text, start, end)


def _brackets(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Brackets with the count before them: `187 were enrolled (92 in the early and 86 in the late group)`."""
    for bracket in _BRACKET.finditer(text, start, end):
        before = counted(text[start : bracket.start()])
        if before and len(counted(bracket[0])) > 1:
            yield start + before[-1].start, bracket.end()


def _without_number_of_parts(counts: list[Counted]) -> list[Counted]:
    """`Three batches gave 12,400, 9,850 and 11,150 cells` without the three."""
    return counts[1:] if counts and 2 <= counts[0].number <= min(_FEWEST, len(counts) - 1) else counts


def _from_whole(text: str, counts: list[Counted]) -> list[Counted]:
    """The largest count and those behind it, if it is divided there: `71 nests had 318 young: 204 left, …`."""
    at = counts.index(max(counts)) if counts else 0
    divides = at > 0 and (_LEFT.search(text) or _NAMELY.match(text, counts[at].end))
    rest = counts[at + 1 :] if divides else []
    if rest and rest[0].number == len(rest) - 1:  # `1,946 records of four species, namely`
        rest = rest[1:]
    return [counts[at], *rest] if rest else []


def _behind_colon(text: str, counts: list[Counted]) -> list[Counted]:
    """Without small numbers between the first count and a colon: `28 articles had three topics: stigma (12), …`."""
    colon = text.find(":")
    return [each for at, each in enumerate(counts) if at == 0 or each.start > colon or each.number >= _FEWEST]


def _measured(text: str) -> list[Counted]:
    """Whole numbers that all have one unit, or whose whole alone has it: `41 days (11 in spring, 30 in autumn)`."""
    matches = list(_WITH_UNIT.finditer(text))
    units = {match["unit"] or match["currency"] for match in matches}
    if len(units) != 1:
        return []
    found = [Counted(count(match["number"] or match["amount"]), match.start(), match.end()) for match in matches]
    numbers = len(re.findall(r"\d[\d,.]*", text))
    if len(found) == 1 and _OPENS_LIST.match(text, found[0].end):
        found += [each for each in counted(text) if each.start > found[0].end]
    return found if len(found) == numbers else []


def _whole(text: str, counts: Sequence[Counted]) -> Counted:
    """The largest count; where some have left, the one that they left: `seven of the 52 withdrew, leaving 54`."""
    if _LEFT.search(text):
        told = [each for each in counts if _OF.search(text[: each.start])]
        if len(told) == 1 and told[0].number > min(counts).number:
            return told[0]
    return max(counts)


def _tells_groups(text: str, each: Counted) -> bool:
    """Whether a number is that of the groups: `into three groups`."""
    return (
        each.number < 13 and _GROUPS.match(text, each.end) is not None and _INTO.search(text[: each.start]) is not None
    )


def _all_told(text: str, whole: Counted, counts: Sequence[Counted]) -> bool:
    """Whether the parts are all that there is, by a word or by how they are listed."""
    first, before = whole is counts[0], text[: whole.start]
    parts = [each.number for each in counts if each is not whole]
    if first and len(parts) == 2 and _FATES.search(text):
        return True
    if _LEFT.search(text):
        return first or _OF.search(before) is not None
    if len(parts) == 2 and min(parts) < _SMALLEST * whole.number:
        return False
    return _is_listed(text, whole, first=first) or _is_shared_out(text, whole, counts, parts)


def _is_listed(text: str, whole: Counted, *, first: bool) -> bool:
    """Whether the parts stand behind a colon, in a bracket or after `of these`, or the whole behind them."""
    before = text[: whole.start]
    at_end = not counted(text[whole.end :]) and not re.search(r"\b[nN] = \d", before)
    named = at_end and re.search(r"(?<![\w-])[nN] = $", before) is not None
    return named or (first and _LISTED.fullmatch(text, whole.end) is not None)


def _is_shared_out(text: str, whole: Counted, counts: Sequence[Counted], parts: Sequence[int]) -> bool:
    """Whether a word says that the whole is divided, or one digit is all that its parts lack to make it up."""
    before = text[: whole.start]
    marked = whole is counts[0] or _MARKED.search(before) or _IN_ALL.search(text[whole.end :])
    for sign, lost in _LOST_FROM.items():
        if marked and sign.search(text) and not lost.search(text) and (sign is not _SEXES or len(parts) == 2):
            return True
    slip = abs(sum(parts) - whole.number) in _SLIPS
    return slip and _OPENS.search(before) is not None and not _LOST_FROM[_IN_ALL].search(text)


def _is_complete(text: str, after: str, whole: Counted, counts: Sequence[Counted]) -> bool:
    """Whether the text says that a list is complete, and one slip is all that its sum lacks of the whole beside it."""
    parts = [each.number for each in counts if each is not whole]
    off = sum(parts) - whole.number
    slip = any(
        digits_differ_by_slip(str(number), str(number + sign * off))
        for number, sign in [(whole.number, 1), *((part, -1) for part in parts)]
    )
    listed = whole in {counts[0], counts[-1]} and not re.search(r"\d ?– ?\d|\d ,", text)
    return listed and slip and _COMPLETE.search(f"{text} {after}") is not None


def _explained(text: str, whole: Counted, counts: Sequence[Counted]) -> bool:
    """Whether one of the counts is the sum of others; in a plain list behind a colon that is chance."""
    plain = whole is counts[0] and re.fullmatch(r"[^\d:()]*(?::|, namely)[^():]*", text[whole.end :]) is not None
    numbers = [each.number for each in counts]
    return (
        not plain
        and any(
            sum(chosen) == number >= _FEWEST  # smaller ones are met by chance
            for at, number in enumerate(numbers)
            for size in range(2, len(numbers))
            for chosen in combinations([*numbers[:at], *numbers[at + 1 :]], size)
        )
    )


def _without_shares(text: str) -> str:
    """The text without `(38.2%)` behind a count, `n (%)`, and `61 years (range 40 to 82)`."""
    return re.sub(r"\s?[(\[]\s?\d{1,3}(?:\.\d+)?\s?%[^()\[\]]{0,15}[)\]]|,? \d{1,3}(?:\.\d+)?\s?%(?=[;,)])", "", text)
