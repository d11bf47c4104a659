"""Exact edits of a text by code, and what changed between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final, Literal, NamedTuple

_EMPTY_BRACKETS: Final = re.compile(r"\(\s*[,;]?\s*\)|\[\s*\]")
_SPACE_BEFORE_STOP: Final = re.compile(r"[ \t]+(?=[,.;:!?)\]])")
_DOUBLED_STOP: Final = re.compile(r"([,;:])\s*(?=[,.;:!?])")
_OPENING_STOP: Final = re.compile(r"(^|[.!?]\s+|\n)[,;:]\s*")
_SPACES: Final = re.compile(r"(?<=\S)[ \t]{2,}")


def occurrences(text: str, piece: str) -> list[re.Match[str]]:
    """Where a piece stands in a text as whole words; white space may differ.

    An exact match comes first; only if there is none, one in another case counts ("the drug" for "The drug").
    """
    words = piece.split()
    if not words:
        return []
    before = r"(?<!\w)" if words[0][0].isalnum() else ""
    after = r"(?!\w)" if words[-1][-1].isalnum() else ""
    pattern = before + r"\s+".join(map(re.escape, words)) + after
    return list(re.finditer(pattern, text)) or list(re.finditer(pattern, text, re.IGNORECASE))


def substitute(text: str, original: str, replacement: str) -> str:
    """Replace a piece wherever it stands; a replacement of a capitalised piece is capitalised.

    Returns:
        The new text; the same text if the piece is not in it.
    """
    for match in reversed(occurrences(text, original)):
        text = text[: match.start()] + _in_case_of(match[0], replacement.strip()) + text[match.end() :]
    return text


def remove(text: str, piece: str) -> str:
    """Take a piece out wherever it stands, and mend white space, commas and capitals around it."""
    for match in reversed(occurrences(text, piece)):
        head, tail = text[: match.start()], text[match.end() :]
        begins_sentence = not head.strip() or head.rstrip().endswith((".", "!", "?")) or head.endswith("\n")
        tail = tail.lstrip(" ,;:") if begins_sentence else tail
        text = head + (_capitalised(tail) if begins_sentence else tail)
    return _tidy(text)


def _tidy(text: str) -> str:
    for pattern, replacement in (
        (_EMPTY_BRACKETS, ""),
        (_SPACES, " "),
        (_SPACE_BEFORE_STOP, ""),
        (_DOUBLED_STOP, ""),
        (_OPENING_STOP, r"\1"),
    ):
        text = pattern.sub(replacement, text)
    return text.strip()


def _in_case_of(found: str, replacement: str) -> str:
    return _capitalised(replacement) if found[:1].isupper() else replacement


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


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
