"""Exact edits of a text: a piece is found as it stands there, and replaced or taken out by code."""

from __future__ import annotations

import re
from typing import Final

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
