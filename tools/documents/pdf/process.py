"""Reads the words of one PDF with PDFium, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from ctypes import byref, create_string_buffer
from typing import Any

import pypdfium2.raw as pdfium

from state.errors import BadInput
from tools.documents.guarded import MAX_CHARACTERS, Unreadable, allow_processor_time, answer, too_many_pages
from tools.documents.pdf.beside import beside_pages
from tools.documents.pdf.page_lines import Beside, PdfPage
from tools.documents.pdf.painting import Painter
from tools.documents.pdf.parts import assemble
from tools.documents.structure import Parts

PAGE_S = 1.6
"""Processor time for each page, with the start of the process and all that is done to open the file.

It may end a little later than allowed, which the user is told as 2 seconds.
"""
_TOO_SLOW = "it takes more than 2 seconds of a processor a page"
_LONGEST_TITLE = 4_000  # bytes

Allow = Callable[[float, str], None]
"""Is told how many seconds of processor time the process may take in all, and what is wrong where it takes more."""


def read(data: bytes, max_pages: int) -> Parts:
    """Read a PDF in a process that takes at most 2 seconds of a processor for each of its pages, as `extract` does."""
    return extract(data, max_pages, allow_processor_time)


def extract(data: bytes, max_pages: int, allow: Allow = lambda *_: None) -> Parts:
    """Read a PDF.

    Raises:
        Unreadable: It is damaged, or takes longer than `allow` was told.
        BadInput: It is encrypted, too long, or holds no text.
    """
    allow(PAGE_S, _TOO_SLOW)
    document = _open(data)
    try:
        pages = pdfium.FPDF_GetPageCount(document)
        if not pages:
            raise Unreadable("it has no pages")
        if pages > max_pages:
            raise BadInput(too_many_pages(pages, max_pages), kind="input_too_long")
        allow(PAGE_S * pages, _TOO_SLOW)
        sheets, unreadable = _read_pages(document, pages)
        title = create_string_buffer(_LONGEST_TITLE)
        size = pdfium.FPDF_GetMetaText(document, b"Title", title, len(title))
    finally:
        pdfium.FPDF_CloseDocument(document)
    beside = list[Beside]()
    with suppress(Exception):  # notes, forms and metadata may be broken in any way where the pages are not
        beside = beside_pages(data)
    return assemble(sheets, unreadable, title=title.raw[:size].decode("utf-16-le", "replace"), beside=beside)


def _open(data: bytes) -> Any:
    if b"%PDF-" not in data[:1024]:
        raise Unreadable("it may be a web page that was saved under this name")
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    error = pdfium.FPDF_GetLastError()
    if not document and error in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        raise BadInput(
            "is encrypted and needs a password; save a copy without the password and try again.", kind="encrypted_pdf"
        )
    if not document:
        raise Unreadable("its structure is damaged")
    return document


def _read_pages(document: Any, count: int) -> tuple[list[PdfPage], list[str]]:
    """The pieces of every page, and a sentence for each that cannot be read, which is not fatal."""
    sheets: list[PdfPage] = []
    unreadable: list[str] = []
    characters = 0
    for number in range(1, count + 1):
        page = pdfium.FPDF_LoadPage(document, number - 1)
        text_page = pdfium.FPDFText_LoadPage(page) if page else None
        if text_page:
            sheets.append(_read_page(page, text_page))
        else:
            sheets.append(PdfPage(width=0, height=0, matrix=(1, 0, 0, 1, 0, 0), pieces=[]))
            unreadable.append(f"page {number} could not be read and was left out")
        pdfium.FPDFText_ClosePage(text_page)
        pdfium.FPDF_ClosePage(page)
        characters += sum(len(piece["text"]) + 1 for piece in sheets[-1]["pieces"])
        if characters > MAX_CHARACTERS:
            raise BadInput(
                f"holds more than {MAX_CHARACTERS:,} characters of text; pass the part that matters.",
                kind="input_too_long",
            )
    if len(unreadable) == len(sheets):
        raise Unreadable(unreadable[0])
    return sheets, unreadable


def _read_page(page: Any, text_page: Any) -> PdfPage:
    box = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, byref(box))
    # From the file's coordinates to those of the page as it is shown, and back.
    to_page, to_file = {
        0: ((1, 0, 0, 1, -box.left, -box.bottom), (1, 0, 0, 1, box.left, box.bottom)),
        1: ((0, -1, 1, 0, -box.bottom, box.right), (0, 1, -1, 0, box.right, box.bottom)),
        2: ((-1, 0, 0, -1, box.right, box.top), (-1, 0, 0, -1, box.right, box.top)),
        3: ((0, 1, -1, 0, box.top, -box.left), (0, -1, 1, 0, box.left, box.top)),
    }[pdfium.FPDFPage_GetRotation(page)]
    width, height = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
    pieces = Painter(page, text_page, to_page, (0, 0, width, height)).pieces()
    return PdfPage(width=width, height=height, matrix=to_file, pieces=pieces)


if __name__ == "__main__":
    answer(read)
