"""What every format is taken apart into, and where its list of references begins and ends.

Which block is the abstract is told later, in `outline`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from state.documents import HiddenText, Reference, Word
from tools.documents.sections import APPENDIX, REFERENCES

LABEL = re.compile(r"\[(?P<bracketed>[^\[\]\s][^\[\]]{0,30})\]\s*|(?P<number>\d{1,3})\.\s+")
_AFTER = re.compile(
    r"(?i:author contributions|acknowledge?ments?|biograph|about the authors?|checklist|ethic|funding|data availab)"
)


@dataclass
class Block:
    """A heading, a paragraph, or an entry of the list of references."""

    kind: Literal["heading", "paragraph", "reference"]
    text: str
    page: int = 0
    words: list[Word] = field(default_factory=list)
    level: int = 0
    """Of a heading, from 1; 0 where the format does not tell it."""


@dataclass
class Parts:
    """A paper as one of the formats gives it, in reading order."""

    title: str
    blocks: list[Block]
    hidden: list[HiddenText] = field(default_factory=list)
    pages: int = 0
    warnings: list[str] = field(default_factory=list)
    written: str = ""
    """The text with its lines as they are, of a format that is text already."""


def opens_references(heading: str) -> bool:
    """Whether a heading is that of the list of references."""
    return REFERENCES.match(heading) is not None


def closes_references(heading: str) -> bool:
    """Whether a heading within the list of references ends it."""
    return bool(APPENDIX.match(heading) or _AFTER.search(heading) or re.match(r"(?:[A-Z]|\d+)(?:\.\d+)*\.?\s", heading))


def references(texts: Sequence[str]) -> list[Reference]:
    """Entries with their labels as ids; r1, r2, ... where they have none, or one that another has."""
    entries: list[Reference] = []
    taken: set[str] = set()
    for number, text in enumerate(texts, start=1):
        label = LABEL.match(text)
        name = (label["bracketed"] or label["number"]) if label else ""
        if not name or name in taken:
            name = f"r{number}"
        taken.add(name)
        entries.append(Reference(id=name, text=text[label.end() :] if label else text))
    return entries


def mark_references(blocks: Sequence[Block]) -> list[Block]:
    """Blocks in which the paragraphs of the list of references are references, one an entry."""
    marked: list[Block] = []
    inside = False
    for block in blocks:
        if block.kind == "heading":
            inside = opens_references(block.text)
        if inside and block.kind == "paragraph":
            marked += [Block("reference", text) for text in _entries(block.text)]
        else:
            marked.append(replace(block, text=block.text.replace("\n", " ")))
    return marked


def _entries(text: str) -> list[str]:
    """A paragraph to entries: every line that begins with a label begins one, and every number in brackets."""
    entries: list[str] = []
    for line in re.split(r"\n|\s(?=\[\d{1,3}\]\s)", text):
        if not entries or LABEL.match(line):
            entries.append(line)
        else:
            entries[-1] += f" {line}"
    return entries
