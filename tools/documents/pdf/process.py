"""Reads the words of one PDF with pdfminer.six, in a process of its own.

pdfminer.six is exact about what is painted, and gives up on much damage. pypdf mends the frame of a file (its table of
objects, its tree of pages), so what pdfminer.six cannot read is read again from what pypdf writes.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO

from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFXRefFallback
from pdfminer.pdfexceptions import PDFException
from pdfminer.pdfinterp import PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.psexceptions import PSException
from pdfminer.utils import MATRIX_IDENTITY, Matrix, decode_text

from tools.documents.guarded import (
    MAX_CHARACTERS,
    OutOfTime,
    allow_processor_time,
    answer,
    end_of_allowance,
    in_one_line,
)
from tools.documents.pdf.beside import Beside, beside_pages
from tools.documents.pdf.page_lines import PdfPage, PdfPieces
from tools.documents.pdf.painting import Interpreter, Painter
from tools.documents.pdf.parts import PdfRead, put_together

PAGE_S = 1.5
"""Processor time for each page of a file, with the start of the process and all that is done to open the file."""
WHOLE_S = 1.9
"""The same with putting the pages together."""
_TOO_SLOW = "it takes more than 2 seconds of a processor a page"
_PAGE_TOO_SLOW = f"takes more than {PAGE_S} seconds of a processor and was left out"
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


def read(data: bytes, max_pages: int) -> PdfRead:
    """A whole PDF, in a process that takes at most 2 seconds of a processor for each of its pages.

    Raises:
        OutOfTime: It takes more.
    """
    content = extract(data, max_pages, allow_processor_time)
    allow_processor_time(WHOLE_S * max(1, content["count"]), _TOO_SLOW)
    found = put_together(content)
    end_of_allowance()
    return found


def extract(data: bytes, max_pages: int, allow: Allow = lambda *_: None) -> PdfPieces:
    """The pieces of every page; a damaged file is also read from a mended copy, and what holds more is returned.

    Raises:
        OutOfTime: Opening it takes longer than `allow` was told; a page that does is left out.
    """
    content = _extract(data, max_pages, allow)
    if content["problem"] not in ("", "broken"):
        return content
    with suppress(OutOfTime):
        allow(PAGE_S * max(1, content["count"]), _TOO_SLOW)
        if not _characters(content) or content["unreadable"] or not _is_in_place(data):
            copy = _mended(data, max_pages)
            mended = _extract(copy, max_pages, allow) if copy else content
            return mended if _characters(mended) >= _characters(content) else content
    return content


def _is_in_place(data: bytes) -> bool:
    """Whether every object stands where the table says: pdfminer.six goes on without those that it does not find."""
    for xref in PDFDocument(PDFParser(BytesIO(data))).xrefs:
        if isinstance(xref, PDFXRefFallback):
            return False
        places = [(number, xref.get_pos(number)) for number in xref.get_objids()]
        if any(
            stream is None and not re.match(rb"\s*%d\s+%d\s+obj" % (number, generation), data[at : at + 40])
            for number, (stream, at, generation) in places
        ):
            return False
    return True


def _mended(data: bytes, max_pages: int) -> bytes:
    """The pages that pypdf finds, written anew; empty if it finds none."""
    from pypdf import PdfReader, PdfWriter  # noqa: PLC0415 - takes as long as most files that need no mending
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    try:
        reader, writer = PdfReader(BytesIO(data)), PdfWriter()
        if reader.is_encrypted and not reader.decrypt(""):
            return b""
        for page in reader.pages[: max_pages + 1]:
            writer.add_page(page)
        buffer = BytesIO()
        writer.write(buffer)
    except (PyPdfError, *_MALFORMED):
        return b""
    return buffer.getvalue() if writer.pages else b""


def _characters(content: PdfPieces) -> int:
    return sum(len(piece["text"]) for page in content["pages"] for piece in page["pieces"])


def _extract(data: bytes, max_pages: int, allow: Allow) -> PdfPieces:
    """The pieces of every page; a page that cannot be read is reported, not fatal."""
    content = PdfPieces(problem="", reason="", count=0, pages=[], unreadable=[], title="", beside=[])
    allow(PAGE_S, _TOO_SLOW)
    try:
        document = PDFDocument(PDFParser(BytesIO(data)))
        pages = []
        for page in PDFPage.create_pages(document):
            pages.append(page)
            if len(pages) > max_pages:
                break
            allow(PAGE_S * len(pages), _TOO_SLOW)
    except _MALFORMED as error:
        content["problem"] = "encrypted" if isinstance(error, PDFEncryptionError) else "broken"
        content["reason"] = in_one_line(error)
        return content
    content["count"] = len(pages)
    if len(pages) > max_pages:
        content["problem"] = "too_many_pages"
        return content
    content["title"] = _metadata_title(document)
    content["beside"] = _beside(document, pages)
    _read_pages(pages, content, allow)
    return content


def _read_pages(pages: list[PDFPage], content: PdfPieces, allow: Allow) -> None:
    resources = PDFResourceManager()
    characters = 0
    for number, page in enumerate(pages, start=1):
        painter = Painter(resources)
        try:
            allow(min(PAGE_S * len(pages), time.process_time() + PAGE_S), _PAGE_TOO_SLOW)
            Interpreter(resources, painter).process_page(page)
            pieces = painter.pieces()
            sheet = PdfPage(width=painter.width, height=painter.height, matrix=_to_file(page), pieces=pieces)
        except (OutOfTime, *_MALFORMED) as error:
            sheet = PdfPage(width=0, height=0, matrix=MATRIX_IDENTITY, pieces=[])
            why = "" if isinstance(error, OutOfTime) else "could not be read and was left out: "
            content["unreadable"].append(f"page {number} {why}{in_one_line(error)}")
        content["pages"].append(sheet)
        characters += sum(len(piece["text"]) + 1 for piece in sheet["pieces"])
        if characters > MAX_CHARACTERS:
            content["problem"] = "too_much_text"
            return


def _to_file(page: PDFPage) -> Matrix:
    """Inverse of the matrix with which pdfminer.six turns a page the way it is shown."""
    x0, y0, x1, y1 = page.mediabox
    turned: dict[int, Matrix] = {
        90: (0, 1, -1, 0, x1, y0),
        180: (-1, 0, 0, -1, x1, y1),
        270: (0, -1, 1, 0, x0, y1),
    }
    return turned.get(page.rotate, (1, 0, 0, 1, x0, y0))


def _beside(document: PDFDocument, pages: list[PDFPage]) -> list[Beside]:
    try:
        return beside_pages(document, pages)
    except _MALFORMED:  # notes and forms may be broken where the pages are not
        return []


def _metadata_title(document: PDFDocument) -> str:
    try:
        return decode_text(next((info["Title"] for info in document.info if "Title" in info), b""))
    except _MALFORMED:  # the metadata may be broken where the pages are not
        return ""


if __name__ == "__main__":
    answer(read)
