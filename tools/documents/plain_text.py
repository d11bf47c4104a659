"""The parts of a plain text: paragraphs between blank lines, numbered or well-known lines as headings."""

from __future__ import annotations

import re
from statistics import median

from tools.documents.parts import Block, Parts, mark_references, opens_references
from tools.documents.sections import APPENDIX, HEADING, opens_abstract
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
    return Parts(title, mark_references(blocks), written=text)


def _with_blank_lines(text: str) -> str:
    if re.search(r"\n\s*\n", text):
        return text
    lines = text.split("\n")
    usual = sorted(len(line) for line in lines)[len(lines) // 2]
    return "\n\n".join(lines) if usual > _LONG_LINE else _reflow(lines)


def _is_heading(line: str) -> bool:
    name = line.rstrip(": ")
    named = opens_references(name) or (opens_abstract(line) and len(line) < 20)
    return bool(named or APPENDIX.match(name) or HEADING.fullmatch(name.title() if name.isupper() else name))


def _reflow(lines: list[str]) -> str:
    """Lines to paragraphs, one blank line between them; a short line that ends a sentence ends its paragraph."""
    usual = median(len(line) for line in lines)
    paragraphs: list[list[str]] = []
    new = True
    for line in lines:
        heading = HEADING.fullmatch(line) is not None
        if new or heading:
            paragraphs.append([])
        paragraphs[-1].append(line)
        new = heading or (len(line) < 0.8 * usual and line.endswith((".", "?", "!", ":")))
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)
