"""What changed between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_SHORTEST_SAME = 2
"""In words. Fewer words that happen to stay between two changes are shown as part of the change: it reads better."""


class Change(NamedTuple):
    """A piece of text that stayed, went or came."""

    kind: Literal["same", "removed", "added"]
    text: str


def word_changes(before: str, after: str) -> list[Change]:
    """The pieces of both texts in order; those that are not `added` make up `before`, those not `removed`, `after`."""
    return [change for change in _changes(_words(before), _words(after)) if change.text]


def _changes(old: list[str], new: list[str]) -> Iterator[Change]:
    removed, added = "", ""
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        at_an_end = a == 0 or b == len(old)
        if operation == "equal" and (b - a >= _SHORTEST_SAME or at_an_end):
            yield from (Change("removed", removed), Change("added", added), Change("same", "".join(new[c:d])))
            removed, added = "", ""
        else:
            removed, added = removed + "".join(old[a:b]), added + "".join(new[c:d])
    yield from (Change("removed", removed), Change("added", added))


def _words(text: str) -> list[str]:
    """Words with the white space after them, so that the pieces joined are the text again."""
    return re.findall(r"\s*\S+\s*", text)
