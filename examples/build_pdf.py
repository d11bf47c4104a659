"""Builds `seedlings.pdf` from `seedlings.md`, typeset as journals do: `python -m examples.build_pdf`.

Two columns, a running header, page numbers and words divided at line ends: what a reader of PDFs has to cope with. The
same source always gives the same bytes.
"""

from __future__ import annotations

from html import escape
from io import BytesIO
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, FrameBreak, NextPageTemplate, PageTemplate, Paragraph

SOURCE = Path(__file__).parent / "seedlings.md"
PDF = SOURCE.with_suffix(".pdf")

HEADER = "Sprout, Mulch and Thyme: Spent tea leaves as a feed"
JOURNAL = "Windowsill Horticulture Letters 12 (2023)"

_WIDTH, _HEIGHT = A4
_MARGIN, _GUTTER, _TITLE_BLOCK = 22 * mm, 7 * mm, 28 * mm
_COLUMN = (_WIDTH - 2 * _MARGIN - _GUTTER) / 2

_BODY = ParagraphStyle(
    "body",
    fontName="Times-Roman",
    fontSize=11,
    leading=14.5,
    alignment=4,  # justified
    firstLineIndent=4 * mm,
    hyphenationLang="en_GB",
)
_FIRST = ParagraphStyle("first", _BODY, firstLineIndent=0)
_REFERENCE = ParagraphStyle("reference", _FIRST, fontSize=10, leading=12.5, spaceAfter=3)
_HEADING = ParagraphStyle(
    "heading", fontName="Helvetica-Bold", fontSize=11, leading=14, spaceBefore=9, spaceAfter=3, keepWithNext=True
)
_TITLE = ParagraphStyle("title", fontName="Helvetica-Bold", fontSize=16, leading=20, alignment=1, spaceAfter=6)
_AUTHORS = ParagraphStyle("authors", fontName="Times-Italic", fontSize=10.5, leading=14, alignment=1)


def build(source: str) -> bytes:
    """Typeset a paper.

    Args:
        source: Markdown: a title, paragraphs that name the authors, then second-level headings and paragraphs.

    Returns:
        The PDF.
    """
    out = BytesIO()
    # Uncompressed, so that the bytes do not depend on the version of zlib.
    document = BaseDocTemplate(
        out,
        pagesize=A4,
        pageCompression=0,
        invariant=1,
        lang="en-GB",
        title=source.split("\n", 1)[0].removeprefix("# "),
        author="Invented for Draftroom",
        subject="An invented paper; it reports no real study.",
    )
    first = PageTemplate("first", [_title_frame(), *_columns(_TITLE_BLOCK)], onPage=_furnish)
    document.addPageTemplates([first, PageTemplate("later", _columns(0), onPage=_furnish)])
    document.build([NextPageTemplate("later"), *_flow(source)])
    return out.getvalue()


def _title_frame() -> Frame:
    bottom = _HEIGHT - _MARGIN - _TITLE_BLOCK
    return _frame(_MARGIN, bottom, _WIDTH - 2 * _MARGIN, _TITLE_BLOCK)


def _columns(below: float) -> list[Frame]:
    height = _HEIGHT - 2 * _MARGIN - below
    return [_frame(left, _MARGIN, _COLUMN, height) for left in (_MARGIN, _MARGIN + _COLUMN + _GUTTER)]


def _frame(left: float, bottom: float, width: float, height: float) -> Frame:
    return Frame(left, bottom, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


def _furnish(canvas: Canvas, document: BaseDocTemplate) -> None:
    """Header and page number."""
    canvas.setFont("Times-Italic", 9)
    canvas.drawString(_MARGIN, _HEIGHT - 13 * mm, HEADER)
    canvas.drawRightString(_WIDTH - _MARGIN, _HEIGHT - 13 * mm, JOURNAL)
    canvas.drawCentredString(_WIDTH / 2, 11 * mm, str(document.page))


def _flow(source: str) -> list[Flowable]:
    """The paper's blocks in order, each in the style of its place."""
    title, *blocks = source.strip().split("\n\n")
    flow: list[Flowable] = [Paragraph(escape(title.removeprefix("# ")), _TITLE)]
    style = _AUTHORS
    for block in blocks:
        if block.startswith("## "):
            if style is _AUTHORS:
                flow.append(FrameBreak())
            flow.append(Paragraph(escape(block.removeprefix("## ")), _HEADING))
            style = _FIRST
        else:
            references = block.startswith("[")
            flow.append(Paragraph(escape(block), _REFERENCE if references else style))
            style = _BODY if style is _FIRST else style
    return flow


if __name__ == "__main__":
    PDF.write_bytes(build(SOURCE.read_text(encoding="utf-8")))
