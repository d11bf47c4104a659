"""The parts of a PDF: its title, headings, paragraphs, references, and the text that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from state.documents import HiddenText
from state.errors import InputError
from tools.documents.pdf.layout import TypeArea, compute_line_gap, is_followed_by, remove_running_lines
from tools.documents.pdf.page_lines import Line, PdfPage, UnprintedText, build_page_lines, transform_box
from tools.documents.pdf.paragraphs import LineGrouper, build_vocabulary, join_lines
from tools.documents.structure import (
    REFERENCE_LABEL,
    SECTION_HEADING,
    Block,
    DocumentParts,
    choose_pdf_title,
    clean_characters,
    is_references_end,
    is_references_heading,
    keep_letters,
)


def build_pdf_parts(
    pages: list[PdfPage], unreadable: list[str], *, title: str, beside: list[UnprintedText]
) -> DocumentParts:
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
        raise InputError(
            "has no text, only images; run OCR on it first (for example with `ocrmypdf`) and try again.",
            kind="pdf_without_text",
        )
    warnings = [clean_characters(warning) for warning in unreadable]
    if empty > len(unreadable):
        warnings.append(f"no text was found on {empty - len(unreadable)} of {len(pages)} pages (images need OCR)")
    read = [build_page_lines(page, number) for number, page in enumerate(pages, start=1)]
    title = choose_pdf_title(title, [(line.size, line.text) for line in read[0]])
    title = "" if SECTION_HEADING.fullmatch(title) else title
    lines = [line for page in remove_running_lines(read, [page["height"] for page in pages]) for line in page]
    blocks = _build_blocks(lines, title)
    for word in (word for block in blocks for word in block.words):
        x0, y0, x1, y1 = word["box"]
        box = transform_box((x0, y0, x1, y1), pages[word["page"] - 1]["matrix"])
        word["box"] = [round(value, 2) for value in box]
    return DocumentParts(
        title=title,
        blocks=blocks,
        hidden=[
            *(text for number, page in enumerate(pages, start=1) for text in _iterate_hidden_text(page, number)),
            *(HiddenText(text=clean_characters(text), page=page, reason=why) for page, text, why in beside),
        ],
        pages=len(pages),
        warnings=warnings,
    )


def _build_blocks(lines: list[Line], title: str) -> list[Block]:
    if not lines:
        return []
    area, words = TypeArea(lines), build_vocabulary(lines)
    blocks: list[Block] = []
    listed: list[Line] = []
    in_references = False
    for group in LineGrouper(lines, area).groups:
        text, places = join_lines(group.lines, words)
        if group.role == "heading" and is_references_heading(text):
            in_references = True
        elif in_references and group.role == "heading" and is_references_end(text):
            in_references = False
        elif in_references:
            listed += group.lines
            continue
        if group.role == "heading" and keep_letters(text) and keep_letters(text) in keep_letters(title):
            continue
        block = Block("paragraph", text, group.lines[0].page, places)
        blocks.append(replace(block, kind="heading") if group.role == "heading" else block)
    for entry in _group_reference_lines(listed, area):
        text, places = join_lines(entry, words)
        blocks.append(Block("reference", text, entry[0].page, places))
    return blocks


def _group_reference_lines(lines: Sequence[Line], area: TypeArea) -> list[list[Line]]:
    """Lines of the list to entries: by their labels, else by hanging indentation, else by the gaps between them."""
    labelled = sum(REFERENCE_LABEL.match(line.text) is not None for line in lines) > 0.1 * len(lines)
    hanging = any(area.is_hanging(line) for line in lines)
    entries: list[list[Line]] = []
    for line in lines:
        last = entries[-1][-1] if entries else line
        if labelled:
            new = REFERENCE_LABEL.match(line.text) is not None
        elif hanging:
            new = not area.is_hanging(line)
        else:
            new = is_followed_by(last, line) and compute_line_gap(last, line) > 1.15 * area.find_leading(line)
        if new or not entries:
            entries.append([])
        entries[-1].append(line)
    return entries


def _iterate_hidden_text(page: PdfPage, number: int) -> Iterable[HiddenText]:
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
