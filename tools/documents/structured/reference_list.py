"""The list of references: where it begins and ends, and its entries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from state.documents import Reference
from tools.documents.sections import APPENDIX, REFERENCES
from tools.documents.structured.blocks import Block

LABEL = re.compile(r"\[(?P<bracketed>[^\[\]\s][^\[\]]{0,30})\]\s*|(?P<number>\d{1,3})\.\s+")
_AFTER = re.compile(
    r"(?i:author contributions|acknowledge?ments?|biograph|about the authors?|checklist|ethic|funding|data availab)"
)


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
