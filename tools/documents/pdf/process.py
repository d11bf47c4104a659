"""Read a PDF with PDFium; this module runs in a process of its own (`parser_process`)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

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
    limit_processor_time,
)
from tools.documents.pdf.page_lines import PdfPage
from tools.documents.pdf.painting import PageTextExtractor
from tools.documents.pdf.parts import build_pdf_parts
from tools.documents.pdf.unprinted_text import list_unprinted_text
from tools.documents.structure import DocumentParts

# Processor time per page, including the start of the process and the opening of the file. Messages and documents say
# 2 seconds, because the process may end a little later.
SECONDS_PER_PAGE = 1.6
_TOO_SLOW = "it takes more than 2 seconds of processor time a page"


def parse_pdf(data: bytes, max_pages: int, allow: Callable[[float, str], None] = limit_processor_time) -> DocumentParts:
    """Parse a PDF in this process; `allow` limits its processor time in proportion to the number of pages.

    Raises:
        UnreadableFileError: The file is damaged, or takes too long.
        InputError: The file is encrypted, too long, or has no text.
    """
    allow(SECONDS_PER_PAGE, _TOO_SLOW)
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
    allow(SECONDS_PER_PAGE * len(document), _TOO_SLOW)
    pages, unreadable = _read_pages(document)
    unprinted = list[HiddenText]()
    with suppress(Exception):  # notes, forms and metadata may be damaged in any way even if the pages are not
        unprinted = list_unprinted_text(data)
    return build_pdf_parts(pages, unreadable, title=document.get_metadata_value("Title"), unprinted=unprinted)


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


if __name__ == "__main__":
    extract_from_stdin(parse_pdf)
