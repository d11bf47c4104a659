"""Annotate the reviewed PDF: a highlight with a note for each comment and computed finding.

A highlight has one quadrilateral per line of the quote, in the coordinates of PDF annotations.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from itertools import groupby
from math import inf

from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Highlight, MarkupAnnotation, Text
from pypdf.constants import AnnotationFlag
from pypdf.generic import ArrayObject, FloatObject, NameObject, TextStringObject
from pypdfium2 import PdfMatrix

from draftroom.rendering.notes import (
    NOTE_AUTHOR,
    OTHER_FORMAT_HINT,
    PlacedNote,
    load_paper_document,
    locate_notes,
    read_original_file,
)
from runs.record import RunRecord
from state.documents import Word
from state.errors import InputError
from state.records import Values

_ICON_SIZE = 20.0  # width and height of a note's icon in points
# Words of a line overlap by at least this share of the lower one's height; subscripts and superscripts reach it.
_MIN_LINE_OVERLAP = 0.5
_ROTATIONS = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}  # degrees to cosine and sine


def render_annotated_pdf(record: RunRecord, values: Values) -> bytes:
    """Return the reviewed PDF with its comments and computed findings as annotations, otherwise unchanged."""
    reference, document = load_paper_document(values)
    data, notes = read_original_file(reference, "pdf"), locate_notes(document, record, values)
    words = {paragraph["id"]: paragraph["words"] for paragraph in document["paragraphs"]}
    try:
        reader = PdfReader(BytesIO(data))
        # An incremental update leaves every byte of the file as it is; pypdf cannot write one to an encrypted file.
        writer = PdfWriter(clone_from=reader) if reader.is_encrypted else PdfWriter(BytesIO(data), incremental=True)
        for each in notes:
            _add_note(writer, each, words.get(each.note.paragraph, []))
        buffer = BytesIO()
        writer.write(buffer)
    except Exception as error:  # pypdf raises built-in exceptions of all kinds, too, for broken files
        raise InputError(
            f"{reference['source']} is too unusual a PDF to be annotated ({error}); {OTHER_FORMAT_HINT}.",
            kind="broken_pdf",
        ) from error
    return buffer.getvalue()


def _add_note(writer: PdfWriter, placed: PlacedNote, words: list[Word]) -> None:
    """Highlight a note's quote, or without one its paragraph, on each page that holds a part of it.

    If none of the words has a known position, add an icon at the top of the page instead.
    """
    quoted = words
    if placed.end > placed.start:
        quoted = [word for word in words if word["start"] < placed.end and word["end"] > placed.start]
    for page, on_page in groupby(quoted, key=lambda word: word["page"]):
        lines = compute_line_quadrilaterals(on_page, writer.pages[page - 1].rotation)
        xs, ys = [x for line in lines for x in line[::2]], [y for line in lines for y in line[1::2]]
        highlight = Highlight(
            rect=(min(xs), min(ys), max(xs), max(ys)),
            quad_points=ArrayObject(FloatObject(round(at, 3)) for line in lines for at in line),
            highlight_color=placed.note.colour,
            title_bar=NOTE_AUTHOR,
        )
        _add_annotation(writer, page, highlight, placed)
    if not quoted:
        page = max(placed.note.page, 1)
        left, top = writer.pages[page - 1].cropbox.upper_left
        icon = Text(rect=(left, top - _ICON_SIZE, left + _ICON_SIZE, top), text="", title_bar=NOTE_AUTHOR)
        _add_annotation(writer, page, icon, placed)


def _add_annotation(writer: PdfWriter, page: int, annotation: MarkupAnnotation, placed: PlacedNote) -> None:
    """Add an annotation with the text of a note to a page, which is counted from 1."""
    annotation.flags = AnnotationFlag.PRINT
    annotation[NameObject("/NM")] = TextStringObject(f"{placed.note.id}-{page}")
    annotation[NameObject("/Subj")] = TextStringObject(placed.note.kind)
    annotation[NameObject("/Contents")] = TextStringObject(placed.text)
    writer.add_annotation(page - 1, annotation)


def compute_line_quadrilaterals(words: Iterable[Word], rotation: int) -> list[list[float]]:
    """Compute one quadrilateral for each line of words of one page (ISO 32000-1, 12.5.6.10).

    Args:
        words: Words in reading order.
        rotation: Clockwise rotation of the page in degrees.

    Returns:
        Eight coordinates per line, in points.
    """
    cosine, sine = _ROTATIONS[rotation % 360]
    to_shown, to_file = PdfMatrix(cosine, -sine, sine, cosine), PdfMatrix(cosine, sine, -sine, cosine)
    # 1. Merge the boxes of words into boxes of lines, in the coordinates of the page as shown.
    lines: list[tuple[float, float, float, float]] = []
    for word in words:
        left, low, right, high = to_shown.on_rect(*word["box"])
        x0, y0, x1, y1 = lines[-1] if lines else (inf, 0.0, 0.0, 0.0)
        # A line continues with a word at its height to its right.
        if left >= x0 and min(y1, high) - max(y0, low) >= _MIN_LINE_OVERLAP * min(y1 - y0, high - low):
            lines[-1] = (x0, min(y0, low), max(x1, right), max(y1, high))
        else:
            lines.append((left, low, right, high))
    # 2. Rotate the corners of each line back to the coordinates of the file.
    quadrilaterals = []
    for left, low, right, high in lines:
        # Viewers expect this order of corners, although the standard gives another one.
        corners = ((left, high), (right, high), (left, low), (right, low))
        quadrilaterals.append([at for corner in corners for at in to_file.on_point(*corner)])
    return quadrilaterals
