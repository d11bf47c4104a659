"""The parts of a PDF: its title, headings, paragraphs, references, and the text that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from state.documents import HiddenText
from state.errors import BadInput
from tools.documents.pdf.layout import TypeArea, follows, gap, without_running_lines
from tools.documents.pdf.page_lines import Beside, Line, PdfPage, moved, page_lines
from tools.documents.pdf.paragraphs import Grouping, join_lines, vocabulary
from tools.documents.structure import (
    HEADING,
    LABEL,
    Block,
    Parts,
    clean_characters,
    closes_references,
    keep_letters,
    opens_references,
    pdf_title,
)


def assemble(pages: list[PdfPage], unreadable: list[str], *, title: str, beside: list[Beside]) -> Parts:
    """Put the pieces of all pages together.

    Args:
        pages: Those that could not be read hold no pieces.
        unreadable: One sentence for every page that could not be read.
        title: From the metadata, where it is often missing or wrong.
        beside: Text that no page paints.

    Raises:
        BadInput: No page has text.
    """
    seen = [[piece for piece in page["pieces"] if not piece["hidden"]] for page in pages]
    empty = sum(not any(map(str.isalnum, "".join(piece["text"] for piece in pieces))) for pieces in seen)
    if empty == len(pages):
        raise BadInput(
            "has no text, only images; run OCR on it first (for example with `ocrmypdf`) and try again.",
            kind="pdf_without_text",
        )
    warnings = [clean_characters(warning) for warning in unreadable]
    if empty > len(unreadable):
        warnings.append(f"no text was found on {empty - len(unreadable)} of {len(pages)} pages (images need OCR)")
    read = [page_lines(page, number) for number, page in enumerate(pages, start=1)]
    title = pdf_title(title, [(line.size, line.text) for line in read[0]])
    title = "" if HEADING.fullmatch(title) else title
    lines = [line for page in without_running_lines(read, [page["height"] for page in pages]) for line in page]
    blocks = _blocks(lines, title)
    for word in (word for block in blocks for word in block.words):
        x0, y0, x1, y1 = word["box"]
        box = moved((x0, y0, x1, y1), pages[word["page"] - 1]["matrix"])
        word["box"] = [round(value, 2) for value in box]
    return Parts(
        title=title,
        blocks=blocks,
        hidden=[
            *(text for number, page in enumerate(pages, start=1) for text in _hidden(page, number)),
            *(HiddenText(text=clean_characters(text), page=page, reason=why) for page, text, why in beside),
        ],
        pages=len(pages),
        warnings=warnings,
    )


def _blocks(lines: list[Line], title: str) -> list[Block]:
    if not lines:
        return []
    area, words = TypeArea(lines), vocabulary(lines)
    blocks: list[Block] = []
    listed: list[Line] = []
    in_references = False
    for group in Grouping(lines, area).groups:
        text, places = join_lines(group.lines, words)
        if group.role == "heading" and opens_references(text):
            in_references = True
        elif in_references and group.role == "heading" and closes_references(text):
            in_references = False
        elif in_references:
            listed += group.lines
            continue
        if group.role == "heading" and keep_letters(text) and keep_letters(text) in keep_letters(title):
            continue
        block = Block("paragraph", text, group.lines[0].page, places)
        blocks.append(replace(block, kind="heading") if group.role == "heading" else block)
    for entry in _entries(listed, area):
        text, places = join_lines(entry, words)
        blocks.append(Block("reference", text, entry[0].page, places))
    return blocks


def _entries(lines: Sequence[Line], area: TypeArea) -> list[list[Line]]:
    """Lines of the list to entries: by their labels, else by hanging indentation, else by the gaps between them."""
    labelled = sum(LABEL.match(line.text) is not None for line in lines) > 0.1 * len(lines)
    hanging = any(area.hangs(line) for line in lines)
    entries: list[list[Line]] = []
    for line in lines:
        last = entries[-1][-1] if entries else line
        if labelled:
            new = LABEL.match(line.text) is not None
        elif hanging:
            new = not area.hangs(line)
        else:
            new = follows(last, line) and gap(last, line) > 1.15 * area.leading(line)
        if new or not entries:
            entries.append([])
        entries[-1].append(line)
    return entries


def _hidden(page: PdfPage, number: int) -> Iterable[HiddenText]:
    for reason, group in groupby(page["pieces"], key=lambda piece: piece["hidden"]):
        if not reason:
            continue
        pieces = list(group)
        text = pieces[0]["text"]
        for before, piece in pairwise(pieces):
            near = abs(piece["box"][0] - before["box"][2]) < 0.15 * max(piece["size"], 0.1)
            text += ("" if near and before["baseline"] == piece["baseline"] else " ") + piece["text"]
        text = clean_characters(text)
        if re.search(r"[^\W\d_]{2}", text):
            yield HiddenText(text=text, page=number, reason=reason)
