"""Reads the words of one PDF with pdfminer.six; `structured.pdf` starts this module in a process of its own.

A hostile file can make any parser loop, recurse or fill the memory. A process can be limited and killed.
"""

from __future__ import annotations

import json
import logging
import sys
from io import BytesIO
from typing import TypedDict

from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError
from pdfminer.pdfexceptions import PDFException
from pdfminer.pdfinterp import PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.psexceptions import PSException
from pdfminer.utils import MATRIX_IDENTITY, Matrix, decode_text

from tools.documents.pypdf_process import MAX_CHARACTERS, Problem, limit_resources, reason
from tools.documents.structured.painting import Interpreter, Painter
from tools.documents.structured.visibility import Piece

# pdfminer.six's own errors, and what broken files were seen to raise from its depths beside them.
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


class PdfPage(TypedDict):
    """What stands on a page, in the order in which it is painted."""

    width: float
    height: float
    matrix: Matrix
    """From the page as it is shown to the file's own coordinates, which annotations use."""
    pieces: list[Piece]


class PdfPieces(TypedDict):
    """What pdfminer.six found in a file, or the problem that kept it from reading."""

    problem: Problem
    reason: str
    count: int
    pages: list[PdfPage]
    """Those that could not be read hold no pieces."""
    unreadable: list[str]
    title: str


def extract(data: bytes, max_pages: int) -> PdfPieces:
    """The pieces of every page; a page that cannot be read is reported, not fatal."""
    content = PdfPieces(problem="", reason="", count=0, pages=[], unreadable=[], title="")
    try:
        document = PDFDocument(PDFParser(BytesIO(data)))
        pages = []
        for page in PDFPage.create_pages(document):
            pages.append(page)
            if len(pages) > max_pages:
                break
    except _MALFORMED as error:
        content["problem"] = "encrypted" if isinstance(error, PDFEncryptionError) else "broken"
        content["reason"] = reason(error)
        return content
    content["count"] = len(pages)
    if len(pages) > max_pages:
        content["problem"] = "too_many_pages"
        return content
    content["title"] = _metadata_title(document)
    _read_pages(pages, content)
    return content


def _read_pages(pages: list[PDFPage], content: PdfPieces) -> None:
    resources = PDFResourceManager()
    characters = 0
    for number, page in enumerate(pages, start=1):
        painter = Painter(resources)
        try:
            Interpreter(resources, painter).process_page(page)
            pieces = painter.pieces()
            sheet = PdfPage(width=painter.width, height=painter.height, matrix=_to_file(page), pieces=pieces)
        except _MALFORMED as error:
            sheet = PdfPage(width=0, height=0, matrix=MATRIX_IDENTITY, pieces=[])
            content["unreadable"].append(f"page {number} could not be read and was left out: {reason(error)}")
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


def _metadata_title(document: PDFDocument) -> str:
    try:
        return decode_text(next((info["Title"] for info in document.info if "Title" in info), b""))
    except _MALFORMED:  # the metadata may be broken where the pages are not
        return ""


if __name__ == "__main__":
    logging.disable()  # pdfminer.six logs every oddity of a file
    limit_resources(seconds=int(sys.argv[2]))
    json.dump(extract(sys.stdin.buffer.read(), max_pages=int(sys.argv[1])), sys.stdout)
