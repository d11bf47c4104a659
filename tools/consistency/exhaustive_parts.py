"""Sentences that tell a whole and, by their words, all of its parts.

`Of the 310 screened, 62 were excluded and 248 were enrolled` has fates of which everyone meets one, `and the remaining
217` leaves nobody out, and `12 in the low-dose group` places everyone. Any other list may leave some out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tools.consistency.sizes import NUMBER_OR_WORD, whole_number

_SHARE = re.compile(r"\s?[(\[]\s?\d{1,3}(?:\.\d+)?\s?%\s?[)\]]")
"""`(38.2%)` behind a count, which tells nothing new."""
_NUMBER = re.compile(rf"(?<![\w.,/–-])(?P<number>{NUMBER_OR_WORD})(?!\s?%|[\w-])", re.IGNORECASE)
_WHOLE = re.compile(
    r"""
    (?: ^ | \b (?: of | all | used | studied | included | had ) [ ] (?: the [ ] | these [ ] )? ) $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What stands before the whole: nothing, `of the`, `a total of`."""
_REST = re.compile(r"\b(?:remaining|other|rest,?|leaving) $", re.IGNORECASE)
_GROUP = re.compile(
    r"""
    (?: [ ] [a-z]+ ){0,2} [ ] (?: in | to ) [ ] (?: the [ ] )? (?: [\w-]+ [ ] ){0,3}?
    (?: groups? | arms? | conditions? | cohorts? ) \b
    """,
    re.VERBOSE,
)
_FATES = (
    (
        r"excluded|ineligible|not eligible|declined|refused|withdrew|dropped out|lost to",
        r"enrolled|included|randomi[sz]ed|analy[sz]ed|completed|remained|participated|retained|took part",
    ),
    (r"died", r"survived|were alive"),
    (r"tested negative|were negative", r"tested positive|were positive"),
    (r"women|females?|girls|were female", r"men|males?|boys|were male"),
)
"""What befalls a person or thing, in pairs of which everyone meets one."""


class Counted(NamedTuple):
    """A number of a sentence with the words up to the next one."""

    number: int
    start: int
    before: str
    after: str


def exhaustive_parts(sentence: str) -> tuple[int, list[int]] | None:
    """The whole and its parts, if the sentence tells all of them and no other number."""
    plain = _SHARE.sub("", sentence)
    counted = _counted(plain)
    if len(counted) < 3 or not _WHOLE.search(counted[0].before) or re.search(r"\d[.:/]\d|%", plain):
        return None
    whole, parts = counted[0], counted[1:]
    if not (_share_fates(parts) or _REST.search(parts[-1].before) or all(_GROUP.match(part.after) for part in parts)):
        return None
    return whole.number, [part.number for part in parts]


def _counted(sentence: str) -> list[Counted]:
    matches = list(_NUMBER.finditer(sentence))
    ends = [*(match.start() for match in matches[1:]), len(sentence)]
    return [
        Counted(whole_number(match["number"]), match.start(), sentence[: match.start()], sentence[match.end() : end])
        for match, end in zip(matches, ends, strict=False)
    ]


def _share_fates(parts: Sequence[Counted]) -> bool:
    """Whether all parts but one meet one fate and that one meets the other."""
    for one, other in _FATES:
        met = [{name for name, fate in (("one", one), ("other", other)) if _meets(part.after, fate)} for part in parts]
        if all(len(each) == 1 for each in met):
            names = [next(iter(each)) for each in met]
            return names.count("other") == 1 or (len(parts) == 2 and set(names) == {"one", "other"})
    return False


def _meets(words: str, fate: str) -> bool:
    """Whether the fate is what is said next, and not after another clause."""
    return re.match(rf"(?: (?!and\b|but\b|whereas\b)[a-z’'-]+){{0,3}}? (?:{fate})\b", words) is not None
