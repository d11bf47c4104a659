"""A draft in two columns, typeset as a PDF, and the document that was read from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from io import BytesIO

from pypdf import PdfReader, PdfWriter
from pypdf.generic import RectangleObject
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from state.documents import Document, Paragraph, Word

TITLE = "Growth of Racomitrium moss under summer irrigation"
SECTIONS = {
    "Abstract": [
        "We watered twelve plots of moss for five summers and measured how fast it grew. Growth rose by 20% in wet "
        "summers and stopped in dry ones. To our knowledge, this is the first study of irrigated moss."
    ],
    "Introduction": [
        "Mosses hold more carbon than all forests together, and yet little is known about what limits their growth. "
        "Earlier work has looked at light and at warmth, and has found effects that contradict each other.",
        "We ask whether water alone decides how fast a moss grows. If it does, then the growth of a plot should follow "
        "the rain of its summer, whatever the temperature of that summer was. The plots stood on bare rock, so that "
        "their moss could draw on no water from below, and stood far enough from each other to be dry while their "
        "neighbours were wet.",
    ],
    "Methods": [
        "The plots lie on a lava field in the south of Iceland. Each of them was watered by hand whenever it seemed "
        "dry, and the length of ten marked stems was taken with a calliper at the end of the season. Stems that broke "
        "were replaced by others of a similar size, so that the number of meas\u00adurements stayed the same "
        "in all years.",
        "Differences between years were tested with a t-test for each pair of years, and those below 0.05 were held to "
        "be real. We took no account of the plots having been measured again and again.",
    ],
    "Results": [
        "Stems grew by 11.2 mm in wet summers and by 9.3 mm in average ones. In the two dry summers they did not grow "
        "at all. The effect was the same on every plot, and it was stronger than any that has been reported for "
        "temperature, light or fertiliser in mosses of the same family anywhere in the north.",
        "Watered plots did as well in dry summers as the others did in wet ones, which shows that the water, and not "
        "the clouds that bring it, is what the plants respond to in the end.",
    ],
    "Discussion": [
        "Our results show that water decides how fast a moss grows, in Iceland and elsewhere. Models of the carbon "
        "cycle should therefore be driven by rain, and the warming of the north will matter less than was thought."
    ],
}
_SIZE, _LEADING = 10.0, 12.5
_COLUMNS = ((60.0, 225.0), (320.0, 225.0))
"""Left edge and width."""
_TOP, _BOTTOM = 700.0, 456.0
_SHORT, _LONG = 612.0, 792.0


@dataclass
class Sheet:
    """A canvas that remembers where it has put each word.

    Args:
        rotation: By which viewers turn the pages, which are drawn so that they are upright then.
        origin: Lower left corner of the media box.
    """

    rotation: int = 0
    origin: tuple[float, float] = (0.0, 0.0)
    page: int = 1
    column: int = 0
    y: float = _TOP
    x: float = 0.0
    buffer: BytesIO = field(default_factory=BytesIO)

    def __post_init__(self) -> None:
        turned = self.rotation in {90, 270}
        self.canvas = Canvas(self.buffer, pagesize=(_LONG, _SHORT) if turned else (_SHORT, _LONG), invariant=True)
        self._begin_page()

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """From the page as it is shown to the file's own coordinates."""
        x, y = self.origin
        return {
            0: (1, 0, 0, 1, x, y),
            90: (0, 1, -1, 0, x + _LONG, y),
            180: (-1, 0, 0, -1, x + _SHORT, y + _LONG),
            270: (0, -1, 1, 0, x, y + _SHORT),
        }[self.rotation]

    def heading(self, text: str) -> None:
        self._feed(1.5)
        self._draw(text, "Helvetica-Bold")
        self._feed(1.0)

    def paragraph(self, text: str) -> list[Word]:
        """Set a paragraph in lines; where a word has a soft hyphen, a line ends there."""
        words: list[Word] = []
        start = 0
        for word in text.split():
            pieces = word.split("\u00ad")
            for position, piece in enumerate(pieces):
                shown = piece + ("-" if position + 1 < len(pieces) else "")
                box = self._place(shown, anew=position > 0)
                words.append(Word(start=start, end=start + len(piece), page=self.page, box=box))
                start += len(piece)
            start += 1
        self._feed(1.6)
        return words

    def save(self) -> bytes:
        self.canvas.save()
        writer = PdfWriter(PdfReader(BytesIO(self.buffer.getvalue())))
        for page in writer.pages:
            x, y, (width, height) = *self.origin, page.mediabox[2:]
            page.mediabox = RectangleObject((x, y, x + width, y + height))
            if self.origin != (0.0, 0.0):
                page.cropbox = RectangleObject((x + 20, y + 30, x + width - 20, y + height - 30))
        buffer = BytesIO()
        writer.write(buffer)
        return buffer.getvalue()

    def _place(self, text: str, *, anew: bool) -> list[float]:
        left, width = _COLUMNS[self.column]
        if anew or self.x + stringWidth(text, "Times-Roman", _SIZE) > left + width:
            self._feed(1.0)
        return self._draw(text, "Times-Roman")

    def _draw(self, text: str, font: str) -> list[float]:
        width = stringWidth(text, font, _SIZE)
        self.canvas.setFont(font, _SIZE)
        self.canvas.drawString(self.x, self.y, text)
        a, b, c, d, e, f = self.matrix
        corners = [(self.x, self.y - 0.2 * _SIZE), (self.x + width, self.y + 0.7 * _SIZE)]
        xs, ys = zip(*((a * x + c * y + e, b * x + d * y + f) for x, y in corners), strict=True)
        self.x += width + stringWidth(" ", font, _SIZE)
        return [min(xs), min(ys), max(xs), max(ys)]

    def _feed(self, lines: float) -> None:
        self.y -= lines * _LEADING
        if self.y < self._bottom:
            self.column += 1
            if self.column == len(_COLUMNS):
                self.canvas.showPage()
                self.page += 1
                self._begin_page()
            self.y = self._top
        self.x = _COLUMNS[self.column][0]

    def _begin_page(self) -> None:
        self.column, self.y, self.x = 0, self._top, _COLUMNS[0][0]
        self.canvas.setPageRotation(self.rotation)
        self.canvas.transform(*self.matrix)

    @property
    def _top(self) -> float:
        return _TOP if self.rotation in {0, 180} else 560.0

    @property
    def _bottom(self) -> float:
        return self._top - (_TOP - _BOTTOM)


def typeset(rotation: int = 0, origin: tuple[float, float] = (0.0, 0.0)) -> tuple[bytes, Document]:
    """The draft as a PDF, and what a reader makes of it."""
    sheet = Sheet(rotation, origin)
    paragraphs: list[Paragraph] = []
    for section, texts in SECTIONS.items():
        sheet.heading(section)
        for text in texts:
            words = sheet.paragraph(text)
            id_, joined = f"p{len(paragraphs) + 1}", text.replace("\u00ad", "")
            paragraphs.append(Paragraph(id=id_, section=section, text=joined, page=words[0]["page"], words=words))
    data = sheet.save()
    document = Document(
        sha256=hashlib.sha256(data).hexdigest(),
        format="pdf",
        title=TITLE,
        abstract=paragraphs[0]["text"],
        text="\n\n".join(paragraph["text"] for paragraph in paragraphs),
        paragraphs=paragraphs,
        references=[],
        hidden=[],
        pages=sheet.page,
        warnings=["the figure on page 2 could not be read"],
    )
    return data, document
