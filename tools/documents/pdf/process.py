"""Reads the words of one PDF with pdfminer.six, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from io import BytesIO

from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError
from pdfminer.pdfexceptions import PDFException
from pdfminer.pdfinterp import PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.psexceptions import PSException
from pdfminer.utils import MATRIX_IDENTITY, Matrix, decode_text

from state.errors import BadInput
from tools.documents.guarded import (
    MAX_CHARACTERS,
    Unreadable,
    allow_processor_time,
    answer,
    in_one_line,
    too_many_pages,
)
from tools.documents.pdf.beside import beside_pages
from tools.documents.pdf.page_lines import Beside, PdfPage
from tools.documents.pdf.painting import Interpreter, Painter
from tools.documents.pdf.parts import assemble
from tools.documents.structure import Parts

PAGE_S = 1.6
"""Processor time for each page, with the start of the process and all that is done to open the file.

It may end a little later than allowed, which the user is told as 2 seconds.
"""
_TOO_SLOW = "it takes more than 2 seconds of a processor a page"
# The libraries' own errors, and what thousands of truncated, cut and bit-flipped files were seen to raise from their
# depths beside them.
_MALFORMED = (
    PDFException,
    PSException,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    AssertionError,
    ArithmeticError,
    NotImplementedError,
    OSError,
    RecursionError,
    MemoryError,
)


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
    document, pages = _open(data, max_pages, allow)
    sheets, unreadable = _read_pages(pages)
    title, beside = "", list[Beside]()
    # The metadata, notes and forms may be broken where the pages are not.
    with suppress(*_MALFORMED):
        title = decode_text(next((info["Title"] for info in document.info if "Title" in info), b""))
    with suppress(*_MALFORMED):
        beside = beside_pages(document, pages)
    return assemble(sheets, unreadable, title=title, beside=beside)


def _open(data: bytes, max_pages: int, allow: Allow) -> tuple[PDFDocument, list[PDFPage]]:
    allow(PAGE_S, _TOO_SLOW)
    if b"%PDF-" not in data[:1024]:
        raise Unreadable("it may be a web page that was saved under this name")
    pages: list[PDFPage] = []
    try:
        document = PDFDocument(PDFParser(BytesIO(data)))
        for page in PDFPage.create_pages(document):
            pages.append(page)
            if len(pages) > max_pages:
                break
            allow(PAGE_S * len(pages), _TOO_SLOW)
    except PDFEncryptionError:
        raise BadInput(
            "is encrypted and needs a password; save a copy without the password and try again.", kind="encrypted_pdf"
        ) from None
    except _MALFORMED as error:
        raise Unreadable(in_one_line(error)) from None
    if not pages:
        raise Unreadable("it has no pages")
    if len(pages) > max_pages:
        raise BadInput(too_many_pages(len(pages), max_pages), kind="input_too_long")
    return document, pages


def _read_pages(pages: list[PDFPage]) -> tuple[list[PdfPage], list[str]]:
    """The pieces of every page, and a sentence for each that cannot be read, which is not fatal."""
    resources = PDFResourceManager()
    sheets: list[PdfPage] = []
    unreadable: list[str] = []
    characters = 0
    for number, page in enumerate(pages, start=1):
        painter = Painter(resources)
        try:
            Interpreter(resources, painter).process_page(page)
            pieces = painter.pieces()
            sheet = PdfPage(width=painter.width, height=painter.height, matrix=_to_file(page), pieces=pieces)
        except _MALFORMED as error:
            sheet = PdfPage(width=0, height=0, matrix=MATRIX_IDENTITY, pieces=[])
            unreadable.append(f"page {number} could not be read and was left out: {in_one_line(error)}")
        sheets.append(sheet)
        characters += sum(len(piece["text"]) + 1 for piece in sheet["pieces"])
        if characters > MAX_CHARACTERS:
            raise BadInput(
                f"holds more than {MAX_CHARACTERS:,} characters of text; pass the part that matters.",
                kind="input_too_long",
            )
    if len(unreadable) == len(sheets):
        raise Unreadable(unreadable[0])
    return sheets, unreadable


def _to_file(page: PDFPage) -> Matrix:
    """Inverse of the matrix with which pdfminer.six turns a page the way it is shown."""
    x0, y0, x1, y1 = page.mediabox
    turned: dict[int, Matrix] = {
        90: (0, 1, -1, 0, x1, y0),
        180: (-1, 0, 0, -1, x1, y1),
        270: (0, -1, 1, 0, x0, y1),
    }
    return turned.get(page.rotate, (1, 0, 0, 1, x0, y0))


if __name__ == "__main__":
    answer(read)
