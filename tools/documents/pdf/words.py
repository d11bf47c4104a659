"""Lines of a PDF to running text in which every word knows its places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from state.documents import Word
from tools.documents.pdf.page_lines import Box, Line

_DIVIDED = re.compile(r"(?:.*\W)?(?P<head>\w+)[-\u2010]", re.DOTALL)
_TAIL = re.compile(r"(?!(?:and|or|to)$)\w")  # "token-" before "and sentence-level" is a whole word
_LAST_PARTS = {"aware", "based", "driven", "free", "level", "oriented", "related", "specific", "trained", "wise"}


@dataclass
class _Joined:
    text: str
    places: list[tuple[int, Box]]


def vocabulary(lines: Iterable[Line]) -> set[str]:
    """Words of a paper with and without the hyphens of compounds, to tell how it writes a divided word."""
    words = set(re.findall(r"\w+(?:-\w+)*", "\n".join(line.text.lower() for line in lines)))
    return words | {part for word in words for part in word.split("-")}


def join_lines(lines: Sequence[Line], words: set[str]) -> tuple[str, list[Word]]:
    """Text with one space between words, and the places of each word; both pieces of a divided word span all of it."""
    joined: list[_Joined] = []
    for line in lines:
        for at, token in enumerate(line.tokens):
            place = (line.page, token.box)
            divided = _DIVIDED.fullmatch(joined[-1].text) if at == 0 and joined else None
            if divided and _TAIL.match(token.text):
                hyphen = "-" if _is_compound(divided["head"].lower(), token.text, words) else ""
                joined[-1].text = joined[-1].text[:-1] + hyphen + token.text
                joined[-1].places.append(place)
            else:
                joined.append(_Joined(token.text, [place]))
    return " ".join(word.text for word in joined), list(_records(joined))


def _records(joined: list[_Joined]) -> Iterable[Word]:
    start = 0
    for word in joined:
        end = start + len(word.text)
        for page, box in word.places:
            yield Word(start=start, end=end, page=page, box=[round(value, 2) for value in box])
        start = end + 1


def _is_compound(head: str, tail: str, words: set[str]) -> bool:
    """Whether the hyphen at a line end belongs to the word, judged by how the rest of the paper writes it."""
    start = re.sub(r"[^\w-].*|-+$", "", tail.lower())
    if start and head + start.partition("-")[0] in words:
        return False
    if len(head) > 2 and start in _LAST_PARTS:
        return True
    return f"{head}-{start}" in words or "-" in start or not tail[0].islower() or head[-1].isdigit()
