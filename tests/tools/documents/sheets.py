"""Papers typeset for tests: columns of wrapped paragraphs, and single strings anywhere on a page; and read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO

from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from state.documents import Document
from tools.documents.pdf.process import parse_pdf
from tools.documents.reading import load_document, read_document_bytes
from tools.documents.structure import build_document_from_parts

SUBJECTS = ("sea", "river", "lake", "pond", "creek", "fjord", "bay", "gulf", "brook", "marsh", "delta", "spring")


def prose(seed: int, sentences: int = 6) -> str:
    """A paragraph that no other seed gives."""
    subjects = [SUBJECTS[(seed + at * (seed + 1)) % len(SUBJECTS)] for at in range(sentences)]
    return " ".join(f"In round {seed} the {name} was {at + 2} degrees warmer." for at, name in enumerate(subjects))


def read(data: bytes) -> Document:
    """Read a PDF as the command does, but in this process: for files that are not hostile; it takes far less."""
    return build_document_from_parts(parse_pdf(data, 100, lambda *_: None), sha256="", document_format="pdf")


def read_paper(data: str | bytes, name: str) -> Document:
    """Read a paper as the command does, and from the store."""
    data = data.encode() if isinstance(data, str) else data
    return load_document(read_document_bytes(data, name=name))


def sections(document: Document) -> list[tuple[str, str]]:
    """Section and text of each paragraph."""
    return [(paragraph["section"], paragraph["text"]) for paragraph in document["paragraphs"]]


class Column:
    """Sets text from the top of a column downwards."""

    def __init__(self, sheet: Canvas, *, left: float, top: float, width: float) -> None:
        self._sheet = sheet
        self._left = left
        self._width = width
        self.y = top

    def heading(self, text: str) -> None:
        """A bold line with space around it."""
        self.y -= 20
        self.line(text, font="Times-Bold", size=12)
        self.y -= 6

    def paragraph(self, text: str, *, size: float = 10, indent: float = 12) -> list[str]:
        """A paragraph that begins with an indentation; its lines are returned."""
        room = self._width - indent
        first, *_ = simpleSplit(text, "Times-Roman", size, room)
        rest = simpleSplit(text[len(first) :].strip(), "Times-Roman", size, self._width)
        self.line(first, size=size, indent=indent)
        for line in rest:
            self.line(line, size=size)
        return [first, *rest]

    def line(self, text: str, *, font: str = "Times-Roman", size: float = 10, indent: float = 0) -> None:
        """One line as it is."""
        self._sheet.setFont(font, size)
        self._sheet.drawString(self._left + indent, self.y, text)
        self.y -= 1.2 * size


def pdf(*draw: Callable[[Canvas], object]) -> bytes:
    """A PDF of letter size with a page for each function that draws one."""
    buffer = BytesIO()
    sheet = Canvas(buffer, pagesize=(612, 792))
    for page in draw:
        page(sheet)
        sheet.showPage()
    sheet.save()
    return buffer.getvalue()


def lines(texts: Sequence[str], *, top: float = 700) -> Callable[[Canvas], None]:
    """A page of lines in one column."""

    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=top, width=460)
        for text in texts:
            column.line(text)

    return draw
