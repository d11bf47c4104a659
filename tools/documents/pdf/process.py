"""Reads the words of one PDF with PDFium, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pypdfium2
import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from state.errors import InputError
from tools.documents.parser_process import (
    MAX_CHARACTERS,
    UnreadableFileError,
    describe_page_limit,
    extract_from_stdin,
    limit_processor_time,
)
from tools.documents.pdf.page_lines import PdfPage, UnprintedText
from tools.documents.pdf.painting import PageTextExtractor
from tools.documents.pdf.parts import build_pdf_parts
from tools.documents.pdf.unprinted_text import list_unprinted_text
from tools.documents.structure import DocumentParts

# Processor time for each page, with the start of the process and all that is done to open the file. The process may
# end a little later than allowed, which the user is told as 2 seconds.
SECONDS_PER_PAGE = 1.6
_TOO_SLOW = "it takes more than 2 seconds of a processor a page"

TimeLimiter = Callable[[float, str], None]
"""Is told how many seconds of processor time the process may take in all, and what is wrong where it takes more."""


def read_pdf(data: bytes, max_pages: int, allow: TimeLimiter = limit_processor_time) -> DocumentParts:
    """Read a PDF in a process that takes at most 2 seconds of a processor for each of its pages.

    Raises:
        Unreadable: It is damaged, or takes longer than `allow` was told.
        BadInput: It is encrypted, too long, or holds no text.
    """
    allow(SECONDS_PER_PAGE, _TOO_SLOW)
    document = _open_document(data)
    if not len(document):
        raise UnreadableFileError("it has no pages")
    if len(document) > max_pages:
        raise InputError(describe_page_limit(len(document), max_pages), kind="input_too_long")
    allow(SECONDS_PER_PAGE * len(document), _TOO_SLOW)
    sheets, unreadable = _read_pages(document)
    beside = list[UnprintedText]()
    with suppress(Exception):  # notes, forms and metadata may be broken in any way where the pages are not
        beside = list_unprinted_text(data)
    return build_pdf_parts(sheets, unreadable, title=document.get_metadata_value("Title"), beside=beside)


def _open_document(data: bytes) -> PdfDocument:
    if b"%PDF-" not in data[:1024]:
        raise UnreadableFileError("it may be a web page that was saved under this name")
    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if error.err_code not in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise UnreadableFileError("its structure is damaged") from None
    raise InputError(
        "is encrypted and needs a password; save a copy without the password and try again.", kind="encrypted_pdf"
    )


def _read_pages(document: PdfDocument) -> tuple[list[PdfPage], list[str]]:
    """The pieces of every page, and a sentence for each that cannot be read, which is not fatal."""
    sheets: list[PdfPage] = []
    unreadable: list[str] = []
    characters = 0
    for number in range(1, len(document) + 1):
        try:
            sheets.append(_read_page(document[number - 1]))
        except PdfiumError:
            sheets.append(PdfPage(height=0, matrix=(1, 0, 0, 1, 0, 0), pieces=[]))
            unreadable.append(f"page {number} could not be read and was left out")
        characters += sum(len(piece["text"]) + 1 for piece in sheets[-1]["pieces"])
        if characters > MAX_CHARACTERS:
            raise InputError(
                f"holds more than {MAX_CHARACTERS:,} characters of text; pass the part that matters.",
                kind="input_too_long",
            )
    if len(unreadable) == len(sheets):
        raise UnreadableFileError(unreadable[0])
    return sheets, unreadable


def _read_page(page: pypdfium2.PdfPage) -> PdfPage:
    x0, y0, x1, y1 = page.get_bbox()
    # From the file's coordinates to those of the page as it is shown, and back.
    to_page, to_file = {
        0: ((1, 0, 0, 1, -x0, -y0), (1, 0, 0, 1, x0, y0)),
        90: ((0, -1, 1, 0, -y0, x1), (0, 1, -1, 0, x1, y0)),
        180: ((-1, 0, 0, -1, x1, y1), (-1, 0, 0, -1, x1, y1)),
        270: ((0, 1, -1, 0, y1, -x0), (0, -1, 1, 0, x0, y1)),
    }[page.get_rotation()]
    width, height = page.get_size()
    text_page = page.get_textpage()
    pieces = PageTextExtractor(page.raw, text_page.raw, to_page, (0, 0, width, height)).extract_pieces()
    text_page.close()
    page.close()
    return PdfPage(height=height, matrix=to_file, pieces=pieces)


if __name__ == "__main__":
    extract_from_stdin(read_pdf)
