"""What changed between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

SHORTEST_SAME = 2
"""In words. Fewer words that happen to stay between two changes are shown as part of the change: it reads better."""


class Change(NamedTuple):
    """A piece of text that stayed, went or came."""

    kind: Literal["same", "removed", "added"]
    text: str


def word_changes(before: str, after: str) -> list[Change]:
    """The pieces of both texts in order; those that are not `added` make up `before`, those not `removed`, `after`."""
    return list(_changes(_words(before), _words(after)))


def _changes(old: list[str], new: list[str]) -> Iterator[Change]:
    removed, added = "", ""
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        at_an_end = a == 0 or b == len(old)
        if operation != "equal" or (b - a < SHORTEST_SAME and not at_an_end):
            removed, added = removed + "".join(old[a:b]), added + "".join(new[c:d])
            continue
        yield from _pair(removed, added)
        removed, added = "", ""
        yield Change("same", "".join(new[c:d]))
    yield from _pair(removed, added)


def _pair(removed: str, added: str) -> Iterator[Change]:
    if removed:
        yield Change("removed", removed)
    if added:
        yield Change("added", added)


def _words(text: str) -> list[str]:
    """Words with the white space after them, so that the pieces joined are the text again."""
    return re.findall(r"\s*\S+\s*", text)
