"""PDF files for tests: typeset ones, and ones written object by object to be wrong on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen import canvas

Line = str | tuple[str, float]
"""A line of 10 points, or a line and its size."""


def typeset(*pages: Sequence[Line], title: str = "", stamp: str = "") -> bytes:
    """A PDF of the given lines; `stamp` is printed large and sideways in the margin of every page."""
    buffer = BytesIO()
    sheet = canvas.Canvas(buffer)
    if title:
        sheet.setTitle(title)
    for page in pages:
        height = 800.0
        for line in page:
            text, size = (line, 10.0) if isinstance(line, str) else line
            height -= 1.3 * size
            sheet.setFont("Helvetica", size)
            sheet.drawString(72, height, text)
        if stamp:
            sheet.setFont("Helvetica", 30)
            sheet.rotate(90)
            sheet.drawString(300, -30, stamp)
        sheet.showPage()
    sheet.save()
    return buffer.getvalue()


def encrypted(pdf: bytes, *, user_password: str) -> bytes:
    """A PDF behind a password; an empty one opens without being asked for."""
    writer = PdfWriter(PdfReader(BytesIO(pdf)))
    writer.encrypt(user_password, "owner", algorithm="AES-256")
    buffer = BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def from_objects(*objects: bytes) -> bytes:
    """A PDF of the given objects, numbered from 1; the first is its catalog."""
    body = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return body + b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        size,
        table,
        size,
        len(body),
    )


def with_contents(*contents: bytes, font: bytes = b"") -> bytes:
    """A PDF with one page for each content stream, given as a dictionary's inside, a line end and the data.

    Its font F1 is Helvetica with what `font` adds to its dictionary.
    """
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(contents), kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica %b >>" % font,
    ]
    for at, content in enumerate(contents):
        inside, _, data = content.partition(b"\n")
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (5 + 2 * at),
            b"<< %b /Length %d >>\nstream\n%b\nendstream" % (inside, len(data), data),
        ]
    return from_objects(*objects)


def words(text: bytes) -> bytes:
    """Content stream that shows one line of text, for `with_contents`."""
    return b"\nBT /F1 12 Tf 72 700 Td (%b) Tj ET" % text
