"""Values that follow from others: people times hours, and group sizes from the ratio of an allocation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from tools.consistency.printed import COUNT, count
from tools.consistency.sizes import NUMBER_OR_WORD, whole_number
from tools.consistency.statements import Statement

_TIMES = re.compile(
    rf"(?<![\w.,/–-])(?P<number>{NUMBER_OR_WORD}) (?P<thing>[^\W\d_]+?)s for (?P<time>{NUMBER_OR_WORD})"
    rf" (?P<unit>hour|day|week|month|year)s\b[^.;]{{0,60}}?(?<![\d.,])(?P<product>{COUNT})"
    rf" (?P=thing)s?[- ](?P=unit)s\b",
    re.IGNORECASE,
)


def check_products(statement: Statement) -> Iterator[ComputedFinding]:
    """`Four accelerators for 72 hours, which amounts to 576 accelerator-hours`."""
    for match in _TIMES.finditer(statement.text):
        number, time, product = (whole_number(match[name]) for name in ("number", "time", "product"))
        if number * time != product:
            yield statement.finding(
                "one number, two values",
                "medium",
                match.span(),
                computation=f"{number} × {time} = {number * time}, printed is {product}",
                consistent=f"{number * time} {match['thing']}-{match['unit']}s, or other factors",
            )


_RATIO = re.compile(
    r"\b(?:ratio of (?P<first>\d):(?P<second>\d)|(?P<one>\d):(?P<other>\d) (?:ratio|randomi[sz]ation|allocation))\b"
)
_ALLOTTED = re.compile(r"\b(?:randomi[sz]ed|allotted|allocated|assigned|randomly)\b", re.IGNORECASE)
_GROUP = re.compile(rf"\(\s?[nN]\s?=\s?(?P<n>{COUNT})\s?\)")
_FAR = 1.3
"""Times by which simple randomisation hardly ever misses the ratio in groups of twenty or more."""


def check_allocation(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """`Randomised in a ratio of 2:1` beside `to books (n = 80) or vouchers (n = 80)`."""
    told = [(part, match) for part in parts for match in _RATIO.finditer(part.text) if _ALLOTTED.search(part.text)]
    groups = [(part, pair) for part in parts if (pair := _groups(part))]
    if len({match[0] for _, match in told}) != 1 or len(groups) != 1:
        return
    part, match = told[0]
    where, (one, other) = groups[0]
    planned = int(match["first"] or match["one"]) / int(match["second"] or match["other"])
    found = max(one, other) / min(one, other)
    furthest = max(planned, 1 / planned)
    if min(one, other) >= 20 and max(found / furthest, furthest / found) > _FAR:
        yield part.finding(
            "one number, two values",
            "medium",
            part.sentence_at(match.start()),
            computation=f"{one} and {other} ({where.paragraph['id']}) are in a ratio of {found:.2g}:1, "
            f"printed is {match[0]}",
            consistent="a ratio and group sizes that belong together",
        )


def _groups(part: Statement) -> tuple[int, int] | None:
    """The two group sizes of the only sentence that allots people to groups."""
    for start, end in part.sentences():
        sizes = [count(found["n"]) for found in _GROUP.finditer(part.text, start, end)]
        if len(sizes) == 2 and min(sizes) > 0 and _ALLOTTED.search(part.text, start, end):
            return sizes[0], sizes[1]
    return None
