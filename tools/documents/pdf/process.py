"""Read a PDF with PDFium into title, headings, paragraphs, references and hidden text.

This module runs in a process of its own (`parser_process`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby, pairwise

import pypdfium2
import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfMatrix

from state.documents import HiddenText
from state.errors import InputError
from tools.documents.parser_process import (
    MAX_CHARACTERS,
    UnreadableFileError,
    describe_page_limit,
    extract_from_stdin,
    limit_resource,
)
from tools.documents.pdf.page_lines import Line, PdfPage, build_page_lines
from tools.documents.pdf.painting import PageTextExtractor
from tools.documents.pdf.paragraphs import (
    GroupedLines,
    TypeArea,
    build_vocabulary,
    compute_line_gap,
    is_followed_by,
    join_lines,
    remove_running_lines,
)
from tools.documents.pdf.unprinted_text import list_unprinted_text
from tools.documents.structure import (
    MAX_TITLE_WORDS,
    REFERENCE_LABEL,
    SECTION_HEADING,
    Block,
    DocumentParts,
    clean_characters,
    clean_line,
    is_abstract_start,
    is_references_end,
    is_references_heading,
    keep_letters,
)

# Processor time per page, including the start of the process and the opening of the file. Messages and documents say
# 2 seconds, because the limit is in whole seconds.
SECONDS_PER_PAGE = 1.6
_limit_processor_time = partial(limit_resource, "RLIMIT_CPU")


def parse_pdf(data: bytes, max_pages: int, allow: Callable[[float], None] = _limit_processor_time) -> DocumentParts:
    """Parse a PDF in this process; `allow` limits its processor time in proportion to the number of pages.

    Raises:
        UnreadableFileError: The file is damaged.
        InputError: The file is encrypted, too long, or has no text.
    """
    allow(SECONDS_PER_PAGE)
    if b"%PDF-" not in data[:1024]:
        raise UnreadableFileError("it may be a web page that was saved under this name")
    try:
        document = PdfDocument(data)
    except PdfiumError as error:
        if error.err_code not in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise UnreadableFileError("its structure is damaged") from None
        message = "is encrypted and needs a password; save a copy without the password and try again."
        raise InputError(message, kind="encrypted_pdf") from None
    if not len(document):
        raise UnreadableFileError("it has no pages")
    if len(document) > max_pages:
        raise InputError(describe_page_limit(len(document), max_pages), kind="input_too_long")
    allow(SECONDS_PER_PAGE * len(document))
    pages, unreadable = _read_pages(document)
    unprinted = list[HiddenText]()
    with suppress(Exception):  # notes, forms and metadata may be damaged in any way even if the pages are not
        unprinted = list_unprinted_text(data)
    return _build_parts(pages, unreadable, title=document.get_metadata_value("Title"), unprinted=unprinted)


def _read_pages(document: PdfDocument) -> tuple[list[PdfPage], list[str]]:
    """Read all pages; return them, empty if they cannot be read, and a warning for each of those."""
    pages: list[PdfPage] = []
    unreadable: list[str] = []
    characters = 0
    for number in range(1, len(document) + 1):
        try:
            pages.append(_read_page(document[number - 1]))
        except PdfiumError:
            pages.append(PdfPage(height=0, matrix=PdfMatrix(), pieces=[]))
            unreadable.append(f"page {number} could not be read and was left out")
        characters += sum(len(piece["text"]) + 1 for piece in pages[-1]["pieces"])
        if characters > MAX_CHARACTERS:
            message = f"holds more than {MAX_CHARACTERS:,} characters of text; pass the part that matters."
            raise InputError(message, kind="input_too_long")
    if len(unreadable) == len(pages):
        raise UnreadableFileError(unreadable[0])
    return pages, unreadable


def _read_page(page: pypdfium2.PdfPage) -> PdfPage:
    """Read the pieces of a page, with the hidden ones marked, and close the page."""
    x0, y0, x1, y1 = page.get_bbox()
    # Matrices from the file's coordinates to those of the page as it is shown, and back, by the page's rotation.
    to_page, to_file = {
        0: ((1, 0, 0, 1, -x0, -y0), (1, 0, 0, 1, x0, y0)),
        90: ((0, -1, 1, 0, -y0, x1), (0, 1, -1, 0, x1, y0)),
        180: ((-1, 0, 0, -1, x1, y1), (-1, 0, 0, -1, x1, y1)),
        270: ((0, 1, -1, 0, y1, -x0), (0, -1, 1, 0, x0, y1)),
    }[page.get_rotation()]
    width, height = page.get_size()
    text_page = page.get_textpage()
    pieces = PageTextExtractor(page.raw, text_page.raw, PdfMatrix(*to_page), (0, 0, width, height)).extract_pieces()
    text_page.close()
    page.close()
    return PdfPage(height=height, matrix=PdfMatrix(*to_file), pieces=pieces)


def _build_parts(
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
    title = _choose_title(title, page_lines[0])
    title = "" if SECTION_HEADING.fullmatch(title) else title
    lines = [line for page in remove_running_lines(page_lines, [page["height"] for page in pages]) for line in page]
    blocks = _build_blocks(lines, title)
    # 3. Transform the boxes of words to the file's coordinates, which annotations use.
    for word in (word for block in blocks for word in block.words):
        box = pages[word["page"] - 1]["matrix"].on_rect(*word["box"])
        word["box"] = [round(value, 2) for value in box]
    hidden = [text for number, page in enumerate(pages, start=1) for text in _iterate_hidden_text(page, number)]
    return DocumentParts(title, blocks, [*hidden, *unprinted], len(pages), warnings)


def _choose_title(metadata: str, lines: list[Line]) -> str:
    """Return the metadata's title if the first page has it, else that page's largest type that fits; may be empty.

    The title in the metadata is often a file name.
    """
    title = clean_line(metadata)
    if len(title.split()) > 1 and keep_letters(title) in keep_letters("".join(line.text for line in lines)):
        return title
    sizes = Counter[float]()
    for line in lines:
        sizes[line.size] += len(line.text)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    # The first run of lines that has the length of a title, in the largest type possible.
    for size in sorted((size for size in sizes if size > body), reverse=True):
        run = next(list(group) for found, group in groupby(lines, key=lambda line: line.size) if found == size)
        text = " ".join(line.text for line in run)
        if 1 < len(text.split()) <= MAX_TITLE_WORDS and not is_abstract_start(text):
            return text
    # A page in one type size has its title in the first line, if an abstract follows.
    return lines[0].text if any(is_abstract_start(line.text) for line in lines[1:]) else ""


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
        blocks.append(Block("heading" if group.role == "heading" else "paragraph", text, group.lines[0].page, places))
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


def _iterate_hidden_text(page: PdfPage, number: int) -> Iterator[HiddenText]:
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


if __name__ == "__main__":
    extract_from_stdin(parse_pdf)
