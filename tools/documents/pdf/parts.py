"""Build the parts of a PDF: title, headings, paragraphs, references and hidden text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Literal

from state.documents import HiddenText
from state.errors import InputError
from tools.documents.pdf.layout import TypeArea, compute_line_gap, is_followed_by, remove_running_lines
from tools.documents.pdf.page_lines import Line, PdfPage, build_page_lines
from tools.documents.pdf.paragraphs import GroupedLines, build_vocabulary, join_lines
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
    pages: list[PdfPage], unreadable: list[str], *, title: str, unprinted: list[HiddenText]
) -> DocumentParts:
    """Build the parts of a document from the pieces of its pages.

    Unreadable pages have no pieces, but a warning each. The title in the metadata is often missing or wrong.

    Raises:
        InputError: No page has text.
    """
    # 1. Check that there is text.
    visible = ["".join(piece["text"] for piece in page["pieces"] if not piece["hidden"]) for page in pages]
    empty = sum(not any(map(str.isalnum, text)) for text in visible)
    if empty == len(pages):
        message = "has no text, only images; run OCR on it first (for example with `ocrmypdf`) and try again."
        raise InputError(message, kind="pdf_without_text")
    warnings = [clean_characters(warning) for warning in unreadable]
    if empty > len(unreadable):
        warnings.append(f"no text was found on {empty - len(unreadable)} of {len(pages)} pages (images need OCR)")
    # 2. Build the lines, then the blocks.
    page_lines = [build_page_lines(page, number) for number, page in enumerate(pages, start=1)]
    title = choose_pdf_title(title, [(line.size, line.text) for line in page_lines[0]])
    title = "" if SECTION_HEADING.fullmatch(title) else title
    lines = [line for page in remove_running_lines(page_lines, [page["height"] for page in pages]) for line in page]
    blocks = _build_blocks(lines, title)
    # 3. Transform the boxes of words to the file's coordinates, which annotations use.
    for word in (word for block in blocks for word in block.words):
        box = pages[word["page"] - 1]["matrix"].on_rect(*word["box"])
        word["box"] = [round(value, 2) for value in box]
    return DocumentParts(
        title=title,
        blocks=blocks,
        hidden=[
            *(text for number, page in enumerate(pages, start=1) for text in _iterate_hidden_text(page, number)),
            *unprinted,
        ],
        pages=len(pages),
        warnings=warnings,
    )


def _build_blocks(lines: list[Line], title: str) -> list[Block]:
    """Build headings and paragraphs from lines in reading order, without the title, and then the references."""
    if not lines:
        return []
    area, words = TypeArea(lines), build_vocabulary(lines)
    blocks: list[Block] = []
    reference_lines: list[Line] = []
    in_references = False
    for group in GroupedLines(lines, area).groups:
        text, places = join_lines(group.lines, words)
        if group.role == "heading" and is_references_heading(text):
            in_references = True
        elif in_references and group.role == "heading" and is_references_end(text):
            in_references = False
        elif in_references:
            reference_lines += group.lines
            continue
        is_large = group.role == "heading" or group.lines[0].size > 1.2 * area.body
        if is_large and keep_letters(text) and keep_letters(text) in keep_letters(title):
            continue  # a line of the title
        kind: Literal["heading", "paragraph"] = "heading" if group.role == "heading" else "paragraph"
        blocks.append(Block(kind, text, group.lines[0].page, places))
    for entry in _group_reference_lines(reference_lines, area):
        text, places = join_lines(entry, words)
        blocks.append(Block("reference", text, entry[0].page, places))
    return blocks


def _group_reference_lines(lines: Sequence[Line], area: TypeArea) -> list[list[Line]]:
    """Group lines into references by their labels, else by hanging indentation, else by the gaps between them."""
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
    """Iterate over the hidden texts of a page, each joined from pieces in a row with the same reason."""
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
