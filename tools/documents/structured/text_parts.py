"""The parts of a plain text: paragraphs between blank lines, numbered or well-known lines as headings."""

from __future__ import annotations

import re

from tools.documents.lines import HEADING, reflow
from tools.documents.sections import APPENDIX, opens_abstract
from tools.documents.structured.blocks import Block, Parts
from tools.documents.structured.reference_list import mark_references, opens_references
from tools.documents.titles import text_title

_LONG_LINE = 120  # characters; a text of such lines has one a paragraph


def text_parts(text: str) -> Parts:
    """Parts of a text; without blank lines, a long line is a paragraph and short ones are put together."""
    title = text_title(text.split("\n"))
    blocks: list[Block] = []
    for paragraph in re.split(r"\n\s*\n", _with_blank_lines(text.strip())):
        lines = [" ".join(line.split()) for line in paragraph.split("\n")]
        if not blocks and " ".join(lines) == title:
            continue
        if _is_heading(lines[0]):
            blocks.append(Block("heading", lines.pop(0)))
        if lines:
            blocks.append(Block("paragraph", "\n".join(lines)))
    return Parts(title, mark_references(blocks))


def _with_blank_lines(text: str) -> str:
    if re.search(r"\n\s*\n", text):
        return text
    lines = text.split("\n")
    usual = sorted(len(line) for line in lines)[len(lines) // 2]
    return "\n\n".join(lines) if usual > _LONG_LINE else reflow(lines)


def _is_heading(line: str) -> bool:
    name = line.rstrip(": ")
    named = opens_references(name) or (opens_abstract(line) and len(line) < 20)
    return bool(named or APPENDIX.match(name) or HEADING.fullmatch(name.title() if name.isupper() else name))
