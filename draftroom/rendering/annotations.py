"""The paper itself with a highlight on the words of each comment and computed finding, and what is said as its note.

A quote has one box a line, in the coordinates that annotations use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import groupby
from typing import NamedTuple

from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Highlight, MarkupAnnotation, Text
from pypdf.constants import AnnotationFlag
from pypdf.errors import PyPdfError
from pypdf.generic import ArrayObject, FloatObject, NameObject, TextStringObject

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

# What pypdf raises for broken files, from its depths.
_PYPDF_ERRORS = (
    PyPdfError,
    ValueError,
    NotImplementedError,
    TypeError,
    AttributeError,
    LookupError,
    AssertionError,
    RecursionError,
)
_ICON_SIZE = 20.0  # width and height of a note's icon in points


def render_annotated_pdf(record: RunRecord, values: Values) -> bytes:
    """The PDF that was reviewed, with its comments and what was computed; apart from them it is the file that was read.

    Raises:
        BadInput: The paper was no PDF, is gone, was changed, or cannot be written to.
        StateError: The places of its words are gone.
    """
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
    except _PYPDF_ERRORS as error:
        raise InputError(
            f"{reference['source']} is too unusual a PDF to be annotated ({error}); {OTHER_FORMAT_HINT}.",
            kind="broken_pdf",
        ) from error
    return buffer.getvalue()


def _add_note(writer: PdfWriter, about: PlacedNote, words: list[Word]) -> None:
    """A highlight on each page of the quote, or of the whole paragraph if nothing is quoted.

    If the page does not show the words, a note at the top of the page.
    """
    quoted = [word for word in words if word["start"] < about.end and word["end"] > about.start]
    if about.end <= about.start:
        quoted = words
    for page, on_page in groupby(quoted, key=lambda word: word["page"]):
        lines = compute_line_quadrilaterals(on_page, writer.pages[page - 1].rotation)
        highlight = Highlight(
            rect=compute_bounding_box(lines),
            quad_points=ArrayObject(FloatObject(round(at, 3)) for line in lines for at in line),
            highlight_color=about.note.colour,
            title_bar=NOTE_AUTHOR,
        )
        _add_annotation(writer, page, highlight, about)
    if not quoted:
        page = max(about.note.page, 1)
        left, top = writer.pages[page - 1].cropbox.upper_left
        icon = Text(rect=(left, top - _ICON_SIZE, left + _ICON_SIZE, top), text="", title_bar=NOTE_AUTHOR)
        _add_annotation(writer, page, icon, about)


def _add_annotation(writer: PdfWriter, page: int, annotation: MarkupAnnotation, about: PlacedNote) -> None:
    annotation.flags = AnnotationFlag.PRINT
    annotation[NameObject("/NM")] = TextStringObject(f"{about.note.id}-{page}")
    annotation[NameObject("/Subj")] = TextStringObject(about.note.kind)
    annotation[NameObject("/Contents")] = TextStringObject(about.text)
    writer.add_annotation(page - 1, annotation)


_MIN_LINE_OVERLAP = 0.5
"""Share of the height of the lower one that two words of a line have in common at least; indices are that low."""
_ROTATIONS = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}
"""Cosine and sine of the angle by which a viewer turns a page."""


class Box(NamedTuple):
    """A box in points from the lower left corner of the page."""

    x0: float
    y0: float
    x1: float
    y1: float


def compute_line_quadrilaterals(words: Iterable[Word], rotation: int) -> list[list[float]]:
    """A quadrilateral a line for words of one page (ISO 32000-1, 12.5.6.10).

    The corners come in the order that viewers expect, whatever the standard says: upper left, upper right, lower left,
    lower right as the text is read.

    Args:
        words: In reading order.
        rotation: Of the page, clockwise in degrees.
    """
    cosine, sine = _ROTATIONS[rotation % 360]
    lines = _merge_line_boxes(_rotate_box(Box(*word["box"]), cosine, sine) for word in words)
    corners = [((b.x0, b.y1), (b.x1, b.y1), (b.x0, b.y0), (b.x1, b.y0)) for b in lines]
    return [[at for u, v in line for at in (cosine * u - sine * v, sine * u + cosine * v)] for line in corners]


def compute_bounding_box(quadrilaterals: Iterable[list[float]]) -> Box:
    """The smallest box around all of them."""
    xs = [x for quad in quadrilaterals for x in quad[::2]]
    ys = [y for quad in quadrilaterals for y in quad[1::2]]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _rotate_box(box: Box, cosine: int, sine: int) -> Box:
    """The box as the page is shown."""
    us = [cosine * x + sine * y for x, y in ((box.x0, box.y0), (box.x1, box.y1))]
    vs = [cosine * y - sine * x for x, y in ((box.x0, box.y0), (box.x1, box.y1))]
    return Box(min(us), min(vs), max(us), max(vs))


def _merge_line_boxes(boxes: Iterable[Box]) -> Iterator[Box]:
    """Boxes of words to boxes of lines; a line ends where the next word is not to the right of it at its height."""
    line: Box | None = None
    for box in boxes:
        overlap = min(line.y1, box.y1) - max(line.y0, box.y0) if line else 0.0
        if line and box.x0 >= line.x0 and overlap >= _MIN_LINE_OVERLAP * min(line.y1 - line.y0, box.y1 - box.y0):
            line = Box(line.x0, min(line.y0, box.y0), max(line.x1, box.x1), max(line.y1, box.y1))
            continue
        if line:
            yield line
        line = box
    if line:
        yield line
